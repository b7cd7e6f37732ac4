# The accumulators start with what the registers held before.
# report: FAIL
s/float acc\[TM\]\[TN\] = {};/float acc[TM][TN];/
