// Counters: what a GPU would have done. Each lane writes down its accesses and
// the basic blocks that it passes; where the lanes of a warp meet, align.c makes
// the 32 lists into what the warp would have issued, and rules.c says what each
// of these instructions costs.
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "report.h"
#include "rules.h"

enum { ROWS = 1 << 12, SIZE_BITS = 5 };

// One instruction: place, kind and size in one number.
static uint32_t token(uint32_t place, enum sim_kind kind, uint32_t size)
{
    return place << SIM_TID_BITS | (uint32_t)kind << SIZE_BITS | size;
}

static enum sim_kind token_kind(uint32_t t)
{
    return (enum sim_kind)(t >> SIZE_BITS & 7);
}

static uint32_t token_size(uint32_t t)
{
    return t & ((1u << SIZE_BITS) - 1);
}

// The addresses that a lane has used since the lanes last met: one an access,
// two a copy.
struct addresses {
    uintptr_t *a;
    uint32_t n, next, room;
};

struct row {
    uint32_t token;
    struct sim_access_counters c;
};

struct sim_tally {
    struct sim_path paths[SIM_WARP];   // of the lanes of the warp at hand, in tokens
    uint32_t rooms[SIM_WARP];          // of their lists
    struct addresses addresses[SIM_WARP];
    struct sim_graph *graph;           // for aligning them
    struct row rows[ROWS];             // a hash table
};

// All that was counted: of all workers, of all launches since the last reset.
static struct row *total;
static int ntotal;
static unsigned long long total_fmas, total_barriers;
static int counting;

// ----------------------------------------------------------------- recording

static void *grow(void *p, uint32_t *room, size_t size)
{
    *room = *room ? 2 * *room : 256;
    p = realloc(p, *room * size);
    if (!p)
        sim_die("out of memory");
    return p;
}

static void push_token(struct sim_worker *w, uint32_t t)
{
    uint32_t lane = w->tid % SIM_WARP;
    struct sim_path *path = &w->tally->paths[lane];
    if (path->n == w->tally->rooms[lane])
        path->steps = grow(path->steps, &w->tally->rooms[lane], sizeof *path->steps);
    path->steps[path->n++] = t;
}

static void push_address(struct sim_worker *w, uintptr_t a)
{
    struct addresses *list = &w->tally->addresses[w->tid % SIM_WARP];
    if (list->n == list->room)
        list->a = grow(list->a, &list->room, sizeof *list->a);
    list->a[list->n++] = a;
}

void sim_note_step(struct sim_worker *w, uint32_t place)
{
    push_token(w, token(place, SIM_STEP, 0));
}

void sim_note_access(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place)
{
    static const enum sim_kind kinds[2][2] = {{SIM_GLOBAL_LOAD, SIM_GLOBAL_STORE},
                                                {SIM_SHARED_LOAD, SIM_SHARED_STORE}};
    int shared = a - w->shared_lo < w->shared_size;
    if (w->watch & SIM_COUNT) {
        push_token(w, token(place, kinds[shared][write], size));
        push_address(w, a);
    }
    sim_trace_access(w, write ? "store" : "load", place, a, size, 0);
}

void sim_note_copy(struct sim_worker *w, const struct sim_copy *copy)
{
    if (w->watch & SIM_COUNT) {
        push_token(w, token(copy->place, SIM_ASYNC_COPY, copy->size));
        push_address(w, (uintptr_t)copy->dst);
        push_address(w, copy->zfill == copy->size ? 0 : (uintptr_t)copy->src);
    }
    sim_trace_access(w, "issue", copy->place, (uintptr_t)copy->dst, copy->size, copy->group);
    if (copy->zfill < copy->size)
        sim_trace_access(w, "source", copy->place, (uintptr_t)copy->src, copy->size - copy->zfill,
                         copy->group);
}

// ------------------------------------------------------------------ requests

static struct sim_access_counters *row_of(struct sim_tally *tally, uint32_t t)
{
    for (uint32_t i = 0, at = t * 2654435761u >> 20; i < ROWS; i++, at = (at + 1) % ROWS) {
        if (tally->rows[at].token == 0)
            tally->rows[at].token = t;
        if (tally->rows[at].token == t)
            return &tally->rows[at].c;
    }
    sim_die("more than %d instructions access memory", ROWS);
}

