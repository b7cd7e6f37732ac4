#!/bin/sh
# Arguments, messages and exit statuses.
. tests/tap.sh

# refuses NAME REGEX ARGS...: status 2, nothing on stdout, one line that matches.
refuses() {
    name=$1 regex=$2
    shift 2
    "$BIN/stage3" "$@" >"$TMP/out" 2>"$TMP/err"
    is "$name: status 2" $? 2
    is "$name: nothing on stdout" "$(cat "$TMP/out")" ''
    is "$name: one line" "$(wc -l <"$TMP/err" | tr -d ' ')" 1
    like "$name: says what is wrong" "$(cat "$TMP/err")" "$regex"
}

refuses 'a word for a size' "'abc' is no size: want a whole number from 1" abc
refuses 'an empty size' "'' is no size" ''
refuses 'size 0' "'0' is no size" 0
refuses 'a negative size' "'-5' is no size" -5
refuses 'trailing junk' "'64k' is no size" 64k
refuses 'a fraction' "'1.5' is no size" 1.5
refuses 'a sign' "'\+4' is no size" +4
refuses 'a blank' "' 4' is no size" ' 4'
refuses 'past 2^63' "is no size" 9223372036854775808
refuses 'past the limit' "is no size" 1073741825
refuses 'two sizes' 'two sizes' 64 64
refuses 'four sizes' 'too many sizes' 1 2 3 4
refuses 'a negative K' "'-1' is no size: want a whole number from 0" 1 1 -1
refuses 'half a shape' 'want MxNxK' --shape=1x2
refuses 'a long shape' 'want MxNxK' --shape=1x2x3x4
refuses 'an empty shape' 'want MxNxK' --shape=
refuses 'a shape with a trailing comma' 'want MxNxK' --shape=1x2x3,
refuses 'M of 0' 'want MxNxK' --shape=0x2x3
refuses 'sizes twice' 'give one of them' --shape=1x2x3 4
refuses 'an unknown tile' 'no such tile; --tile=list' --tile=7x7
refuses 'an empty tile' 'no such tile' --tile=
refuses 'check' 'want full or off' --check=maybe
refuses 'fill' 'want random, integer' --fill=zeros
refuses 'negative repetitions' 'want a whole number from 0' --reps=-1
refuses 'a negative seed' 'want a whole number from 0' --seed=-1
refuses 'an unknown option' 'no such option' --speed
refuses 'an option without its value' 'want a value, --shape=' --shape 1x2x3
refuses 'a CSV in no folder' 'cannot write it' --csv="$TMP/none/x.csv" 8
refuses 'a folder for a CSV' 'Is a directory' --csv="$TMP" 8
refuses 'a CSV without a name' "want a file's name" --csv= 8
refuses 'one file for rows and trace' 'name the same file' --csv="$TMP/x" --trace="$TMP/x" 8
refuses 'the same under two names' 'name the same file' --csv="$TMP/x" --trace="$TMP/./x" 8
refuses 'a list with rows' 'only lists' --tile=list --csv

ok 'K of 0 is a shape' "$BIN/stage3" 5 6 0
ok '--shape takes several' "$BIN/stage3" --shape=8x8x8,9x10x11
ok '--check=off' "$BIN/stage3" --check=off 16
like '--check=off says so' "$("$BIN/stage3" --check=off 16)" '^\[Check\] off$'
like '--help names the options' "$("$BIN/stage3" --help)" '--tile=auto\|list\|all\|NAME'
is '--help: status' "$("$BIN/stage3" --help >"$TMP/out"; echo $?)" 0
like '--version' "$("$BIN/stage3" --version)" '^stage3 [0-9]+\.[0-9]+$'
like '--tile=list' "$("$BIN/stage3" --tile=list)" '^64x64x16 '
ok 'a tile by its name' "$BIN/stage3" --tile=64x64x16 16

