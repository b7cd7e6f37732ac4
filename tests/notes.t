#!/bin/sh
# The notes' own experiment, and their report's form.
. tests/tap.sh

out=$("$BIN/stage1" 64)
is 'stage 1 exits with 0' $? 0
like 'the four numbers of the notes' "$out" \
     '^C\[0\.\.3\]: 122\.720276 122\.460274 122\.700279 122\.740273$'
like 'its tile and block' "$out" 'Block: \(1 x 1\), Thread tile: \(4 x 4\)'

out=$("$BIN/stage3" 100 90 80)
like 'a title line' "$out" '^==== Stage 3: .* ====$'
like 'the sizes' "$out" '^  M=100, N=90, K=80$'
like 'the block tile' "$out" '^  Tile: BM=64, BN=64, BK=16'
like 'the block and the thread tile' "$out" '^  Block: \(16 x 16\), Thread tile: \(4 x 4\)$'
like 'the reference' "$out" '^\[CPU\] computing reference\.\.\.$'
like 'the check, its bound, its word' "$out" \
     '^\[Check\] max \|diff\| = [0-9]\.[0-9]{6}e[-+][0-9]+, at most .*% of the bound .*: PASS$'
if [ "$BACKEND" = cuda ]; then
    like 'the speed' "$out" '^\[Perf\]  avg time = [0-9.]+ ms,  GFLOP/s = [0-9.]+$'
    like 'the ratio to cuBLAS' "$out" '[0-9.]+ x cuBLAS'
else
    ok 'no time and no speed on the simulator' sh -c '! echo "$1" | grep -E "GFLOP|avg time| ms"' - "$out"
fi
finish
