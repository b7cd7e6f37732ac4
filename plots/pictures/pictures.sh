#!/bin/sh
# Draws the lessons' pictures: `make pictures` runs it. What each shows is read
# from traces of the simulator, none of it is drawn by hand: NAME.awk turns traces
# into a gnuplot script, gnuplot that into NAME.svg, and the file says from which
# data it was made.
#
#   BIN   folder of the stages, built with BACKEND=cpu, and of mutants/NAME/stageN
#   OUT   where the pictures go (plots/pictures)
#   sh pictures.sh --data    draws nothing, prints: NAME, checksum of its data
# Exit status: 0, or 1 if a picture could not be drawn.
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 1
: "${BIN:=build/cpu-check}" "${OUT:=plots/pictures}"
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP
only_data=
[ "${1:-}" != --data ] || only_data=1

fail() {
    echo "$*" >&2
    exit 1
}

[ -n "$only_data" ] || command -v gnuplot >/dev/null 2>&1 ||
    fail 'make pictures needs gnuplot: apt-get install gnuplot-nox (Debian, Ubuntu), brew install gnuplot (macOS)'

# trace FILE PROGRAM ARGUMENTS...: what block 0 does, in $tmp/FILE
trace() {
    trace_to=$tmp/$1 program=$BIN/$2
    shift 2
    "$program" --trace="$trace_to" --check=off "$@" >"$tmp/log" 2>&1 && [ -s "$trace_to" ] && return 0
    head -n 5 "$tmp/log" >&2
    fail "$program wrote no trace"
}

# picture NAME SCRIPT [VARIABLE=VALUE | TRACE]...
picture() {
    name=$1 script=$2
    shift 2
    (cd "$tmp" && awk -f "$here/canvas.awk" -f "$here/trace.awk" -f "$here/$script.awk" name="$name" "$@" >"$name.gp") ||
        fail "$name: $script.awk failed"
    data=$(cksum <"$tmp/$name.gp" | cut -d ' ' -f 1)
    if [ -n "$only_data" ]; then
        echo "$name $data"
        return
    fi
    title=$(sed -n 's/^# title: //p' "$tmp/$name.gp")
    (cd "$tmp" && gnuplot -d "$name.gp" 2>log) && awk -v title="$title" -v data="$data" -f "$here/shorten.awk" \
        "$tmp/$name.svg" >"$tmp/short" || fail "$name.svg: gnuplot failed: $(cat "$tmp/log")"
    mkdir -p "$OUT" && cp "$tmp/short" "$OUT/.$name.svg" && mv "$OUT/.$name.svg" "$OUT/$name.svg" || exit 1
}

trace 1_small stage1 8 12 8
trace 1 stage1 64 64 16
trace 2 stage2 64 64 16
trace 3 stage3 64 64 16
trace 3_no_padding mutants/03_no_padding/stage3 64 64 16
trace 4 stage4 --tile=128x128x32-16x8 128 128 32
trace 4_long stage4 --tile=64x64x16-16x4 64 64 128
trace 5 stage5 --tile=128x128x32-16x8 128 128 32
trace 5_long stage5 --tile=64x64x16-16x4 64 64 128

picture stage1_tile stage1_tile M=8 N=12 K=8 1_small
cube='M=64 N=64 K=16'
picture stage2_tile stage2_tile $cube 2
picture stage2_sectors sectors $cube title='A request serves 32 lanes with four sectors' stage=1 1 stage=2 2
picture stage3_sectors sectors $cube title='Neighbouring threads load neighbouring elements' stage=2 2 stage=3 3
picture stage3_tile tile $cube S=7.5 T=37 stage=3 title='256 threads load the tiles that all of them read' 3
picture stage3_banks banks $cube 3_no_padding 3
picture stage4_tile tile M=128 N=128 K=32 S=4 T=37 stage=4 title='Block, warp and thread tiles' 4
picture stage4_sketch sketch N=128 TM=16 TN=8 4
picture stage5_tile tile M=128 N=128 K=32 S=4 T=37 stage=5 title='Copies of 4 bytes from A, of 16 bytes from B' 5
picture stage5_ring ring M=64 N=64 K=128 slots=4 slot_floats=2112 stage=4 4_long stage=5 5_long
