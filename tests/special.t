#!/bin/sh
# NaN, Inf, -Inf, 1e38, -0 and denormals in A and B: exactly the elements of C
# that the definition says are NaN or Inf, also beside the zero padding of a tile.
. tests/tap.sh

for n in 1 2 3 4 5; do
    for seed in 1 2 3 4 5; do
        "$BIN/stage$n" --tile=all --fill=special --seed=$seed --reps=1 \
            --shape=1x1x1,5x7x3,33x17x9,65x130x40 >"$TMP/out" 2>&1
        status=$?
        is "stage $n, seed $seed" "$status" 0
        [ $status = 0 ] || sed -n '/FAIL/,+1s/^/# /p' "$TMP/out"
    done
done
finish