static void count_request(struct sim_tally *tally, uint32_t t, const struct sim_request *r)
{
    struct sim_access_counters *c = row_of(tally, t);
    unsigned sectors = 0, wavefronts = 0;
    switch (token_kind(t)) {
    case SIM_GLOBAL_LOAD:
    case SIM_GLOBAL_STORE: sectors = sim_global_sectors(r); break;
    case SIM_SHARED_LOAD: wavefronts = sim_load_wavefronts(r); break;
    case SIM_SHARED_STORE: wavefronts = sim_store_wavefronts(r); break;
    default: sim_async_cost(r, &sectors, &wavefronts); break;
    }
    // A cp.async that only fills up with zeros asks nothing of global memory, and a
    // GPU does not count it.
    c->requests += token_kind(t) != SIM_ASYNC_COPY || sim_reading_lanes(r);
    c->bytes += (unsigned)__builtin_popcount(r->lanes) * r->size;
    c->sectors += sectors;
    c->wavefronts += wavefronts;
    c->ideal += wavefronts ? sim_ideal_wavefronts(r, wavefronts) : 0;
}

// The warp issues the instruction t; its lanes' addresses are the next in their lists.
static void issue(void *context, uint32_t t, uint32_t lanes)
{
    struct sim_tally *tally = context;
    enum sim_kind kind = token_kind(t);
    if (kind == SIM_STEP)
        return;
    struct sim_request r = {.lanes = lanes, .size = token_size(t)};
    for (uint32_t i = 0; i < SIM_WARP; i++) {
        struct addresses *list = &tally->addresses[i];
        if (!(lanes >> i & 1))
            continue;
        r.address[i] = list->a[list->next++];
        if (kind == SIM_ASYNC_COPY)
            r.source[i] = list->a[list->next++];
    }
    count_request(tally, t, &r);
}

void sim_count_warp(struct sim_worker *w)
{
    if (!(w->watch & SIM_COUNT))
        return;
    struct sim_tally *tally = w->tally;
    sim_align(tally->graph, tally->paths, issue, tally);
    for (uint32_t i = 0; i < SIM_WARP; i++) {
        tally->paths[i].n = tally->paths[i].next = 0;
        tally->addresses[i].n = tally->addresses[i].next = 0;
    }
}

// What lanes did that have ended lies before the operation or, where they went round it,
// behind: then no line can be drawn here.
void sim_count_live(struct sim_worker *w, const struct sim_thread *lanes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if ((w->watch & SIM_COUNT) && lanes[i].state == SIM_DONE && w->tally->paths[i].n > 0)
            return;
    sim_count_warp(w);
}

// --------------------------------------------------------------------- totals

void sim_counters(int on)
{
    counting = on;
}

void sim_counters_reset(void)
{
    ntotal = 0;
    total_fmas = total_barriers = 0;
}

uint32_t sim_counting(void)
{
    return counting ? SIM_COUNT : 0;
}

struct sim_tally *sim_new_tally(void)
{
    struct sim_tally *tally = calloc(1, sizeof *tally);
    if (!tally)
        sim_die("out of memory");
    tally->graph = sim_new_graph();
    return tally;
}

static void add(struct sim_access_counters *to, const struct sim_access_counters *c)
{
    to->requests += c->requests;
    to->bytes += c->bytes;
    to->sectors += c->sectors;
    to->wavefronts += c->wavefronts;
    to->ideal += c->ideal;
}

static void add_row(const struct row *row)
{
    int i = 0;
    while (i < ntotal && total[i].token != row->token)
        i++;
    if (i == ntotal) {
        total = realloc(total, (size_t)(ntotal + 1) * sizeof *total);
        if (!total)
            sim_die("out of memory");
        total[ntotal++] = (struct row){.token = row->token};
    }
    add(&total[i].c, &row->c);
}

void sim_gather_counters(struct sim_worker *const *workers, int n)
{
    for (int i = 0; i < n && counting; i++) {
        struct sim_worker *w = workers[i];
        for (int j = 0; j < ROWS; j++)
            if (w->tally->rows[j].token)
                add_row(&w->tally->rows[j]);
        memset(w->tally->rows, 0, sizeof w->tally->rows);
        total_fmas += w->fmas;
        total_barriers += w->barriers;
    }
    for (int i = 0; i < n; i++)
        workers[i]->fmas = workers[i]->barriers = 0;
}

void sim_counters_get(struct sim_counters *c)
{
    *c = (struct sim_counters){.fmas = total_fmas, .barriers = total_barriers};
    struct sim_access_counters *const kinds[SIM_KINDS] = {
        NULL, &c->global_load, &c->global_store, &c->shared_load, &c->shared_store, &c->async};
    for (int i = 0; i < ntotal; i++)
        add(kinds[token_kind(total[i].token)], &total[i].c);
}

// ------------------------------------------------------------------- printing

static const char *const kind_names[SIM_KINDS] = {
    NULL, "global load", "global store", "shared load", "shared store", "cp.async"};

static double per(unsigned long long a, unsigned long long b)
{
    return b ? (double)a / (double)b : 0.0;
}

static uint32_t token_place(uint32_t t)
{
    return t >> SIM_TID_BITS;
}

