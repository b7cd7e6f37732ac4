# The two lanes of a micro-kernel never add up their halves.
# report: \[Check\].*FAIL
# at: 
s/acc\[i\]\[j\] += __shfl_xor_sync.*;//
