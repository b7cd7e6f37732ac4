#!/bin/sh
# Every README does what it says. In a copy of the repository, as a reader would:
# runs the commands of its ```sh blocks, and compares what they print with the
# ```text block that follows; compares ```c blocks with the stage's code and
# ```diff blocks with `make diffN`; makes the changes of its exercises. tests/lessons/
# says how blocks are read. What the simulator prints is what the lessons show, so
# they run on it; a block after <!-- gpu --> runs where a GPU is.
#
#   UPDATE=1   write the numbers that were printed into the README files
. tests/tap.sh
unset ARCH BUILD MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS MUTANT SIM TESTS
copy=$TMP/copy steps=$TMP/steps
mkdir "$copy" "$steps"
cp -RLp Makefile README.md common tests plots 0?_* "$copy"
chmod -R u+w "$copy"
if [ "$BACKEND" = cpu ]; then   # only the stages are built again: they know their folder
    mkdir "$copy/build" && cp -Rp "$BIN" "$copy/build/cpu-check" && rm -rf "$copy"/build/cpu-check/mutants "$copy"/build/cpu-check/0*
fi

# why_not MARKER COMMANDS: the reason for which this machine cannot run them, if any.
why_not() {
    case $1 in
    gpu) nvidia-smi -L >/dev/null 2>&1 || { echo 'needs a GPU'; return; } ;;
    needs:*)
        for tool in ${1#needs:}; do
            command -v "$tool" >/dev/null || ls /usr/local/cuda/bin/"$tool" >/dev/null 2>&1 ||
                { echo "needs $tool"; return; }
        done ;;
    esac
    case $2 in
    *apt-get*) echo 'installs packages' ;;
    *'make test'*) echo 'is what runs this' ;;
    *'make bench'*) echo 'takes minutes of a GPU' ;;
    esac
}

# in_order TEXT FILE: the lines of TEXT stand in FILE in this order, whatever is
# between them.
in_order() {
    awk 'NR == FNR { if ($0 !~ /^[ \t]*(\.\.\.)?$/) want[++n] = $0; next }
         at < n && $0 == want[at + 1] { at++ }
         END { if (at < n) print "not there: " want[at + 1]; exit at < n }' "$1" "$2"
}

run() { (cd "$copy" && timeout 120 sh -e "$1") >"$2" 2>&1; }

# An answer shows what its exercise has run: with the same changes in place, the
# same commands are not run again, unless commands follow that build nothing.
again() {   # BLOCK KEY
    if [ -f "$TMP/printed-$2" ] && grep -q 'make ' "$1"; then
        cp "$TMP/printed-$2" "$TMP/printed"
        put_off=$1
        return 0
    fi
    if [ -n "$put_off" ] && ! grep -q 'make ' "$1"; then
        run "$put_off" "$TMP/log"
    fi
    put_off=
    run "$1" "$TMP/printed"
    status=$?
    [ $status -gt 0 ] || cp "$TMP/printed" "$TMP/printed-$2"
    tail -n 5 "$TMP/printed"
    return $status
}

# one_readme FILE
one_readme() {
    readme=$1 stage='' printed='' put_off=''
    case $readme in 0?_*/README.md) stage=${readme%/*} n=${readme#0} n=${n%%_*} ;; esac
    rm -f "$steps"/*
    awk -v dir="$steps/" -f tests/lessons/plan.awk "$readme" >"$TMP/plan"
    while IFS='	' read -r number line kind exercise marker; do
        block=$steps/$number
        name="$readme:$line: $(grep -v '^$' "$block" | head -n 1)"
        case $kind in
        run)
            printed=
            reason=$(why_not "$marker" "$(cat "$block")")
            if [ -n "$reason" ]; then
                skip "$name" "$reason"
                continue
            fi
            if [ -n "$stage" ]; then
                cp "$stage/sgemm.cu" "$TMP/edited"
                for edit in $(awk -F '\t' -v x="$exercise" '$3 == "edit" && $4 == x { print $1 }' "$TMP/plan"); do
                    awk -f tests/lessons/edit.awk "$steps/$edit" "$TMP/edited" >"$TMP/edited.new" 2>"$TMP/log" &&
                        mv "$TMP/edited.new" "$TMP/edited"
                done
                cmp -s "$TMP/edited" "$copy/$stage/sgemm.cu" || cp "$TMP/edited" "$copy/$stage/sgemm.cu"
            fi
            case $marker in gpu | needs:*) export BACKEND=auto ;; *) export BACKEND=cpu ;; esac
            ok "$name" again "$block" "$stage-$exercise-$(cksum <"$block" | tr ' ' -)"
            printed=$number
            [ "$marker" != gpu ] || printed=   # times differ
            ;;
        shown)
            if [ -n "$printed" ]; then
                ok "$readme:$line: prints this" awk -f tests/lessons/match.awk "$block" "$TMP/printed"
                if [ -n "${UPDATE:-}" ]; then
                    awk -v update=1 -f tests/lessons/match.awk "$block" "$TMP/printed" >"$TMP/new"
                    awk -v at="$line" -v new="$TMP/new" 'NR > at && !done { if ($0 == "```") done = 1; else getline <new }
                        { print }' "$readme" >"$TMP/readme" && cp "$TMP/readme" "$readme"
                fi
            fi ;;
        quote)
            [ -z "$stage" ] || ok "$name stands in the code" in_order "$block" "$stage/sgemm.cu" ;;
        hunk)
            make -s "diff$n" >"$TMP/diff"
            ok "$name stands in make diff$n" in_order "$block" "$TMP/diff" ;;
        edit)
            ok "$name can be changed so" awk -f tests/lessons/edit.awk "$block" "$stage/sgemm.cu" ;;
        esac
    done <"$TMP/plan"
    [ -z "$stage" ] || cmp -s "$stage/sgemm.cu" "$copy/$stage/sgemm.cu" || cp "$stage/sgemm.cu" "$copy/$stage/sgemm.cu"
}

for readme in README.md $lessons common/sim/README.md plots/README.md; do
    [ ! -f "$readme" ] || one_readme "$readme"
done

# What the lessons point to is there.
for readme in README.md $lessons; do
    for link in $(grep -o '](\([^)# ]*\))\{0,1\}' "$readme" | sed 's/](//; s/)$//' | grep -v '^http' | sort -u); do
        ok "$readme: $link is there" test -e "$(dirname "$readme")/$link"
    done
done
finish