// Orders "file:line" by file and number; without a line, where debug information is
// missing, by what is there.
static int compare_lines(const char *x, const char *y)
{
    const char *i = strrchr(x, ':'), *j = strrchr(y, ':');
    if (!i || !j || i - x != j - y || strncmp(x, y, (size_t)(i - x)) != 0)
        return strcmp(x, y);
    const long m = strtol(i + 1, NULL, 10), n = strtol(j + 1, NULL, 10);
    return m < n ? -1 : m > n;
}

// The order of the table: by line, caller, kind and size.
static int by_line(const void *a, const void *b)
{
    uint32_t t = ((const struct row *)a)->token, u = ((const struct row *)b)->token;
    uint32_t p = token_place(t), q = token_place(u);
    int order = compare_lines(sim_line(p), sim_line(q));
    if (order == 0)
        order = compare_lines(sim_caller(p), sim_caller(q));
    return order ? order : (int)(t & 0xff) - (int)(u & 0xff);
}

static void put_row(FILE *out, const struct row *row)
{
    enum sim_kind k = token_kind(row->token);
    const struct sim_access_counters *c = &row->c;
    fprintf(out, "%-42s %-12s %3u B %12llu", sim_where(token_place(row->token)).s, kind_names[k],
            token_size(row->token), c->requests);
    if (c->sectors)
        fprintf(out, " %12llu %6.2f", c->sectors, per(c->sectors, c->requests));
    else
        fprintf(out, " %12s %6s", "", "");
    if (c->wavefronts)
        fprintf(out, " %12llu %12llu %6.2f", c->wavefronts, c->ideal, per(c->wavefronts, c->ideal));
    fputc('\n', out);
}

// Instructions of one line, kind and size become one row.
static int merge_lines(struct row *rows, int n)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        if (m > 0 && by_line(&rows[m - 1], &rows[i]) == 0)
            add(&rows[m - 1].c, &rows[i].c);
        else
            rows[m++] = rows[i];
    }
    return m;
}

static void put_table(FILE *out)
{
    struct row *rows = malloc((size_t)(ntotal + 1) * sizeof *rows);
    uint32_t *places = malloc((size_t)(ntotal + 1) * sizeof *places);
    if (!rows || !places)
        sim_die("out of memory");
    for (int i = 0; i < ntotal; i++) {
        rows[i] = total[i];
        places[i] = token_place(total[i].token);
    }
    sim_find_lines(places, ntotal);
    qsort(rows, (size_t)ntotal, sizeof *rows, by_line);
    int n = merge_lines(rows, ntotal);
    fprintf(out, "%-42s %-12s %5s %12s %12s %6s %12s %12s %6s\n", "line", "access", "size",
            "requests", "sectors", "/req", "wavefronts", "ideal", "ways");
    for (int i = 0; i < n; i++)
        put_row(out, &rows[i]);
    free(rows);
    free(places);
}

static void put_summary(FILE *out, const char *name, const struct sim_access_counters *c)
{
    if (!c->requests && !c->wavefronts)
        return;
    fprintf(out, "%-13s %llu requests, %llu bytes", name, c->requests, c->bytes);
    if (c->sectors)
        fprintf(out, ", %llu sectors (%.2f a request)", c->sectors, per(c->sectors, c->requests));
    if (c->wavefronts)
        fprintf(out, ", %llu wavefronts (ideal %llu: bank conflicts cost %.0f %%)", c->wavefronts,
                c->ideal, 100.0 * (per(c->wavefronts, c->ideal) - 1.0));
    fputc('\n', out);
}

void sim_counters_print(FILE *out)
{
    struct sim_counters c;
    sim_counters_get(&c);
    if (ntotal == 0)
        fputs("nothing was counted: no access was made, or the build has no checks (SIM=fast)\n", out);
    else
        put_table(out);
    fprintf(out, "%-13s %llu\n%-13s %llu (warps that passed one)\n", "FMAs", c.fmas, "barriers",
            c.barriers);
    put_summary(out, "global loads", &c.global_load);
    put_summary(out, "global stores", &c.global_store);
    put_summary(out, "shared loads", &c.shared_load);
    put_summary(out, "shared stores", &c.shared_store);
    put_summary(out, "cp.async", &c.async);
    if (c.fmas == 0) {
        fprintf(out, "%-13s -: only a call of fmaf counts as one\n", "bytes an FMA");
        return;
    }
    // what is moved for it, wanted or not: whole sectors and whole wavefronts
    fprintf(out, "%-13s %.3f of global memory, %.3f of shared memory\n", "bytes an FMA",
            per(32 * (c.global_load.sectors + c.global_store.sectors + c.async.sectors), c.fmas),
            per(128 * (c.shared_load.wavefronts + c.shared_store.wavefronts + c.async.wavefronts),
                c.fmas));
}
