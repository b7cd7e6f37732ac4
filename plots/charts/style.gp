# What all charts share. plot.sh sets `chart` and `format` and loads facts.gp and
# the chart's own facts before. The charts are 830 units wide, which is a README's
# width, in letters that are still read at half of it, on a phone. The background
# is white and drawn, not left open, so that a dark page changes nothing.
set encoding utf8
set minussign

INK    = '#1b1f24'
FAINT  = '#5c6570'
GRID   = '#e4e7eb'

# One colour a stage in all charts, from Okabe and Ito's palette, which people with
# any colour vision tell apart; letters take a darker shade, to be read on white.
# Each has its own mark besides. 0 is cuBLAS.
array FILL[5]  = [0xE69F00, 0x56B4E9, 0x009E73, 0xD55E00, 0x0072B2]
array SHADE[5] = [0x8F6200, 0x1F6FA5, 0x00704F, 0xB04A00, 0x005A8F]
array MARK[5]  = [13, 9, 7, 5, 11]
fill(s)  = s > 0 ? FILL[s] : 0x5c6570
shade(s) = s > 0 ? SHADE[s] : 0x5c6570
mark(s)  = s > 0 ? MARK[s] : 7

# Offsets in units of the picture, the same in both formats; a letter's height and
# a point's size are not.
px(n) = n / (1.0 * height)
POINT = format eq 'svg' ? 0.7 : 1.1
DOT = format eq "svg" ? 1.1 : 2.6

# The chart sets `height` first: eval open
open = "if (format eq 'svg') { \
    set terminal svg size 830,height font 'sans-serif,19' background '#ffffff' linewidth 1 dashlength 1.5; \
} else { \
    set terminal pngcairo size 1660,2*height font 'sans-serif,19' fontscale 1.5 background '#ffffff' \
        linewidth 2 pointscale 2 dashlength 0.8; \
}; \
set output chart.'.'.format"

# Title, a line under it, and at the foot where the numbers come from.
heading = "set label 101 '{/:Bold '.title.'}' at screen 0.02, screen 1 - 30.0/height left font 'sans-serif,22' tc rgb INK; \
set label 102 subtitle at screen 0.02, screen 1 - 58.0/height left font 'sans-serif,17' tc rgb FAINT; \
set label 103 caption at screen 0.02, screen 20.0/height left font 'sans-serif,15' tc rgb FAINT noenhanced"

# The plot's edges, in units from the picture's.
edges(l, r, t, b) = sprintf("set lmargin at screen %.5f; set rmargin at screen %.5f; set tmargin at screen %.5f; set bmargin at screen %.5f", \
    l / 830.0, 1 - r / 830.0, 1 - t / (1.0 * height), b / (1.0 * height))

unset key
set border 1 lc rgb FAINT lw 1
set tics nomirror scale 0 textcolor rgb FAINT
set grid ytics lc rgb GRID lw 1 lt 1
