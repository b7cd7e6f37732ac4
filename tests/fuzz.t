#!/bin/sh
# Random command lines; args_fuzz.c says how. With the sanitizers where they are.
. tests/tap.sh
sources='tests/args_fuzz.c common/args.c common/matrix.c common/parallel.c'
build() {
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -g -D_XOPEN_SOURCE=700 -Icommon "$@" $sources -o "$TMP/args_fuzz" -lm -pthread
}
sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=all'
# shellcheck disable=SC2086
build $sanitizers 2>"$TMP/log" || { sanitizers=none; build; }
seed=${SEED:-$(date +%s)}
echo "# SEED=$seed, sanitizers: $sanitizers"
ok '20,000 random command lines' "$TMP/args_fuzz" "$seed" 20000
finish
