# One block's tiles: which warp loads which element of A and B, which computes
# which of C; and what one thread of them loads, reads and computes.
# Use: name= title= M= N= K= S=SIZE_OF_AN_ELEMENT T=THREAD stage= TRACE, where the
# matrices are one block's tiles
event ~ /^(load|source)$/ && matrix == "A" { load_a[int(at / K), at % K] = warp; mine_a[thread, at] = 1 }
event ~ /^(load|source)$/ && matrix == "B" {
    for (i = 0; i < size / 4; i++) {
        load_b[int(at / N), (at + i) % N] = warp
        mine_b[thread, at + i] = 1
    }
}
event == "store" && matrix == "C" {
    c[int(at / N), at % N] = warp
    mine_c[thread, at] = 1
    if (warp >= warps)
        warps = warp + 1
}
END {
    X = 50; Y = 96
    CX = X + K * S + 14; CY = Y + K * S + 14
    canvas(name, CY + M * S + 64, title, "One colour a warp: what it loads of A and B, and what it computes of C", \
        "trace of stage " stage " at " M " × " N " × " K ", block 0")
    runs(load_a, M, K, X, CY)
    runs(load_b, K, N, CX, Y)
    runs(c, M, N, CX, CY)
    text(X + K * S / 2, CY + M * S + 18, "A", 20, INK, "center")
    text(CX + N * S + 18, Y + K * S / 2, "B", 20, INK, "center")
    text(CX + N * S / 2, CY + M * S + 18, "C", 20, INK, "center")
    one_thread()
    name_warps()
    draw()
}
function one_thread(    r, q, i, na, nb, nc, nr, nq, x, y)
{
    # Rows and columns of C that the thread has, four by four.
    for (r = 0; r < M; r += 4)
        for (q = 0; q < N; q += 4)
            if ((T, r * N + q) in mine_c) {
                rect(CX + q * S, CY + r * S, 4 * S, 4 * S, HOT)
                rows[r] = cols[q] = 1
                nc += 16
            }
    for (r = 0; r < M; r += 4)
        if (r in rows) {
            frame(X, CY + r * S, K * S, 4 * S, HOT, 2)
            nr += 4
        }
    for (q = 0; q < N; q += 4)
        if (q in cols) {
            frame(CX + q * S, Y, 4 * S, K * S, HOT, 2)
            nq += 4
        }
    for (i = 0; i < M * K; i++)
        if ((T, i) in mine_a) {
            rect(X + i % K * S, CY + int(i / K) * S, S, S, INK)
            na++
        }
    for (i = 0; i < K * N; i++)
        if ((T, i) in mine_b) {
            rect(CX + i % N * S, Y + int(i / N) * S, S, S, INK)
            nb++
        }
    x = 16
    y = Y + 12
    text(x, y, "{/:Bold thread " T "}", 19, HOT, "left")
    cell(x, y + 32 - 7, 14, 14, INK)
    text(x + 22, y + 32, "loads " na " + " nb, 17, INK, "left")
    frame(x + 1, y + 61 - 6, 12, 12, HOT, 2)
    text(x + 22, y + 61, "reads " nr * K " + " nq * K, 17, INK, "left")
    cell(x, y + 90 - 7, 14, 14, HOT)
    text(x + 22, y + 90, "computes " nc, 17, INK, "left")
}
function name_warps(    w, i, r, q, n)
{
    for (w = 0; w < warps; w++) {
        r = q = n = 0
        for (i = 0; i < M * N; i++)
            if (c[int(i / N), i % N] == w) {
                r += int(i / N) + 0.5
                q += i % N + 0.5
                n++
            }
        text(CX + q / n * S, CY + r / n * S, "warp " w, 18, INK, "center")
    }
}
# The elements of a matrix in their warps' tints, as few rectangles.
function runs(of, rows, cols, x, y,    r, c, from)
{
    for (r = 0; r < rows; r++)
        for (c = from = 0; c < cols; c++)
            if (c + 1 == cols || of[r, c + 1] != of[r, c]) {
                rect(x + from * S, y + r * S, (c + 1 - from) * S, S, TINT[1 + of[r, c] % 8])
                from = c + 1
            }
}
