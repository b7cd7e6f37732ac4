# The first tile is read before everyone's copies have landed.
# report: cp\.async|race
# at: read<.*a\[0\], b\[0\]
s/__syncthreads();   \/\/ everyone's copies.*//
