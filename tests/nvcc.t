#!/bin/sh
# Where nvcc is: every stage compiles for every architecture of the course, from
# Turing to Blackwell, and no kernel spills registers that a stage would choose. The
# notes' 128x128x32 tile, which stage 5 does not, may: BK = 32 is long for 255 registers.
. tests/tap.sh

if ! command -v "${NVCC:-nvcc}" >/dev/null; then
    skip 'every stage compiles for every architecture' 'no nvcc here'
    finish
fi
known=$("$NVCC" --list-gpu-arch)
gencode=
for arch in 75 80 86 89 90 100 120; do
    case "$known" in
    *compute_$arch*) gencode="$gencode -gencode arch=compute_$arch,code=sm_$arch" ;;
    *) skip "sm_$arch" 'this nvcc does not know it' ;;
    esac
done

for dir in $stages; do
    # shellcheck disable=SC2086
    "$NVCC" -std=c++17 -O3 --threads 0 -Icommon $gencode -Xptxas -v -c "$dir/sgemm.cu" \
        -o "$TMP/sgemm.o" >"$TMP/log" 2>&1
    is "$dir compiles" $? 0
    is "$dir: no warning" "$(grep -i warning "$TMP/log")" ''
    # One line a kernel and architecture: its name, then its spills.
    awk -F"'" '/Compiling entry/ { name = $2 " for " $4 } /spill stores/ { print name ":" $0 }' \
        "$TMP/log" >"$TMP/kernels"
    ok "$dir: ptxas reported on its kernels" test -s "$TMP/kernels"
    is "$dir: no kernel spills" \
       "$(grep -v 'ILi128ELi128ELi32E' "$TMP/kernels" | grep -v ' 0 bytes spill stores, 0 bytes spill loads')" ''
done
finish
