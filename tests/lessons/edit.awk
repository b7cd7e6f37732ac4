# A file with an exercise's change in it: the lines with - of the diff, which must
# stand in the file once, one after the other, become those with +. An empty line
# in the diff separates two changes. A line without a comment is also the one with it.
# Use: awk -f edit.awk DIFF FILE; exit status 1 if a line to take out is not there
BEGIN { changes = n = added = 0 }
function bare(s)
{
    sub(/[ ]*\/\/.*/, "", s)
    return s
}

function flush_change()
{
    if (n)
        changes++
    n = 0
}
NR == FNR && /^-/ { if (added) flush_change(); added = 0; out[changes, n++] = substr($0, 2); nout[changes] = n; next }
NR == FNR && /^\+/ { plus[changes] = plus[changes] substr($0, 2) "\n"; added = 1; next }
NR == FNR { flush_change(); added = 0; next }
FNR == 1 { flush_change() }
{ line[++lines] = $0 }
END {
    for (c = 0; c < changes; c++) {
        at = 0
        for (i = 1; i <= lines; i++) {
            for (j = 0; j < nout[c] && (line[i + j] == out[c, j] || bare(line[i + j]) == out[c, j]); j++)
                ;
            if (j == nout[c]) {
                found[c]++
                at = i
            }
        }
        if (found[c] != 1) {
            printf "%d times in the file: %s\n", found[c], out[c, 0] >"/dev/stderr"
            exit 1
        }
        put[at] = plus[c]
        for (j = 0; j < nout[c]; j++)
            gone[at + j] = 1
    }
    for (i = 1; i <= lines; i++) {
        printf "%s", put[i]
        if (!(i in gone))
            print line[i]
    }
}
