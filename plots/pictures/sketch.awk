# The notes' sketch: a 64 x 64 warp tile and 32 threads of 4 x 4. On the left what
# that covers: the first 4 x 4 that each lane of warp 0 stores; on the right what a
# lane of the program has: all of its tiles.
# Use: name= N= TM= TN= TRACE
event == "store" && matrix == "C" && warp == 0 {
    i = int(nth / TN); j = nth % TN
    r = int(at / N); c = at % N
    # Its 4 x 4 tiles, numbered as in acc.
    tile = int(i / 4) * (TN / 4) + int(j / 4)
    if (i % 4 == 0 && j % 4 == 0) {
        lane_of[r, c] = lane
        tile_of[r, c] = tile
    }
    stored[tile]++
}
END {
    S = 6; X = 16; X2 = 430; Y = 144; L = 5
    all = 0
    for (t in stored) all += stored[t]
    tiles = 0
    for (t in stored) tiles++
    canvas(name, Y + 64 * S + 92, "32 threads of 4 × 4 do not cover 64 × 64", \
        "A warp tile of 64 × 64. In each 4 × 4 tile: its lane. Lane " L " is marked", \
        "trace of stage 4 with tile 128x128x32-16x8, warp 0")
    text(X, Y - 44, "{/:Bold One tile a lane}", 19, INK, "left")
    text(X, Y - 18, stored[0] " of " 64 * 64 " elements", 17, FAINT, "left")
    text(X2, Y - 44, "{/:Bold " tiles " tiles a lane}", 19, INK, "left")
    text(X2, Y - 18, all " of " 64 * 64 " elements", 17, FAINT, "left")
    rect(X, Y, 64 * S, 64 * S, EMPTY)
    for (r = 0; r < 64; r += 4)
        for (c = 0; c < 64; c += 4)
            if ((r, c) in lane_of) {
                if (tile_of[r, c] == 0)
                    one(X, r, c)
                one(X2, r, c)
            }
    y = Y + 64 * S + 26
    text(X, y, "the rest is nobody's", 17, FAINT, "left")
    text(X2, y, "together a " TM " × " TN " thread tile", 17, FAINT, "left")
    draw()
}
function one(x, r, c,    mine)
{
    mine = lane_of[r, c] == L
    cell(x + c * S, Y + r * S, 4 * S, 4 * S, mine ? HOT : TINT[1 + tile_of[r, c] % 8])
    text(x + (c + 2) * S, Y + (r + 2) * S, lane_of[r, c], 13, mine ? WHITE : INK, "center")
}
