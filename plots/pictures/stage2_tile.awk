# Stage 2: which lane stores which element of the warp's tile, and which two lanes
# compute each 4 x 4 of it: those that load its rows of A and its columns of B.
# Use: M= N= K= TRACE
{ lanes[lane] = 1 }
event == "load" && matrix == "A" { row[lane, int(at / K)] = 1; parity[lane] = at % K % 2 }
event == "load" && matrix == "B" { col[lane, at % N] = 1 }
event == "store" && matrix == "C" { stores[int(at / N), at % N] = lane }
END {
    S = 36; X = 16; Y = 92
    canvas(name, 760, "One warp computes a 16 × 16 tile of C", \
        "In each cell: the lane that stores it. Two lanes share a 4 × 4 micro-kernel", \
        "trace of stage 2 at " M " × " N " × " K ", block 0")
    # A micro-kernel: what two lanes compute.
    for (l = 0; l < 32; l++) {
        m = n = -1
        for (i = 15; i >= 0; i--) {
            if ((l, i) in row) m = i
            if ((l, i) in col) n = i
        }
        for (r = 0; r < 16; r++)
            for (c = 0; c < 16; c++)
                if ((l, r) in row && (l, c) in col)
                    owners[r, c] = owners[r, c] (owners[r, c] != "" ? "," : "") l
        at_m[l] = m; at_n[l] = n
    }
    # Tints by micro-kernel, so that neighbours differ.
    for (r = 0; r < 16; r++)
        for (c = 0; c < 16; c++) {
            pair = owners[r, c]
            if (!(pair in tint))
                tint[pair] = TINT[1 + (int(r / 4) * 2 + int(c / 4)) % 4]
            rect(X + c * S, Y + r * S, S, S, tint[pair])
            text(X + (c + 0.5) * S, Y + (r + 0.5) * S, stores[r, c], 17, INK, "center")
        }
    rule(X, Y, 16, 16, S)
    for (i = 1; i < 4; i++) {
        rect(X, Y + i * 4 * S - 2, 16 * S, 4, WHITE)
        rect(X + i * 4 * S - 2, Y, 4, 16 * S, WHITE)
    }
    L = 7
    pair = owners[at_m[L], at_n[L]]
    split(pair, two, ",")
    x = X + at_n[L] * S; y = Y + at_m[L] * S
    frame(x, y, 4 * S, 4 * S, HOT, 3)
    x = X + 16 * S + 18; y += 16
    text(x, y, "{/:Bold lanes " two[1] " and " two[2] "}", 19, HOT, "left")
    text(x, y + 32, "compute these 16:", 17, FAINT, "left")
    text(x, y + 58, two[1] ": the " (parity[two[1]] ? "odd" : "even") " k", 17, FAINT, "left")
    text(x, y + 84, two[2] ": the " (parity[two[2]] ? "odd" : "even") " k", 17, FAINT, "left")
    text(x, y + 116, "a shuffle adds", 17, FAINT, "left")
    text(x, y + 142, "the two halves", 17, FAINT, "left")
    y = Y + 16 * S + 30
    n = lane_strip(X + 170, y - 9, 18, lanes)
    text(X, y, "{/:Bold Lanes: " n " of 32}", 17, INK, "left")
    draw()
}
