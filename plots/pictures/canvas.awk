# A canvas for pictures: functions that put rectangles, lines and text at places
# in picture units (830 wide, y downwards), and at the end print the gnuplot
# script that draws them. The look is that of the charts: see charts/style.gp.
#
#     BEGIN { canvas("name", HEIGHT, "Title", "subtitle", "foot") }  ...  END { draw() }

# Colours that people with any colour vision tell apart (Okabe and Ito's), the
# tints for areas with text on them, and greys. Nothing is told by colour alone.
function colours()
{
    INK = "#1b1f24"; FAINT = "#5c6570"; GRID = "#d5dae0"; EMPTY = "#e9ecef"; WHITE = "#ffffff"
    HOT = "#d55e00"; BLUE = "#0072b2"; GREEN = "#009e73"
    split("#f7d08a #a9d9f5 #8fd6bd #f3f0a0 #8fbfe0 #f0b08a #e3bcd2 #c9ced6", TINT, " ")
    split("#e69f00 #56b4e9 #009e73 #b8a900 #0072b2 #d55e00 #b0618c #5c6570", FILL, " ")
}

function canvas(name, height, title, subtitle, foot)
{
    colours()
    H = height
    printf "# title: %s\n", title
    print "set encoding utf8"
    printf "set terminal svg size 830,%d font 'sans-serif,19' background '#ffffff' linewidth 1 dashlength 1\n", H
    printf "set output '%s.svg'\n", name
    print "unset key; unset border; unset tics"
    print "set lmargin at screen 0; set rmargin at screen 1; set tmargin at screen 1; set bmargin at screen 0"
    printf "set xrange [0:830]; set yrange [%d:0]\n", H
    text(16, 30, "{/:Bold " title "}", 22, INK, "left")
    text(16, 60, subtitle, 17, FAINT, "left")
    if (foot != "")
        text(16, H - 20, foot, 15, FAINT, "left")
}

function quoted(s)
{
    gsub(/'/, "''", s)
    return "'" s "'"
}

function rect(x, y, w, h, fill)
{
    printf "set object %d rect from %g,%g to %g,%g back fs solid 1 noborder fc rgb '%s'\n", ++objects, x, y, x + w, y + h, fill
}

function frame(x, y, w, h, colour, width)
{
    printf "set object %d rect from %g,%g to %g,%g back fs empty border lc rgb '%s' fc rgb '%s' lw %g\n", ++objects, x, y, x + w, y + h, colour, colour, width
}

# A rectangle with a thin white edge: a cell among others.
function cell(x, y, w, h, fill)
{
    rect(x + 0.75, y + 0.75, w - 1.5, h - 1.5, fill)
}

function line(x1, y1, x2, y2, colour, width)
{
    printf "set arrow from %g,%g to %g,%g nohead back lc rgb '%s' lw %g\n", x1, y1, x2, y2, colour, width
}

function arrow(x1, y1, x2, y2, colour, width)
{
    printf "set arrow from %g,%g to %g,%g head filled size screen 0.013,20 back lc rgb '%s' lw %g\n", x1, y1, x2, y2, colour, width
}

# Centred on y; align is left, center or right of x. {/:Bold ...} makes bold.
function text(x, y, s, size, colour, align)
{
    printf "set label %s at %g,%g %s front font 'sans-serif,%g' tc rgb '%s'\n", quoted(s), x, y, align, size, colour
}

function vertical(x, y, s, size, colour)
{
    printf "set label %s at %g,%g center rotate by 90 front font 'sans-serif,%g' tc rgb '%s'\n", quoted(s), x, y, size, colour
}

# A field of rows x cols cells in one colour; rule() draws the white lines alone.
function grid(x, y, rows, cols, size, fill)
{
    rect(x, y, cols * size, rows * size, fill)
    rule(x, y, rows, cols, size)
}

function rule(x, y, rows, cols, size,    i)
{
    for (i = 1; i < rows; i++)
        rect(x, y + i * size - 0.75, cols * size, 1.5, WHITE)
    for (i = 1; i < cols; i++)
        rect(x + i * size - 0.75, y, 1.5, rows * size, WHITE)
}

# The 32 lanes of a warp as a row of boxes, dark if busy[lane].
function lane_strip(x, y, size, busy,    i, n)
{
    for (i = 0; i < 32; i++) {
        n += i in busy
        cell(x + i * size, y, size, size, i in busy ? FILL[2] : "#dde1e6")
    }
    return n
}

function draw()
{
    print "plot NaN"
}
