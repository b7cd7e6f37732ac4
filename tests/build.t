#!/bin/sh
# The Makefile: what it builds again, what it says, and where it works.
. tests/tap.sh
unset ARCH BIN BUILD MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS MUTANT NVCC SIM TESTS

# A copy to build in, under a path with a blank and a colon, and a PATH on which programs can
# be missing or stand-ins.
copy="$TMP/a:b copy"
mkdir "$copy"
cp -R Makefile common tests plots 0?_* "$copy"
chmod -R u+w "$copy"   # where the checkout is read-only
without() {   # a PATH without the named programs
    rm -rf "${TMP:?}/bin"
    mkdir "$TMP/bin"
    for dir in /usr/local/bin /usr/bin /bin; do
        for p in "$dir"/*; do
            [ -e "$TMP/bin/${p##*/}" ] || ln -s "$p" "$TMP/bin/${p##*/}"
        done
    done
    for p in "$@"; do rm -f "$TMP/bin/$p"; done
}
quiet_make() { env -u CUDA_HOME make -C "$copy" --no-print-directory "$@" 2>&1; }

out=$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")
is 'stage 3 builds on a path with a blank and a colon' $? 0
like 'one line says which backend and why' "$out" '^Backend: cpu, the simulator \(asked for\)$'
ok 'without a warning' sh -c '! echo "$1" | grep -i warning' - "$out"
ok 'and runs' "$copy/stage3" 20
counted() { "$copy/stage3" --counters 64 2>"$TMP/log" | sed -n 's/.*sgemm.cu:\([0-9]* .*\)/\1/p' | tr -s ' '; }
is 'and counts line by line, by a name with a colon, too' "$(counted)" \
   "$(cd "$copy" && copy=. && counted)"
is 'nothing is built twice' "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror" | grep -c '^  [A-Z]')" 0
touch "$copy/common/stage.h"
like 'a header that changed builds what includes it' \
     "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")" '03_tiled_shared/sgemm.cu'
touch "$copy/03_tiled_shared/sgemm.cu"
out=$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")
like 'a kernel that changed is built' "$out" '03_tiled_shared/sgemm.cu'
ok 'and nothing else' sh -c '! echo "$1" | grep common/' - "$out"
cp -p "$copy/03_tiled_shared/sgemm.cu" "$TMP/kept.cu"
echo '// changed' >>"$copy/03_tiled_shared/sgemm.cu"
quiet_make BACKEND=cpu stage3 CC="$CC -Werror" >"$TMP/log"
mv "$TMP/kept.cu" "$copy/03_tiled_shared/sgemm.cu"
like 'a kernel that is put back with its old date is built' \
     "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")" '03_tiled_shared/sgemm.cu'
is 'once' "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror" | grep -c '^  [A-Z]')" 0
echo '// saved while it was compiled' >>"$copy/03_tiled_shared/sgemm.cu"
sleep 0.1
find "$copy/build/cpu-check/" -name '*sgemm.*' -exec touch {} +
touch "$copy/build/cpu-check/stage3" "$copy/stage3"
like 'a kernel that was saved while it was compiled is built' \
     "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")" '03_tiled_shared/sgemm.cu'
sed '1i #include "mine.h"' 03_tiled_shared/sgemm.cu >"$copy/03_tiled_shared/sgemm.cu"
: >"$copy/03_tiled_shared/mine.h"
quiet_make BACKEND=cpu stage3 CC="$CC -Werror" >"$TMP/log"
rm "$copy/03_tiled_shared/mine.h"
like 'a header that is gone is missed' "$(quiet_make BACKEND=cpu stage3 CC="$CC -Werror")" 'mine.h: No such file|mine.h. file not found'
cp 03_tiled_shared/sgemm.cu "$copy/03_tiled_shared/sgemm.cu"
is 'make clean leaves nothing' "$(quiet_make clean >"$TMP/log"; ls -d "$copy/build" "$copy"/stage* 2>"$TMP/log")" ''

