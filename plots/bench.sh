#!/bin/sh
# Measures the ladder on the GPU at hand: `make bench` runs it. Writes
# PLOTS_DATA/CARD.csv, CARD being made of the GPU's name. Rows are collected in
# CARD.csv.part, each appended whole as it comes, so that a run that was stopped
# goes on where it was; at the end they are put in order and take the file's name.
# From the environment:
#   BIN        where the programs are: stage1 to stage5, and card (common/card.c)
#   BACKEND    cuda; with cpu there is nothing to time
#   SHAPES     only these sizes, N or MxNxK; they join the rows measured before
#   FRESH=1    forget a run that was stopped, and rows that SHAPES would join
#   REPLACE=1  measure REFERENCE, the course's own card, anew; without it, another
#              card of that name gets a file of its own
#   PLOTS_DATA plots/data, where the files are
# Exit status: 0, 1 if a row has no speed, 2 wrong use, 3 no GPU, 130 stopped.
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 3
: "${BIN:?run me through make bench}" "${BACKEND:=cuda}" "${PLOTS_DATA:=plots/data}"
: "${SHAPES:=}" "${FRESH:=}" "${REPLACE:=}" "${REFERENCE:=nvidia_h200}"
export LC_ALL=C
SHAPES=$(printf '%s' "$SHAPES" | tr ',\n\t' '   ')

# What is measured: stages, auto (the tile that the program chooses) or all of
# them, and sizes. The first stages get no large ones: they would take minutes.
default_plan='
12345 auto 256 384 512 768 1024 1536 2048 3072 4096
345   auto 6144 8192
45    auto 16384
45    auto 901 1000 1023 1301 2047 4095 4097 5000
45    auto 4096x11008x4096 128x4096x4096 16x4096x4096
45    auto 4096x128x1024 512x512x32768 8192x64x8192
45    all  512 1024 2048 4096'

tmp=$(mktemp -d) || exit 3
child='' stopped=''
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; rm -rf "$tmp"' EXIT
# A program started in the background does not get the terminal's interrupt.
trap 'stopped=1; [ -z "$child" ] || kill "$child" 2>/dev/null' INT TERM HUP

fail() {
    echo "$2" >&2
    exit "$1"
}

book() {
    awk -f "$here/csv.awk" -f "$here/bench.awk" "$@"
}

last_line() {
    grep -v '^ *$' "$1" | tail -n 1
}

time_text() {
    if [ "$1" -lt 90 ]; then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}

# total FILE: rows and seconds of a list of what is to be done, as "ROWS SECONDS".
# A program's start takes a second, besides.
total() {
    awk '{ n += $4; ms += $4 * $5; if ($1 $2 != last) ms += 1000; last = $1 $2 }
         END { printf "%d %.0f\n", n, ms / 1000 }' "$1"
}

