#!/bin/sh
# Draws the charts: `make plots` runs it. From the environment:
#   CARD           files in PLOTS_DATA without .csv, separated by blanks or commas
#   TERMINAL       dumb: the ladder as text, and no file is written
#   REFERENCE      the course's own card
#   PLOTS_DATA     where the measurements are (plots/data)
#   PLOTS_OUT      where the charts go (plots): those of the course's own card
#                  right there, another's in a folder of its name
#   PLOTS_FORMATS  svg png
# Exit status: 0, or 1 if something asked for could not be drawn.
set -u
here=$(CDPATH='' cd "$(dirname "$0")" && pwd) || exit 1
: "${PLOTS_DATA:=plots/data}" "${PLOTS_OUT:=plots}" "${REFERENCE:=nvidia_h200}" "${PLOTS_FORMATS:=svg png}"
: "${CARD:=}" "${TERMINAL:=}"
export LC_ALL=C
case $PLOTS_DATA in [!/]*=*) PLOTS_DATA=./$PLOTS_DATA ;; esac   # awk would take it for an assignment
charts='ladder gflops_by_size stage2 stage3 stage4 stage5 roofline traffic tiles'

fail() {
    echo "$*" >&2
    exit 1
}

for format in $PLOTS_FORMATS; do
    case $format in svg | png) ;; *) fail "PLOTS_FORMATS=$PLOTS_FORMATS: want svg, png or both" ;; esac
done
command -v gnuplot >/dev/null 2>&1 ||
    fail 'make plots needs gnuplot: apt-get install gnuplot-nox (Debian, Ubuntu), brew install gnuplot (macOS)'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# Which cards: those asked for, or the learner's own. The course's card comes in
# only where there is no other, so that its charts stay as they are.
all='' own=''
for f in "$PLOTS_DATA"/*.csv; do
    name=${f##*/}
    name=${name%.csv}
    case $name in
    counters | traffic | tried) continue ;;
    *[!A-Za-z0-9_.-]*)
        [ ! -f "$f" ] || echo "$f is passed over: a card's file has a name of letters, digits, _, - and ." >&2
        continue
        ;;
    esac
    all="$all $name"
    [ "$name" = "$REFERENCE" ] || own="$own $name"
