#!/bin/sh
# The simulator's counters equal those of the GPU on which plots/data/counters.csv
# was recorded (counters.sh), for every stage and tile at an even and an odd shape.
# Of one, async_sectors, a 5,000th may be too much or missing: common/sim/README.md says why.
. tests/tap.sh

if [ "$BACKEND" != cpu ]; then
    skip 'the counters equal a GPU'"'"'s' 'the simulator counts'
    finish
fi

# Lines "stage tile MxNxK counter value" of a CSV file, of the counters in the record.
list() {
    awk -F, -v names="$(head -n 1 plots/data/counters.csv | sed 's/^stage,tile,M,N,K,\(.*\),device,.*/\1/')" '
        BEGIN { n = split(names, name, ",") }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (i = 1; i <= n; i++)
              print $at["stage"], $at["tile"], $at["M"] "x" $at["N"] "x" $at["K"], name[i], $at[name[i]] }' "$1"
}

list plots/data/counters.csv >"$TMP/gpu"
for n in 1 2 3 4 5; do
    "$BIN/stage$n" --tile=all --counters --check=off --reps=0 --csv --shape=512x512x512,301x203x115 \
        >"$TMP/rows" 2>"$TMP/text"
    is "stage $n: exit status" $? 0
    list "$TMP/rows" >"$TMP/here"
    grep "^$n " "$TMP/gpu" >"$TMP/there"
    ok "stage $n: the record has its tiles" test -s "$TMP/there"
    is "stage $n: equal" "$(paste -d ' ' "$TMP/there" "$TMP/here" | awk '
        { slack = $4 == "async_sectors" ? $5 / 5000 : 0 }
        $1 $2 $3 $4 != $6 $7 $8 $9 || $5 - $10 > slack || $10 - $5 > slack { print "GPU:", $1, $2, $3, $4, $5, "here:", $6, $7, $8, $9, $10 }')" ''
done
finish