quiet_make BACKEND=cpu stage1 >"$TMP/log"
ok 'make clean with another goal' quiet_make BACKEND=cpu clean stage2
ok 'does both' test -x "$copy/stage2" -a ! -e "$copy/stage1"
quiet_make BACKEND=cpu BUILD="$TMP/apart" stage2 >"$TMP/log"
is 'make clean BUILD= cleans there' "$(quiet_make BUILD="$TMP/apart" clean >"$TMP/log"; ls "$TMP/apart" 2>"$TMP/log")" ''
ok 'and leaves the checkout alone' test -x "$copy/stage2"
"$copy/stage2" 4000 >"$TMP/log" 2>&1 & running=$!
touch "$copy/02_warp_16x16/sgemm.cu"
ok 'a program that runs can be built again' quiet_make BACKEND=cpu stage2
ok 'while it runs' kill $running
# A make that is killed while it links, by a stand-in for the compiler.
mkdir "$TMP/kills"
cat >"$TMP/kills/${CXX##*/}" <<EOF
#!/bin/sh
for a; do case \$last in -o) out=\$a ;; esac; last=\$a; done
case \$out in */stage2*) : >"\$out"; kill -KILL \$MAKE_PID; exit 1 ;; esac
exec "$(command -v "$CXX")" "\$@"
EOF
chmod +x "$TMP/kills/${CXX##*/}"
touch "$copy/02_warp_16x16/sgemm.cu"
(cd "$copy" && PATH=$TMP/kills:$PATH sh -c 'MAKE_PID=$$ exec make CXX="${CXX##*/}" BACKEND=cpu stage2') >"$TMP/log" 2>&1
is 'a make that is killed while it links: status' $? 137
quiet_make BACKEND=cpu stage2 >"$TMP/log"
like 'leaves no half of a program behind' "$("$copy/stage2" 16 2>&1)" PASS
echo 'enum { ONE = 1 };' >"$copy/02_warp_16x16/own.h"
sed -i.kept 's/#include "stage.h"/&\n#include "own.h"/' "$copy/02_warp_16x16/sgemm.cu"
ok "a stage may have a header of its own" quiet_make BACKEND=cpu stage2
mv "$copy/02_warp_16x16/sgemm.cu.kept" "$copy/02_warp_16x16/sgemm.cu"
like 'a mutant of another stage' "$(quiet_make BACKEND=cpu MUTANT=03_no_padding stage2)" 'is of stage 3: make stage3 MUTANT=03_no_padding'
echo 's/PAD = 1/PAD = 2' >"$copy/tests/mutants/03_bad.sed"
echo 's/PAD = 1/PAD = 2/' >"$copy/tests/mutants/3_named.sed"
for _ in 1 2; do
    like 'a mutant that sed does not take: sed says so' "$(quiet_make BACKEND=cpu MUTANT=03_bad stage3)" '^sed: '
done
like 'a mutant without its stage in its name' "$(quiet_make BACKEND=cpu MUTANT=3_named stage3)" 'must begin with its stage'
rm "$copy"/tests/mutants/03_bad.sed "$copy"/tests/mutants/3_named.sed
like 'a mutant without a stage' "$(quiet_make BACKEND=cpu MUTANT=03_early_return)" 'is of stage 3: make stage3 MUTANT='
quiet_make clean >"$TMP/log"

quiet_make BACKEND=cpu MUTANT=03_no_first_barrier stage3 >"$TMP/log"
like 'the simulator names lines there' "$(cd "$copy" && ./stage3 64 64 32 2>&1)" '^03_tiled_shared/sgemm.cu:[0-9]+: race'
quiet_make clean >"$TMP/log"

