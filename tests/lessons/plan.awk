# What tests/lessons.t has to do for a README: a line a fenced block, and the
# block's text in a file of its own. Use: awk -v dir=DIR/ -f plan.awk README.md
#
#   number  line  kind  exercise  marker
#
# kind      run: commands (```sh)           shown: what the run before it prints (```text)
#           quote: the stage's code (```c)  hunk: lines of `make diffN` (```diff)
#           edit: the same in an exercise: lines to change in the stage
# exercise  the number in the heading "### Exercise N" or in "<summary>Answer N";
#           0 elsewhere. A run happens with the edits of its exercise in place.
# marker    the comment <!-- ... --> on the line before the block; - if there is none
BEGIN { marker = "-"; exercise = 0 }
/^```/ && !inside {
    inside = 1
    fence = substr($0, 4)
    kind = fence == "sh" ? "run" : fence == "text" ? "shown" : fence == "c" ? "quote" : \
        fence == "diff" ? (exercise ? "edit" : "hunk") : ""
    if (kind) {
        file = sprintf("%s%03d", dir, ++n)
        printf "%03d\t%d\t%s\t%d\t%s\n", n, NR, kind, exercise, marker
        printf "" >file
    }
    next
}
/^```/ { inside = 0; marker = "-"; if (kind) close(file); next }
inside { if (kind) print >file; next }
/^<!-- (gpu|needs:.*) -->$/ { marker = $0; sub(/^<!-- /, "", marker); sub(/ -->$/, "", marker); next }
/^#+ / { exercise = 0 }
/^### Exercise [0-9]/ { exercise = $3 + 0 }
/^<summary>Answer [0-9]/ { exercise = $2 + 0 }
/^<\/details>/ { exercise = 0 }
/[^ ]/ { marker = "-" }
