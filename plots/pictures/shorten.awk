# Makes gnuplot's SVG shorter and names it; what is seen stays the same. Markers
# that nothing uses go, neighbouring groups of one look become one, and a label
# is one line. Use: awk -v title=... -v data=... -f shorten.awk FILE.svg
{ sub(/[ \t]+$/, "") }
/<title>/ { sub(/>Gnuplot</, ">" title "<") }
/<g id="gnuplot_plot/ { sub(/<title>.*<\/title>/, "") }
/<desc>/ { sub(/[ \t]*<\/desc>/, "; data " data "</desc>") }
/^<defs>/, /^<\/defs>/ { next }
/^[ \t]*$/ { next }
{ sub(/^\t+/, ""); line[++n] = $0 }

# Whether lines i to i+2 are a label's group.
function is_label(i) { return line[i] ~ /^<g transform=/ && line[i + 1] ~ /^<text>/ && line[i + 2] == "</g>" }

function join_labels(    i, m, s)
{
    for (i = 1; i <= n; i++) {
        s = line[i]
        if (is_label(i)) {
            s = s line[i + 1] "</g>"
            gsub(/ font-family="sans-serif" >/, ">", s)
            gsub(/  +/, " ", s)
            while (match(s, /<tspan>[^<]*<\/tspan>/))
                s = substr(s, 1, RSTART - 1) substr(s, RSTART + 7, RLENGTH - 15) substr(s, RSTART + RLENGTH)
            i += 2
        }
        line[++m] = s
    }
    n = m
}

# One pass: takes away empty groups, and the end and new beginning of one look.
# open[] are the groups around this place.
function join_groups(    i, m, depth, open, changed)
{
    for (i = 1; i <= n; i++) {
        if (line[i] ~ /^<g [^>]*>$/) {
            if (line[i + 1] == "</g>") {
                i++
                changed = 1
                continue
            }
            open[++depth] = line[i]
        } else if (line[i] == "</g>") {
            if (line[i + 1] == open[depth]) {
                i++
                changed = 1
                continue
            }
            depth--
        }
        line[++m] = line[i]
    }
    n = m
    return changed
}

END {
    join_labels()
    while (join_groups())
        ;
    for (i = 1; i <= n; i++)
        print line[i]
}
