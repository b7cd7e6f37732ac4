# Rows and columns that C does not have are stored.
# report: C\[[0-9]+\]
# at: C\[\(size_t\)
s/ && m0 + tm + i < M && n0 + tn + j < N//