printf '%s\n' "$SHAPES" | tr ' ' '\n' | while read -r size; do
    printf '%s\n' "$size" | grep -Eq '^([1-9][0-9]{0,6}(x[1-9][0-9]{0,6}x[1-9][0-9]{0,6})?)?$' || exit 1
    k=${size##*x}
    [ "${k:-0}" -le 8388608 ] || exit 1
done || fail 2 "SHAPES=$SHAPES: want sizes N or MxNxK, each below 10,000,000 and K up to 8388608, separated by blanks or commas"
printf '%s\n' "$default_plan" | book -v mode=plan -v only="$SHAPES" >"$tmp/plan"

# ---- the card ---------------------------------------------------------------
nothing_to_time() {
    # How many tiles there are, the programs would say on a GPU; here their sources do.
    for n in 4 5; do
        sed -n "s/^ *row<.*(\"\(.*\)\").*/$n \1/p" "$here/../0$n"_*/sgemm.cu
    done >"$tmp/tiles"
    book -v mode=todo -v peak=65000 kind=tiles "$tmp/tiles" kind=plan "$tmp/plan" >"$tmp/todo"
    # shellcheck disable=SC2046
    set -- $(total "$tmp/todo")
    echo "Nothing to time: $reason."
    echo "On a GPU, make bench would take $1 measurements in about $(time_text "$2"). Without one, ./stage3 --counters"
    echo 'counts what a GPU would do, and make plots draws what others measured.'
    exit 3
}
reason='there is no GPU here, and the simulator says nothing about speed'
[ "$BACKEND" = cuda ] || nothing_to_time
if ! "$BIN/card" >"$tmp/card" 2>"$tmp/text"; then
    reason=$(last_line "$tmp/text")
    nothing_to_time
fi
{
    read -r words
    read -r name
    read -r ffma
    read -r copy
} <<END
$(book -v mode=card kind=card "$tmp/card")
END
[ -n "$name" ] && [ -s "$tmp/plan" ] || fail 3 "$BIN/card says nothing of the card, or there is nothing to measure"
file=$PLOTS_DATA/$name.csv
if [ "$name" = "$REFERENCE" ] && [ -f "$file" ] && [ -z "$REPLACE" ]; then
    file=$PLOTS_DATA/${name}_2.csv
    echo "$PLOTS_DATA/$name.csv is the course's own run and stays (REPLACE=1 measures it anew)."
fi
part=$file.part
mkdir -p "$PLOTS_DATA" && : >>"$part" || fail 3 "$PLOTS_DATA cannot be written"
exec 9>>"$part"
! command -v flock >/dev/null || flock -n 9 || fail 3 "$part is in use: another make bench measures a card of this name"
# keep FILE: adds rows.
keep() {
    [ -s "$part" ] && cat "$1" >>"$part" || fail 3 "$part cannot be written, or is gone"
}

# ---- what is there already --------------------------------------------------
# The programs say which columns there are, and which tiles.
ask() {   # ask STAGE OPTIONS...
    n=$1
    shift
    "$BIN/stage$n" "$@" 2>"$tmp/text" || fail 3 "stage$n does not run: $(last_line "$tmp/text")"
}
: >"$tmp/tiles"
for n in $(awk '$2 == "all" && !n[$1]++ { print $1 }' "$tmp/plan"); do
    ask "$n" --tile=list >"$tmp/list"
    awk -v stage="$n" 'list && !/does not fit/ { print stage, $1 } $1 == "tile" { list = 1 }' "$tmp/list" >>"$tmp/tiles"
done
ask 1 --csv --reps=0 1 >"$tmp/header"
header=$(head -n 1 "$tmp/header"),ffma_gflops,copy_gbs

[ -z "$FRESH" ] || : >"$part"
if [ -s "$part" ]; then
    stale=
    for n in 1 2 3 4 5; do
        [ -z "$(find "$BIN/stage$n" -newer "$part" 2>/dev/null)" ] || stale="$stale $n"
    done
    book -v mode=clean -v header="$header" -v stale="$stale" -v again=1 kind=card "$tmp/card" kind=rows "$part" >"$tmp/clean"
    before=$(wc -l <"$part") after=$(wc -l <"$tmp/clean")
    if [ "$after" -gt 1 ]; then
        echo "Going on with the run that was stopped: $((after - 1)) rows are there (FRESH=1 starts anew)."
        # One run, one measured peak.
        ffma=$(sed -n 2p "$tmp/clean" | awk -F, '{ print $(NF - 1) }')
        copy=$(sed -n 2p "$tmp/clean" | awk -F, '{ print $NF }')
    elif [ "$before" -gt 1 ]; then
        echo 'A run that was stopped is of other programs or of another driver: starting anew.'
    fi
    [ "$after" -gt 1 ] || : >"$tmp/clean"
    # Also where only the last row differs, a half one without an end of line.
    cmp -s "$tmp/clean" "$part" || cat "$tmp/clean" >"$part"
fi
[ -s "$part" ] || printf '%s\n' "$header" >"$part"

joined=
if [ -n "$SHAPES" ] && [ -z "$FRESH" ] && [ -s "$file" ]; then
    book -v mode=clean -v header="$header" kind=card "$tmp/card" kind=rows "$file" >"$tmp/joined"
    [ "$(wc -l <"$tmp/joined")" -eq "$(wc -l <"$file")" ] ||
        fail 2 "$file is of another driver, CUDA or program: measure all of it with make bench, or FRESH=1 starts it with these sizes"
    joined=$tmp/joined
    newer=$(find "$BIN"/stage[1-5] -newer "$file" 2>/dev/null | sed 's/.*stage//' | sort | tr '\n' ' ')
    [ -z "$newer" ] ||
        echo "Newer than $file: stage ${newer% }. If the kernels are others now, FRESH=1 starts with these sizes alone."
fi

# ---- measuring --------------------------------------------------------------
todo() {
    book -v mode=todo -v peak="$ffma" kind=tiles "$tmp/tiles" kind=rows "$part" kind=plan "$tmp/plan"
}

bar() {
    if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\r\033[K%s' "$1" >&2; fi
}

# The next row, and how long all that is left will take: at first as estimated,
# later in proportion to how the estimate has held.
progress() {
    now=$(date +%s)
    ms=$left_ms
    if [ $((now - began)) -gt 5 ] && [ $((all_ms - left_ms)) -gt 0 ]; then
        ms=$((left_ms * (now - began) * 1000 / (all_ms - left_ms)))
    fi
    bar "  stage $1, $2: row $((done_rows + 1)) of $all_rows, $(time_text $((ms / 1000))) left"
}

bad=0
# measure STAGE KIND: one process over the shapes in $tmp/group.
measure() {
    shapes=$(awk '{ s = s (s ? "," : "") $3 } END { print s }' "$tmp/group")
    awk '{ for (i = 0; i < $4; i++) print $3, $5 }' "$tmp/group" >"$tmp/expected"
    rm -f "$tmp/rows"
    mkfifo "$tmp/rows" || exit 3
    "$BIN/stage$1" --csv --tile="$2" --shape="$shapes" >"$tmp/rows" 2>"$tmp/text" &
    child=$!
    exec 3<"$tmp/expected"
    row_ms=0 first=1
    if read -r shape row_ms <&3; then progress "$1" "$shape"; fi
    while IFS= read -r row; do
        if [ -n "$first" ]; then
            first=
            continue
        fi
        row=$row,$ffma,$copy
        printf '%s\n' "$row" >"$tmp/row"
        keep "$tmp/row"
        bar ''
        said=$(printf '%s\n' "$row" | book -v mode=say -v header="$header")
        printf '%s\n' "$said"
        case $said in
        *'no speed'*)
            bad=$((bad + 1))
            # The program may be further on already: what it said last of a fault.
            grep -E '^\[Error\]|FAIL|is above|needs [0-9]+ bytes' "$tmp/text" | tail -n 1
            ;;
        esac
        done_rows=$((done_rows + 1)) left_ms=$((left_ms - row_ms)) row_ms=0
        if read -r shape row_ms <&3; then progress "$1" "$shape"; fi
    done <"$tmp/rows"
    exec 3<&-
    wait "$child" 2>/dev/null
    code=$?
    child=
    bar ''
}

check_stopped() {
    [ -z "$stopped" ] || fail 130 "Stopped: $(($(wc -l <"$part") - 1)) rows are kept in $part; make bench goes on from there."
}

todo >"$tmp/todo"
# shellcheck disable=SC2046
set -- $(total "$tmp/todo")
all_rows=$1 all_ms=$(($2 * 1000)) done_rows=0
left_ms=$all_ms
began=$(date +%s)
echo "$words: $ffma GFLOP/s of fp32 multiply-adds, $copy GB/s copied, measured."
echo "$all_rows rows to measure, about $(time_text "$2"). Ctrl-C stops it, make bench goes on."

for group in $(awk '!n[$1 ":" $2]++ { print $1 ":" $2 }' "$tmp/plan"); do
    stage=${group%:*} kind=${group#*:}
    while check_stopped; do
        todo | awk -v s="$stage" -v k="$kind" '$1 == s && $2 == k' >"$tmp/group"
        [ -s "$tmp/group" ] || break
        measure "$stage" "$kind"
        check_stopped
        # What is still missing was refused, or the program died of its first one.
        todo | awk -v s="$stage" -v k="$kind" '$1 == s && $2 == k' >"$tmp/group"
        [ -s "$tmp/group" ] || break
        read -r stage kind shape n ms <"$tmp/group"
        book -v mode=error -v stage="$stage" -v tiles="$kind" -v shape="$shape" -v header="$header" \
            -v date="$(date -u +%Y-%m-%dT%H:%M:%SZ)" kind=card "$tmp/card" kind=tiles "$tmp/tiles" \
            kind=rows "$part" >"$tmp/errors"
        # The two columns of the card are the last.
        sed "s/,,\$/,$ffma,$copy/" "$tmp/errors" >"$tmp/row"
        keep "$tmp/row"
        n=$(wc -l <"$tmp/errors")
        [ "$n" -gt 0 ] || fail 3 "stage$stage did not give a row for $shape"
        bad=$((bad + n)) done_rows=$((done_rows + n)) left_ms=$((left_ms - n * ms))
        echo "stage $stage  $shape  no speed: status $code, $(last_line "$tmp/text")"
    done
done
check_stopped

book -v mode=join -v header="$header" kind=tiles "$tmp/tiles" kind=rows ${joined:+"$joined"} "$part" >"$tmp/file" &&
    cp "$tmp/file" "$part" && mv "$part" "$file" || fail 3 "$file cannot be written"
echo "$file: $(($(wc -l <"$file") - 1)) rows in $(time_text $(($(date +%s) - began))). make plots draws them."
[ "$bad" -eq 0 ] || fail 1 "$bad rows have no speed: see above"
