# Nothing waits for the readers before the next tile overwrites this one.
# report: race
# at: As\[r\]\[c\] = 
s/__syncthreads();   \/\/ nobody refills before.*//
