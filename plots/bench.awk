# The bookkeeping of bench.sh, one mode a call; use it with -f csv.awk before.
#
#   plan   stdin: lines of stages, tiles, sizes -> "STAGE KIND MxNxK" in the order
#          of measuring. -v only=SIZES keeps these and adds what the lines lack.
#   card   the card's CSV -> its name in words, the file's name, peak, bandwidth
#   clean  the header and the rows of a file, if it has this header, that are whole
#          and of this card. -v stale=STAGES leaves these stages out, -v again=1
#          the rows without speed
#   todo   of the plan, what the rows lack -> "STAGE KIND MxNxK ROWS MILLISECONDS"
#   error  rows without speed for what a program left out of STAGE KIND MxNxK
#   say    a row in words
#   join   rows of several files in order, each measurement once, the last
# Files: kind=card, kind=tiles (STAGE NAME), kind=rows, kind=plan.

function normal(size)
{
    return size ~ /x/ ? size : size "x" size "x" size
}

# ---- plan -------------------------------------------------------------------

function plan_line(    i, s, stage)
{
    for (i = 3; i <= NF; i++)
        for (s = 1; s <= length($1); s++) {
            stage = substr($1, s, 1)
            add_plan(stage, $2, normal($i))
        }
}

function add_plan(stage, tiles, shape)
{
    if ((stage, tiles, shape) in planned)
        return
    planned[stage, tiles, shape] = 1
    listed[shape] = 1
    plan[++nplan] = stage " " tiles " " shape
}

# Shapes with all tiles come last in a stage: they are the same program, started
# again. All tiles are the chosen one too.
function print_plan(    i, n, sizes, shape, wanted, stage, f, pass)
{
    n = split(only, sizes, / +/)
    for (i = 1; i <= n; i++) {
        if (sizes[i] == "")
            continue
        shape = normal(sizes[i])
        wanted[shape] = 1
        narrowed = 1
        if (!(shape in listed))
            for (stage = 1; stage <= 5; stage++)
                add_plan(stage, "auto", shape)
    }
    for (stage = 1; stage <= 5; stage++)
        for (pass = 1; pass <= 2; pass++)
            for (i = 1; i <= nplan; i++) {
                split(plan[i], f, " ")
                if (f[1] != stage || f[2] != (pass == 1 ? "auto" : "all"))
                    continue
                if (narrowed && !(f[3] in wanted))
                    continue
                if (f[2] == "auto" && ((stage, "all", f[3]) in planned))
                    continue
                print plan[i]
            }
}

# ---- rows -------------------------------------------------------------------

function same_card()
{
    return csv("device") == device && csv("driver") == driver && csv("cuda") == cuda
}

function take_card()
{
    csv_row($0)
    device = csv("device")
    driver = csv("driver")
    cuda = csv("cuda")
    sms = csv("sms")
    ffma = csv("ffma_gflops")
    copy = csv("copy_gbs")
}

function print_card(    name)
{
    name = tolower(device)
    gsub(/[^a-z0-9]+/, "_", name)
    gsub(/^_|_$/, "", name)
    print device ", driver " driver ", CUDA " cuda
    print name ? name : "gpu"
    print ffma
    print copy
}

function row_shape()
{
    return csv("M") "x" csv("N") "x" csv("K")
}

function is_done(stage, tiles, shape,    i)
{
    if (tiles == "auto" || !ntiles[stage])
        return (stage, shape) in have_auto
    for (i = 1; i <= ntiles[stage]; i++)
        if (!((stage, tile[stage, i], shape) in have))
            return 0
    return 1
}

# About how long one row takes: the repetitions that common/ makes, cuBLAS beside
# them, and the host's part for inputs and check. Parts of the peak are a guess
# that only this estimate uses.
function row_ms(stage, shape,    d, flop, t, c, reps)
{
    split(shape, d, "x")
    split("0.006 0.06 0.18 0.6 0.75", part, " ")
    flop = 2 * d[1] * d[2] * d[3]
    t = 0.01 + flop / (part[stage] * peak * 1e6)
    c = 0.01 + flop / (0.7 * peak * 1e6)
    reps = 150 / t
    if (reps > 1000)
        reps = 1000
    if (reps < 11)
        reps = 11
    if (reps * t > 2000)
        reps = int(2000 / t) + 1
    if (reps < 3)
        reps = 3
    return 100 + (reps + 3) * (t + c) + 1e-5 * (d[1] * d[3] + d[3] * d[2] + 2 * d[1] * d[2])
}

