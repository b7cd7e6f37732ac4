# The card's two ceilings, and each stage at the FLOPs it gets out of a byte that it
# asks global memory for.
height = 580
eval open
title = 'Roofline: what memory and arithmetic allow'
subtitle = sprintf('GFLOP/s in fp32 at %d × %d × %d; dotted: how far a stage is from it', size, size, size)
eval heading
eval edges(92, 24, 104, 106)

set logscale xy
set xrange [left:right]
set yrange [low * 0.999:high]
eval 'set xtics '.xtics
eval 'set ytics '.tics
set label 1 top_text at graph 1, graph 1 right offset 0, screen px(14) tc rgb INK font 'sans-serif,17'
if (below) { set label 2 copy_text at first 1.0 * top / copy / 30, first 1.0 * top / 30 left offset 1.5, 0 tc rgb INK font 'sans-serif,17' } \
else { set label 2 copy_text at first 1.0 * top / copy / 3, first 1.0 * top / 3 right offset -1, 0 tc rgb INK font 'sans-serif,17' }
set label 3 'FLOP per byte moved from and to global memory' at graph 0.5, graph 0 center offset 0, screen px(-50) tc rgb FAINT font 'sans-serif,17'
roof(x) = x * copy < top ? x * copy : top
set samples 500
plot roof(x) with lines lw 2.5 lc rgb INK, \
     'roofline.dat' using 1:2:(0):(roof($1) - $2):(fill($3)) with vectors nohead dt 3 lw 1.5 lc rgb variable, \
     '' using 1:2:(fill($3)) with points pt 7 ps DOT lc rgb variable, \
     'roofline.labels' using 1:2:4:(shade($3)) with labels left offset 1.2, -0.3 tc rgb variable font 'sans-serif:Bold,18'
