#!/bin/sh
# The host code under cppcheck and clang-tidy, the shell scripts under shellcheck,
# where these are.
. tests/tap.sh

sources=$(ls common/*.c common/sim/*.c tests/*.c | grep -v device_cuda)
include="-DGPUSIM -Icommon -Icommon/sim"
# lint NAME TOOL ARGS...: the tool finds nothing
lint() {
    name=$1
    shift
    if command -v "$1" >/dev/null; then
        ok "$name" "$@"
    else
        skip "$name" "no $1 here"
    fi
}
# shellcheck disable=SC2086
lint 'cppcheck finds nothing' cppcheck -q --std=c11 --enable=warning,performance,portability --inline-suppr \
     --suppress=nullPointerRedundantCheck --error-exitcode=1 $include $sources
# shellcheck disable=SC2086
lint 'clang-tidy finds nothing' clang-tidy --quiet $sources -- -std=c11 -D_XOPEN_SOURCE=700 $include
lint 'shellcheck finds nothing' shellcheck -S warning -e SC2010 -x tests/*.t tests/*.sh tests/sim/*.t tests/sim/*.sh plots/*.sh plots/pictures/*.sh .ci/run
finish