function print_todo(    n)
{
    if (is_done($1, $2, $3))
        return
    n = $2 == "all" && ntiles[$1] ? ntiles[$1] : 1
    printf "%s %s %s %d %.0f\n", $1, $2, $3, n, row_ms($1, $3)
}

# Rows for what is not there, with everything known but a speed.
function print_errors(stage, tiles, shape,    i)
{
    if (tiles == "auto" || !ntiles[stage]) {
        if (!((stage, shape) in have_auto))
            print error_row(stage, "auto", "auto", shape)
        return
    }
    for (i = 1; i <= ntiles[stage]; i++)
        if (!((stage, tile[stage, i], shape) in have))
            print error_row(stage, tile[stage, i], "named", shape)
}

function error_row(stage, name, choice, shape,    d, i, n, f, row, value)
{
    split(shape, d, "x")
    value["stage"] = stage
    value["backend"] = "cuda"
    value["device"] = device
    value["tile"] = name
    value["choice"] = choice
    value["M"] = d[1]
    value["N"] = d[2]
    value["K"] = d[3]
    value["check"] = "ERROR"
    value["sms"] = sms
    value["driver"] = driver
    value["cuda"] = cuda
    value["date"] = date
    n = csv_split(header, f)
    for (i = 1; i <= n; i++)
        row = row (i > 1 ? "," : "") csv_quote(value[f[i]])
    return row
}

function has_speed()
{
    return csv("check") == "PASS" && csv("gflops") > 0
}

function say(    d, shape)
{
    split(row_shape(), d, "x")
    shape = d[1] == d[2] && d[2] == d[3] ? d[1] : row_shape()
    printf "stage %s  %-17s %-20s ", csv("stage"), shape, csv("tile")
    if (has_speed())
        printf "%9.0f GFLOP/s  %.3f x cuBLAS\n", csv("gflops"), csv("ratio")
    else
        printf "no speed: %s\n", csv("check")
}

# ---- join -------------------------------------------------------------------

function keep(line,    id, stage, shape)
{
    stage = csv("stage")
    shape = row_shape()
    id = stage " " csv("tile") " " shape
    if (csv("choice") == "auto") {
        if (auto[auto_id[stage, shape]])   # unless a run since then has it by its name
            delete text[auto_id[stage, shape]]
        auto_id[stage, shape] = id
    }
    if (!(id in position)) {
        position[id] = ++nrows
        ids[nrows] = id
    }
    text[id] = line
    auto[id] = csv("choice") == "auto"
    order[id] = sprintf("%s %d %020.0f %s %03d", stage, csv("M") != csv("N") || csv("N") != csv("K"),
                        csv("M") * csv("N") * csv("K"), shape, rank[stage, csv("tile")])
}

function print_rows(    i, j, n, sorted)
{
    for (i = 1; i <= nrows; i++) {
        if (!(ids[i] in text))
            continue
        for (j = ++n; j > 1 && order[sorted[j - 1]] > order[ids[i]]; j--)
            sorted[j] = sorted[j - 1]
        sorted[j] = ids[i]
    }
    for (i = 1; i <= n; i++)
        print text[sorted[i]]
}

# -----------------------------------------------------------------------------

mode == "plan" {
    if (NF)
        plan_line()
    next
}
mode == "say" {
    csv_header(header)
    if (csv_row($0))
        say()
    next
}
kind == "tiles" { tile[$1, ++ntiles[$1]] = $2; rank[$1, $2] = ntiles[$1]; next }
kind == "plan" { print_todo(); next }
FNR == 1 {
    csv_header($0)
    wanted_header = $0 == header
    if (kind == "rows" && ((mode == "clean" && wanted_header) || (mode == "join" && !printed++)))
        print
    next
}
kind == "card" { take_card(); next }
!csv_row($0) { next }
mode == "clean" {
    if (wanted_header && same_card() && !index(" " stale " ", " " csv("stage") " ") && (!again || has_speed()))
        print
    next
}
mode == "join" { keep($0); next }
{
    have[csv("stage"), csv("tile"), row_shape()] = 1
    if (csv("choice") == "auto")
        have_auto[csv("stage"), row_shape()] = 1
}

END {
    if (mode == "plan")
        print_plan()
    if (mode == "card")
        print_card()
    if (mode == "error")
        print_errors(stage, tiles, shape)
    if (mode == "join")
        print_rows()
}
