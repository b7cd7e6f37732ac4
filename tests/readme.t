#!/bin/sh
# make readme: the tables in the READMEs are those of the committed measurements,
# and are made rightly.
. tests/tap.sh

if [ -f plots/data/nvidia_h200.csv ]; then
    ok 'no table is stale' sh plots/readme.sh --check
    for name in chart ladder; do
        ok "README.md has the $name" grep -q "^<!-- begin: $name -->" README.md
    done
else
    skip 'no table is stale' 'nothing has been measured yet'
fi

# What README.md says the first run prints is what lesson 3 says, which lessons.t has run.
first_run() { sed -n '/^==== Stage 3/,/^\[Check\]/p' "$1"; }
is 'the first run is that of lesson 3' "$(first_run README.md)" "$(first_run 03_tiled_shared/README.md)"

# A repository with made-up data and a root README and a lesson that ask for all.
repo=$TMP/repo
script=$PWD/plots/readme.sh
mkdir -p "$repo/plots/data" "$repo/05_cp_async_pipeline"
awk -f tests/made_up.awk >"$repo/plots/data/nvidia_h200.csv"
{
    echo 'stage,tile,M,N,K,check,ffma,global_store_sectors,global_bytes_per_fma,shared_bytes_per_fma'
    echo '1,4x4,256,256,1024,PASS,67108864,65536,16.0312,0'
    echo '5,128x128x32-16x8,256,256,1024,PASS,67108864,32768,0.0625,0.4584'
} >"$repo/plots/data/traffic.csv"
printf 'idea,why not\n"a, ""b"" | c",slower\n' >"$repo/plots/data/tried.csv"
readme() { (cd "$repo" && sh "$script" "$@") >"$TMP/out" 2>&1; }
ask() { # ask FILE NAME...: a README with a block for each
    file=$repo/$1
    shift
    printf '%s\n' '# Title & \1 text' >"$file"
    for name in "$@"; do printf '\n<!-- begin: %s -->\nold\n<!-- end: %s -->\nafter %s\n' "$name" "$name" "$name" >>"$file"; done
}
block() { sed -n "/^<!-- begin: $2 -->/,/^<!-- end: $2 -->/p" "$repo/$1"; }

lesson=05_cp_async_pipeline/README.md
ask README.md chart ladder traffic
ask $lesson sizes tiles shapes notes tried
readme --check
is 'stale tables are found' $? 1
like 'and named' "$(cat "$TMP/out")" '^README.md is stale: make readme'
cp "$repo/README.md" "$TMP/before"
mkdir "$repo/README.md.part"   # stands for a full disk
readme
is 'a README that cannot be written: status' $? 1
ok 'and it stays what it was' cmp "$repo/README.md" "$TMP/before"
rm -r "$repo/README.md.part"
like 'and left' "$(block README.md ladder)" '^old$'
readme
is 'made: status' $? 0
readme --check
is 'made: not stale' "$? $(cat "$TMP/out")" '0 '
cp "$repo/README.md" "$TMP/once"
readme
ok 'made twice is made once' cmp "$TMP/once" "$repo/README.md"
is 'nothing old is left' "$(cat "$repo/README.md" "$repo/$lesson" | grep -c '^old$')" 0
is 'the text around is as it was' "$(cat "$repo/README.md" "$repo/$lesson" | grep -Ec '^after |^# Title & \\1 text$')" 10
like 'chart: the picture, and in words what it shows' "$(block README.md chart)" \
    '^!\[GFLOP/s at 4096 x 4096 x 4096 on NVIDIA H200, stage 1 396, .*stage 5 52,406, cuBLAS 49,934, fp32 peak 65,290\]\(plots/ladder.svg\)$'
like 'ladder: a row a stage' "$(block README.md ladder)" \
    '^\| \[3\]\(03_tiled_shared\) \| .* \| 12,854 \| 2.71 \| 0.257 \| 20 % \|$'
like 'ladder: cuBLAS' "$(block README.md ladder)" '^\| \| cuBLAS \| 49,934 \| \| \| 76 % \|$'
like 'ladder: where from' "$(block README.md ladder)" \
    '^4096 x 4096 x 4096 on NVIDIA H200 \(132 SMs\), driver 580.65, CUDA 13.0, 2025-01-02, by `make bench`'
