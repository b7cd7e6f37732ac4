# How the tests of the simulator are built; sourced by tests/sim/*.t.

BUILD=${BUILD:-build/test}

if [ -z "$CXXS" ]; then
    for cxx in g++ clang++; do
        command -v $cxx >/dev/null && CXXS="$CXXS $cxx"
    done
fi

NATIVE=
[ "$(uname -m)" = x86_64 ] && NATIVE=-march=native   # fmaf in one instruction

warnings="-Wall -Wextra -Werror"

# The simulator's objects for compiler $1 in $BUILD/sim/$1; further flags in $RUNTIME.
build_runtime() {
    case $1 in
    clang*) cc=clang ;;
    *) cc=$(echo "$1" | sed 's/g++/gcc/') ;;
    esac
    mkdir -p "$BUILD/sim/$1"
    for c in common/sim/*.c; do
        o=$BUILD/sim/$1/$(basename "$c" .c).o
        $cc -std=c11 -g -O2 $NATIVE $warnings $RUNTIME -Icommon/sim -c "$c" -o "$o" || return 1
    done
}

# $BUILD/sim/$1/<name> from tests/sim/<name>.cu ($2); MODE=fast: without the checks.
build_kernels() {
    name=$(basename "$2" .cu)
    dir=$BUILD/sim/$1
    mkdir -p "$dir/source"
    { echo "#line 1 \"$2\""; sed -f common/sim/launch.sed "$2"; } >"$dir/source/$name.cu"
    case $1 in
    clang*) checks="-fsanitize=thread -fsanitize=array-bounds
                    -fsanitize-coverage=bb,no-prune,trace-pc -fno-builtin-memcpy -fno-builtin-memset
                    -mllvm -tsan-instrument-func-entry-exit=0
                    -mllvm -tsan-instrument-read-before-write -mllvm -enable-tail-merge=0" ;;
    *) checks="-fsanitize=thread -fsanitize=bounds -fsanitize-coverage=trace-pc" ;;
    esac
    [ "$MODE" = fast ] && checks=
    $1 -x c++ -std=c++17 -g -gdwarf-4 -O1 $NATIVE -ffp-contract=off -DGPUSIM $warnings \
        $checks -Itests/sim -Icommon/sim -Icommon -c "$dir/source/$name.cu" -o "$dir/$name.kernel" &&
        $1 "$dir/$name.kernel" "$dir"/*.o -o "$dir/$name" -lm -lpthread
}
