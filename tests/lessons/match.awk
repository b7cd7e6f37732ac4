# Whether a program printed what a lesson shows. A line `...` in the lesson stands
# for any number of lines; what differs from run to run is made equal first.
# Use: awk -f match.awk SHOWN PRINTED; exit status 1, and the first line that has
# no partner, if they differ. With -v update=1: prints SHOWN with the numbers of
# PRINTED in it, or as it is where the two differ in more than numbers.
function same_everywhere(s)
{
    sub(/[ \t]+$/, "", s)
    sub(/simulator \([0-9]+ workers?\)/, "simulator (workers)", s)
    sub(/^Backend: .*/, "Backend", s)
    sub(/[0-9.]+ s on the simulator/, "s on the simulator", s)
    gsub(/-nan/, "nan", s)
    gsub(/0x[0-9a-f]+/, "0x", s)
    if (loose) {
        gsub(/-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?/, "#", s)
        gsub(/  +/, " ", s)
    }
    return s
}

# What make says about building.
/^  (CC|CXX|NVCC|LINK)  / { next }
NR == FNR { want[++nwant] = $0; next }
{ got[++ngot] = $0 }

# Lines from w on, up to the next `...`, stand at g.
function fits(w, g,    i)
{
    for (i = 0; w + i <= nwant && want[w + i] != "..."; i++) {
        if (g + i > ngot || same_everywhere(want[w + i]) != same_everywhere(got[g + i])) {
            if (i >= reached) {
                reached = i
                stray = want[w + i]
            }
            return 0
        }
    }
    if (w + i > nwant && g + i <= ngot) {
        stray = got[g + i]
        return 0
    }
    for (i = 0; w + i <= nwant && want[w + i] != "..."; i++)
        partner[w + i] = g + i
    return 1
}

function matches(    w, g, anywhere, start)
{
    g = 1
    for (w = 1; w <= nwant; ) {
        anywhere = 0
        while (w <= nwant && want[w] == "...") {
            anywhere = 1
            w++
        }
        if (w > nwant)
            return 1
        reached = 0
        for (start = g; !fits(w, g); g++)
            if (!anywhere || g > ngot)
                return 0
        for (; w <= nwant && want[w] != "..."; w++)
            g++
    }
    return g > ngot
}

END {
    good = matches()
    if (!update) {
        if (!good)
            print "not printed as shown: " stray
        exit !good
    }
    loose = 1
    good = matches()
    for (w = 1; w <= nwant; w++)
        print good && w in partner && want[w] !~ /^Backend|workers?\)/ ? got[partner[w]] : want[w]
}
