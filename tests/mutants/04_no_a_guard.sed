# A is loaded without asking whether the row exists.
# report: A\[[0-9]+\]
# at: As\[ac\]\[ar \+ i
s/m0 + ar + i \* ROWS_A < M && k0/k0/
