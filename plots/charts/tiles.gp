# Every tile of stages 4 and 5 at a few sizes, as a table: dark is near the column's
# best, a frame is around the tile that the program chooses.
height = int(140 + 36 * rows)
eval open
title = 'Which tile at which size: GFLOP/s'
subtitle = 'dark: near the best of its column; framed: what the program chooses'
eval heading
eval edges(34 + 11 * (widest > 16 ? widest : 16), 24, 84, 50)
unset border
unset tics
unset grid
set xrange [0.5:columns + 0.5]
set yrange [rows + 0.5:0.5]
# From white, at half the best speed and below, to the stage's colour.
part(x) = x < 0.5 ? 0.0 : 2 * (x - 0.5)
mix(colour, shift, f) = int(245 + ((colour >> shift & 255) - 245) * f) << shift
cell(s, f) = mix(SHADE[s], 16, f) + mix(SHADE[s], 8, f) + mix(SHADE[s], 0, f)
plot 'tiles.dat' using 1:2:($1 - 0.48):($1 + 0.48):($2 - 0.45):($2 + 0.45):(cell($4, part($3))) with boxxyerror fs solid 1 noborder lc rgb variable, \
     '' using 1:($5 == 1 ? $2 : NaN):($1 - 0.47):($1 + 0.47):($2 - 0.43):($2 + 0.43) with boxxyerror lc rgb INK lw 2.5 fs empty border lc rgb INK, \
     '' using 1:2:6:(part($3) > 0.55 ? 0xffffff : 0x1b1f24) with labels tc rgb variable font 'sans-serif,18', \
     'tiles.names' using (0.5):2:4 with labels noenhanced right offset -0.6, 0 tc rgb INK font 'sans-serif,18', \
     'tiles.heads' using ($1 == 0 ? 0.5 : NaN):2:4:(shade($3)) with labels right offset -0.6, 0 tc rgb variable font 'sans-serif:Bold,18', \
     '' using ($1 == 0 ? NaN : $1):2:4:(shade($3)) with labels tc rgb variable font 'sans-serif:Bold,18'