out=$(quiet_make help)
like 'make help names the targets' "$out" '^make test '
ok 'make help builds nothing' test ! -d "$copy/build"
like 'an unknown backend' "$(quiet_make BACKEND=hip)" 'BACKEND=hip: want auto, cuda or cpu'
like 'a BUILD with a blank' "$(quiet_make BUILD="a b")" 'want one folder, its name without blanks'
like 'a BUILD with a colon' "$(quiet_make BUILD=a:b)" 'its name without blanks and :'
like 'a BUILD that is an option to rm' "$(quiet_make BUILD=-x clean)" 'its name without blanks and a - in front'
like 'and with a hash' "$(quiet_make BUILD='a#b')" 'its name without blanks and #'
like 'make from another folder' "$(make -f "$copy/Makefile" -C / help 2>&1)" 'run make in the course'
like 'no compiler' "$(quiet_make BACKEND=cpu CXX=none++ stage1)" 'no compiler none\+\+ here: install one'
like 'a mutant for a GPU' "$(quiet_make BACKEND=cuda NVCC=true MUTANT=03_early_return)" 'MUTANT= is for the simulator'
like 'a mutant that is not there' "$(quiet_make BACKEND=cpu MUTANT=none)" 'no such mutant; there are .*03_no_first_barrier'
like 'a pattern is no mutant' "$(quiet_make BACKEND=cpu MUTANT='03_*')" 'no such mutant'
like 'an unknown SIM' "$(quiet_make SIM=slow)" 'SIM=slow: want check or fast'
like 'make diff3 shows the change' "$(quiet_make diff3)" '^\+.*__shared__ float As'

# nvcc and GPU, present and missing, told by stand-ins.
without nvcc nvidia-smi
like 'auto without nvcc says so' "$(PATH=$TMP/bin quiet_make -n BACKEND=auto NVCC= stage1)" '^Backend: cpu, .*\(no nvcc on PATH'
like 'cuda without nvcc says what to install' "$(PATH=$TMP/bin quiet_make -n BACKEND=cuda NVCC= stage1)" \
     'BACKEND=cuda needs nvcc: .*apt-get install'
printf '#!/bin/sh\ncase $1 in --list-gpu-arch) printf "compute_60\\ncompute_70\\n";; esac\n' >"$TMP/bin/nvcc"
chmod +x "$TMP/bin/nvcc"
like 'auto with nvcc and no GPU is cpu' "$(PATH=$TMP/bin quiet_make -n BACKEND=auto stage1)" \
     '^Backend: cpu, .*\(no GPU found by nvidia-smi\)'
like 'an nvcc too old names what it knows' "$(PATH=$TMP/bin quiet_make -n BACKEND=cuda ARCH=sm_90 stage1)" \
     'cannot build for sm_90; it knows sm_60 sm_70'
printf '#!/bin/sh\ncase $1 in -L) echo "GPU 0: Test (UUID: x)";; *) echo 9.0;; esac\n' >"$TMP/bin/nvidia-smi"
chmod +x "$TMP/bin/nvidia-smi"
like 'the GPU names the architecture' "$(PATH=$TMP/bin quiet_make -n BACKEND=auto stage1)" 'cannot build for sm_90'
printf '#!/bin/sh\ncase $1 in --list-gpu-arch) echo compute_90;; esac\n' >"$TMP/bin/nvcc"
like 'auto with both is cuda' "$(PATH=$TMP/bin quiet_make -n BACKEND=auto stage1)" \
     '^Backend: cuda, sm_90 \(nvcc and a GPU are here\)$'
rm "$TMP/bin/nvidia-smi"
cat >"$TMP/which.t" <<'END'
echo 1..1
[ "$BACKEND" = cpu ] && echo 'ok 1' || echo 'not ok 1'
END
for given in auto 'cpu ' ''; do
    like "the tests are told the backend: BACKEND=$given" \
         "$(env -u BACKEND PATH="$TMP/bin" make -C "$copy" --no-print-directory ${given:+BACKEND="$given"} test TESTS="$TMP/which.t" 2>&1)" '^Result: PASS'
done
quiet_make clean >"$TMP/log"
printf '#!/bin/sh\ncase $1 in --list-gpu-arch) echo compute_80;; esac\n' >"$TMP/bin/nvcc"
like 'no GPU to ask: sm_80' "$(PATH=$TMP/bin quiet_make -n BACKEND=cuda stage1)" '^Backend: cuda, sm_80'

rm "$TMP/bin/nvcc" "$TMP/bin/uname"
printf '#!/bin/sh\necho Darwin\n' >"$TMP/bin/uname"
chmod +x "$TMP/bin/uname"
like 'no Linux, and the simulator: what to do' "$(PATH=$TMP/bin quiet_make BACKEND=cpu stage1)" 'the simulator needs Linux: in a virtual machine'
ok 'make help works there' env PATH="$TMP/bin" make -C "$copy" help

