# Copies a README, with the tables between markers made anew:
#   <!-- begin: NAME -->  ...  <!-- end: NAME -->
# Use: awk -f csv.awk -f rows.awk -f readme.awk -v stage=N -v to_plots=PATH
# kind=traffic FILE kind=card FILE kind=tried FILE kind=readme README. N is the
# lesson's number, 0 for the root README; PATH leads from it to plots. NAME is
#   chart    the ladder's picture        ladder   every stage at one size
#   sizes    a stage by size, and the one before it
#   tiles    a stage's tiles at a few sizes
#   shapes   odd sizes and rectangles, and the means
#   notes    the notes' own configuration beside their printed speeds
#   traffic  bytes for each multiply-add, from the simulator
#   tried    the rows of data/tried.csv
# What has no data yet stays as it is. Exit status 2: a marker is wrong.

BEGIN {
    split("4x4 micro-kernel in registers|a warp composes 16x16|tiles in shared memory|register tiles|cp.async pipeline", idea, "|")
    split("01_micro_4x4 02_warp_16x16 03_tiled_shared 04_register_tiled 05_cp_async_pipeline", folder, " ")
}

function cell_speed(x)
{
    return x > 0 ? speed_text(x) : "-"
}

function cell_ratio(x, y, format)
{
    return x > 0 && y > 0 ? sprintf(format, x / y) : "-"
}

function share(x)
{
    return x > 0 && ffma > 0 ? sprintf(x < 0.1 * ffma ? "%.1f %%" : "%.0f %%", 100 * x / ffma) : "-"
}

function where_from(what)
{
    return "\n" what " on " plain(device) " (" sms " SMs), driver " driver ", CUDA " cuda ", " day \
           ", by `make bench`: medians, every result checked in full, cuBLAS in the same run, " \
           (ffma ? "measured fp32 peak " thousands(ffma) " GFLOP/s" : "no measured peak") "."
}

function cubes_text(size)
{
    return size " x " size " x " size
}

# ---- the tables -------------------------------------------------------------

function ladder_table(    size, shape, s, out, c)
{
    size = headline_size()
    if (!size)
        return ""
    shape = cubed(size)
    c = cublas(shape)
    out = "| stage | the idea it adds | GFLOP/s at " size " | x the stage before | x cuBLAS | of the fp32 peak |\n" \
          "| --- | --- | ---: | ---: | ---: | ---: |\n"
    for (s = 1; s <= 5; s++)
        out = out "| [" s "](" folder[s] ") | " idea[s] " | " cell_speed(speed[s, shape]) " | " \
              cell_ratio(speed[s, shape], speed[s - 1, shape], "%.2f") " | " \
              cell_ratio(speed[s, shape], yard[s, shape], "%.3f") " | " share(speed[s, shape]) " |\n"
    return out "| | cuBLAS | " cell_speed(c) " | | | " share(c) " |\n" where_from(cubes_text(size))
}

# What the ladder's chart shows, for those who do not see it.
function ladder_chart(    size, s, out)
{
    size = headline_size()
    if (!size)
        return ""
    for (s = 1; s <= 5; s++)
        if (speed[s, cubed(size)] > 0)
            out = out ", stage " s " " speed_text(speed[s, cubed(size)])
    return "![GFLOP/s at " cubes_text(size) " on " plain(device) out ", cuBLAS " \
           speed_text(cublas(cubed(size))) ", fp32 peak " speed_text(ffma) "](" to_plots "/ladder.svg)"
}

