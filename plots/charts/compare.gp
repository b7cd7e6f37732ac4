# Several cards: how much of its own fp32 peak each stage reaches on each of them.
few = cards < 4
height = few ? 560 : 460
eval open
title = 'How much of each card the stages use'
subtitle = "stages 1 to 5, cuBLAS in grey, in % of the card's own fp32 peak"
eval heading
eval edges(72, 24, 100, few ? 172 : 84)

set xrange [0.5:cards + 0.5]
stats 'compare.dat' using 3 nooutput
set yrange [0:STATS_max > 95 ? 1.05 * STATS_max : 100]
set ytics 20
unset xtics
set style fill solid 1.0 noborder
bar = 0.85 / 6
at(card, s) = card + ((s == 0 ? 6 : s) - 3.5) * bar
room = (few ? 76 : 98) / cards
# Of two cards of one name, the names of the files.
its(what, i) = value(sprintf('card%d_%s', i, what))
name(i) = its((sum [j = 1:cards] (its('name', j) eq its('name', i))) > 1 ? 'file' : 'name', i)
# What all have in common is no name, where there is no room for it.
bare(name) = name[1:15] eq 'NVIDIA GeForce ' ? name[16:*] : name[1:7] eq 'NVIDIA ' ? name[8:*] : name
cut(name) = strlen(name) > room ? name[1:room - 1].'…' : name
short(name) = strlen(name) > room ? cut(bare(name)) : name
# Names stand below the plot, where plotted labels would be cut off.
do for [i = 1:cards] {
    set label 1000 + 10 * i + 1 short(name(i)) at first i, graph 0 center \
        offset 0, screen px(-54) tc rgb INK noenhanced font (few ? 'sans-serif,17' : 'sans-serif,12')
    if (few) {
        set label 1000 + 10 * i + 2 its('peak', i) at first i, graph 0 center \
            offset 0, screen px(-78) tc rgb FAINT font 'sans-serif,15'
        set label 1000 + 10 * i + 3 its('versions', i) at first i, graph 0 center \
            offset 0, screen px(-100) tc rgb FAINT noenhanced font 'sans-serif,15'
        set label 1000 + 10 * i + 4 its('day', i) at first i, graph 0 center \
            offset 0, screen px(-122) tc rgb FAINT noenhanced font 'sans-serif,15'
    } else {
        set label 1000 + 10 * i + 2 sprintf('%d cube', its('size', i)) at first i, graph 0 center \
            offset 0, screen px(-72) tc rgb FAINT font 'sans-serif,12'
    }
}
plot 'compare.dat' using (at($1, $2)):3:(bar * 0.92):(fill($2)) with boxes lc rgb variable, \
     '' using (at($1, $2)):3:(few ? sprintf('%.0f', $3) : ''):(shade($2)) with labels offset 0, screen px(14) \
         tc rgb variable font 'sans-serif:Bold,17', \
     '' using (at($1, $2)):(0):($2 > 0 ? sprintf('%d', $2) : cards < 3 ? 'cuBLAS' : ''):(shade($2)) with labels offset 0, screen px(-18) \
         tc rgb variable font (few ? 'sans-serif,16' : 'sans-serif,12')
