#!/bin/sh
# Prints a fingerprint of C for every stage and tile at a few shapes. Recorded on
# a GPU, the simulator must give the same: its sums have the same bits.
#
#     make BACKEND=cuda && BIN=. sh tests/checksums.sh >tests/checksums.csv
echo stage,tile,M,N,K,fill,seed,checksum
for n in 1 2 3 4 5; do
    for run in random:35x79x19,64x64x64,130x70x300,16x512x2048 integer:35x79x19 special:35x79x19,64x64x64; do
        "$BIN/stage$n" --tile=all --reps=0 --check=off --csv --seed=3 --fill="${run%:*}" --shape="${run#*:}" 2>/dev/null
    done |
        awk -F, '$1 == "stage" { for (i = 1; i <= NF; i++) at[$i] = i; next }
                 { print $at["stage"] "," $at["tile"] "," $at["M"] "," $at["N"] "," $at["K"] "," \
                         $at["fill"] "," $at["seed"] "," $at["checksum"] }'
done
