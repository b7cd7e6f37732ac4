#!/bin/sh
# Random shapes, every stage and tile, integers: C must equal the product.
# M, N and K are log-uniform. Run again what failed: SEED=... make test TESTS=tests/random.t
. tests/tap.sh

seed=${SEED:-$(date +%s)}
shapes=${COUNT:-200}
largest=${LARGEST:-300}
for number in "$seed" "$shapes" "$largest"; do
    case $number in
    *[!0-9]* | '' | 0* | ???????????*)
        echo "Bail out! SEED, COUNT and LARGEST want whole numbers from 1 to 9999999999, not $number"
        exit 2 ;;
    esac
done
echo "# SEED=$seed COUNT=$shapes LARGEST=$largest"
list=$(awk -v seed="$seed" -v n="$shapes" -v largest="$largest" '
    function size() { return int(exp(rand() * log(largest + 1))) }
    BEGIN { srand(seed); for (i = 0; i < n + 0; i++) printf "%s%dx%dx%d", (i ? "," : ""), size(), size(), size() }')

for n in 1 2 3 4 5; do
    "$BIN/stage$n" --tile=all --fill=integer --seed="$seed" --reps=0 --csv --shape="$list" \
        >"$TMP/rows" 2>"$TMP/text"
    is "stage $n: exit status" $? 0
    is "stage $n: every shape with every tile" \
       "$(awk -F, 'NR > 1 && $18 == "PASS" { n[$4]++ } END { for (t in n) print n[t] }' "$TMP/rows" | sort -u)" "$shapes"
    is "stage $n: no shape is wrong" \
       "$(awk -F, 'NR > 1 && $18 != "PASS" { print $4 " at " $6 "x" $7 "x" $8 ": " $18 }' "$TMP/rows" | head -n 5)" ''
done
finish
