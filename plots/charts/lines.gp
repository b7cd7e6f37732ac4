# GFLOP/s against size: gflops_by_size, and a stage beside the one before it.
height = chart eq 'gflops_by_size' ? 580 : 520
eval open
subtitle = 'GFLOP/s in fp32, by size M = N = K'.(logarithmic ? '; each line of the grid is ten times the one below' : '')
eval heading
eval edges(92, 182, 104, 76)

set logscale x 2
set xrange [left * 0.94:right * 1.03]
set xtics ('256' 256, '512' 512, '1024' 1024, '2048' 2048, '4096' 4096, '8192' 8192, '16384' 16384, '32768' 32768, '128' 128)
if (logarithmic) {
    set logscale y 10
}
set yrange [low * 0.999:high]
eval 'set ytics '.tics
if (top > 0) {
    set arrow 1 from graph 0, first top to graph 1, first top nohead lc rgb INK lw 1.5 front
    set label 1 top_text at graph 1, first top right offset 0, screen px(14) tc rgb INK font 'sans-serif,17'
}
if (exists('gain') && strlen(gain) > 0) {
    set arrow 3 from first size, first from to first size, first to head filled size screen 0.012, 20 lc rgb INK lw 1.5 front
    part(y) = logarithmic ? log(1.0 * y / low) / log(1.0 * high / low) : 1.0 * y / high
    at_size = sprintf('as fast at %d', size)
    lower = part(from) < part(to) ? part(from) : part(to)
    apart = abs(part(to) - part(from))
    from_left = log(1.0 * size / left) / log(1.0 * right / left)
    # In two lines and not quite in the middle, for the upper line comes down towards small
    # sizes. Where there is no room between them, below both or, at the bottom, above. And
    # inside the plot.
    if (apart > 0.2) {
        set label 3 gain."\n".at_size at first size, graph lower + 0.45 * apart tc rgb INK font 'sans-serif,17' front
        eval 'set label 3 '.(from_left > 0.25 ? 'right offset -1, 0' : 'left offset 1, 0')
    } else {
        set label 3 gain.' '.at_size at first size, graph (lower > 0.2 ? lower : lower + apart) tc rgb INK font 'sans-serif,17' front
        eval 'set label 3 '.(from_left < 0.25 ? 'left' : from_left > 0.8 ? 'right' : 'center').sprintf(' offset 0, screen %f', px(lower > 0.2 ? -56 : 56))
    }
}

first_stage = chart eq 'gflops_by_size' ? 1 : int(chart[6:6]) - 1
last_stage = chart eq 'gflops_by_size' ? 5 : int(chart[6:6])
plot chart.'.dat' index 0 using 1:2 with lines dt 2 lw 2 lc rgb fill(0), \
     '' index 0 using 1:(single ? $2 : NaN) with points pt 7 ps POINT lc rgb fill(0), \
     for [s = first_stage:last_stage] '' index s - first_stage + 1 using 1:2 with linespoints \
         lw 3 pt mark(s) ps POINT lc rgb fill(s), \
     chart.'.labels' using 1:2:4:(shade($3)) with labels left offset 1, 0 tc rgb variable font 'sans-serif:Bold,17'
