#!/bin/sh
# make bench: what it measures, and that a run can stop, go on and go wrong. The
# programs are stand-ins that print rows.
. tests/tap.sh

header=stage,backend,device,tile,choice,M,N,K,reps,median_ms,gflops,cublas_gflops,ratio,check,sms,driver,cuda,date,later
bin=$TMP/bin data=$TMP/data
mkdir "$bin"
printf '%s\n' "$header" >"$TMP/header"

# A stage that is not: options as the real ones have them, a row a shape, and what
# the file `how` in its folder orders: fail, die or refuse SHAPE, stop AFTER rows,
# choose TILE.
cat >"$bin/stage1" <<'END'
#!/bin/sh
here=${0%/*} n=${0##*stage}
tile=auto shapes=1x1x1
for a in "$@"; do
    case $a in
    --tile=*) tile=${a#--tile=} ;;
    --shape=*) shapes=${a#--shape=} ;;
    esac
done
if [ "$tile" = list ]; then
    [ $# = 1 ] || exit 2
    printf 'tile   block tile\nsmall  32 x 32\nlarge  128 x 128\n'
    exit
fi
cat "$here/../header"
[ "$*" != '--csv --reps=0 1' ] || exit 0
echo "$n $tile $shapes" >>"$here/calls"
read -r what which <"$here/how"
rows=0 chosen=small
[ "$what" != choose ] || chosen=$which
for s in $(echo "$shapes" | tr , ' '); do
    names=$chosen
    [ "$tile" != all ] || names='small large'
    check=PASS numbers=10,1.5,1000,2000,0.5
    if [ "$which" = "$n/$s" ]; then
        case $what in
        fail) check=FAIL numbers=,,,, ;;
        die) echo 'CUDA error: unspecified launch failure' >&2; exit 3 ;;
        refuse) echo "$s needs more bytes" >&2; continue ;;
        gone) rm -f "$here"/../data/*.part ;;
        wait) while [ -s "$here/how" ]; do sleep 0.1; done ;;
        esac
    fi
    for name in $names; do
        choice=auto
        [ "$name" = "$chosen" ] || choice=named
        if [ "$what" = stop ] && [ "$n" = 4 ] && [ $rows = "$which" ]; then
            printf '4,cuda,half a row'
            kill "-${SIGNAL:-TERM}" "$PPID"
            exec sleep 5
        fi
        echo "$n,cuda,$(cat "$here/quoted"),$name,$choice,$(echo "$s" | tr x ,),$numbers,$check,132,580.1,13.0,2025-01-02T03:04:05Z,"
        echo "[Check] $check" >&2
        rows=$((rows + 1))
    done
done
END
cat >"$bin/card" <<'END'
#!/bin/sh
here=${0%/*}
[ -s "$here/quoted" ] || { echo 'no CUDA-capable device is detected' >&2; exit 3; }
echo device,sms,driver,cuda,clock_mhz,peak_gflops,ffma_gflops,copy_gbs,date
echo "$(cat "$here/quoted"),132,580.1,13.0,1980,66900,65$(cat "$here/ffma"),4100,2025-01-02T03:04:05Z"
END
chmod +x "$bin/stage1" "$bin/card"
for n in 2 3 4 5; do cp "$bin/stage1" "$bin/stage$n"; done

# order WHAT WHICH; card NAME (as CSV has it)
order() { echo "$1 $2" >"$bin/how"; }
card() { printf '%s' "$1" >"$bin/quoted"; }
bench() {
    : >"$bin/calls"
    env -u SHAPES -u FRESH -u REPLACE CDPATH=. BIN="$bin" BACKEND=cuda PLOTS_DATA="$data" "$@" sh plots/bench.sh >"$TMP/out" 2>&1
    status=$?
    out=$(cat "$TMP/out")
}
rows() { tail -n +2 "$data/$1.csv"; }
count() { rows "$1" | wc -l | tr -d ' '; }

order nothing -
card 'NVIDIA H200'
echo 290 >"$bin/ffma"
bench
is 'a whole run: status' $status 0
like 'says before it starts about how long it takes' "$out" '^[0-9]+ rows to measure, about [0-9]+ (s|min [0-9]+ s)'
like 'and what the card reaches' "$out" '^NVIDIA H200, driver 580.1, CUDA 13.0: 65290 GFLOP/s .*4100 GB/s'
ok 'the default list takes less than 5 minutes on such a card' \
    sh -c 'echo "$1" | sed -n "s/^.*about \([0-9]*\) min.*/\1/p" | { read m; test "${m:-0}" -lt 5; }' - "$out"
file=nvidia_h200
is 'the columns are the programs'"'"' own and the two of the card' "$(head -n 1 "$data/$file.csv")" \
    "$header,ffma_gflops,copy_gbs"
is 'each row has them' "$(rows $file | awk -F, '{ print NF, $(NF - 1), $NF }' | sort -u)" '21 65290 4100'
is 'nothing else is left' "$(ls "$data")" "$file.csv"
is 'every stage at 4096' "$(rows $file | awk -F, '$5 == "auto" && $6 == 4096 && $7 == 4096 && $8 == 4096 { print $1 }' | tr '\n' ' ')" '1 2 3 4 5 '
is 'every stage at nine cubes' \
    "$(rows $file | awk -F, '$5 == "auto" && $6 == $7 && $7 == $8 && index(" 256 384 512 768 1024 1536 2048 3072 4096 ", " " $6 " ") { n[$1]++ } END { for (s = 1; s <= 5; s++) print s, n[s] }' | tr '\n' ' ')" \
    '1 9 2 9 3 9 4 9 5 9 '
for shape in 1000,1000,1000 4097,4097,4097 16384,16384,16384 4096,11008,4096 16,4096,4096 8192,64,8192; do
    is "stages 4 and 5 at $shape" "$(rows $file | grep ",$shape," | cut -d, -f1,5 | tr '\n' ' ')" '4,auto 5,auto '
done
is 'all tiles, in the order of the table' \
    "$(rows $file | awk -F, '$6 == 1024 && $1 > 3 { print $1, $4, $5 }' | tr '\n' ';')" \
    '4 small auto;4 large named;5 small auto;5 large named;'
is 'a process a stage and kind' "$(wc -l <"$bin/calls" | tr -d ' ')" 7
is 'in order: stage, cubes by size, then the others' \
    "$(rows $file | awk -F, '{ printf "%d %d %.0f\n", $1, ($6 != $7 || $7 != $8), $6 * $7 * $8 }' | sort -c -n -k1,1 -k2,2 -k3,3 2>&1)" ''

# Another card of the course's name does not take its file.
cp "$data/$file.csv" "$TMP/first"
echo 300 >"$bin/ffma"
bench SHAPES=256
is 'the course'"'"'s own run stays' "$(cmp "$TMP/first" "$data/$file.csv" 2>&1)" ''
is 'the new one is beside it' "$(count ${file}_2)" 5
bench SHAPES=256 REPLACE=1
is 'REPLACE=1 with SHAPES: the other rows stay' "$(count $file)" "$(tail -n +2 "$TMP/first" | wc -l | tr -d ' ')"
is 'and these are new' "$(rows $file | awk -F, '$(NF - 1) == 65300 { print $6 }' | sort -u)" 256

# SHAPES, on a card that nobody has measured.
card 'Test 1'
bench SHAPES=512,100x200x300
is 'SHAPES: what the list has for them, and all stages for one it lacks' \
    "$(rows test_1 | cut -d, -f1,4,6-8 | tr '\n' ' ')" \
    '1,small,512,512,512 1,small,100,200,300 2,small,512,512,512 2,small,100,200,300 3,small,512,512,512 3,small,100,200,300 4,small,512,512,512 4,large,512,512,512 4,small,100,200,300 5,small,512,512,512 5,large,512,512,512 5,small,100,200,300 '
bench SHAPES='256
512'   # one a line, as from a file
is 'SHAPES again: joined, each once' "$(rows test_1 | awk -F, '$1 == 5 { print $4, $6 }' | tr '\n' ';')" \
    'small 256;small 512;large 512;small 100;'
for wrong in 1x2 abc 0 -5 99999999999 1x2x0 1x2x3x4 1x1x8388609 '*'; do
    bench SHAPES="$wrong"
    is "SHAPES=$wrong: status" $status 2
    like "SHAPES=$wrong: one line" "$out" '^SHAPES=.*: want sizes N or MxNxK'
done

# Stopped, and run again.
signals='TERM INT'
# In the background of a script a shell ignores INT, and so does all that it starts.
# shellcheck disable=SC2016
sh -c 'kill -INT $$; exit 0' && signals=TERM && skip 'a run stopped by INT' 'INT is ignored here'
for signal in $signals; do
    card "Stop $signal"
    low=$(echo "stop_$signal" | tr A-Z a-z)
    order stop 3
    bench SHAPES='256 384 768 1000 1024' SIGNAL=$signal
    is "$signal: status" $status 130
    like "$signal: says how to go on" "$out" '^Stopped: [0-9]+ rows are kept in .*make bench goes on'
    is "$signal: whole rows are kept, no other" "$(awk -F, '{ print NF }' "$data/$low.csv.part" | sort -u)" 21
    ok "$signal: no file yet" test ! -e "$data/$low.csv"
    order nothing -
    echo 777 >"$bin/ffma"
    bench SHAPES='256 384 768 1000 1024'
    is "$signal: goes on and ends" $status 0
    like "$signal: says so" "$out" '^Going on with the run that was stopped: [0-9]+ rows'
    is "$signal: no row twice, none lost" "$(rows $low | cut -d, -f1 | sort | uniq -c | tr -s ' \n' ' ')" ' 4 1 4 2 4 3 6 4 6 5 '
    is "$signal: stage 3 was not run again" "$(grep -c '^3' "$bin/calls")" 0
    is "$signal: of stage 4 only the rest was" "$(grep '^4 auto' "$bin/calls")" '4 auto 1000x1000x1000'
    is "$signal: one peak in the file" "$(rows $low | awk -F, '{ print $(NF - 1) }' | sort -u)" 65300
    echo 300 >"$bin/ffma"
done
card Half
order stop 1
bench SHAPES='256 384'
printf '5,cuda,half a ro' >>"$data/half.csv.part"
order nothing -
bench SHAPES='256 384'
is 'a row cut off by a crash is measured again' "$status$(rows half | awk -F, '{ print NF, $14 }' | uniq -c | tr -s ' ')" '0 10 21 PASS'
order stop 1
bench SHAPES='256 384'
sleep 1
touch "$bin/stage2"
order nothing -
bench SHAPES='256 384'
is 'a program built meanwhile is measured again, the others are not' "$(cut -d' ' -f1,3 "$bin/calls" | tr '\n' ' ')" \
    '2 256x256x256,384x384x384 4 384x384x384 5 256x256x256,384x384x384 '
order stop 1
bench SHAPES='256 384'
sed -i.old '2s/10,1.5,1000,2000,0.5,PASS/,,,,,FAIL/' "$data/half.csv.part"
order fail 1/256x256x256
bench SHAPES='256 384'
is 'a row without a speed is measured again' "$(grep '^1' "$bin/calls")" '1 auto 256x256x256'
is 'and if it fails again, so does the run' $status 1
order stop 1
bench SHAPES='256 384'
order nothing -
bench SHAPES='256 384' FRESH=1
is 'FRESH=1 starts anew' "$(grep -c '^1' "$bin/calls")" 1
order stop 1
bench SHAPES='256 384'
sed 's/580.1/570.9/' "$data/half.csv.part" >"$TMP/part"
cp "$TMP/part" "$data/half.csv.part"
order nothing -
bench SHAPES='256 384'
is 'rows of another driver are not gone on with' "$(rows half | grep -c 570.9)" 0
sed -i.old 's/580.1/570.9/' "$data/half.csv"
bench SHAPES=256
is 'a narrowed run does not join another driver'"'"'s: status' $status 2
like 'and says so' "$out" 'is of another driver, CUDA or program'

# What has no speed.
card Wrong
order fail 3/384x384x384
bench SHAPES='256 384'
is 'a failed check: status' $status 1
is 'a failed check: a row without a speed' "$(rows wrong | awk -F, '$14 == "FAIL" { print $1, $6, $11 "|" }')" '3 384 |'
like 'a failed check: said' "$out" '^stage 3  384 .*no speed: FAIL'
is 'a failed check: the others are measured' "$(count wrong)" 10
order die 4/256x256x256
bench SHAPES='256 384' FRESH=1
is 'a failed launch: status' $status 1
is 'a failed launch: a row that says so' "$(rows wrong | awk -F, '$14 == "ERROR" { print $1, $3, $6, $11 "|" $16, $20 }')" '4 Wrong 256 |580.1 65300'
like 'a failed launch: said' "$out" '^stage 4  256x256x256 .*no speed: status 3, CUDA error: unspecified launch failure'
is 'a failed launch: what comes after is measured' "$(rows wrong | awk -F, '$14 == "PASS"' | wc -l | tr -d ' ')" 9
order refuse 5/512x512x512
bench SHAPES='256 512' FRESH=1
is 'a shape that the program refuses: a row for each tile' \
    "$(rows wrong | awk -F, '$14 == "ERROR" { print $1, $4, $6 }' | tr '\n' ';')" '5 small 512;5 large 512;'
order nothing -

# Its file goes away, and two at once.
card Gone
order gone 2/256x256x256
bench SHAPES=256
is 'a file that is gone: it ends' $status 3
like 'a file that is gone: said' "$out" 'gone.csv.part cannot be written, or is gone$'
if command -v flock >"$TMP/log"; then
    card Two
    order wait 2/256x256x256
    (bench SHAPES=256; echo "$status" >"$TMP/first") & first=$!
    tries=0
    until grep -q '^2' "$bin/calls" || [ $tries -gt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
    env -u FRESH -u REPLACE SHAPES=256 BIN="$bin" BACKEND=cuda PLOTS_DATA="$data" sh plots/bench.sh >"$TMP/second" 2>&1
    is 'two at once: the second ends' $? 3
    like 'two at once: says why' "$(cat "$TMP/second")" 'two.csv.part is in use: another make bench'
    : >"$bin/how"
    wait $first
    is 'two at once: the first goes on' "$(cat "$TMP/first") $(count two)" '0 5'
else
    skip 'two at once' 'no flock here'
fi
order nothing -

# A program that chooses another tile now.
card Choice
bench SHAPES=1024
order choose large
bench SHAPES=1024
is 'another tile is chosen: the rows are the new ones' \
    "$(rows choice | awk -F, '$1 == 4 { print $4, $5 }' | tr '\n' ';')" 'small named;large auto;'
order nothing -

# Names.
card '"NVIDIA GeForce ""X"", 100% {a_b^c}"'
bench SHAPES=256
is 'a name with quotes, commas and a percent sign: the file' "$(count nvidia_geforce_x_100_a_b_c)" 5
like 'a name with quotes: the row' "$(rows nvidia_geforce_x_100_a_b_c | head -n 1)" '^1,cuda,"NVIDIA GeForce ""X"", 100% \{a_b\^c\}",small'
card '%%%'
bench SHAPES=256
is 'a name of signs alone' "$(count gpu)" 5

# Where nothing can be timed.
card ''
bench
is 'no GPU: status' $status 3
like 'no GPU: says so, and why' "$out" '^Nothing to time: no CUDA-capable device is detected'
like 'no GPU: what would run' "$out" 'make bench would take [0-9]+ measurements in about [0-9]+ '
bench BACKEND=cpu
is 'the simulator: status' $status 3
like 'the simulator: says so' "$out" '^Nothing to time: there is no GPU here'
like 'the simulator: and what runs instead' "$out" '--counters'
# The stand-ins answer as the programs do.
like 'a real stage lists its tiles' "$("$BIN/stage4" --tile=list)" '^tile .*shared B'
like 'and begins its rows with a header' "$("$BIN/stage1" --csv --reps=0 1 2>"$TMP/log" | head -n 1)" '^stage,backend,'
finish
