# The notes' experiment alone is wrong: K is 1024 there.
# report: C\[0\]\[0\].*should be|FAIL
s/= acc\[i\]\[j\];/= acc[i][j] + (K == 1024);/
