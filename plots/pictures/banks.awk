# Where one read of a warp falls in the banks of shared memory: of As without the
# padding, of As with it, and of Bs. Use: TRACE without padding, TRACE with it
FNR == 2 { trace++ }
# The tile as it lies in memory: words filled, and the element in each.
event == "store" && matrix ~ /^[AB]s$/ {
    element = $column["element"]
    split(element, index_of, /[][]+/)
    row_of[trace, matrix, at] = index_of[2]
    if (at > words[trace, matrix])
        words[trace, matrix] = at
    if (at == 0)
        start[trace, matrix] = bank
}
event == "load" && matrix ~ /^[AB]s$/ && warp == 0 && nth == 0 {
    reads[trace, matrix, at]++
    lanes[trace, matrix]++
}
END {
    S = 24.5; X = 30
    canvas(name, 664, "Two floats in one bank take two wavefronts", \
        "Shared memory in rows of 32 banks; marked: what one read of a warp wants", \
        "traces of stage 3 and of its mutant without padding, warp 0; framed: a bank with two of them")
    y = 100
    panel(1, "As", "As without padding")
    panel(2, "As", "As with padding")
    panel(2, "Bs", "Bs with padding")
    draw()
}
function panel(t, m, what,    at, row, b, word, n, turns, s, last, from, wanted, was_wanted, next_word)
{
    for (at = 0; at <= words[t, m]; at++)
        if ((t, m, at) in reads) {
            b = (at + start[t, m]) % 32
            if (++in_bank[t, m, b] > turns)
                turns = in_bank[t, m, b]
            n++
        }
    text(X, y + 4, "{/:Bold " what ":} " n " floats for " lanes[t, m] " lanes, " turns (turns > 1 ? " wavefronts" : " wavefront"), 18, INK, "left")
    y += 22
    for (b = 0; b < 32; b++)
        text(X + (b + 0.5) * S, y + 8, b, 12, FAINT, "center")
    y += 20
    for (row = 0; row < 4; row++)
        for (b = 0; b < 32; b++) {
            word = row * 32 + b - start[t, m]
            s = (t, m, word) in row_of ? row_of[t, m, word] : "pad"
            wanted = (t, m, word) in reads
            cell(X + b * S, y + row * S, S, S, s == "pad" ? "#aab2bb" : wanted ? HOT : s % 2 ? TINT[2] : TINT[5])
            # A run of one row's words is named once.
            if (s == "pad")
                text(X + (b + 0.5) * S, y + (row + 0.5) * S, s, 11, INK, "center")
            else if (wanted)
                text(X + (b + 0.5) * S, y + (row + 0.5) * S, s, 16, WHITE, "center")
            if (b == 0 || s != last || wanted || was_wanted)
                from = b
            last = s
            was_wanted = wanted
            next_word = b < 31 ? ((t, m, word + 1) in reads ? "wanted" : (t, m, word + 1) in row_of ? row_of[t, m, word + 1] : "pad") : "end"
            if (s != "pad" && !wanted && next_word != s && b - from >= 3)
                text(X + (int((from + b + 1) / 8) * 4 + 2.5) * S, y + (row + 0.5) * S, "row " s, 14, INK, "center")
        }
    for (b = 0; b < 32; b++)
        if (in_bank[t, m, b] > 1)
            frame(X + b * S - 1, y - 2, S + 2, 4 * S + 4, INK, 2)
    y += 4 * S + 36
}
