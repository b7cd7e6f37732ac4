# A wait covers only a thread's own copies, and nobody waits for the others.
# report: cp\.async|race
# at: load4\(&a\[next % 2\]\[i\]
s/__syncthreads();   \/\/ the next tile has landed.*//
