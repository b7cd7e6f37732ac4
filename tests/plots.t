#!/bin/sh
# make plots: every chart is made, says what it must, and bad data never make a
# broken picture. The charts of the repository are those of its data.
. tests/tap.sh
data=$TMP/data out=$TMP/out
charts='gflops_by_size ladder roofline stage2 stage3 stage4 stage5 tiles traffic'

# Without gnuplot.
mkdir "$TMP/bin"
for p in sh dirname; do ln -s "$(command -v $p)" "$TMP/bin/$p"; done
text=$(PATH=$TMP/bin sh plots/plot.sh 2>&1)
is 'without gnuplot: status' $? 1
is 'without gnuplot: one line' "$(printf '%s\n' "$text" | wc -l | tr -d ' ')" 1
like 'without gnuplot: the command that brings it' "$text" 'apt-get install gnuplot-nox'

# What the simulator counts needs no gnuplot.
if [ "$BACKEND" = cpu ] && [ "${BIN##*/}" = cpu-check ] && [ -f plots/data/traffic.csv ]; then
    ok 'plots/data/traffic.csv is what is counted today' env BIN="$BIN" sh plots/traffic.sh --check
else
    skip 'plots/data/traffic.csv is what is counted today' 'the checking simulator counts it'
fi

if [ "$BACKEND" = cpu ]; then
    mkdir "$TMP/left"
    TMPDIR="$TMP/left" BIN="$BIN" PLOTS_DATA="$TMP/none" timeout -s INT 0.3 sh plots/traffic.sh >"$TMP/log" 2>&1
    is 'make traffic that is stopped leaves nothing' "$(ls "$TMP/left" "$TMP/none" 2>"$TMP/log" | grep -v :)" ''
    SHAPE=64x64x0 BIN="$BIN" PLOTS_DATA="$TMP/none" sh plots/traffic.sh >"$TMP/log" 2>&1
    like 'make traffic of nothing is refused' "$? $(cat "$TMP/log")" '^1 SHAPE=64x64x0: want '
fi

mkdir "$TMP/wrong"
printf '#!/bin/sh\nprintf "[Check] wrong: FAIL\\nwhat was counted\\n" >&2\nexit 1\n' >"$TMP/wrong/stage1"
chmod +x "$TMP/wrong/stage1"
is 'make traffic of a wrong result says so' "$(BIN="$TMP/wrong" PLOTS_DATA="$TMP/none" sh plots/traffic.sh 2>&1)" \
   'SHAPE=256x256x1024, stage1: [Check] wrong: FAIL'

if ! command -v gnuplot >/dev/null; then
    skip 'everything else' 'gnuplot is not here'
    finish
fi

