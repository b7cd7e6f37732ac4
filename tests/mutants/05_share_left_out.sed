# Of a tile of C that blocks share, the other blocks' sums are not added.
# shape: 33x130x8000
# report: \[Check\].*FAIL
# at: 
s/acc\[i\]\[j\] += part\[(i \* TN + j) \* NTHREADS\];/;/
