# GFLOP/s of each stage at one size, with cuBLAS and the card's peak.
height = 520
eval open
title = sprintf('SGEMM, %d × %d × %d: one idea a step', size, size, size)
subtitle = 'GFLOP/s in fp32'
eval heading
eval edges(92, 24, 104, 96)

set xrange [0.4:5.6]
set yrange [0:high]
unset xtics
eval 'set ytics '.tics
set boxwidth 0.62
set style fill solid 1.0 noborder

if (top > 0) {
    set arrow 1 from graph 0, first top to graph 1, first top nohead lc rgb INK lw 1.5 front
    set label 1 top_text at graph 1, first top right offset 0, screen px(14) tc rgb INK font 'sans-serif,17'
}
if (cublas > 0) {
    set arrow 2 from graph 0, first cublas to graph 1, first cublas nohead dt 2 lc rgb FAINT lw 1.5 back
    set label 2 cublas_text at graph 0, first cublas left offset 0.6, screen px(14) tc rgb FAINT font 'sans-serif,17'
}
# A tall bar has its number inside, where no line crosses it.
tall(y) = y > 0.15 * high
place(y) = y + (tall(y) ? -18.0 : 15.0) * high / (height - 104 - 96)
inside(s) = s < 3 ? 0x1b1f24 : 0xffffff
plot 'ladder.dat' using 1:2:(fill($1)) with boxes lc rgb variable, \
     '' using 1:(place($2)):3:(tall($2) ? inside($1) : shade($1)) with labels tc rgb variable font 'sans-serif:Bold,20', \
     '' using 1:(0):4:(shade($1)) with labels offset 0, screen px(-20) tc rgb variable font 'sans-serif,18', \
     '' using 1:(0):5:(shade($1)) with labels offset 0, screen px(-42) tc rgb variable font 'sans-serif,18'
