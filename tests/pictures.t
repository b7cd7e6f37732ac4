#!/bin/sh
# The lessons' pictures show what the stages do: drawn again from the simulator's
# traces, each comes out as it is in plots/pictures. Where gnuplot is missing or is
# another version, the data that a picture was made from are compared instead.
. tests/tap.sh
unset ARCH BUILD MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS MUTANT SIM TESTS

if [ "$BACKEND" != cpu ]; then
    skip 'the pictures' 'the simulator makes them: make test BACKEND=cpu'
    finish
fi

# In a copy, where the mutants that are drawn can be built beside other tests.
copy=$TMP/copy
mkdir -p "$copy/build"
cp -RLp Makefile common tests plots 0?_* "$copy"
cp -Rp "$BIN" "$copy/build/cpu-check"
chmod -R u+w "$copy"
rm -f "$copy"/plots/pictures/*.svg
# Neither the user's settings of gnuplot nor a CDPATH change anything.
mkdir "$TMP/home"
printf 'set grid\nset logscale y\n' >"$TMP/home/.gnuplot"
HOME=$TMP/home
CDPATH=.
export HOME CDPATH
quiet_make() { make -C "$copy" -s --no-print-directory "$@"; }

version() { sed -n 's/.*Produced by \(GNUPLOT [0-9.]* patchlevel [^ ;]*\).*/\1/p' "$1"; }
here=$(gnuplot --version 2>"$TMP/log" | tr '[:lower:]' '[:upper:]' | sed 's/ PATCHLEVEL / patchlevel /')

quiet_make pictures-data 2>"$TMP/log" | grep -v '^Backend' >"$TMP/data"
for picture in plots/pictures/*.svg; do
    name=${picture##*/}
    name=${name%.svg}
    is "$name: the trace gives the data it was drawn from" \
       "$(sed -n "s/^$name //p" "$TMP/data")" "$(sed -n 's/.*; data \([0-9]*\)<.*/\1/p' "$picture")"
done
is 'no picture is missing' "$(wc -l <"$TMP/data" | tr -d ' ')" "$(ls plots/pictures/*.svg | wc -l | tr -d ' ')"

if [ -z "$here" ]; then
    skip 'the pictures, byte by byte' 'no gnuplot: apt-get install gnuplot-nox'
elif [ "$here" != "$(version "$(ls plots/pictures/*.svg | head -n 1)")" ]; then
    skip 'the pictures, byte by byte' "this is $here, another version than drew them"
else
    ok 'make pictures' quiet_make pictures
    for picture in plots/pictures/*.svg; do
        ok "${picture##*/}: the same bytes" cmp "$picture" "$copy/$picture"
    done
fi

# A picture that no lesson shows, or one that is not there.
is 'a picture and a chart have one title each' "$(grep -c '<title>' plots/*.svg plots/pictures/*.svg | grep -v ':1$')" ''
shown=$(cat $lessons | grep -o 'plots/pictures/[a-z0-9_]*\.svg' | sort -u)
is 'the lessons show every picture' "$shown" "$(ls plots/pictures/*.svg)"
for picture in plots/pictures/*.svg; do
    ok "${picture##*/} fits a page" awk 'NR < 5 && /width="830"/ { found = 1 } { bytes += length($0) + 1 }
        END { exit !(found && bytes < 100000) }' "$picture"
done
finish
