# B is read as if it were transposed.
# report: FAIL|B\[[0-9]+\]
# at: 
s/B\[(size_t)k \* N + n0 + j\]/B[(size_t)(n0 + j) * N + k]/
