# The last tile takes what lies beyond K instead of zeros.
# report: FAIL|A\[[0-9]+\]
# at: 
s/m0 + r < M && k0 + c < K/m0 + r < M/