done
set -f   # CARD=* is a name like any other
cards=$(printf '%s' "$CARD" | tr , ' ')
compared=${cards:-$all}
: "${cards:=${own:-$all}}"
case $cards in */*) fail "CARD=$CARD: want names without folders; CARD can be: ${all:-nothing yet, see make bench}" ;; esac
[ -z "$CARD" ] || [ -n "$(echo $cards)" ] || fail "CARD=$CARD names none; CARD can be: ${all:-nothing yet, see make bench}"
for card in $cards; do
    case $card in counters | traffic | tried) fail "CARD=$card is no card; CARD can be: ${all:-nothing yet, see make bench}" ;; esac
    [ -f "$PLOTS_DATA/$card.csv" ] || fail "no file $PLOTS_DATA/$card.csv; CARD can be: ${all:-nothing yet, see make bench}"
done

# tables CARD: writes what gnuplot reads to a folder $t. CARD may be /: none.
tables() {
    t=$tmp/card-$1
    mkdir -p "$t"
    measured=$PLOTS_DATA/$1.csv counted=$PLOTS_DATA/traffic.csv
    [ "$1" != / ] || measured=/dev/null
    [ -f "$counted" ] || counted=/dev/null
    card=$1 awk -f "$here/csv.awk" -f "$here/rows.awk" -f "$here/tables.awk" dir="$t/" \
        kind=traffic "$counted" kind=card "$measured" || exit 1
}

# plot CHART FORMAT: CHART.FORMAT in $t. What gnuplot says is shown if it fails. -d:
# without the user's own settings.
plot() {
    case $1 in
    stage? | gflops_by_size) script=lines ;;
    *) script=$1 ;;
    esac
    if (cd "$t" && gnuplot -d -e "chart = '$1'; format = '$2'" facts.gp "$1.gp" "$here/charts/style.gp" \
            "$here/charts/$script.gp") >"$t/log" 2>&1 && [ -s "$t/$1.$2" ]; then
        return 0
    fi
    echo "$1.$2: gnuplot failed" >&2
    head -n 5 "$t/log" >&2
    return 1
}

# What is read to someone who does not see the image.
title() {
    case $1 in
    ladder) echo 'GFLOP/s of the five stages at one size' ;;
    gflops_by_size) echo 'GFLOP/s of the five stages by size' ;;
    stage?) echo "GFLOP/s by size of stage ${1#stage} and the one before" ;;
    roofline) echo "The five stages under the card's roofline" ;;
    traffic) echo 'Bytes moved for each multiply-add' ;;
    tiles) echo 'GFLOP/s of every tile of stages 4 and 5' ;;
    compare) echo "The stages' share of the fp32 peak on several cards" ;;
    esac
}

status=0
# draw CHART TO: a chart in all formats; false if one failed. A file is replaced only
# by a whole one.
draw() {
    mkdir -p "$2" || exit 1
    for format in $PLOTS_FORMATS; do
        plot "$1" "$format" || return 1
        if [ "$format" = svg ]; then
            # And nothing else is: gnuplot makes a title of each part of its commands.
            sed "s|<title>Gnuplot</title>|<title>$(title "$1")</title>|; /<g id=\"gnuplot_plot/s|<title>.*</title>||" \
                "$t/$1.svg" >"$t/titled" &&
                mv "$t/titled" "$t/$1.svg"
        fi
        { cp "$t/$1.$format" "$2/.$1.$format" && mv "$2/.$1.$format" "$2/$1.$format"; } 2>/dev/null ||
            fail "cannot write to $2: draw elsewhere, PLOTS_OUT=FOLDER"
    done
}

# draw_all CARD TO: the charts that its data can fill; false if there are none. The
# others are taken away, because they would show an earlier run.
draw_all() {
    drawn=
    for chart in $charts; do
        if [ -f "$t/$chart.gp" ]; then
            if draw "$chart" "$2"; then drawn="$drawn $chart"; else status=1; fi
        elif [ "$1" != / ]; then
            for format in $PLOTS_FORMATS; do rm -f "$2/$chart.$format"; done
        fi
    done
    [ -n "$drawn" ] || return 1
    echo "$2:$drawn ($PLOTS_FORMATS)"
}

for card in ${cards:-/}; do
    tables "$card"
    if [ "$card" = / ]; then
        echo "no measurements in $PLOTS_DATA: make bench" >&2
    elif [ ! -f "$t/compare.name" ]; then
        echo "$PLOTS_DATA/$card.csv holds no row that was measured and right: make bench" >&2
        status=1
    fi
    if [ "$TERMINAL" = dumb ]; then
        if [ ! -f "$t/ladder.gp" ]; then
            sed -n "s|^ladder	|$card: the ladder is not drawn: |p" "$t/missing" >&2
            status=1
        elif ! (cd "$t" && gnuplot -d facts.gp ladder.gp "$here/charts/ladder_dumb.gp" >"$t/text" 2>"$t/log"); then
            fail "$(head -n 5 "$t/log")"
        fi
        cat "$t/text" || exit 1
        continue
    fi
    case $card in
    / | "$REFERENCE") to=$PLOTS_OUT ;;
    *) to=$PLOTS_OUT/$card ;;
    esac
    draw_all "$card" "$to" || status=1
    [ ! -f "$t/compare.name" ] || sed "s|^note	|$card: |; s|	|: not drawn: |" "$t/missing"
done
[ "$TERMINAL" != dumb ] || exit "$status"

# Several cards: a comparison.
n=0
mkdir "$tmp/compare"
for card in $compared; do
    tables "$card"
    [ -f "$t/compare.part" ] || continue
    n=$((n + 1))
    sed "s/^/$n /" "$t/compare.part" >>"$tmp/compare/compare.dat"
    sed "s/^/card${n}_/" "$t/compare.name" >>"$tmp/compare/compare.gp"
done
if [ $n -gt 1 ]; then
    t=$tmp/compare
    echo "cards = $n; caption = ''" >"$t/facts.gp"
    if draw compare "$PLOTS_OUT"; then echo "$PLOTS_OUT: compare ($PLOTS_FORMATS)"; else status=1; fi
else
    asked=$(echo $compared | wc -w)
    [ "$asked" -lt 2 ] || echo 'compare: not drawn: fewer than two cards have a cube and a peak'
    # What is there would show an earlier run.
    if [ -z "$CARD" ] || [ "$asked" -gt 1 ]; then
        for format in $PLOTS_FORMATS; do rm -f "$PLOTS_OUT/compare.$format"; done
    fi
fi
exit $status
