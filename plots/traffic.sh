#!/bin/sh
# Counts, on the CPU simulator, the bytes that each stage and tile moves for a
# multiply-add, and writes PLOTS_DATA/traffic.csv: `make traffic` runs it. With --check it
# writes nothing and fails if the file is not what is counted now. From the
# environment: BIN (programs built with BACKEND=cpu), PLOTS_DATA (plots/data).
# Every tile divides the shape, so that no edge blurs the numbers, and none is shared
# between blocks. Each tile of each stage is counted.
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 1
: "${BIN:?run me through make traffic}" "${PLOTS_DATA:=plots/data}" "${SHAPE:=256x256x1024}"
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP
case $SHAPE in *[!0-9x]* | 0* | *x0*) echo "SHAPE=$SHAPE: want one MxNxK, such as 256x256x1024" >&2; exit 1 ;; esac

for n in 1 2 3 4 5; do
    "$BIN/stage$n" --counters --csv --tile=all --shape="$SHAPE" >"$tmp/rows" 2>"$tmp/text" || {
        line=$(grep FAIL "$tmp/text" || grep -v '^ *$' "$tmp/text" | tail -n 1)
        echo "SHAPE=$SHAPE, stage$n: ${line#stage"$n": }" >&2
        exit 1
    }
    awk -f "$here/csv.awk" -f "$here/traffic.awk" -v with_header=$((n == 1)) "$tmp/rows" >>"$tmp/traffic.csv" || exit 1
done
if [ "${1:-}" = --check ]; then
    cmp -s "$tmp/traffic.csv" "$PLOTS_DATA/traffic.csv" && exit 0
    echo "$PLOTS_DATA/traffic.csv is stale: make traffic" >&2
    exit 1
fi
mkdir -p "$PLOTS_DATA" && cp "$tmp/traffic.csv" "$PLOTS_DATA/.traffic.csv" && mv "$PLOTS_DATA/.traffic.csv" "$PLOTS_DATA/traffic.csv" || exit 1
echo "$PLOTS_DATA/traffic.csv: $(($(wc -l <"$PLOTS_DATA/traffic.csv") - 1)) rows counted at $SHAPE. make plots draws them."
