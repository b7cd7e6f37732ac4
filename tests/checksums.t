#!/bin/sh
# The same bits as on the GPU on which tests/checksums.csv was recorded.
. tests/tap.sh
sh tests/checksums.sh >"$TMP/here"
for n in 1 2 3 4 5; do
    is "stage $n: the recorded bits" "$(grep "^$n," "$TMP/here")" "$(grep "^$n," tests/checksums.csv)"
done
ok 'there is a record for every stage' test "$(cut -d, -f1 tests/checksums.csv | sort -u | grep -c '^[1-5]$')" = 5
finish
