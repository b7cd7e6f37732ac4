# Bytes that a multiply-add costs, counted by the simulator: no card is in it.
height = 430
eval open
title = 'Bytes moved for each multiply-add'
subtitle = 'counted by the CPU simulator at '.shape.', on a logarithmic scale'
eval heading
set multiplot
unset border
unset ytics
set yrange [5.6:0.4]
set logscale x 10
low = 10 ** floor(log10(least / 1.5))
high = 10 ** ceil(log10(most))
set xrange [low:high * 4]
set grid xtics lc rgb GRID lw 1 lt 1
set format x '%g'
do for [block = 0:1] {
    eval edges(block ? 512 : 190, block ? 24 : 352, 116, 80)
    if (block == 1) {
        unset label
    }
    set label 4 (block ? 'shared memory' : 'global memory') at graph 0, graph 1 left offset 0, screen px(18) tc rgb INK font 'sans-serif:Bold,18'
    plot 'traffic.dat' index block using ($3 > 0 ? low : NaN):1:($3 / low > 1 ? $3 - low : 0):(0):(fill($2)) with vectors nohead lw 4 lc rgb variable, \
         '' index block using ($3 > 0 ? $3 : NaN):1:(fill($2)) with points pt 7 ps DOT lc rgb variable, \
         '' index block using ($3 > 0 ? $3 : low):1:4:(shade($2)) with labels left offset 1.1, 0 tc rgb variable font 'sans-serif:Bold,18', \
         '' index block using (low):1:(block ? '' : stringcolumn(5)):(shade($2)) with labels right offset -0.8, 0 tc rgb variable font 'sans-serif,18'
}
unset multiplot
