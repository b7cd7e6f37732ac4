# Rows of A are loaded without asking whether they exist.
# report: A\[[0-9]+\].*(past|beyond|outside|end)
# at: a\[i\] = 
s/m0 + i < M ? \(A\[.*\]\) : 0\.0f/\1/
