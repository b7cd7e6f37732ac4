# The halves are exchanged with the neighbouring lane, which has another tile.
# report: \[Check\].*FAIL
# at: 
s/acc\[i\]\[j\], TILES)/acc[i][j], 1)/