like 'traffic' "$(block README.md traffic)" '^\| 5 \| `128x128x32-16x8` \| 0.0625 \| 0.4584 \|$'
like 'sizes: the stage before, the stage, cuBLAS' "$(block $lesson sizes)" '^\| 512 \| 26,090 \| 30,728 \| 1.18 \| 29,279 \| 1.050 \| 47 % \|$'
like 'tiles: the chosen one is bold' "$(block $lesson tiles)" '^\| `64x64x16-4x4` \| \*\*30,728\*\* \| 38,534 \| 39,829 \|$'
like 'shapes: the odd ones' "$(block $lesson shapes)" '^\| 16x4096x4096 \| 4,500 \| 4,200 \| 1.071 \| `64x64x16-4x4` \|$'
like 'shapes: the mean' "$(block $lesson shapes)" '^\| cubes of no multiple of 128 \| 2 \| 1.050 \| 1.050 at '
like 'notes: beside what they printed' "$(block $lesson notes)" '^\| 2048 \| 2913.48 \| 36161.88 \| 43049.86 \|$'
like 'tried: any table' "$(block $lesson tried)" '^\| a, "b" \\\| c \| slower \|$'

# What is wrong leaves the file as it was.
wrong() { # wrong NAME REGEX README (as printf takes it)
    # shellcheck disable=SC2059
    printf "$3" >"$repo/README.md"
    cp "$repo/README.md" "$TMP/before"
    readme
    is "$1: status" $? 1
    like "$1: said" "$(cat "$TMP/out")" "$2"
    ok "$1: the file is left" cmp "$TMP/before" "$repo/README.md"
}
wrong 'no end' 'begin: ladder has no end' '<!-- begin: ladder -->\ntext\n'
wrong 'no begin' 'README.md:2: end: ladder without its begin' 'text\n<!-- end: ladder -->\n'
wrong 'nested' 'begin: chart inside ladder' '<!-- begin: ladder -->\n<!-- begin: chart -->\n<!-- end: chart -->\n<!-- end: ladder -->\n'
wrong 'an unknown name' 'no table is named nothing' '<!-- begin: nothing -->\n<!-- end: nothing -->\n'
wrong 'a lesson'"'"'s table in the root' 'sizes is for a lesson' '<!-- begin: sizes -->\n<!-- end: sizes -->\n'
cp "$repo/plots/data/tried.csv" "$TMP/tried"
printf 'one field\n' >>"$repo/plots/data/tried.csv"
wrong 'tried.csv with a row that is cut off' '^plots/data/tried.csv:3: 1 fields, where the first line has 2$' \
      '<!-- begin: tried -->\n<!-- end: tried -->\n'
mv "$TMP/tried" "$repo/plots/data/tried.csv"
printf 'no markers\n<!-- a comment -->\nno newline at the end' >"$repo/README.md"
cp "$repo/README.md" "$TMP/before"
readme
ok 'a README without markers is left' cmp "$TMP/before" "$repo/README.md"

# Without data.
ask README.md ladder traffic
rm "$repo/plots/data/nvidia_h200.csv"
readme
like 'nothing measured: said' "$(cat "$TMP/out")" '^no plots/data/nvidia_h200.csv: make bench'
like 'nothing measured: the table stays' "$(block README.md ladder)" '^old$'
like 'nothing measured: what is counted is made' "$(block README.md traffic)" '^\| 1 \| `4x4` \| 16.03 \| 0 \|$'
# Numbers in sentences are typed: each must stand in a table that was made, too.
numbers() { grep -oE '[0-9]{1,3}(,[0-9]{3})+|[0-9]+ GFLOP/s' | sed '/,/!s/ .*//' | grep -v '^[0-9]\{1,2\}$' | sort -u; }
cells() { sed 's/[0-9]*\.[0-9]*//g; s/|/ GFLOP\/s |/g; s/  *GFLOP/ GFLOP/g' | numbers; }
made() { awk '/^<!-- begin: /, /^<!-- end: /' "$@" | cells; }
typed() { awk '/^```/ { code = !code } /^<!-- begin: /, /^<!-- end: / { next } !code' "$@" | numbers; }
# shellcheck disable=SC2086
{ made README.md $lessons; tail -n 1 plots/data/nvidia_h200.csv | awk -F, '{ print $NF }' | sed 's/\(.*\)\(...\)/\1,\2/'
  grep -v '^#' tests/lessons/apart.txt | numbers; } | sort -u >"$TMP/known"
# shellcheck disable=SC2086
typed README.md $lessons >"$TMP/typed"
ok 'sentences have numbers' test -s "$TMP/typed"
is 'every number in a sentence is in a table, or in tests/lessons/apart.txt' "$(comm -23 "$TMP/typed" "$TMP/known")" ''

# The same for the part of cuBLAS, to two digits.
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "ratio") column = i }
         FNR > 1 && $column != "" { printf "%.2f\n", $column }' plots/data/nvidia_h200.csv | sort -u >"$TMP/ratios"
# shellcheck disable=SC2086
awk '/^```/ { code = !code } /^\|/ || code { next } /cuBLAS/' README.md $lessons | grep -oE '\b[01]\.[0-9]{2}\b' | sort -u >"$TMP/parts"
ok 'sentences tell the part of cuBLAS' test -s "$TMP/parts"
is 'every part of cuBLAS is in the measurements' "$(comm -23 "$TMP/parts" "$TMP/ratios")" ''

finish
