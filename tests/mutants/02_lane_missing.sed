# Only one of the two lanes takes part in the shuffle.
# report: shfl|shuffle
# at: __shfl_xor_sync
s/acc\[i\]\[j\] += __shfl/if (half == 0) acc[i][j] += __shfl/