# A checkout that cannot be written, as a user who cannot help it.
rm -rf "$copy/build" "$copy"/stage?
out=$(quiet_make BACKEND=cpu BUILD=/proc/none stage1)
like 'a folder that cannot be written: what to do' "$out" 'cannot write to /proc/none/cpu-check: .*make BUILD='
out=$(quiet_make BACKEND=cpu BUILD="$TMP/elsewhere" stage1)
ok 'BUILD= builds elsewhere' "$TMP/elsewhere/stage1" 8
ok 'and leaves the checkout alone' test ! -e "$copy/build" -a ! -e "$copy/stage1"
mkdir "$TMP/second"
cp -R "$copy/Makefile" "$copy/common" "$copy/tests" "$copy/plots" "$copy"/0?_* "$TMP/second"
like 'one BUILD of two checkouts: the second is built' \
     "$(env -u CUDA_HOME make -C "$TMP/second" BACKEND=cpu BUILD="$TMP/elsewhere" stage1 2>&1)" '^  CXX   01_micro_4x4'
like 'or named in another way' "$(cd "$TMP/second" && make BACKEND=cpu BUILD=../elsewhere stage1 2>&1)" '^  CXX   01_micro_4x4'
echo 'int main(void) { return 0; }' >"$TMP/lto.c"
if $CC -flto "$TMP/lto.c" -o "$TMP/lto" 2>"$TMP/log"; then
    quiet_make BACKEND=cpu CC="$CC -flto" CXX="$CXX -flto" MUTANT=01_no_row_guard stage1 >"$TMP/log"
    like 'compilers with -flto: the checks are there' "$("$copy/stage1" 35 79 19 2>&1)" 'access outside global memory'
else
    skip 'compilers with -flto' "$CC -flto cannot link"
fi
quiet_make clean >"$TMP/log"

without prove
like 'make test without prove says what to install' \
     "$(PATH=$TMP/bin quiet_make BACKEND=cpu test TESTS=none)" 'needs prove: apt-get install perl'

# A GPU that is older than what the program was built for.
newest=$(nvcc --list-gpu-arch 2>/dev/null | sed -n 's/^compute_//p' | sort -n | tail -n 1)
cap=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
if [ "$BACKEND" = cuda ] && [ "${cap:-999}" -lt "${newest:-0}" ]; then
    quiet_make BACKEND=cuda ARCH="sm_$newest" BUILD="$TMP/newer" stage1 >"$TMP/log"
    out=$("$TMP/newer/stage1" 8 2>&1)
    is 'a program for a newer GPU: status 3' $? 3
    like 'a program for a newer GPU: says so' "$out" \
         "built for sm_$newest, this GPU is sm_$cap: build with 'make ARCH=sm_$cap'"
else
    skip 'a program for a newer GPU' 'needs a GPU, and an nvcc that knows a newer one'
fi
if [ "$BACKEND" = cuda ] && [ "${cap:-0}" -ge 80 ] && nvcc --list-gpu-arch | grep -q compute_75; then
    quiet_make BACKEND=cuda ARCH=sm_75 BUILD="$TMP/older" stage5 >"$TMP/log"
    like 'stage 5 for an older GPU says that it has no cp.async' "$("$TMP/older/stage5" 64 2>&1)" 'no cp.async below sm_80'
else
    skip 'stage 5 for an older GPU' 'needs a GPU with cp.async, and an nvcc that knows sm_75'
fi

is 'no managed memory, no fast math' \
   "$(grep -rlE 'cudaMallocManaged|use_fast_math|DNDEBUG' Makefile common 0?_*/sgemm.cu)" ''

for cc in gcc clang; do
    case $cc in gcc) cxx=g++ ;; *) cxx=clang++ ;; esac
    if command -v $cxx >/dev/null && command -v $cc >/dev/null; then
        out=$(quiet_make BACKEND=cpu CC="$cc -Werror" CXX=$cxx)
        is "all five build with $cc and $cxx, without a warning" $? 0
        ok "and stage 2 runs" "$copy/stage2" 33 34 35
    else
        skip "all five build with $cc and $cxx" "no $cxx here"
    fi
