#!/bin/sh
# Every stage and tile at sizes that break kernels, with integers, whose product
# is exact: the check is equality. One process a stage takes them all.
. tests/tap.sh

# Named after what went wrong with them elsewhere.
case_35x79x19=35x79x19                        # nothing divides anything
case_260=260x260x260,3x3x431                  # right at 256, wrong just above; tiny C, long K
case_100=100x100x100
case_rectangles=64x128x32,256x128x256,64x512x256,40x72x136
case_4x4x8=4x4x8                              # smaller than any tile: at least one block
case_tiny=1x1x1,1x1x2,2x1x3,1x5x7,5x1x1,1x300x3,300x1x3
case_k=33x17x0,33x17x1,33x17x2,33x17x3,130x70x5    # K of 0, 1, odd, less than one K tile
# One K tile to more than any ring has slots, for BK of 16 and 32.
case_ring=70x66x8,70x66x16,70x66x24,70x66x32,70x66x40,70x66x48,70x66x64,70x66x96,70x66x128,70x66x160
# Around the edges of 4, 16, 64, 128 and 256.
case_edges=3x5x16,4x4x16,15x17x15,16x16x16,17x15x17,63x65x31,64x64x64,65x63x33,127x129x17,129x127x15,128x256x16,255x257x9,257x255x7
case_aligned=64x64x18,64x66x16,66x64x16,64x65x16,64x64x17    # rows that are and are not 16-byte aligned

shapes=$case_35x79x19,$case_260,$case_100,$case_rectangles,$case_4x4x8,$case_tiny,$case_k,$case_ring,$case_edges,$case_aligned
want=$(echo "$shapes" | tr ',' '\n' | sort)

for n in 1 2 3 4 5; do
    for fill in integer random; do
        # The two fills take all tiles in turn; random checks the bound and NaN padding.
        "$BIN/stage$n" --tile=all --fill=$fill --reps=1 --csv --shape="$shapes" \
            >"$TMP/rows" 2>"$TMP/text"
        is "stage $n, $fill: exit status" $? 0
        failed=$(awk -F, 'NR > 1 && $18 != "PASS" { print $4 " at " $6 "x" $7 "x" $8 ": " $18 }' "$TMP/rows" | head -n 5)
        is "stage $n, $fill: every tile right at every shape" "$failed" ''
        tiles=$(awk -F, 'NR > 1 { print $4 }' "$TMP/rows" | sort -u)
        for tile in $tiles; do
            is "stage $n, $fill: tile $tile ran every shape" \
               "$(awk -F, -v t="$tile" '$4 == t { print $6 "x" $7 "x" $8 }' "$TMP/rows" | sort)" "$want"
        done
    done
done

# Where N is no multiple of 4, and M and K are long, stage 5 moves B and C to wider rows.
"$BIN/stage5" --tile=32x64x16-4x4 --fill=integer --reps=1 --csv --shape=2000x5x2000 >"$TMP/rows" 2>"$TMP/text"
is 'stage 5, moved rows: exit status' $? 0
is 'stage 5, moved rows: right' "$(sed -n 2p "$TMP/rows" | cut -d, -f18)" PASS

# Blocks of stage 5 share tiles of C where these do not fill the card evenly and K is
# long: all tiles where they fill it not even once, else those of the last full round
# and the rest. Sums and flags then go through global memory, which nothing else in it
# reads but by cp.async.
for shape in 33x130x8000 2048x400x640; do
    shared="--tile=32x64x16-4x4 --fill=integer --reps=0 --csv --shape=$shape"
    [ "$BACKEND" = cuda ] || shared="$shared --counters"
    # shellcheck disable=SC2086
    "$BIN/stage5" $shared >"$TMP/rows" 2>"$TMP/text"
    is "stage 5, shared tiles, $shape: exit status" $? 0
    is "stage 5, shared tiles, $shape: right" "$(sed -n 2p "$TMP/rows" | cut -d, -f18)" PASS
    [ "$BACKEND" = cuda ] ||
        ok "stage 5, shared tiles, $shape: some are shared" awk -F, '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            NR == 2 { exit !($at["global_load_requests"] > 0) }' "$TMP/rows"
done
finish
