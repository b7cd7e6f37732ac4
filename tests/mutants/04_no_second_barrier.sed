# Nothing waits for the readers before the next tile overwrites this one.
# report: race
# at: As\[ac\]\[ar \+ i
s/__syncthreads();   \/\/ nobody refills before.*//
