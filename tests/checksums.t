#!/bin/sh
# The same bits as on the GPU on which tests/checksums.csv was recorded.
. tests/tap.sh
sh tests/checksums.sh >"$TMP/here"

# Tiles that this card cannot have have no row. And where stage 5 shares out tiles of C
# depends on how many multiprocessors there are: its long K is for those that have as many.
cp tests/checksums.csv "$TMP/record"
drop() {   # drop PATTERN FILE: the lines that match
    grep -v "$1" "$2" >"$TMP/less"
    mv "$TMP/less" "$2"
}
for n in 4 5; do
    for tile in $("$BIN/stage$n" --tile=list | awk '/does not fit/ { print $1 }'); do
        drop "^$n,$tile," "$TMP/record"
    done
done
sms=$("$BIN/stage5" --csv --reps=0 8 2>"$TMP/text" | tail -n 1 | cut -d, -f20)
if [ "$sms" != 132 ]; then
    drop '^5,.*,2048,' "$TMP/here"
    drop '^5,.*,2048,' "$TMP/record"
    skip 'stage 5: shared tiles have the recorded bits' "needs 132 multiprocessors, not $sms"
fi
for n in 1 2 3 4 5; do
    is "stage $n: the recorded bits" "$(grep "^$n," "$TMP/here")" "$(grep "^$n," "$TMP/record")"
done
ok 'there is a record for every stage' test "$(cut -d, -f1 tests/checksums.csv | sort -u | grep -c '^[1-5]$')" = 5
finish
