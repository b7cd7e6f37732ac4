# Reads data files into arrays for tables and charts. Use: awk -f csv.awk -f
# rows.awk -f yours.awk kind=traffic data/traffic.csv kind=card data/CARD.csv
#
# Only rows that were checked and timed count: what failed has no speed, so no
# point and no cell. A row given twice: the last one counts.
#
#   speed[stage, shape]        GFLOP/s of the tile the program chose; shape is MxNxK
#   yard[stage, shape]         cuBLAS in the same run
#   chosen[stage, shape]       that tile's name
#   tile_speed[stage, tile, shape]   of every tile measured
#   tile_yard[stage, tile, shape]
#   ntiles[stage], tile_name[stage, i]   once order_tiles(stage) was called: in the
#                              program's order, as far as measured
#   tiles_at[stage, shape]     how many tiles were measured
#   cube[1..ncubes]            edges of the cubes measured, ascending
#   others[1..nothers]         the other shapes, as they come
#   seen[stage]                there are rows, be they right or not
#   device sms driver cuda day yardstick ffma copy   of the card; peak computed
#   global_bytes[stage, tile], shared_bytes[stage, tile]   a multiply-add, as
#                              counted at traffic_shape

# A measured number, or 0 for anything that is none.
function number(s)
{
    return s ~ /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9][0-9]?)?$/ && s + 0 < 1e12 ? s + 0 : 0
}

# A cube's shape from its edge.
function cubed(s)
{
    return s "x" s "x" s
}

# 12345.6 as 12,346.
function thousands(x,    s, out)
{
    s = sprintf("%.0f", x)
    while (length(s) > 3) {
        out = "," substr(s, length(s) - 2) out
        s = substr(s, 1, length(s) - 3)
    }
    return s out
}

# A speed as people read it.
function speed_text(x)
{
    return x >= 100 ? thousands(x) : sprintf("%.3g", x)
}

# Keeps the order of the tiles within a shape.
function add_tile(stage, shape, tile)
{
    if (tile_speed[stage, tile, shape] > 0)
        return
    if (!tiles_at[stage, shape]++)
        shape_of[stage, ++nshapes[stage]] = shape
    listed[stage, shape, tiles_at[stage, shape]] = tile
    if (tiles_at[stage, shape] > tiles_at[stage, fullest[stage]])
        fullest[stage] = shape
}

# The program's order is the one in which --tile=all gave rows: that of the shape that
# has most tiles. A tile that is not among these comes behind the one that it follows
# in its own shape.
function order_tiles(stage,    i)
{
    list_tiles(stage, fullest[stage])
    for (i = 1; i <= nshapes[stage]; i++)
        list_tiles(stage, shape_of[stage, i])
}

function list_tiles(stage, shape,    i, j, place)
{
    place = ntiles[stage]
    for (i = 1; i <= tiles_at[stage, shape]; i++) {
        for (j = 1; j <= ntiles[stage] && tile_name[stage, j] != listed[stage, shape, i]; j++)
            ;
        if (j > ntiles[stage]) {
            for (j = ++ntiles[stage]; j > place + 1; j--)
                tile_name[stage, j] = tile_name[stage, j - 1]
            tile_name[stage, j] = listed[stage, shape, i]
        }
        place = j
    }
}

function add_cube(s,    i)
{
    if (s in known_cube)
        return
    known_cube[s] = 1
    for (i = ++ncubes; i > 1 && cube[i - 1] > s; i--)
        cube[i] = cube[i - 1]
    cube[i] = s
}

