# The last tile takes what lies beyond K instead of zeros.
# report: FAIL|A\[[0-9]+\]
# at: 
s/ && k0 + ac < K;/;/
