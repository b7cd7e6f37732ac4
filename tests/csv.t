#!/bin/sh
# The rows for tools.
. tests/tap.sh

header=stage,backend,device,tile,choice,M,N,K,reps,median_ms,min_ms,max_ms,gflops,cublas_gflops,ratio,max_abs_diff,bound_ratio,check

"$BIN/stage3" --csv --shape=20x30x40,8x8x8 >"$TMP/rows" 2>"$TMP/text"
is 'status' $? 0
is 'one header line and a row a shape' "$(wc -l <"$TMP/rows" | tr -d ' ')" 3
is 'the first columns' "$(head -n 1 "$TMP/rows" | cut -d, -f1-18)" "$header"
is 'every row has every column' "$(awk -F, '{ print NF }' "$TMP/rows" | sort -u | wc -l | tr -d ' ')" 1
is 'the facts' "$(sed -n 2p "$TMP/rows" | cut -d, -f1,2,4-8,18)" "3,$BACKEND,64x64x16,auto,20,30,40,PASS"
like 'the text goes to stderr' "$(cat "$TMP/text")" '^==== Stage 3'
like 'date in UTC' "$(sed -n 2p "$TMP/rows")" ',20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z,'
if [ "$BACKEND" = cuda ]; then
    like 'times on a GPU' "$(sed -n 2p "$TMP/rows" | cut -d, -f9-15)" '^[0-9]+(,[0-9.]+){6}$'
    # Tensor cores would take cuBLAS far past the fp32 units.
    NVIDIA_TF32_OVERRIDE=1 "$BIN/stage5" --csv 2048 2>"$TMP/text" | tail -n 1 >"$TMP/many"
    ok 'cuBLAS is without TF32: below the peak of the fp32 units' \
       awk -F, '{ exit !($14 > 0 && ($25 == "" || $14 < $25)) }' "$TMP/many"
    "$BIN/stage5" --csv --reps=1 2048 2>"$TMP/text" | tail -n 1 >"$TMP/one"
    ok 'what a first launch costs is in no time: one launch is about as fast as many' \
       awk -F, 'NR == 1 { own = $13; other = $14; next } { exit !($13 > own / 3 && $14 > other / 3) }' \
       "$TMP/many" "$TMP/one"
else
    is 'without a multiply-add there are no bytes for one' \
       "$("$BIN/stage1" --csv --counters 3 5 0 2>"$TMP/text" | sed -n 2p | grep -oE ',[0-9]+(,+)$')" ',0,,'
    is 'no times on the simulator' "$(sed -n 2p "$TMP/rows" | cut -d, -f9-15)" ',,,,,,'
fi
is 'without the check: no PASS' "$("$BIN/stage3" --csv --check=off 8 2>"$TMP/text" | sed -n 2p | cut -d, -f18)" off
is 'a named tile' "$("$BIN/stage3" --csv --tile=64x64x16 8 2>"$TMP/text" | sed -n 2p | cut -d, -f5)" named

"$BIN/stage3" --csv="$TMP/file.csv" 20 30 40 >"$TMP/text" 2>&1
is '--csv=FILE: status' $? 0
is '--csv=FILE: header and row' "$(wc -l <"$TMP/file.csv" | tr -d ' ')" 2
like '--csv=FILE: the text stays on stdout' "$(cat "$TMP/text")" '^==== Stage 3'
for _ in 1 2; do "$BIN/stage3" --csv="/dev/..$TMP/dev.csv" 8 >"$TMP/text"; done
is 'a file with /dev/ in front is one' "$(wc -l <"$TMP/dev.csv" | tr -d ' ')" 2
echo before >"$TMP/both"
"$BIN/stage3" --csv=/dev/stdout 8 >>"$TMP/both"
is '--csv=/dev/stdout: what was there, the text and the rows' \
   "$(grep -cE '^(before|==== Stage 3|stage,backend|3,)' "$TMP/both")" 4
is '--csv=FILE: nothing else is left' "$(ls "$TMP" | grep -c 'file\.csv\.')" 0
for i in 1 2 3; do
    "$BIN/stage3" --csv="$TMP/two.csv" --shape=60x60x60,50x50x50 >"$TMP/text" &
    "$BIN/stage2" --csv="$TMP/two.csv" --shape=60x60x60 >"$TMP/text2"
    wait
    is "two programs, one file, $i: whole rows" "$(awk -F, '{ print NF }' "$TMP/two.csv" | sort -u | wc -l | tr -d ' ')" 1
done
ln -s "$TMP/real.csv" "$TMP/link.csv"
touch "$TMP/real.csv"
"$BIN/stage3" --csv="$TMP/link.csv" 8 >"$TMP/text"
ok 'a link stays, and its file is written' test -L "$TMP/link.csv" -a -s "$TMP/real.csv"
timeout -s INT 0.2 "$BIN/stage3" --csv="$TMP/stopped.csv" --reps=100000 1500 >"$TMP/text" 2>&1
is 'a run that is stopped leaves no file' "$(ls "$TMP" | grep -c stopped)" 0

# 1 GiB more than the addresses that memory.c reserves: no room for the second shape.
kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>"$TMP/text")
if [ "$BACKEND" = cpu ] && [ -n "$kib" ]; then
    slots=$((32 + (2 * kib >> 20)))
    # shellcheck disable=SC3045 # the shells of Linux have it
    (ulimit -v $(((3 * slots + 2) << 20)) && SIM_WORKERS=1 "$BIN/stage3" --csv="$TMP/room.csv" --shape=8x8x8,20000x20000x1) >"$TMP/text" 2>&1
    is 'no memory for the second shape: status' $? 3
    is 'and a row for each' "$(cut -d, -f6,18 "$TMP/room.csv" | tr '\n' ' ')" 'M,check 8,PASS 20000,ERROR '
fi

is 'the same seed, the same C' \
   "$("$BIN/stage3" --csv --seed=7 40 2>"$TMP/text" | cut -d, -f28)" \
   "$("$BIN/stage3" --csv --seed=7 40 2>"$TMP/text" | cut -d, -f28)"
ok 'another seed, another C' test \
   "$("$BIN/stage3" --csv --seed=7 40 2>"$TMP/text" | cut -d, -f28)" != \
   "$("$BIN/stage3" --csv --seed=8 40 2>"$TMP/text" | cut -d, -f28)"
finish