# draw [NAME=VALUE...]: status and text of one run, whatever the user's settings of
# gnuplot and CDPATH are.
mkdir "$TMP/home"
printf 'set grid\nset logscale y\n' >"$TMP/home/.gnuplot"
draw() {
    text=$(env -u CARD -u TERMINAL HOME="$TMP/home" CDPATH=. PLOTS_DATA="$data" PLOTS_OUT="$out" PLOTS_FORMATS=svg "$@" sh plots/plot.sh 2>&1)
    status=$?
}
drawn() { (cd "$out/$1" 2>/dev/null && ls ./*.svg 2>/dev/null | sed 's|^\./||; s|\.svg$||' | tr '\n' ' '); }
fresh() {
    rm -rf "$data" "$out"
    mkdir "$data"
    awk -F, -v OFS=, 'BEGIN { print "stage,tile,M,N,K,check,ffma,global_store_sectors,global_bytes_per_fma,shared_bytes_per_fma"
        print "1,4x4,256,256,1024,PASS,67108864,65536,16.0312,0"
        print "2,16x16,256,256,1024,PASS,67108864,32768,2.0156,0"
        print "3,64x64x16,256,256,1024,PASS,67108864,32768,0.1406,3.1875"
        print "4,128x128x32-16x8,256,256,1024,PASS,67108864,32768,0.0781,0.5312"
        print "5,128x128x32-16x8,256,256,1024,PASS,67108864,32768,0.0625,0.4584" }' >"$data/traffic.csv"
}
# whole FILE: an SVG that ended, in which every & starts an entity and no number is none.
whole() {
    [ "$(grep -v '^$' "$1" | tail -n 1)" = '</svg>' ] && ! grep -E '&([^a-z#]|$)' "$1" && ! grep -E '[="(,](nan|inf|-nan)' "$1"
}
all_whole() {
    for f in "$out"/*.svg "$out"/*/*.svg; do [ ! -e "$f" ] || whole "$f" || { echo "$f"; return 1; }; done
}

# all_there FOLDER CARD: every chart is there and says what it must.
all_there() {
    for chart in $charts; do
        for format in svg png; do
            ok "$chart.$format of $2 is there" test -s "$1/$chart.$format"
        done
        ok "$chart.svg of $2 is whole" whole "$1/$chart.svg"
        [ "$chart" = traffic ] || like "$chart.svg names the card, driver, CUDA and day" "$(cat "$1/$chart.svg")" \
            ">$2, [0-9]+ SMs, driver [0-9.]+, CUDA [0-9.]+, 20[0-9-]{8}<"
        is "$chart.png is 1660 wide" "$(od -An -tu1 -j16 -N4 "$1/$chart.png" | tr -s ' ')" ' 0 0 6 124'
    done
    for chart in gflops_by_size roofline traffic; do
        is "$chart.svg has every stage" \
            "$(grep -Eo '>(1 micro-kernel|2 warp|3 shared memory|4 register tiles|5 cp\.async)<' "$1/$chart.svg" | tr -d '\n')" \
            '>1 micro-kernel<>2 warp<>3 shared memory<>4 register tiles<>5 cp.async<'
    done
    is 'ladder.svg has every stage' "$(grep -Eo '>(1 micro-|2 warp|3 shared|4 register|5 cp\.async)<' "$1/ladder.svg" | tr -d '\n')" \
        '>1 micro-<>2 warp<>3 shared<>4 register<>5 cp.async<'
    for n in 2 3 4 5; do
        is "stage$n.svg has two stages and cuBLAS" "$(grep -Eo '>([1-5] [a-z.-]+( [a-z]+)?|cuBLAS)<' "$1/stage$n.svg" | cut -c2 | tr -d '\n')" "$((n - 1))${n}c"
        like "stage$n.svg goes up to the peak" "$(cat "$1/stage$n.svg")" '>fp32 peak, measured: [0-9,]+<'
    done
    like 'tiles.svg has both stages' "$(tr -d '\n' <"$1/tiles.svg")" '>4 register tiles<.*>5 cp\.async<'
}

# The committed data.
if [ -f plots/data/nvidia_h200.csv ] && [ -f plots/data/traffic.csv ]; then
    data=plots/data
    draw CARD=nvidia_h200 PLOTS_FORMATS='svg png'
    is 'the committed data: status' $status 0
    all_there "$out" 'NVIDIA H200'
    for chart in $charts; do
        made=$(grep -o 'Produced by GNUPLOT.*<' "$out/$chart.svg")
        if [ "$made" = "$(grep -o 'Produced by GNUPLOT.*<' "plots/$chart.svg" 2>/dev/null)" ]; then
            ok "plots/$chart.svg is of these data" cmp "$out/$chart.svg" "plots/$chart.svg"
        else
            skip "plots/$chart.svg is of these data" "it was drawn by another gnuplot"
        fi
        ok "plots/$chart.png is there" test -s "plots/$chart.png"
    done
    data=$TMP/data
else
    skip 'the committed data' 'there are none yet'
fi

# Made-up data, all of it in the usual shape.
fresh
awk -f tests/made_up.awk >"$data/nvidia_h200.csv"
draw PLOTS_FORMATS='svg png'
is 'all data: status' $status 0
all_there "$out" 'NVIDIA H200'
cp -R "$out" "$TMP/first"
sleep 1
draw PLOTS_FORMATS='svg png'
is 'the same data, the same files' "$(diff -r "$TMP/first" "$out")" ''

# A learner's card beside the course's.
awk -v device='Test 1' -v scale=0.2 -f tests/made_up.awk >"$data/test_1.csv"
draw
is 'a learner'"'"'s card: its charts are in a folder of their own' "$(drawn test_1)" "$charts "
is 'the course'"'"'s charts stay' "$(cd "$TMP/first" && for f in *; do cmp "$f" "$out/$f"; done)" ''
like 'the two are compared' "$(tr -d '\n' <"$out/compare.svg")" '>NVIDIA H200<.*>Test 1<'
mv "$data/test_1.csv" "$TMP"
draw
ok 'of one card no comparison stays' test ! -e "$out/compare.svg"
mv "$TMP/test_1.csv" "$data"
rm -r "$out"
cp -R "$data" "$TMP/a=b"
script=$PWD/plots/plot.sh
text=$(cd "$TMP" && PLOTS_DATA=a=b CARD=nvidia_h200 TERMINAL=dumb sh "$script" 2>&1)
like 'a folder that awk would take for an assignment' "$? $text" '^0 '
draw CARD='*'
like 'CARD=* is a name like others' "$status $text" '^1 no file .*/\*\.csv; CARD can be'
draw CARD=nvidia_h200
is 'CARD picks' "$(drawn .)$(drawn test_1)" "$charts "
draw CARD='nvidia_h200,test_1'
is 'CARD takes several' "$(drawn .)$(drawn test_1)" "compare $charts $charts "
draw CARD=test_2
is 'an unknown CARD: status' $status 1
like 'an unknown CARD: says which there are' "$text" '^no file .*test_2.csv; CARD can be:  nvidia_h200 test_1$'
draw TERMINAL=xterm-256color CARD=test_1
is 'TERMINAL is often set for other reasons' $status 0
rm -r "$out"
draw TERMINAL=dumb CARD=test_1
is 'TERMINAL=dumb: status' $status 0
like 'TERMINAL=dumb: names the card' "$text" '^ +Test 1 *$'
like 'TERMINAL=dumb: has the stages' "$text" '1 micro- +2 warp +3 shared +4 register +5 cp.async'
ok 'TERMINAL=dumb: writes nothing' test ! -e "$out"
is 'TERMINAL=dumb: fits a terminal' "$(printf '%s\n' "$text" | awk '{ gsub(/×/, "x") } length > 80')" ''

# Nothing to draw.
fresh
draw
is 'no card: what needs none is drawn' "$status $(drawn .)" '0 traffic '
like 'no card: says make bench' "$text" "^no measurements in $data: make bench"
rm "$data/traffic.csv"
rm -r "$out"
draw
is 'no data: status' $status 1
is 'no data: one line' "$text" "no measurements in $data: make bench"
fresh
: >"$data/empty.csv"
awk -f tests/made_up.awk | head -n 1 >"$data/header.csv"
awk -f tests/made_up.awk | sed 's/,PASS,/,FAIL,/' >"$data/wrong.csv"
head -c 3000 /dev/zero | tr '\0' '\377' >"$data/binary.csv"
for card in empty header wrong binary; do
    draw CARD=$card
    is "$card: status" $status 1
    like "$card: says make bench" "$text" "^$data/$card.csv.*make bench"
    draw CARD=$card TERMINAL=dumb
    like "$card: in the terminal too" "$text" 'make bench'
done

fresh
awk -f tests/made_up.awk | sed '1s/,check,/,checked,/' >"$data/columns.csv"
draw
is 'a column that is missing: status' $status 1
like 'a column that is missing: said' "$text" "columns.csv: no column check"
fresh
{ awk -f tests/made_up.awk; awk -v device=Another -f tests/made_up.awk | tail -n 3; } >"$data/two.csv"
draw
is 'two cards in a file: status' $status 1
like 'two cards in a file: said' "$text" "two.csv: rows of .* and of Another: want a file for each card"

# A card on which every stage lies above the slope.
fresh
awk -f tests/made_up.awk | awk -F, -v OFS=, 'NR > 1 { $NF = 245; $(NF - 1) = 24000 } { print }' >"$data/narrow.csv"
draw
ok 'every stage above the slope: the first has its name' grep -q '>1 micro-kernel<' "$out/narrow/roofline.svg"

# A point less.
fresh
awk -f tests/made_up.awk | awk -F, -v OFS=, '$1 == 5 && $6 == 4096 && $7 == 4096 { $13 = $14 = $15 = ""; $18 = "FAIL" } { print }' >"$data/failed.csv"
draw CARD=failed
is 'a failed check: status' $status 0
is 'a failed check: no bar' "$(grep -c '>5 cp.async<' "$out/failed/ladder.svg")" 0
is 'a failed check: the others have theirs' "$(grep -c '>4 register<' "$out/failed/ladder.svg")" 1
is 'a failed check: the line goes on' "$(grep -c '>5 cp.async<' "$out/failed/gflops_by_size.svg")" 1
awk -f tests/made_up.awk | awk -F, -v OFS=, '$1 == 4 { $13 = $14 = $15 = ""; $18 = "FAIL" } { print }' >"$data/failed.csv"
draw CARD=failed
like 'a stage that fails everywhere: said' "$text" '^failed: stage 4 has no right result: the charts of speed leave it out$'
like 'and of no chart that it was not measured' "$text" '^stage4: not drawn: stages 3 and 4 do not both have a cube with a right result$'
is 'and it has no heading among the tiles' "$(grep -c '>4 register tiles<' "$out/failed/tiles.svg")" 0
awk -f tests/made_up.awk | awk -F, -v OFS=, '{ print }
    $1 == 4 && $4 == "64x64x16-4x4" && $6 == 512 { $4 = "own-1"; print }
    $1 == 4 && $4 == "64x64x16-4x4" && $6 == 4096 { $4 = "own-2"; print }' >"$data/own.csv"
draw CARD=own
is 'own tiles, each measured at another size: all are there, behind those they follow' \
    "$(grep -oE '>(own-.|64x64x16-4x4|64x64x16-16x4)<' "$out/own/tiles.svg" | head -n 4 | tr -d '<>' | tr '\n' ' ')" \
    '64x64x16-4x4 own-2 own-1 64x64x16-16x4 '
awk -f tests/made_up.awk | grep -v '^3' >"$data/missing.csv"
draw CARD=missing
is 'a missing stage: status' $status 0
like 'a missing stage: said' "$text" 'stage 3 was not measured'
is 'a missing stage: its charts are not drawn' "$(drawn missing)" 'gflops_by_size ladder roofline stage2 stage5 tiles traffic '
awk -f tests/made_up.awk | awk -F, 'NR == 1 || ($6 == 1024 && $1 != 5)' >"$data/missing.csv"
draw CARD=missing
is 'a chart that the new data cannot fill is taken away' "$(drawn missing)" 'gflops_by_size ladder roofline stage2 stage3 stage4 traffic '
awk -f tests/made_up.awk | awk -F, 'NR == 1 || ($6 == 512 && $7 == 512)' >"$data/one.csv"
draw CARD=one
is 'one shape only' "$status $(drawn one)" "0 $charts "
like 'one shape only: the ladder is of it' "$(cat "$out/one/ladder.svg")" '512 × 512 × 512'
awk -f tests/made_up.awk | awk -F, 'NR == 1 || $6 == 1000' >"$data/odd.csv"
draw CARD=odd
is 'one odd size only' "$status $(drawn odd)" '0 gflops_by_size ladder roofline stage5 traffic '
awk -f tests/made_up.awk | awk -F, -v OFS=, '$6 == 512 && $7 == 512 { $6 = $7 = $8 = 3000; print } NR == 1 || $6 == 16384' >"$data/odd.csv"
draw CARD=odd
is 'all stages at an odd size, some at another' "$status $(drawn odd)" "0 $charts "
like 'it is drawn in the charts by size, too' "$(cat "$out/odd/gflops_by_size.svg" "$out/odd/stage5.svg")" '>1 micro-kernel<'
like 'how many times as fast is said there' "$(cat "$out/odd/stage5.svg")" 'as fast at 3000<'
awk -f tests/made_up.awk | awk -F, -v OFS=, 'NR > 1 { $(NF - 1) = 65000; $NF = 4200 } NR == 1 || ($6 == 512 && $7 == 512)' >"$data/short.csv"
draw CARD=short
like 'few FLOPs a byte: the roofline has room for the names to the right' "$(cat "$out/short/roofline.svg")" '>256<'
awk -f tests/made_up.awk | awk -F, 'NR == 1 || $7 != $6' >"$data/odd.csv"
draw CARD=odd
like 'no cube at all' "$text" 'ladder: not drawn: no cube has a right result'
is 'no cube at all: nothing is said of a size 0' "$(printf '%s\n' "$text" | grep -c 'at 0')" 0
draw CARD=odd TERMINAL=dumb
like 'no cube at all, in the terminal' "$status $text" '^1 odd: the ladder is not drawn: no cube has a right result$'
awk -f tests/made_up.awk | awk -F, -v OFS=, 'NR == 1 { print; next } $6 % 128 == 0 { $5 = "named" } { print }' >"$data/named.csv"
draw CARD=named
like 'cubes that the program chose are odd: their lines are drawn' "$(drawn named)" '^gflops_by_size ladder '
cp "$data/traffic.csv" "$TMP/traffic"
grep -v '^5,' "$TMP/traffic" >"$data/traffic.csv"
draw CARD=one
like 'the traffic of a stage is missing: said' "$text" '^one: the traffic of stage 5 was not counted: .*make traffic'
cp "$TMP/traffic" "$data/traffic.csv"
sed '/^4,/s/,[^,]*,auto,/,mine,auto,/' "$data/one.csv" >"$data/mine.csv"
draw CARD=mine
like 'the traffic of an own tile is missing: not that of another' "$text" \
     '^mine: the traffic of stage 4 was not counted: .*make traffic'
rm "$data/mine.csv"
mv "$TMP/traffic" "$data/traffic.csv"
awk -f tests/made_up.awk | sed 's/,65290,4150$/,,/' >"$data/ceilings.csv"
draw CARD=ceilings
like 'no measured ceilings: no roofline' "$text" 'roofline: not drawn'
like 'no measured ceilings: the peak by the clock' "$(cat "$out/ceilings/ladder.svg")" 'fp32 peak, by its clock: 66,908'
{
    awk -f tests/made_up.awk
    printf '5,cuda,"NVIDIA H200,128x128\n5,cuda,NVIDIA H200,x,auto,4096,4096,4096,nan,nan,nan,nan,nan,inf,,,,PASS,,,,,,,,,,,,,\n'
    printf '9,cuda,X,x,auto,4096,4096,4096,1,1,1,1,1e999,1,,,,PASS,,,,,,,,,,,,,\nx\n\n,,,\n'
} >"$data/cut.csv"
draw CARD=cut
is 'rows cut off, without numbers, or of no stage' "$status $(drawn cut)" "0 $charts "
awk -f tests/made_up.awk | awk -F, -v OFS=, 'NR > 1 { $13 *= 1.6; $14 *= 2 } { print }' >"$data/above.csv"
draw CARD=above
is 'speeds above the peak' "$status $(drawn above)" "0 $charts "
awk -v scale=0.0001 -f tests/made_up.awk | awk -F, -v OFS=, 'NR > 1 { $(NF - 1) = 6.5; $NF = 0.4 } { print }' >"$data/slow.csv"
draw CARD=slow
is 'a very slow card' "$status $(drawn slow)" "0 $charts "
awk -f tests/made_up.awk | awk -F, -v OFS=, 'NR == 1 { print "first," $0; next } { print "x," $0 }' >"$data/columns.csv"
draw CARD=columns
is 'columns are found by name' "$status $(drawn columns)" "0 $charts "
awk -f tests/made_up.awk | sed 's/$/\r/' >"$data/crlf.csv"
draw CARD=crlf
is 'lines that end in CR LF' "$status $(drawn crlf)" "0 $charts "
ok 'all pictures are whole' all_whole

# Names.
fresh
awk -v device="A & B's \"X\", 100% <b> {x_y^z} @ %s \$HOME \`id\` \\\\n" -f tests/made_up.awk >"$data/name.csv"
awk -v device="$(printf 'Caf\303\251 \377 %0300d' 7)" -f tests/made_up.awk >"$data/long.csv"
draw
is 'names with signs: status' "$status" 0
ok 'names with signs: whole pictures' all_whole
like 'names with signs: as they are' "$(cat "$out/name/ladder.svg")" \
    "A &amp; B's \"X\", 100% &lt;b(>|&gt;) \{x_y\^z\} @ %s \\\$HOME \`id\` "
like 'a long name ends in dots' "$(cat "$out/long/ladder.svg")" '>Caf\?\? \? 0{10,40}\.\.\.,'
is 'a name becomes no command' "$(grep -c 'uid=' "$out/name/ladder.svg")" 0
draw TERMINAL=dumb CARD=name
like 'names with signs in the terminal' "$text" "A & B's \"X\", 100% <b> \{x_y\^z\} @ %s"

# Three cards have room for the stages' numbers, two for cuBLAS's name, too.
fresh
for n in 1 2; do awk -v device="Test $n" -v scale=0.$n -f tests/made_up.awk >"$data/c$n.csv"; done
draw
is 'two cards are compared: cuBLAS has its name' "$(grep -c '>cuBLAS<' "$out/compare.svg")" 2
for below in '4096 cube, peak [0-9,]*' 'driver [0-9.]*, CUDA [0-9.]*' '20[0-9]*-[0-9-]*'; do
    is "two cards are compared: below each, $below" "$(grep -c ">$below<" "$out/compare.svg")" 2
done
sed 's/Test 1/Test 2/' "$data/c1.csv" >"$data/c1 (1).csv"
draw
like 'a name that is no card'"'"'s file is passed over, and said' "$text" 'c1 \(1\)\.csv is passed over'
mv "$data/c1 (1).csv" "$data/c1.csv"
draw
like 'two cards of one name have those of their files' "$(tr -d '\n' <"$out/compare.svg")" '>c1<.*>c2<'
awk -F, 'NR == 1 || $6 != $7' "$data/c2.csv" >"$data/none.csv"
draw CARD='c1 none'
like 'two cards, and one without a cube: said' "$text" 'compare: not drawn: fewer than two'
ok 'and no comparison of another run stays' test ! -e "$out/compare.svg"
draw CARD=none
like 'a card named none is one' "$text" '/none: '
rm "$data/none.csv"
# Measured peaks below what the stages reach: the roofline, the comparison and the
# terminal's ladder have room for it.
sed 's/,6529,415$/,4000,415/' "$data/c1.csv" >"$data/busy1.csv"
sed 's/,13058,830$/,10000,830/' "$data/c2.csv" >"$data/busy2.csv"
draw CARD='busy1 busy2'
like 'a speed above the peak is said' "$text" 'busy1: 5,[0-9]+ GFLOP/s at 4096 are above the fp32 peak that was measured, 4,000: .* make bench'
is 'and has its number in the comparison' "$(grep -cE '>1(31|05)<' "$out/compare.svg")" 2
is 'and all five points in the roofline' "$(grep -o "'#gpPt6'" "$out/busy1/roofline.svg" | wc -l | tr -d ' ')" 5
draw CARD=busy1 TERMINAL=dumb
like 'and in the terminal' "$text" '5,241'
rm "$data/busy1.csv" "$data/busy2.csv"
awk -v device="Test 3" -v scale=0.3 -f tests/made_up.awk >"$data/c3.csv"
draw
is 'three cards are compared: no name touches another' "$(grep -c '>cuBLAS<' "$out/compare.svg")" 0

# Many cards; a folder that cannot be written.
fresh
for n in 1 2 3 4 5 6; do awk -v device="A card with quite a long name, number $n" -v scale=0.$n -f tests/made_up.awk >"$data/c$n.csv"; done
draw
is 'six cards are compared' "$(grep -o '>A card with' "$out/compare.svg" | wc -l | tr -d ' ')" 6
ok 'names that are too long end in dots' grep -q '>A card with[^<]*…<' "$out/compare.svg"
ok 'six cards: whole pictures' all_whole
is 'six cards: the size is said' "$(grep -o '>4096 cube<' "$out/compare.svg" | wc -l | tr -d ' ')" 6
rm "$data"/c?.csv
for n in 3080 3090 4080 4090 5090; do awk -v device="NVIDIA GeForce RTX $n" -f tests/made_up.awk >"$data/rtx$n.csv"; done
draw
is 'five cards of one family: what tells them apart is there' \
    "$(grep -oE '>[^<]*RTX (3080|3090|4080|4090|5090)<' "$out/compare.svg" | wc -l | tr -d ' ')" 5
for n in 1 2 3 4 5 6 7 8 9 10; do cp "$data/rtx3080.csv" "$data/c$n.csv"; done
draw
ok 'fifteen cards: the title is still there' grep -q 'How much of each card' "$out/compare.svg"
: >"$TMP/file"
draw PLOTS_OUT="$TMP/file/below"
is 'a folder that cannot be made: status' $status 1
finish
