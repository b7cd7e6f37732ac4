# Writes what the charts of one card need, as files in a folder: facts.gp with what
# all charts say, CHART.gp with the chart's own axes, CHART.dat and CHART.labels
# with numbers and where labels stand. A chart that the data cannot fill gets no
# CHART.gp but a line in `missing`: CHART, a tab, the reason.
# Use: awk -f csv.awk -f rows.awk -f tables.awk dir=DIR/ kind=... FILE...

BEGIN {
    split("micro-kernel,warp,shared memory,register tiles,cp.async", short, ",")
    split("micro-,warp,shared,register,cp.async", first_line, ",")
    split("kernel,16×16,memory,tiles,pipeline", second_line, ",")
}

# A gnuplot string of any text. Names of devices are ASCII; other bytes could
# make an image that no program reads.
function gp(s)
{
    gsub(/[^ -~]/, "?", s)
    gsub(/'/, "''", s)
    return "'" s "'"
}

# Ticks at round numbers from 0 to below top.
function linear_tics(top,    step, x, out)
{
    step = 10 ^ int(log(top) / log(10))
    if (top / step < 1.5)
        step /= 5
    else if (top / step < 3)
        step /= 2
    else if (top / step > 7)
        step *= 2
    for (x = 0; x < top * 0.97; x += step)
        out = out (out ? ", " : "") "\"" speed_text(x) "\" " sprintf("%.6g", x)
    return gp("(" out ")")
}

function log_tics(low, top,    x, out)
{
    for (x = low; x < top * 0.97; x *= 10)
        out = out (out ? ", " : "") "\"" speed_text(x) "\" " sprintf("%.6g", x)
    return gp("(" out ")")
}

# The power of 10 at or below x.
function power_below(x,    p)
{
    for (p = 1; p > x; p /= 10)
        ;
    for (; p * 10 <= x; p *= 10)
        ;
    return p
}

# Moves n label positions y[] apart to at least gap and into [low, high], keeping
# their order and each as near to its place as it can be.
function spread(n, y, gap, low, high,    i, j, pass, order, move)
{
    for (i = 1; i <= n; i++)
        for (j = i; j > 0; j--)
            if (j == 1 || y[order[j - 1]] <= y[i]) {
                order[j] = i
                break
            } else {
                order[j] = order[j - 1]
            }
    for (pass = 0; pass < 200; pass++) {
        if (n > 0 && y[order[n]] > high)
            y[order[n]] = high
        if (n > 0 && y[order[1]] < low)
            y[order[1]] = low
        for (i = n; i > 1; i--) {
            move = gap - (y[order[i]] - y[order[i - 1]])
            if (move <= 0)
                continue
            y[order[i]] += move / 2
            y[order[i - 1]] -= move / 2
        }
    }
}

function missing(chart, reason)
{
    print chart "\t" reason >(dir "missing")
}

# ---- one chart each ---------------------------------------------------------

# Columns: stage GFLOP/s "value" "name" "its second line".
function ladder(size,    s, file, shape, n)
{
    file = dir "ladder.dat"
    shape = cubed(size)
    for (s = 1; s <= 5; s++)
        if (speed[s, shape] > 0) {
            printf "%d %.2f \"%s\" \"%d %s\" \"%s\"\n", s, speed[s, shape], speed_text(speed[s, shape]),
                s, first_line[s], second_line[s] >file
            n++
        } else if (size && measured[s]) {
            missing("note", "stage " s " has no right result at " size ": not in the charts of that size")
        }
    if (n)
        printf "high = %s\ntics = %s\n", ladder_top(), linear_tics(ladder_top()) >(dir "ladder.gp")
    else
        missing("ladder", "no cube has a right result")
}

# A card's part in the comparison: stage, or 0 for cuBLAS, and share of the peak.
function compare(size,    s, shape, g)
{
    shape = cubed(size)
    for (s = 0; s <= 5; s++) {
        g = s ? speed[s, shape] : cublas(shape)
        if (g > 0 && top > 0)
            printf "%d %.2f\n", s, 100 * g / top >(dir "compare.part")
    }
    printf "name = %s\nfile = %s\nsize = %d\npeak = %s\nversions = %s\nday = %s\n", gp(device), gp(ENVIRON["card"]), size,
        gp(size " cube, peak " speed_text(top)), gp("driver " driver ", CUDA " cuda), gp(day) >(dir "compare.name")
}

function ladder_top(    s, h)
{
    h = top
    if (cublas(cubed(size)) > h)
        h = cublas(cubed(size))
    for (s = 1; s <= 5; s++)
        if (speed[s, cubed(size)] > h)
            h = speed[s, cubed(size)]
    return h
}

# Adds the line of stage s to a file, a block of "size GFLOP/s"; s = 0 is cuBLAS as
# measured beside stage `beside`, or beside the highest. Returns its points.
function line(file, s, beside,    i, shape, g, n)
{
    for (i = 1; i <= ncubes; i++) {
        shape = cubed(cube[i])
        g = s ? speed[s, shape] : beside ? yard[beside, shape] : cublas(shape)
        if (g <= 0 || (cube[i] % 128 && even_cubes && cube[i] != size))   # odd sizes have a table
            continue
        print cube[i], g >file
        n++
        end_x[s] = cube[i]
        end_y[s] = g
        if (g > highest)
            highest = g
        if (!lowest || g < lowest)
            lowest = g
        if (!left || cube[i] < left)
            left = cube[i]
        if (cube[i] > right)
            right = cube[i]
    }
    if (!n)
        print "NaN NaN" >file
    printf "\n\n" >file
    return n
}

# The ranges that the lines need, and labels at the lines' ends: size y stage "name".
function axes(chart, first, last, logarithmic,    s, n, at, y, low, high, value, single)
{
    high = top > highest ? top : highest
    low = logarithmic ? power_below(lowest) : 0
    if (logarithmic && low >= high / 10)
        low = high / 100
    single = left == right
    if (single) {
        left /= 2
        right *= 2
    }
    printf "single = %d\nleft = %d\nright = %d\nlow = %s\nhigh = %s\nlogarithmic = %d\ntics = %s\n",
        single, left, right, low, high, logarithmic,
        logarithmic ? log_tics(low, high) : linear_tics(high) >(dir chart ".gp")
    for (s = first; s <= last; s++)
        if (s in end_x) {
            at[++n] = s
            y[n] = logarithmic ? log(end_y[s] / low) / log(high / low) : end_y[s] / high
        }
    if (0 in end_x && first > 0) {
        at[++n] = 0
        y[n] = logarithmic ? log(end_y[0] / low) / log(high / low) : end_y[0] / high
    }
    spread(n, y, 0.066, 0.035, 0.98)
    for (s = 1; s <= n; s++) {
        value = logarithmic ? low * (high / low) ^ y[s] : y[s] * high
        printf "%d %.6g %d \"%s\"\n", end_x[at[s]], value, at[s],
            at[s] ? at[s] " " short[at[s]] : "cuBLAS" >(dir chart ".labels")
    }
}

function reset_line()
{
    split("", end_x)
    split("", end_y)
    highest = lowest = left = right = 0
}

function by_size(    s, n)
{
    reset_line()
    for (s = 0; s <= 5; s++)
        n += line(dir "gflops_by_size.dat", s, 0)
    if (n) {
        axes("gflops_by_size", 1, 5, 0)
        printf "title = %s\n", gp("SGEMM by size") >(dir "gflops_by_size.gp")
    } else {
        missing("gflops_by_size", "no cube has a right result")
    }
}

# This stage and the one before; where both are far below the peak, on a
# logarithmic axis.
function step(s, size,    chart, n, from, to, gain)
{
    chart = "stage" s
    reset_line()
    line(dir chart ".dat", 0, s)
    n = line(dir chart ".dat", s - 1)
    n = line(dir chart ".dat", s) && n
    if (!n) {
        missing(chart, "stages " s - 1 " and " s " do not both have a cube with a right result")
        return
    }
    axes(chart, s - 1, s, end_y[s] < top / 2)
    from = speed[s - 1, cubed(size)]
    to = speed[s, cubed(size)]
    gain = from > 0 && to > 0 ? sprintf("%.3g times", to / from) : ""
    printf "title = %s\ngain = %s\nfrom = %.6g\nto = %.6g\n",
        gp("Stage " s " (" short[s] ") beside stage " s - 1), gp(gain), from, to >(dir chart ".gp")
}

# Where the name of a point begins: to its right; above the slope to its left, since
# the slope would cross it. A letter takes up to 1.65 % of the width; a name to the left
# is written from its start, so that room is left for wider ones.
function name_x(i, at, x, g, left, right)
{
    return g[i] > copy * x[i] ? x[i] / (right / left) ^ (0.016 * length(at[i] " " short[at[i]]) + 0.04) : x[i]
}

# And where it ends.
function name_end(i, at, x, g, left, right)
{
    return name_x(i, at, x, g, left, right) * (right / left) ^ (0.0165 * length(at[i] " " short[at[i]]) - 0.01)
}

# Columns: FLOP/byte GFLOP/s stage; labels: FLOP/byte y stage "name".
function roofline(size,    s, n, i, tile, x, at, y, g, low, high, left, right, xtics, below)
{
    low = 100
    for (s = 1; s <= 5; s++) {
        tile = traffic_of(s, size)
        if (tile == "" || global_bytes[s, tile] <= 0 || !(speed[s, cubed(size)] > 0))
            continue
        at[++n] = s
        x[n] = 2 / global_bytes_at(s, tile, size)
        g[n] = speed[s, cubed(size)]
        while (g[n] < low * 1.5)
            low /= 10
    }
    if (!n || !copy || !ffma) {
        missing("roofline", why_no_roofline())
        return
    }
    high = ladder_top()
    for (i = 1; i <= n; i++) {
        printf "%.6g %.2f %d\n", x[i], g[i], at[i] >(dir "roofline.dat")
        y[i] = log(g[i] / low) / log(high / low)
    }
    spread(n, y, 0.06, 0.04, 0.94)
    # Room on both sides for what is written there.
    left = ffma / copy / 16
    right = ffma / copy
    for (i = 1; i <= n; i++) {
        if (x[i] < left)
            left = x[i]
        if (x[i] > right)
            right = x[i]
    }
    left = power_of_4(left / 1.5)
    right = power_of_4(right * 16)
    below = 0   # where many points lie above the slope, what is said of it stands below
    for (i = 1; i <= n; i++) {
        while (name_x(i, at, x, g, left, right) < left)
            left /= 4
        while (name_end(i, at, x, g, left, right) > right)
            right *= 4
        if (x[i] > 4 && g[i] > copy * x[i])
            below = 1
    }
    for (i = 1; i <= n; i++)
        printf "%.6g %.6g %d \"%d %s\"\n", name_x(i, at, x, g, left, right), low * (high / low) ^ y[i], at[i],
            at[i], short[at[i]] >(dir "roofline.labels")
    for (i = left; i <= right; i *= 4)
        xtics = xtics (xtics ? ", " : "") sprintf(i < 1 ? "\"1/%d\" %g" : "\"%d\" %g", i < 1 ? 1 / i : i, i)
    printf "left = %s\nright = %s\nbelow = %d\nxtics = %s\n", left, right, below, gp("(" xtics ")") >(dir "roofline.gp")
    printf "copy = %s\nlow = %s\nhigh = %s\ntics = %s\ncopy_text = %s\n", copy, low, high,
        log_tics(low, high), gp("copying: " speed_text(copy) " GB/s") >(dir "roofline.gp")
}

# The power of 4 at or below x.
function power_of_4(x,    p)
{
    for (p = 1; p > x; p /= 4)
        ;
    for (; p * 4 <= x; p *= 4)
        ;
    return p
}

function why_no_roofline()
{
    if (!copy || !ffma)
        return "the card's ceilings were not measured"
    return traffic_shape ? "no cube has a right result" : "no traffic was counted: make traffic"
}

# Columns: row stage bytes "text" "name"; the first block is global memory, the
# second shared.
function traffic(size,    s, tile, block, file, b, most, least, text, names)
{
    file = dir "traffic.dat"
    for (block = 1; block <= 2; block++) {
        for (s = 1; s <= 5; s++) {
            tile = traffic_of(s, size)
            if (tile == "")
                continue
            if (s >= 4 && block == 1)
                names = names (names ? ", stage " : "stage ") s " with tile " tile
            b = block == 1 ? global_bytes[s, tile] : shared_bytes[s, tile]
            if (b > most)
                most = b
            if (b > 0 && (!least || b < least))
                least = b
            text = b > 0 ? sprintf("%.3g", b) : "none"
            printf "%d %d %.6g \"%s\" \"%d %s\"\n", s, s, b, text, s, short[s] >file
        }
        printf "\n\n" >file
    }
    printf "most = %s\nleast = %s\nshape = %s\ncaption = %s\n", most + 0, least + 0,
        gp(traffic_shape), gp(names) >(dir "traffic.gp")
}

# Columns: column row part-of-the-best stage chosen "GFLOP/s"; beside it tiles.heads
# and tiles.names, which say what stands above the columns and before the rows.
function tiles(    s, i, c, t, tile, shape, y, best, n, ncols, col, any, file, widest)
{
    file = dir "tiles.dat"
    for (i = 1; i <= ncubes; i++) {
        shape = cubed(cube[i])
        if (tiles_at[4, shape] + tiles_at[5, shape] <= 2)
            continue
        col[++ncols] = cube[i]
        for (s = 4; s <= 5; s++)
            any[s] += tiles_at[s, shape]
    }
    if (!ncols) {
        missing("tiles", "no size was measured with several tiles")
        return
    }
    for (s = 4; s <= 5; s++) {
        if (!any[s])
            continue
        order_tiles(s)
        y++
        for (c = 1; c <= ncols; c++)
            print c, y, s, "\"" col[c] "\"" >(dir "tiles.heads")
        print 0, y, s, "\"" s " " short[s] "\"" >(dir "tiles.heads")
        for (t = 1; t <= ntiles[s]; t++) {
            tile = tile_name[s, t]
            n = 0
            for (c = 1; c <= ncols; c++)
                n += (tile_speed[s, tile, cubed(col[c])] > 0)
            if (!n)
                continue
            y++
            if (length(tile) > widest)
                widest = length(tile)
            print 0, y, s, "\"" tile "\"" >(dir "tiles.names")
            for (c = 1; c <= ncols; c++) {
                shape = cubed(col[c])
                if (!(tile_speed[s, tile, shape] > 0))
                    continue
                best = best_tile(s, shape)
                printf "%d %.1f %.4f %d %d \"%s\"\n", c, y, tile_speed[s, tile, shape] / best, s,
                    (chosen[s, shape] == tile), speed_text(tile_speed[s, tile, shape]) >file
            }
        }
        y += 0.5
    }
    printf "columns = %d\nrows = %.1f\nwidest = %d\n", ncols, y - 0.5, widest >(dir "tiles.gp")
}

function best_tile(s, shape,    t, best)
{
    for (t = 1; t <= ntiles[s]; t++)
        if (tile_speed[s, tile_name[s, t], shape] > best)
            best = tile_speed[s, tile_name[s, t], shape]
    return best
}

END {
    facts = dir "facts.gp"
    size = headline_size()
    top = ffma ? ffma : computed_peak
    name = length(device) > 48 ? substr(device, 1, 47) "..." : device
    printf "card = %s\ncaption = %s\nsize = %d\ntop = %s\ntop_text = %s\ncublas = %s\ncublas_text = %s\n",
        gp(name), gp(name ", " sms " SMs, driver " driver ", CUDA " cuda ", " day), size, top + 0,
        gp(top ? "fp32 peak, " (ffma ? "measured: " : "by its clock: ") speed_text(top) : ""),
        cublas(cubed(size)), gp("cuBLAS " speed_text(cublas(cubed(size)))) >facts
    for (s = 1; s <= 5; s++) {
        for (i = 1; i <= ncubes; i++)
            even_cubes += cube[i] % 128 == 0 && speed[s, cubed(cube[i])] > 0
        if (rows && !measured[s])
            missing("note", "stage " s (seen[s] ? " has no right result" : " was not measured") ": the charts of speed leave it out")
        if (measured[s] && traffic_shape && traffic_of(s, size) == "")
            missing("note", "the traffic of stage " s " was not counted: roofline and traffic leave it out (make traffic)")
    }
    if (ffma && ladder_top() > ffma)
        missing("note", speed_text(ladder_top()) " GFLOP/s at " size " are above the fp32 peak that was measured, " \
            speed_text(ffma) ": was the card busy then? make bench")
    if (rows) {
        ladder(size)
        by_size()
        for (s = 2; s <= 5; s++)
            step(s, size)
        roofline(size)
        compare(size)
        tiles()
    }
    if (traffic_shape)
        traffic(size)
    printf "" >(dir "missing")
}
