#!/bin/sh
# Every stage with one thing wrong in it: a barrier, a wait, a guard, an index.
# The simulator or the check must find each, and name the line. The mutants are
# sed scripts in tests/mutants; their comments say what is expected:
#
#   # report: REGEX    the run fails, and its output matches
#   # at: REGEX        and names the line of the stage on which this text stands
#   # counter: NAME    nothing is wrong, but this counter rises
#   # shape: MxNxK     it takes this shape to show
#   # tile: NAME       and this tile, the others being slow at it
#
# `make stage3 MUTANT=03_no_first_barrier` builds one to look at.
. tests/tap.sh

if [ "$BACKEND" != cpu ]; then
    skip 'every mutant is caught' 'the simulator does that'
    finish
fi
shapes=70x66x40,64x64x16

field() { sed -n "s/^# $2: //p" "$1"; }
counter() {   # PROGRAM NAME SHAPE: the sum over all tiles
    "$1" --tile=all --counters --check=off --csv --shape="$3" 2>"$TMP/text" |
        awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
                              NR > 1 { sum += $at } END { print sum + 0 }'
}

for mutant in tests/mutants/*.sed; do
    name=${mutant##*/}
    name=${name%.sed}
    n=${name%%_*}
    n=${n#0}
    source=$(sed -n 's/^DIRS *:= *//p' Makefile | tr ' ' '\n' | grep "^0$n")/sgemm.cu
    sed -f "$mutant" "$source" >"$TMP/mutant.cu"
    ok "$name changes the stage" sh -c '! cmp -s "$1" "$2"' - "$source" "$TMP/mutant.cu"
    built=$BIN/mutants/$name/stage$n
    ok "$name builds" env -u MAKEFLAGS make -s BACKEND=cpu BUILD="${BIN%/*}" MUTANT="$name" "$built"

    shape=$(field "$mutant" shape)
    counter=$(field "$mutant" counter)
    if [ -n "$counter" ]; then
        before=$(counter "$BIN/stage$n" "$counter" "${shape:-128x128x64}")
        after=$(counter "$built" "$counter" "${shape:-128x128x64}")
        ok "$name: $counter rises, from $before to $after" test "$after" -gt "$before"
        continue
    fi

    tile=$(field "$mutant" tile)
    timeout 180 "$built" --tile="${tile:-all}" --shape="${shape:-$shapes}" >"$TMP/out" 2>&1
    is "$name: exit status" $? 1
    ok "$name says what is reported" test -n "$(field "$mutant" report)"
    like "$name: the report" "$(cat "$TMP/out")" "$(field "$mutant" report)"
    at=$(field "$mutant" at)
    if [ -n "$at" ]; then
        line=$(grep -nE -e "$at" "$TMP/mutant.cu" | head -n 1 | cut -d: -f1)
        : "${line:=none: the text is nowhere}"
        like "$name: names line $line" "$(cat "$TMP/out")" "$source:$line|^ *$line \|.*called from here"
    fi
done
finish
