#!/bin/sh
# Fills the tables between the markers in the READMEs (see readme.awk) from the
# measurements of the course's own card: `make readme` runs it. With --check it
# writes nothing, names what is stale and fails. From the environment: PLOTS_DATA
# (plots/data), REFERENCE (the card), README_FILES (README.md 0*/README.md).
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 1
: "${PLOTS_DATA:=plots/data}" "${REFERENCE:=nvidia_h200}" "${README_FILES:=README.md 0?_*/README.md}"
export LC_ALL=C
case $PLOTS_DATA in [!/]*=*) PLOTS_DATA=./$PLOTS_DATA ;; esac   # awk would take it for an assignment
tmp=$(mktemp) || exit 1
part=''
trap 'rm -f "$tmp" $part' EXIT
trap 'exit 130' INT TERM HUP

card=$PLOTS_DATA/$REFERENCE.csv traffic=$PLOTS_DATA/traffic.csv
[ -f "$card" ] || { echo "no $card: make bench, on that card. Tables of speed stay as they are."; card=/dev/null; }
[ -f "$traffic" ] || { echo "no $traffic: make traffic. Tables of traffic stay as they are."; traffic=/dev/null; }

tried=$PLOTS_DATA/tried.csv
[ -f "$tried" ] || tried=/dev/null

status=0
for file in $README_FILES; do
    grep -q '^<!-- \(begin\|end\): [a-z]* -->$' "$file" 2>/dev/null || continue
    case $file in
    0[1-5]_*/*) stage=${file%%_*} stage=${stage#0} to_plots=../plots ;;
    *) stage=0 to_plots=plots ;;
    esac
    if ! awk -f "$here/csv.awk" -f "$here/rows.awk" -f "$here/readme.awk" -v stage="$stage" -v to_plots="$to_plots" \
        kind=traffic "$traffic" kind=card "$card" kind=tried "$tried" kind=readme "$file" >"$tmp"; then
        exit 1
    elif cmp -s "$tmp" "$file"; then
        :
    elif [ "${1:-}" = --check ]; then
        echo "$file is stale: make readme"
        status=1
    else
        part=$file.part   # not half a README, if the disk is full
        cp -p "$file" "$part" && cat "$tmp" >"$part" && mv "$part" "$file" || exit 1
        echo "$file: tables made from $PLOTS_DATA"
    fi
done
exit $status