# Without what Markdown would read as its own.
function plain(s)
{
    gsub(/[][<>|*_`\\]/, "", s)
    return s
}

function sizes_table(    i, n, shape, out, s, p)
{
    s = stage
    p = stage - 1
    out = "| M = N = K |" (p ? " stage " p " |" : "") " stage " s " |" (p ? " " s " / " p " |" : "") \
          " cuBLAS | " s " / cuBLAS | of the fp32 peak |\n| ---: |" (p ? " ---: | ---: |" : "") \
          " ---: | ---: | ---: | ---: |\n"
    for (i = 1; i <= ncubes; i++) {
        shape = cubed(cube[i])
        if (!is_power_of_2(cube[i]) || !(speed[s, shape] > 0))
            continue
        n++
        out = out "| " cube[i] " |" (p ? " " cell_speed(speed[p, shape]) " |" : "") " " \
              cell_speed(speed[s, shape]) " |" (p ? " " cell_ratio(speed[s, shape], speed[p, shape], "%.2f") " |" : "") \
              " " cell_speed(yard[s, shape]) " | " cell_ratio(speed[s, shape], yard[s, shape], "%.3f") " | " \
              share(speed[s, shape]) " |\n"
    }
    if (!n)
        return ""
    return out where_from("GFLOP/s")
}

function is_power_of_2(x)
{
    while (x > 1 && x % 2 == 0)
        x /= 2
    return x == 1
}

function tiles_table(    i, t, c, n, ncols, col, shape, out, line, rule, best, far, x)
{
    for (i = 1; i <= ncubes; i++)
        if (tiles_at[stage, cubed(cube[i])] > 1)
            col[++ncols] = cube[i]
    if (!ncols)
        return ""
    order_tiles(stage)
    out = "| tile |"
    rule = "| --- |"
    for (c = 1; c <= ncols; c++) {
        out = out " " col[c] " |"
        rule = rule " ---: |"
    }
    out = out "\n" rule "\n"
    for (t = 1; t <= ntiles[stage]; t++) {
        n = 0
        line = "| `" tile_name[stage, t] "` |"
        for (c = 1; c <= ncols; c++) {
            shape = cubed(col[c])
            x = tile_speed[stage, tile_name[stage, t], shape]
            n += (x > 0)
            if (x > best[c])
                best[c] = x
            line = line " " (chosen[stage, shape] == tile_name[stage, t] ? "**" cell_speed(x) "**" : cell_speed(x)) " |"
        }
        if (n)
            out = out line "\n"
    }
    for (c = 1; c <= ncols; c++)
        if (speed[stage, cubed(col[c])] > 0 && 1 - speed[stage, cubed(col[c])] / best[c] > far)
            far = 1 - speed[stage, cubed(col[c])] / best[c]
    return out where_from("GFLOP/s at M = N = K") " In bold: what the program chooses, " \
           (far < 0.0005 ? "the best at each of these sizes." : sprintf("at most %.1f %% from the best.", 100 * far))
}

# The mean ratio to cuBLAS over a list of shapes, as text.
function mean_text(list, what,    n, i, shapes, sum, count, r, low, at)
{
    n = split(list, shapes, " ")
    for (i = 1; i <= n; i++) {
        if (!(speed[stage, shapes[i]] > 0) || yard[stage, shapes[i]] <= 0)
            continue
        r = speed[stage, shapes[i]] / yard[stage, shapes[i]]
        sum += log(r)
        if (!count++ || r < low) {
            low = r
            at = shapes[i]
        }
    }
    return count ? sprintf("| %s | %d | %.3f | %.3f at %s |\n", what, count, exp(sum / count), low, at) : ""
}

function shapes_table(    i, n, list, shape, out, cubes, odd, other, means, found)
{
    for (i = 1; i <= ncubes; i++)
        if (cube[i] % 128)
            odd = odd " " cubed(cube[i])
        else if (cube[i] >= 256 && cube[i] <= 8192)
            cubes = cubes " " cubed(cube[i])
    for (i = 1; i <= nothers; i++)
        other = other " " others[i]
    out = "| M x N x K | stage " stage " | cuBLAS | ratio | tile |\n| --- | ---: | ---: | ---: | --- |\n"
    n = split(odd other, list, " ")
    for (i = 1; i <= n; i++) {
        shape = list[i]
        if (!(speed[stage, shape] > 0))
            continue
        found = 1
        out = out "| " shape " | " cell_speed(speed[stage, shape]) " | " cell_speed(yard[stage, shape]) " | " \
                  cell_ratio(speed[stage, shape], yard[stage, shape], "%.3f") " | `" chosen[stage, shape] "` |\n"
    }
    if (!found)
        return ""
    means = mean_text(cubes, "cubes from 256 to 8192") mean_text(odd, "cubes of no multiple of 128") mean_text(other, "rectangles")
    return out "\n| stage " stage " / cuBLAS | shapes | geometric mean | lowest |\n| --- | ---: | ---: | --- |\n" means \
           where_from("GFLOP/s")
}

# The notes' gemm_tiled_test: what they printed, on a card that they do not name.
function notes_table(    t, i, tile, sizes, printed, n, shape, out, found)
{
    order_tiles(4)
    for (t = 1; t <= ntiles[4]; t++)
        if (tile_name[4, t] ~ /^64x64x16.*16x4/)
            tile = tile_name[4, t]
    n = split("1024 2048", sizes, " ")
    split("2173.17 2913.48", printed, " ")
    out = "| M = N = K | the notes, on their card | `./stage4 --tile=" tile "` | the tile stage 4 chooses |\n" \
          "| ---: | ---: | ---: | ---: |\n"
    for (i = 1; i <= n; i++) {
        shape = cubed(sizes[i])
        if (!(tile_speed[4, tile, shape] > 0))
            continue
        found = 1
        out = out "| " sizes[i] " | " printed[i] " | " sprintf("%.2f", tile_speed[4, tile, shape]) " | " \
              (speed[4, shape] > 0 ? sprintf("%.2f", speed[4, shape]) : "-") " |\n"
    }
    return found ? out where_from("GFLOP/s") : ""
}

function traffic_table(    s, tile, out, names)
{
    if (!traffic_shape)
        return ""
    out = "| stage | tile | global memory | shared memory |\n| --- | --- | ---: | ---: |\n"
    for (s = 1; s <= 5; s++) {
        tile = traffic_of(s, headline_size())
        if (tile != "")
            out = out sprintf("| %d | `%s` | %.4g | %.4g |\n", s, tile, global_bytes[s, tile], shared_bytes[s, tile])
    }
    return out "\nBytes for each multiply-add, counted by the simulator at " traffic_shape " (`make traffic`)."
}

# -----------------------------------------------------------------------------

function table(name)
{
    if (name == "traffic")
        return traffic_table()
    if (name == "tried") {
        sub(/\n$/, "", tried)
        return tried
    }
    if (name == "chart")
        return ladder_chart()
    if (name == "ladder")
        return ladder_table()
    if (name == "notes")
        return notes_table()
    if (name !~ /^(sizes|tiles|shapes)$/)
        wrong("no table is named " name)
    if (!stage)
        wrong(name " is for a lesson, in a folder 0N_...")
    return name == "sizes" ? sizes_table() : name == "tiles" ? tiles_table() : shapes_table()
}

function wrong(what)
{
    print FILENAME ":" FNR ": " what >"/dev/stderr"
    failed = 1
    exit 2
}

# Any table, as it stands in its file.
kind == "tried" {
    n = csv_split($0, field)
    if (FNR == 1)
        columns = n
    if (n != columns)
        wrong(n " fields, where the first line has " columns)
    for (i = 1; i <= n; i++) {
        gsub(/\|/, "\\|", field[i])
        tried = tried "| " field[i] " "
        rule = rule "| --- "
    }
    tried = tried "|\n" (FNR == 1 ? rule "|\n" : "")
    next
}
kind == "readme" && /^<!-- (begin|end): [a-z]+ -->$/ {
    if ($2 == "begin:") {
        if (inside)
            wrong("begin: " $3 " inside " inside)
        inside = $3
        made = table(inside)
        print
        if (made)
            print "\n" made "\n"
    } else {
        if ($3 != inside)
            wrong("end: " $3 " without its begin")
        print
        inside = made = ""
    }
    next
}
kind == "readme" && !(inside && made) { print }
END {
    if (inside && !failed) {
        print FILENAME ": begin: " inside " has no end" >"/dev/stderr"
        exit 2
    }
    if (failed)
        exit 2
}
