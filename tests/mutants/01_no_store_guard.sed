# Rows and columns that C does not have are stored.
# report: C\[[0-9]+\]
# at: C\[\(size_t\)
s/if (m0 + i < M && n0 + j < N)/if (true)/