done
# What make's own rules would take for a pattern, or write in another way.
for odd in 'x[y]z' 'x]' '.' './' '..' '../' '/' 'common/..' "$copy"; do
    quiet_make stage3 BACKEND=cpu BUILD="$odd" >"$TMP/log"
    is "BUILD=$odd is refused" $? 2
    like "BUILD=$odd: says so" "$(cat "$TMP/log")" 'BUILD=.*: want '
done
mkdir "$TMP/home"
echo '#include "own.h"' >>"$copy/03_tiled_shared/sgemm.cu"
: >"$copy/03_tiled_shared/own.h"
HOME="$TMP/home" quiet_make stage3 BACKEND=cpu BUILD='~/b' >"$TMP/log"
ok 'BUILD=~/b is in the home folder, a header beside the stage is found' test -x "$TMP/home/b/stage3"
quiet_make stage3 BACKEND=cpu BUILD=./dot >>"$TMP/log"
ok 'BUILD=./dot, too' test -x "$copy/dot/stage3"
is 'neither warns' "$(grep -ci warning "$TMP/log")" 0
quiet_make -R stage3 BACKEND=cpu BUILD=dot CXX= >"$TMP/log"
is 'make -R, and an empty CXX: the usual compiler' $? 0
is 'make -s says nothing' "$(quiet_make -s stage3 BACKEND=cpu BUILD=silent)" ''
quiet_make stage1 clean stage2 BACKEND=cpu >"$TMP/log"
is 'clean between others is refused' $? 2
like 'clean between others: says so' "$(cat "$TMP/log")" 'clean comes first or last'
like 'an NVCC that is not there' "$(quiet_make stage3 BACKEND=cuda NVCC=nonesuch)" 'no nonesuch here'
mkdir -p "$copy/mine/test" "$copy/mine/cuda-samples"
quiet_make stage3 BACKEND=cpu BUILD=mine >"$TMP/log"
quiet_make clean BUILD=mine >"$TMP/log"
is 'make clean BUILD=mine leaves what is not its own' "$(cd "$copy/mine" && echo *)" 'cuda-samples test'
for arch in compute_90 90 'sm_80 sm_90'; do
    like "ARCH=$arch is refused" "$(quiet_make -n BACKEND=cuda NVCC=true ARCH="$arch" stage1)" 'want one architecture, such as sm_90'
done
quiet_make ptx3 BACKEND=cpu >"$TMP/log"
like 'make ptx3 BACKEND=cpu is refused' "$? $(cat "$TMP/log")" "^2 .*of a GPU's build: leave out BACKEND=cpu"
for folder in tests common 03_tiled_shared 03_tiled_shared/ plots/; do
    quiet_make "$folder" >"$TMP/log"
    like "make $folder says that it is a folder" "$? $(cat "$TMP/log")" '^2 .*a folder, nothing to make'
done
quiet_make clean >"$TMP/log"
quiet_make -j8 BACKEND=cpu SHAPE=64x64x64 PLOTS_DATA="$TMP/a=b" stage1 traffic stage2 >"$TMP/log"
is 'make -j8 with traffic: links each stage once' "$? $(grep -c '  LINK' "$TMP/log")" '0 5'
quiet_make BACKEND=cpu BUILD="$TMP/tested" test TESTS=tests/sim/counters.t >"$TMP/log"
ok 'make test BUILD= builds there' test -d "$TMP/tested/sim-test" -a ! -e "$copy/build/sim-test"
quiet_make clean BUILD="$TMP/tested" >"$TMP/log"
is 'and make clean BUILD= leaves nothing' "$(ls "$TMP/tested" 2>"$TMP/log")" ''

