# Which sectors the first load request of A and of B touches, and which of their
# floats are asked for: for two stages, one below the other. A sector is 32 bytes,
# 8 floats; a request is what the lanes of a warp load at one source line at once.
# Use: name= title= M= N= K= stage=1 TRACE stage=2 TRACE
FNR == 2 { stages[++nstages] = stage }
event == "load" && (matrix == "A" || matrix == "B") && warp == 0 && nth == 0 {
    sector = int(at / 8)
    if (!((stage, matrix, at) in asked))
        floats[stage, matrix]++
    asked[stage, matrix, at]++
    lanes[stage, matrix]++
    if (!((stage, matrix, sector) in known)) {
        known[stage, matrix, sector] = 1
        of[stage, matrix, ++sectors[stage, matrix]] = sector
    }
}
END {
    S = 23
    canvas(name, 558, title, \
        "One load request: the 32-byte sectors it touches, and the floats it asks for", \
        "traces at " M " × " N " × " K ", warp 0 of block 0; × 4: asked for by four lanes")
    y = 100
    for (i = 1; i <= nstages; i++)
        for (j = 1; j <= 2; j++) {
            request(y, stages[i], j == 1 ? "A" : "B")
            y += j == 1 ? 102 : 118
        }
    draw()
}
function request(y, stage, matrix,    i, n, used)
{
    n = sectors[stage, matrix]
    used = floats[stage, matrix]
    text(16, y, "{/:Bold Stage " stage ", " matrix ":}  " lanes[stage, matrix] (lanes[stage, matrix] > 1 ? " lanes, " : " lane, ") \
        n (n > 1 ? " sectors, " : " sector, ") used " of " (n > 1 ? "their " : "its ") 8 * n " floats", 18, INK, "left")
    sort(stage, matrix, n)
    for (i = 1; i <= n; i++)
        strip(16 + (i - 1) * (8 * S + 18), y + 18, stage, matrix, of[stage, matrix, i])
}
function strip(x, y, stage, matrix, sector,    c, n, ld)
{
    grid(x, y, 1, 8, S, EMPTY)
    for (c = 0; c < 8; c++)
        if ((stage, matrix, sector * 8 + c) in asked) {
            n = asked[stage, matrix, sector * 8 + c]
            cell(x + c * S, y, S, S, FILL[2])
            if (n > 1)
                text(x + (c + 0.5) * S, y + S / 2, "×" n, 14, INK, "center")
        }
    frame(x, y, 8 * S, S, FAINT, 1.2)
    ld = matrix == "A" ? K : N
    text(x, y + S + 14, matrix "[" int(sector * 8 / ld) "][" sector * 8 % ld "] to [" (sector * 8 + 7) % ld "]", 15, FAINT, "left")
}
function sort(stage, matrix, n,    i, j, t)
{
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && of[stage, matrix, j - 1] > of[stage, matrix, j]; j--) {
            t = of[stage, matrix, j]
            of[stage, matrix, j] = of[stage, matrix, j - 1]
            of[stage, matrix, j - 1] = t
        }
}
