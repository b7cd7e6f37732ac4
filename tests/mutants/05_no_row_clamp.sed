# Rows of A that do not exist are copied.
# report: A\[[0-9]+\]
# at: cp_async4\(&s->As
s/min(m0 + tid \/ BK + i \* NTHREADS \/ BK, M - 1)/(m0 + tid \/ BK + i * NTHREADS \/ BK)/