# A stage with what the simulator does not have, one with tabs, and one with a long line.
sed 's/^__global__/__device__ float total[32];\n&/' 01_micro_4x4/sgemm.cu >"$copy/01_micro_4x4/sgemm.cu"
like 'a __device__ variable is refused' "$(quiet_make BACKEND=cpu stage1)" 'the simulator has no __device__ variables'
sed 's/= acc\[i\]\[j\];/= max(acc[i][j], 0);/' 01_micro_4x4/sgemm.cu >"$copy/01_micro_4x4/sgemm.cu"
like 'max of a float and an int is refused, as by nvcc' "$(quiet_make BACKEND=cpu stage1)" 'sgemm.cu:[0-9]+:.*error: .*deleted'
{ printf '//%300s\n' x | tr ' ' x; sed 1d 03_tiled_shared/sgemm.cu; } >"$copy/03_tiled_shared/sgemm.cu"
quiet_make BACKEND=cpu MUTANT=03_no_first_barrier stage3 >"$TMP/log"
(cd "$copy" && ./stage3 64 64 32) >"$TMP/log" 2>&1
line=$(sed -n 's/^03.*:\([0-9]*\): race on.*/\1/p' "$TMP/log" | head -n 1)
is 'behind a long line, the report shows the line it names' \
   "$(sed -n "s/^ *$line | //p" "$TMP/log" | head -n 1)" "$(sed -n "${line}p" "$copy/03_tiled_shared/sgemm.cu")"
sed 's/    /\t/g; s/^#pragma/\t&/' 04_register_tiled/sgemm.cu >"$copy/04_register_tiled/sgemm.cu"
is 'a stage with tabs builds without a warning' \
   "$(quiet_make BACKEND=cpu stage4 | grep -ci warning) $("$copy/stage4" 70 >"$TMP/log" 2>&1; echo $?)" '0 0'
(cd "$copy" && quiet_make BACKEND=cpu MUTANT=03_no_first_barrier stage3 && sleep 1.1 && touch 03_tiled_shared/sgemm.cu) >"$TMP/log"
like 'a file that is newer than the program: its lines are not shown' "$(cd "$copy" && ./stage3 64 64 32 2>&1)" \
     '^ +[0-9]+ \| \(the file is newer than this program: make it again\)$'
like 'a blank behind BACKEND' "$(quiet_make -n 'BACKEND=cuda ' NVCC=true ARCH=sm_90 stage1)" '^Backend: cuda'
like 'two backends' "$(quiet_make BACKEND='cpu cuda')" 'want auto, cuda or cpu'
like 'a blank behind SIM' "$(quiet_make -n BACKEND=cpu 'SIM=fast ' stage1)" '^Backend: cpu, the simulator without its checks'
like 'CFLAGS with -Ofast: refused' "$(quiet_make BACKEND=cpu CFLAGS=-Ofast BUILD="$TMP/fast" stage4)" 'the check must see NaN and Inf'
echo precious >"$TMP/precious"
rm -f "$copy/stage2"
ln -s "$TMP/precious" "$copy/stage2"
quiet_make BACKEND=cpu stage2 >"$TMP/log"
is 'a link in the place of a program: its file stays' "$(cat "$TMP/precious")" precious
rm -f "$copy/stage2"
mkdir "$copy/stage2"
touch "$copy/stage2/notes"
like 'a folder in the place of a program is refused' "$(quiet_make BACKEND=cpu stage4)" 'stage2: a folder where a program comes'
quiet_make clean >"$TMP/log"
ok 'and make clean leaves it' test -e "$copy/stage2/notes"
rm -r "$copy/stage2"
quiet_make test SIM=fast BACKEND=cpu >"$TMP/log"
like 'make test SIM=fast is refused' "$? $(cat "$TMP/log")" '^2 .*leave out SIM=fast'

printf '. tests/tap.sh\nsleep 9\nfinish\n' >"$TMP/slow.t"
mkdir "$TMP/litter"
TMPDIR="$TMP/litter" timeout 1 prove -e sh "$TMP/slow.t" >"$TMP/log" 2>&1
for _ in 1 2 3 4 5 6 7 8 9; do [ -z "$(ls "$TMP/litter")" ] || sleep 0.5; done
is 'a test that is stopped leaves nothing' "$(ls "$TMP/litter")" ''
finish
