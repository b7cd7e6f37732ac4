# C, computed with wider rows, is not moved to where it belongs.
# shape: 2000x5x2000
# tile: 32x64x16-4x4
# report: NaN.*FAIL
# at: 
s/move_rows<<<g->M, 256>>>.*;/;/
