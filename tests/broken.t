#!/bin/sh
# A stage that is wrong must never look right: no PASS, no speed, no status 0, and a
# row that says so. broken_stage.cu has a tile for every way.
. tests/tap.sh

# broken TILE STATUS CHECK REGEX [SIZE]: exit status, the row's check column, the text.
broken() {
    # shellcheck disable=SC2086
    "$BIN/broken_stage" --tile="$1" --csv ${5:-60 50 40} >"$TMP/rows" 2>"$TMP/text"
    is "$1: exit status" $? "$2"
    is "$1: the row's check" "$(sed -n 2p "$TMP/rows" | cut -d, -f18)" "$3"
    is "$1: no speed in the row" "$(sed -n 2p "$TMP/rows" | cut -d, -f9-15)" ',,,,,,'
    like "$1: the text" "$(cat "$TMP/text")" "$4"
    ok "$1: no speed in the text" sh -c '! grep "GFLOP/s = " "$1"' - "$TMP/text"
}

"$BIN/broken_stage" --tile=right 60 50 40 >"$TMP/text" 2>&1
is 'the right one passes' $? 0
broken nan 1 FAIL '3000 of 3000 elements are wrong'
broken untouched 1 FAIL '1 of 3000 elements are wrong; the first is C\[30\]\[25\] = -?nan'
"$BIN/broken_stage" --tile=untouched --fill=special 1 1 100 >"$TMP/text" 2>&1
is 'untouched where a NaN is right: exit status' $? 1
broken one_wrong 1 FAIL '1 of 3000 elements are wrong; the first is C\[59\]\[49\]'
# Integers are compared for equality; with inputs of that size any others may differ so much.
broken a_little 1 FAIL '1 of 3000 elements are wrong; the first is C\[0\]\[0\]' '--fill=integer 60 50 40'
broken inputs 1 FAIL 'the kernel has changed A or B'
broken too_wide 3 ERROR '^\[Error\] launch failed: '
broken too_much_shared 3 ERROR '^\[Error\] tile too_much_shared needs 1048576 bytes of shared memory a block; .* allows [0-9]+$'
broken too_many_threads 3 ERROR '^\[Error\] tile too_many_threads: 4096 threads .*are too many for a block on '
broken runtime_fails 3 ERROR 'try a smaller shape$'
"$BIN/broken_stage" --tile=runtime_fails --csv="$TMP/ended" 60 50 40 >"$TMP/text" 2>&1
is 'the runtime fails: the row is in the file' "$(sed -n 2p "$TMP/ended" | cut -d, -f4,18)" 'runtime_fails,ERROR'
if [ "$BACKEND" = cuda ]; then
    broken out_of_range 3 ERROR '^\[Error\] kernel failed: '
    "$BIN/broken_stage" --tile=out_of_range --csv="$TMP/saved" --shape=60x50x40,7x7x7 >"$TMP/text" 2>&1
    is 'a device that is lost: exit status' $? 3
    is 'a device that is lost: the file has the row, and no more' "$(cut -d, -f6,18 "$TMP/saved" | tr '\n' ' ')" 'M,check 60,ERROR '
    ok 'a device that is lost: nothing else is blamed' sh -c '! grep -q cudaFree "$1"' - "$TMP/text"
    broken other_bits 1 FAIL 'other bits than the checked one'
    broken impossible_speed 1 ABOVE_PEAK 'above the .* that this GPU can reach' 1024
else
    "$BIN/broken_stage" --tile=out_of_range 60 50 40 >"$TMP/text" 2>&1
    is 'out_of_range: exit status' $? 1
    line=$(grep -n 'C\[(fault' tests/broken_stage.cu | cut -d: -f1)
    like 'out_of_range: the simulator names the line' "$(cat "$TMP/text")" "tests/broken_stage.cu:$line"
    is 'inputs: the next tile has them as they were' \
       "$("$BIN/broken_stage" --tile=all --csv 60 50 40 2>"$TMP/text" | grep ',right_behind,' | cut -d, -f18)" PASS
    "$BIN/broken_stage" --tile=all --csv="$TMP/ended" 60 50 40 >"$TMP/text" 2>&1
    is 'the runtime fails: the rows before it are in the file' "$(sed -n '2p; $p' "$TMP/ended" | cut -d, -f4,18 | tr '\n' ' ')" \
       'right,PASS runtime_fails,ERROR '
    skip 'other_bits and impossible_speed' 'the simulator launches once and times nothing'
    is 'among others, a tile that the device cannot have is left out' \
       "$("$BIN/broken_stage" --tile=all --csv 60 50 40 2>"$TMP/text" | grep -c too_much_shared)" 0
    like 'and said' "$(cat "$TMP/text")" '^  Left out: tile too_much_shared needs 1048576 bytes'
fi
"$BIN/broken_stage" --tile=all 60 50 40 >"$TMP/text" 2>&1
ok 'among others, the worst status counts' test $? -ne 0
finish
