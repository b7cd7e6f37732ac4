#!/bin/sh
# The counters on access patterns of known cost (patterns.cu), by each compiler.
# TAP on stdout; run by prove from the top folder. TEST_BUILD and CXXS as in faults.t.
CDPATH='' cd "$(dirname "$0")/../.." || exit 1
. tests/sim/build.sh

missing_compilers
for cxx in $CXXS; do
    B=$BUILD/counters-$cxx
    build_runtime "$cxx" "$B" && build_kernels "$cxx" "$B" tests/sim/patterns.cu
    ok $? "$cxx: patterns.cu compiles"
    # the patterns are chosen for their cost: that some of them race is no matter
    "$B/patterns" 2>/dev/null >"$B/patterns.tap"
    grep -v '^1\.\.' "$B/patterns.tap" | sed "s/^\(not \)*ok [0-9]* - /\1 - $cxx: /" >"$B/lines"
    while IFS= read -r line; do
        n=$((n + 1))
        case $line in
        "not "*) echo "not ok $n${line#not }" ;;
        *) echo "ok $n$line" ;;
        esac
    done <"$B/lines"
    grep -q '^1\.\.' "$B/patterns.tap"   # what it prints last
    ok $? "$cxx: patterns.cu ran to its end"
done
echo "1..$n"
