# The loop runs one row past the tile.
# report: 16.*float \[16\]\[65\]|As
# at: Bs\[k\]\[tn
s/for (int k = 0; k < BK; k++)/for (int k = 0; k <= BK; k++)/
