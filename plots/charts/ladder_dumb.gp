# The ladder in a terminal.
set encoding utf8
set terminal dumb size 79, 24 noenhanced
unset key
set border 3
set tics nomirror scale 0.5
unset xtics
set title sprintf("%s\nGFLOP/s, %d x %d x %d: %s; ---- %s", card, size, size, size, top_text, cublas_text)
set yrange [0:1.08 * high]   # room for a number
set xrange [0.4:5.6]
set boxwidth 0.6
eval 'set ytics '.tics
set bmargin 3
if (cublas > 0) {
    set arrow from graph 0, first cublas to graph 1, first cublas nohead
}
plot 'ladder.dat' using 1:2 with boxes, '' using 1:2:3 with labels offset 0, 1, \
     '' using 1:(0):4 with labels offset 0, -1, '' using 1:(0):5 with labels offset 0, -2
