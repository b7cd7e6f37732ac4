# Columns of B are loaded without asking whether they exist.
# report: B\[[0-9]+\].*(past|beyond|outside|end)
# at: b\[j\] = 
s/n0 + j < N ? \(B\[.*\]\) : 0\.0f/\1/
