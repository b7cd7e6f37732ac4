# Stage 1: the elements of A, B and C that one thread touches, and when.
# Use: M= N= K= TRACE
function start()
{
    S = 32; X = 40; Y = 92; STEP = 2
    canvas(name, 742, "One thread computes a 4 × 4 tile of C", \
        "Every step k: 4 elements of A and 4 of B make 16 multiply-adds", \
        "trace of stage 1 at " M " × " N " × " K ", block 0; grey: the work of other blocks")
    CX = X + (K + 1) * S; CY = Y + (K + 1) * S
    grid(X, CY, M, K, S, EMPTY)
    grid(CX, Y, K, N, S, EMPTY)
    grid(CX, CY, M, N, S, EMPTY)
}
FNR == 2 { start() }
{ lanes[lane] = 1 }
event == "load" && matrix == "A" { place(X, CY, int(at / K), at % K, at % K, at % K == STEP) }
event == "load" && matrix == "B" { place(CX, Y, int(at / N), at % N, int(at / N), int(at / N) == STEP) }
event == "store" && matrix == "C" { place(CX, CY, int(at / N), at % N, "c" int(at / N) at % N, 1) }
function place(x, y, r, c, s, strong)
{
    cell(x + c * S, y + r * S, S, S, strong ? FILL[2] : TINT[2])
    text(x + (c + 0.5) * S, y + (r + 0.5) * S, s, length(s) > 2 ? 15 : 17, INK, "center")
}
END {
    text(X + K * S / 2, CY - 16, "A", 20, INK, "center")
    text(CX - 16, Y + K * S / 2, "B", 20, INK, "center")
    text(CX + 8 * S, CY + 4 * S, "C", 20, FAINT, "center")
    frame(X + STEP * S, CY, S, 4 * S, HOT, 2.5)
    frame(CX, Y + STEP * S, 4 * S, S, HOT, 2.5)
    frame(CX, CY, 4 * S, 4 * S, HOT, 2.5)
    x = X
    text(x, Y + (STEP + 0.5) * S, "{/:Bold The step k = " STEP "}", 19, HOT, "left")
    text(x, Y + (STEP + 0.5) * S + 28, "4 loads from A", 17, FAINT, "left")
    text(x, Y + (STEP + 0.5) * S + 54, "4 loads from B", 17, FAINT, "left")
    text(x, Y + (STEP + 0.5) * S + 80, "16 multiply-adds", 17, FAINT, "left")
    y = CY + M * S + 34
    n = lane_strip(X + 170, y - 9, 18, lanes)
    text(X, y, "{/:Bold Lanes: " n " of 32}", 17, INK, "left")
    draw()
}
