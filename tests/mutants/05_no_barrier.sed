# A wait covers only a thread's own copies, and nobody waits for the others.
# report: cp\.async|race
# at: read<.*a\[next % 2\]
s/__syncthreads();   \/\/ the next tile has landed.*//
