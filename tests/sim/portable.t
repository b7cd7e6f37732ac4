#!/bin/sh
# The simulator's other ways: any number of workers, no checks, ucontext fibers,
# a fixed load address, and aarch64 where a cross compiler and qemu are here.
# TAP on stdout; run by prove from the top folder. TEST_BUILD and CXXS as in faults.t.
CDPATH='' cd "$(dirname "$0")/../.." || exit 1
. tests/sim/build.sh
set -- $CXXS
cxx=$1

# same NAME FILE COMMAND...: the command says what FILE holds
same() {
    text=$1 wanted=$2
    shift 2
    "$@" >"$wanted.got" 2>&1
    cmp -s "$wanted" "$wanted.got"
    ok $? "$text" || diff "$wanted" "$wanted.got" | sed 's/^/# /'
}

B=$BUILD/portable
build_runtime "$cxx" "$B" && for name in async patterns races threads; do
    build_kernels "$cxx" "$B" tests/sim/$name.cu || break
done
ok $? "$cxx: builds"

SIM_WORKERS=1 "$B/patterns" >"$B/patterns.1" 2>/dev/null
same "two and twenty workers count what one counts" "$B/patterns.1" \
    sh -c "SIM_WORKERS=22 $B/patterns 2>/dev/null"
SIM_WORKERS=1 "$B/races" unwritten_in_block_1 >"$B/report.1" 2>&1
same "and report what one reports" "$B/report.1" \
    sh -c "SIM_WORKERS=22 $B/races unwritten_in_block_1"

# A fault is found without the checks too, if it touches memory that is not there.
MODE=fast build_kernels "$cxx" "$B" tests/sim/memory.cu
ok $? "builds without the checks"
"$B/memory" one_block_an_element >"$B/fast" 2>&1
ok $? "a clean kernel without the checks"
MODE=fast build_kernels "$cxx" "$B" tests/sim/threads.cu && "$B/threads" work_of_few >"$B/fast" 2>&1
ok $? "a barrier at the end of a way, without the checks" || sed 's/^/# /' "$B/fast"
"$B/memory" null_pointer >"$B/fast" 2>&1
[ $? -eq 1 ] && grep -q "^tests/sim/memory.cu:[0-9]*: access outside global memory" "$B/fast" &&
    tr '\n' ' ' <"$B/fast" | grep -q "Thread 0 accesses through a null pointer"
ok $? "a null pointer without the checks" || sed 's/^/# /' "$B/fast"

U=$BUILD/ucontext
RUNTIME=-DSIM_UCONTEXT build_runtime "$cxx" "$U" && build_kernels "$cxx" "$U" tests/sim/patterns.cu &&
    build_kernels "$cxx" "$U" tests/sim/threads.cu
ok $? "builds with ucontext"
same "ucontext: counts the same" "$B/patterns.1" sh -c "$U/patterns 2>/dev/null"
"$U/threads" shuffles >"$U/shuffles" 2>&1
ok $? "ucontext: shuffles"

P=$BUILD/no-pie
RUNTIME=-fno-pie build_runtime "$cxx" "$P" && LINK=-no-pie build_kernels "$cxx" "$P" tests/sim/races.cu
ok $? "builds at a fixed address"
"$P/races" unwritten_in_block_1 >"$P/report" 2>&1
cmp -s "$P/report" "$B/report.1"
ok $? "a fixed address: reports the same"

cross=aarch64-linux-gnu
if command -v $cross-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; then
    Q=$BUILD/$cross
    build_runtime $cross-g++ "$Q" && LINK=-static build_kernels $cross-g++ "$Q" tests/sim/patterns.cu &&
        LINK=-static build_kernels $cross-g++ "$Q" tests/sim/races.cu &&
        LINK=-static build_kernels $cross-g++ "$Q" tests/sim/threads.cu
    ok $? "aarch64: builds"
    SIM_ADDR2LINE=$cross-addr2line
    export SIM_ADDR2LINE
    # Where a program of several threads starts another, qemu may come to no end: once more.
    cat >"$Q/qemu" <<'END'
#!/bin/sh
for try in 1 2; do
    timeout 60 qemu-aarch64 "$@"
    status=$?
    [ $status -eq 124 ] || break
done
exit $status
END
    same "aarch64: counts the same" "$B/patterns.1" sh -c "sh $Q/qemu $Q/patterns 2>/dev/null"
    same "aarch64: reports the same" "$B/report.1" sh "$Q/qemu" "$Q/races" unwritten_in_block_1
    sh "$Q/qemu" "$Q/threads" shuffles >"$Q/shuffles" 2>&1
    ok $? "aarch64: shuffles"
    env -u MAKEFLAGS make -s BACKEND=cpu CC=$cross-gcc CXX=$cross-g++ BUILD="$Q/make" stage3 >"$Q/log" 2>&1
    ok $? "aarch64: stage 3 builds"
    env -u MAKEFLAGS make -s BACKEND=cpu CXX="$cxx" BUILD="$B/make" stage3 >"$Q/log" 2>&1
    "$B/make/stage3" --counters 70 66 40 2>&1 | grep -v '^.Sim.' >"$Q/stage3"
    same "aarch64: stage 3 prints the same" "$Q/stage3" \
        sh -c "sh $Q/qemu -L /usr/$cross $Q/make/stage3 --counters 70 66 40 2>&1 | grep -v '^.Sim.'"
else
    ok 0 "# SKIP aarch64: needs $cross-g++ and qemu-aarch64"
fi
echo "1..$n"
