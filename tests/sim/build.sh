# shellcheck shell=sh
# What the tests of the simulator share, above all how they are built; sourced by
# tests/sim/*.t.

# shellcheck disable=SC2034  # for who sources this
BUILD=${TEST_BUILD:-build/sim-test}

without=
if [ -z "$CXXS" ]; then
    for cxx in g++ clang++; do
        if command -v $cxx >/dev/null; then CXXS="$CXXS $cxx"; else without="$without $cxx"; fi
    done
    : "${CXXS:=${CXX:-c++}}"
fi

n=0
ok() {   # ok STATUS TEXT: a line of TAP
    n=$((n + 1))
    [ "$1" -eq 0 ] && echo "ok $n - $2" && return
    echo "not ok $n - $2"
    return 1
}

missing_compilers() {   # a line for each
    for cxx in $without; do ok 0 "the same by $cxx # SKIP no $cxx here"; done
}

is_clang() { $1 --version | grep -q clang; }

warnings="-Wall -Wextra -Werror"

# The simulator's objects, by compiler $1 into folder $2; $RUNTIME: further flags.
build_runtime() {
    case $1 in
    *clang++) cc=${1%++} ;;
    *g++) cc=${1%g++}gcc ;;
    *) cc=${CC:-cc} ;;
    esac
    native $1
    mkdir -p "$2"
    for c in common/sim/*.c; do
        $cc -std=c11 -g -O2 $native $warnings -DSIM_PATIENCE=50000000u $RUNTIME -Icommon/sim -c "$c" \
            -o "$2/$(basename "$c" .c).o" || return 1
    done
}

# fmaf is one instruction on every processor but a plain x86-64.
native() {
    case $($1 -dumpmachine) in
    x86_64*) native=-march=native ;;
    *) native= ;;
    esac
}

# The program $2/<name> from $3, tests/sim/<name>.cu. MODE=fast: without the checks.
build_kernels() {
    name=$(basename "$3" .cu)
    mkdir -p "$2/source"
    { echo "#line 1 \"$3\""; sed -f common/sim/launch.sed "$3"; } >"$2/source/$name.cpp"
    if is_clang "$1"; then
        checks="-fsanitize=thread -fsanitize=array-bounds
                -fsanitize-coverage=bb,no-prune,trace-pc
                -fno-builtin-memcpy -fno-builtin-memset
                -mllvm -tsan-instrument-func-entry-exit=0
                -mllvm -tsan-instrument-read-before-write
                -mllvm -enable-tail-merge=0
                -mllvm -simplifycfg-sink-common=false
                -mllvm -disable-licm-promotion
                -mllvm -instcombine-code-sinking=false -fno-finite-loops -fno-delete-null-pointer-checks"
    else
        checks="-fsanitize=thread -fsanitize=bounds-strict -fsanitize-coverage=trace-pc
                -fno-tree-sink -fno-tree-loop-im -fno-thread-jumps"
    fi
    $1 -ftrivial-auto-var-init=pattern -E -x c++ /dev/null >/dev/null 2>&1 &&
        checks="$checks -ftrivial-auto-var-init=pattern"
    [ "$MODE" = fast ] && checks=-O3
    $1 -Werror -fstack-clash-protection -E -x c++ /dev/null >/dev/null 2>&1 &&
        checks="$checks -fstack-clash-protection"
    native $1
    $1 -x c++ -std=c++17 -g -gdwarf-4 -O1 $native -ffp-contract=off -fno-optimize-sibling-calls -DGPUSIM $warnings $checks \
        -Itests/sim -Icommon/sim -Icommon -c "$2/source/$name.cpp" -o "$2/$name.kernel" &&
        $1 $LINK "$2/$name.kernel" "$2"/*.o -o "$2/$name" -lm -lpthread
}
