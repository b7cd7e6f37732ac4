# The tile of A is filled as if it were not transposed.
# report: index
# at: As\[ar \+ i
s/As\[ac\]\[ar + i \* ROWS_A\] =/As[ar + i * ROWS_A][ac] =/
