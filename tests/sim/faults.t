#!/bin/sh
# Runs the deliberately faulty kernels of tests/sim/*.cu, built by each compiler
# that is here, and compares the reports with the comments beside the kernels
# (see case.h). TAP on stdout; run by prove from the top folder.
#     TEST_BUILD=folder  where to build (build/sim-test)
#     CXXS="..."         the compilers to use (g++ and clang++; without both, CXX)
CDPATH='' cd "$(dirname "$0")/../.." || exit 1
. tests/sim/build.sh

# The comments of case $2 in file $1: "expect REGEX", "clean", "fault LINE", "other LINE".
comments() {
    awk -v wanted="$2" '
        /^\/\/ case / { here = $3 == wanted; next }
        here && /^\/\/ (expect |clean)/ { print substr($0, 4) }
        /\/\/ fault of / { if ($NF == wanted) print "fault " NR; next }
        here && /\/\/ (fault|other)/ { print ($0 ~ /\/\/ fault/ ? "fault " : "other ") NR }
        /^int main/ { here = 0 }' "$1"
}

# What is missing in the report $3 (its lines) and $4 (one line) of case $2 in file $1.
compare() {
    comments "$1" "$2" | while read -r kind text; do
        case $kind in
        expect) grep -Eq -- "$text" "$4" || echo "not in the report: $text" ;;
        fault) grep -q "^$1:$text: " "$3" || echo "no report begins with $1:$text" ;;
        other) grep -q "[^0-9]${text}[^0-9]" "$4" || echo "not mentioned: line $text" ;;
        clean) [ -s "$3" ] && echo "should be silent" ;;
        esac
    done
}

check() {   # check COMPILER FILE CASE
    report=$B/$3.report
    timeout 60 "$B/$(basename "$2" .cu)" "$3" >"$report" 2>&1
    status=$?
    tr '\n' ' ' <"$report" | sed 's/  */ /g' >"$report.line"
    wanted=1
    comments "$2" "$3" | grep -q '^clean' && wanted=0
    missing=$(compare "$2" "$3" "$report" "$report.line")
    [ $status -eq $wanted ] || missing="exit status $status, not $wanted
$missing"
    [ -z "$missing" ]
    ok $? "$1: $(basename "$2"): $3"
    [ -z "$missing" ] || { echo "$missing"; cat "$report"; } | sed 's/^/# /'
}

missing_compilers
for cxx in $CXXS; do
    B=$BUILD/$cxx
    build_runtime "$cxx" "$B" || { ok 1 "$cxx: the runtime compiles"; continue; }
    for file in tests/sim/*.cu; do
        grep -q '^// case ' "$file" || continue
        build_kernels "$cxx" "$B" "$file" || { ok 1 "$cxx: $file compiles"; continue; }
        for name in $(sed -n 's|^// case \([a-z_0-9]*\)$|\1|p' "$file"); do
            check "$cxx" "$file" "$name"
        done
    done
done
echo "1..$n"
