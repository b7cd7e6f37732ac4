# Nothing waits for the tiles to be whole before they are read.
# report: race|written
# at: load4\(&a\[i\], &As
s/__syncthreads();   \/\/ nobody reads before.*//
