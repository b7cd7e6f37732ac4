# Copying and computing over time, as thread 0 goes through it. Above stage 4: what
# happens between one barrier and the next. Below stage 5: which slot of the ring
# is being filled and which is read, against the multiply-adds done so far.
# Use: name= M= N= K= slot_floats= slots= stage=4 TRACE stage=5 TRACE
BEGIN { fmas = copies = 0 }
thread != 0 { next }
stage == 4 && event == "store" && matrix ~ /^[AB]s$/ { loads[tick]++ }
stage == 4 && event == "fma" { computes[tick] += $column["n"] }
stage == 4 && event == "barrier" { intervals = tick + 1 }
stage == 5 && event == "fma" { fmas += $column["n"] }
stage == 5 && $column["space"] == "shared" {
    slot = int(at / slot_floats)
    if (event == "issue" && !under_way[slot]) {
        under_way[slot] = 1
        n = ++copies
        slot_of[n] = slot
        from[n] = issued_any ? fmas : -1
        started[slot] = n
        reading[slot] = 0
    } else if (event == "land") {
        if (under_way[slot])
            to[started[slot]] = fmas
        under_way[slot] = 0
    } else if (event == "load") {
        if (!reading[slot]) {
            reading[slot] = 1
            read_from[started[slot]] = fmas
        }
        read_to[started[slot]] = fmas
    }
}
# A copy with a source is one of A or B; beyond K there is none, only zeros.
stage == 5 && event == "source" { real[copies] = 1 }
stage == 5 && event == "wait" { issued_any = 1 }
stage == 5 && event == "barrier" { barrier[++barriers] = fmas }
END {
    X = 140; W = 830 - X - 24
    BAR = 30
    canvas(name, 540, "Copies run while the block computes", \
        "Thread 0 over time, left to right. The number in a bar: the tile of A and B", \
        "traces of stages 4 and 5 at " M " × " N " × " K ", tile 64x64x16-16x4; dotted: barriers")
    y = 104
    text(16, y, "{/:Bold Stage 4:} it loads, or it computes", 19, INK, "left")
    y += 24
    # The last interval stores C.
    step = W / (intervals + 0.5)
    for (i = 0; i <= intervals; i++) {
        if (i in loads)
            bar(X + i * step, y, step, nl++, TINT[1])
        if (i in computes)
            bar(X + i * step, y + BAR + 6, step, nc++, FILL[2])
    }
    text(X - 12, y + BAR / 2, "load", 17, FAINT, "right")
    text(X - 12, y + BAR * 1.5 + 6, "compute", 17, FAINT, "right")
    for (i = 1; i <= intervals; i++)
        dotted(X + i * step, y - 4, 2 * BAR + 14)

    y += 2 * BAR + 62
    text(16, y, "{/:Bold Stage 5:} copies are under way while it computes", 19, INK, "left")
    y += 24
    pro = 44
    scale = (W - pro) / fmas
    for (n = 1; n <= copies; n++) {
        if (!(n in to))
            to[n] = fmas
        x1 = from[n] < 0 ? X : X + pro + from[n] * scale
        x2 = X + pro + to[n] * scale
        yy = y + slot_of[n] * (BAR + 6)
        if (!(n in real)) {
            bar(x1, yy, x2 - x1, "", "#dde1e6")
            continue
        }
        bar(x1, yy, x2 - x1, n - 1, TINT[1])
        bar(X + pro + read_from[n] * scale, yy, (read_to[n] - read_from[n]) * scale, n - 1, FILL[2])
    }
    for (s = 0; s < slots; s++)
        text(X - 12, y + s * (BAR + 6) + BAR / 2, "slot " s, 17, FAINT, "right")
    for (i = 1; i <= barriers; i++)
        dotted(X + pro + barrier[i] * scale, y - 4, slots * (BAR + 6) + 2)
    y += slots * (BAR + 6) + 4
    rect(X + pro, y, fmas * scale, 8, FILL[2])
    text(X - 12, y + 4, "multiply-adds", 16, FAINT, "right")
    y += 44
    cell(X, y - 9, 30, 18, TINT[1]); text(X + 38, y, "a copy, from its start to its wait", 17, FAINT, "left")
    cell(X + 330, y - 9, 30, 18, FILL[2]); text(X + 368, y, "read and multiplied", 17, FAINT, "left")
    cell(X + 550, y - 9, 30, 18, "#dde1e6"); text(X + 588, y, "beyond K", 17, FAINT, "left")
    draw()
}
function bar(x, y, w, s, fill)
{
    rect(x + 1, y, w - 2, BAR, fill)
    text(x + w / 2, y + BAR / 2, s, 16, INK, "center")
}
function dotted(x, y, h,    i)
{
    for (i = 0; i < h; i += 6)
        rect(x - 0.75, y + i, 1.5, 3, INK)
}
