# shellcheck shell=sh
# What every test script uses. Prints the Test Anything Protocol for prove.
# A script sources this from the repository's root and ends with `finish`.
#
#   $BIN   folder of the stages under test      $BACKEND   cuda or cpu
#   $TMP   a folder of this script's own, removed at the end
#   $stages, $lessons   the course's folders, and no others that lie beside them
export LC_ALL=C
unset CDPATH
: "${BIN:?run me through make test}" "${BACKEND:?run me through make test}"
TMP=$(mktemp -d) || exit 1
# PIPE: where prove has ended first. A compiler that ends with the script may still write there.
trap 'rm -rf "$TMP" 2>/dev/null || { sleep 1; rm -rf "$TMP"; }' EXIT
trap 'trap "" INT TERM HUP PIPE; exit 130' INT TERM HUP PIPE
printf '#!/bin/sh\n' >"$TMP/program" && chmod +x "$TMP/program" && "$TMP/program" 2>/dev/null || {
    echo "Bail out! No program runs in ${TMPDIR:-/tmp} (noexec?): TMPDIR=FOLDER make test"
    exit 1
}
rm "$TMP/program"
count=0 failures=0
stages='01_micro_4x4 02_warp_16x16 03_tiled_shared 04_register_tiled 05_cp_async_pipeline'
# shellcheck disable=SC2034,SC2086
lessons=$(printf '%s/README.md ' $stages)

# ok NAME COMMAND...: the command succeeds. What it printed is shown if not.
ok() {
    tap_name=$1
    shift
    count=$((count + 1))
    if "$@" >"$TMP/ok.log" 2>&1; then
        echo "ok $count - $tap_name"
    else
        failures=$((failures + 1))
        echo "not ok $count - $tap_name"
        head -n 20 "$TMP/ok.log" | sed 's/^/#   /'
    fi
}

# is NAME GOT WANTED: the two texts are equal.
is() {
    ok "$1" test "$2" = "$3"
    [ "$2" = "$3" ] || printf 'got:    %s\nwanted: %s\n' "$2" "$3" | head -n 20 | sed 's/^/# /'
}

# like NAME TEXT REGEX: the text matches the extended regular expression.
like() {
    if printf '%s\n' "$2" | grep -Eq -e "$3"; then
        ok "$1" true
    else
        ok "$1" false
        printf '%s\n' "$2" | head -n 20 | sed 's/^/# got: /'
        printf '# wanted: %s\n' "$3"
    fi
}

# skip NAME REASON
skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

finish() {
    echo "1..$count"
    exit $((failures > 0))
}
