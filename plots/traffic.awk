# Of the programs' rows, what says which kernel it is, and the counters: all that is
# the same at every run. Use with -f csv.awk before.
BEGIN {
    split("backend device reps median_ms min_ms max_ms gflops cublas_gflops ratio max_abs_diff bound_ratio avg_ms sms driver cuda date clock_mhz peak_gflops fill seed checksum yardstick choice", list, " ")
    for (i in list)
        left_out[list[i]] = 1
}

function print_kept(f,    i, out, n)
{
    for (i = 1; i <= csv_columns; i++)
        if (!(names[i] in left_out))
            out = out (n++ ? "," : "") csv_quote(f[i])
    print out
}

FNR == 1 {
    csv_header($0)
    csv_split($0, names)
    if (!("global_bytes_per_fma" in csv_column)) {
        print "these programs count nothing: no column global_bytes_per_fma" >"/dev/stderr"
        exit 1
    }
    if (with_header)
        print_kept(names)
    next
}
csv_row($0) { print_kept(csv_field) }