if [ -w /dev/full ]; then
    is 'a full disk under stdout: status 3' "$("$BIN/stage3" 16 2>"$TMP/err" >/dev/full; echo $?)" 3
    like 'a full disk under stdout: says so' "$(cat "$TMP/err")" 'could not be written'
    is 'a full disk under the CSV: status 3' "$("$BIN/stage3" --csv=/dev/full 16 >"$TMP/out" 2>"$TMP/err"; echo $?)" 3
    like 'a full disk under the CSV: says so' "$(cat "$TMP/err")" 'could not be written'
else
    skip 'a full disk' 'no /dev/full'
fi
is 'a closed stdout: status 3' "$("$BIN/stage3" 16 2>"$TMP/err" >&-; echo $?)" 3
"$BIN/stage3" --csv="$TMP/closed.csv" 16 2>"$TMP/err" >&-
like 'a closed stdout: the text does not go into the CSV' "$(head -n 1 "$TMP/closed.csv")" '^stage,backend,'
is '--help that cannot be written: status 3' "$("$BIN/stage3" --help 2>"$TMP/err" >&-; echo $?)" 3

if [ "$BACKEND" = cpu ]; then
    "$BIN/stage3" --fill=notes --trace="$TMP/notes.csv" 5 >"$TMP/out" 2>"$TMP/err"
    ok 'a trace of the notes'"'"' inputs is written' test -s "$TMP/notes.csv"
    [ ! -w /dev/full ] || is 'a full disk under the trace: status 3' "$("$BIN/stage3" --trace=/dev/full 16 >"$TMP/out" 2>"$TMP/err"; echo $?)" 3
    for workers in 0 -1 abc '' 99999999999; do
        SIM_WORKERS=$workers "$BIN/stage3" 8 >"$TMP/out" 2>"$TMP/err"
        like "SIM_WORKERS=$workers is refused" "$? $(cat "$TMP/err")" '^[1-9].*want a number from 1 to'
    done
fi
if [ "$BACKEND" = cuda ]; then
    CUDA_VISIBLE_DEVICES='' "$BIN/stage3" --csv="$TMP/none.csv" 16 >"$TMP/out" 2>"$TMP/err"
    is 'no GPU: status 3' $? 3
    like 'no GPU: one line that says what to do' "$(cat "$TMP/err")" '^[^/]*: .make BACKEND=cpu. runs'
    is 'no GPU: no file' "$(ls "$TMP" | grep -c none)" 0
    "$BIN/stage3" 1000000 1000000 8 >"$TMP/out" 2>"$TMP/err"
else
    "$BIN/stage3" 1000000 1000000 8 >"$TMP/out" 2>"$TMP/err"
fi
is 'more than the memory: status 3' $? 3
like 'more than the memory: needed and free bytes' "$(cat "$TMP/err")" 'needs (8|12)[0-9]{12} bytes, .* has [0-9]+ free'
"$BIN/stage3" --csv --shape=1000000x1000000x8,4x4x4 >"$TMP/out" 2>"$TMP/err"
is 'and has a row among others' "$(cut -d, -f6,18 "$TMP/out" | tr '\n' ' ')" 'M,check 1000000,ERROR 4,PASS '
echo before >"$TMP/alone.csv"
"$BIN/stage3" --csv="$TMP/alone.csv" 1000000 1000000 8 >"$TMP/out" 2>&1
is 'alone, too, in a file' "$(cut -d, -f6,18 "$TMP/alone.csv" | tr '\n' ' ')" 'M,check 1000000,ERROR '
# The simulator's device fits into the host's memory, and the host's own matrices beside
# it do not: 12 bytes and 4 for an element of C, and 256 MiB for the reference.
free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' /proc/meminfo 2>"$TMP/log")
if [ "$BACKEND" = cpu ] && [ -n "$free" ]; then
    timeout 20 "$BIN/stage3" $((free / 12 * 15 / 16)) 1024 0 >"$TMP/out" 2>"$TMP/err"
    like "more than the host's memory" "$? $(cat "$TMP/err")" '^3 .* this machine has [0-9]+ free'
else
    skip "more than the host's memory" 'needs the simulator and /proc/meminfo'
fi
finish
