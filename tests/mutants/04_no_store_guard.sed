# Rows and columns that C does not have are stored.
# report: C\[[0-9]+\]
# at: C\[\(size_t\)m \* N
s/if (m < M && n < N)/if (true)/
