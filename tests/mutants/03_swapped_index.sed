# The tile of A is filled as if it were transposed.
# report: index|unwritten|never written|before
# at: As\[c\]\[r\] = 
s/As\[r\]\[c\] = /As[c][r] = /