function card_row(    stage, shape, tile, g)
{
    stage = csv("stage")
    if (stage !~ /^[1-5]$/)
        return
    stage += 0
    seen[stage] = 1
    g = number(csv("gflops"))
    if (csv("check") != "PASS" || g <= 0)
        return
    tile = csv("tile")
    gsub(/[^A-Za-z0-9_.-]/, "?", tile)
    shape = csv("M") "x" csv("N") "x" csv("K")
    if (shape !~ /^[1-9][0-9]*x[1-9][0-9]*x[1-9][0-9]*$/)
        return
    if (rows++ && csv("device") != device)
        refuse("rows of " device " and of " csv("device") ": want a file for each card")
    if (csv("M") == csv("N") && csv("N") == csv("K"))
        add_cube(csv("M") + 0)
    else if (!known_other[shape]++)
        others[++nothers] = shape
    add_tile(stage, shape, tile)
    tile_speed[stage, tile, shape] = g
    tile_yard[stage, tile, shape] = number(csv("cublas_gflops"))
    if (csv("choice") == "auto") {
        speed[stage, shape] = g
        yard[stage, shape] = number(csv("cublas_gflops"))
        chosen[stage, shape] = tile
        measured[stage] = 1
    }
    device = csv("device")
    sms = csv("sms")
    driver = csv("driver")
    cuda = csv("cuda")
    yardstick = csv("yardstick")
    if (substr(csv("date"), 1, 10) > day)
        day = substr(csv("date"), 1, 10)
    if (number(csv("ffma_gflops")) > 0)
        ffma = number(csv("ffma_gflops"))
    if (number(csv("copy_gbs")) > 0)
        copy = number(csv("copy_gbs"))
    if (number(csv("peak_gflops")) > 0)
        computed_peak = number(csv("peak_gflops"))
}

function traffic_row(    stage, tile)
{
    stage = csv("stage") + 0
    tile = csv("tile")
    if (csv("check") != "PASS" || csv("global_bytes_per_fma") == "")
        return
    global_bytes[stage, tile] = number(csv("global_bytes_per_fma"))
    shared_bytes[stage, tile] = number(csv("shared_bytes_per_fma"))
    store_bytes[stage, tile] = number(csv("ffma")) > 0 ? 32 * csv("global_store_sectors") / csv("ffma") : 0
    traffic_k = csv("K")
    traffic_tile[stage, ++ntraffic[stage]] = tile
    traffic_shape = csv("M") "x" csv("N") "x" csv("K")
}

# The size to speak of: 4096 if any stage has it, else the one that most stages
# have, the largest of these. 0: no cube.
function headline_size(    i, s, n, most, best)
{
    for (i = 1; i <= ncubes; i++) {
        n = 0
        for (s = 1; s <= 5; s++)
            n += (speed[s, cubed(cube[i])] > 0)
        if (n > 0 && (cube[i] == 4096 || (best != 4096 && n >= most))) {
            most = n
            best = cube[i]
        }
    }
    return best + 0
}

# cuBLAS at this shape: as measured beside the highest stage that has it.
function cublas(shape,    s)
{
    for (s = 5; s >= 1; s--)
        if (yard[s, shape] > 0)
            return yard[s, shape]
    return 0
}

# Global bytes a multiply-add at another K: what loads cost does not depend on it,
# the one store of C is shared by all K.
function global_bytes_at(stage, tile, k)
{
    return global_bytes[stage, tile] - store_bytes[stage, tile] * (1 - traffic_k / k)
}

# The tile whose traffic stands for the stage: the one that the card ran at the
# size spoken of, or without such a row the one that asks least of memory. "" if that
# tile's was not counted.
function traffic_of(stage, size,    i, tile, best)
{
    tile = chosen[stage, cubed(size)]
    if (tile != "")
        return (stage, tile) in global_bytes ? tile : ""
    for (i = 1; i <= ntraffic[stage]; i++) {
        tile = traffic_tile[stage, i]
        if (best == "" || global_bytes[stage, tile] < global_bytes[stage, best])
            best = tile
    }
    return best
}

# A file that is no card's: says so, and ends with 1.
function refuse(why)
{
    print FILENAME ": " why >"/dev/stderr"
    exit 1
}

function need_columns(    n, i, names)
{
    n = split("stage tile choice M N K gflops cublas_gflops check device", names, " ")
    for (i = 1; i <= n; i++)
        if (!(names[i] in csv_column))
            refuse("no column " names[i] " in its first line, as make bench writes it")
}

(kind == "card" || kind == "traffic") && FNR == 1 {
    csv_header($0)
    if (kind == "card")
        need_columns()
    next
}
kind == "card" && csv_row($0) { card_row() }
kind == "traffic" && csv_row($0) { traffic_row() }
