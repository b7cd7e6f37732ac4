// The threads of a block: each is a fiber that runs until it has to wait for
// others. The scheduler takes the warps in order, and in a warp the lanes.
#include "sim_internal.h"

#include <stdbool.h>
#include <string.h>

#include "counters.h"
#include "fiber.h"
#include "report.h"

_Thread_local struct sim_worker *sim_self = &(struct sim_worker){.stack_size = UINTPTR_MAX};

// ---------------------------------------------------------------- a thread

struct uint3 sim_thread_idx(void)
{
    return sim_current(sim_self)->idx;
}

struct uint3 sim_block_idx(void)
{
    return sim_self->block_idx;
}

struct uint3 sim_block_dim(void)
{
    return sim_self->launch->block;
}

struct uint3 sim_grid_dim(void)
{
    return sim_self->launch->grid;
}

// Lets others run until this thread may go on.
static void wait_in_state(struct sim_worker *w, enum sim_state state)
{
    struct sim_thread *t = sim_current(w);
    t->state = state;
    sim_switch(&t->sp, w->scheduler_sp);
}

static void run_thread(void)
{
    struct sim_worker *w = sim_self;
    w->launch->thread(w->launch->arguments);
    sim_settle(w);
    sim_trace_event(w, "end", 0, 0);
    sim_copies_end(w);
    wait_in_state(w, SIM_DONE);
}

static void resume(struct sim_worker *w, uint32_t tid)
{
    w->tid = tid;
    w->patience = SIM_PATIENCE;
    w->stack_lo = (uintptr_t)w->stacks + (uintptr_t)(tid + 1) * SIM_STACK_STRIDE - SIM_STACK;
    sim_switch(&w->scheduler_sp, w->threads[tid].sp);
}

_Noreturn void sim_abandon(struct sim_worker *w)
{
    w->abandoned = 1;
    for (;;)
        wait_in_state(w, SIM_DONE);
}

// -------------------------------------------------------------- the barrier

void __syncthreads(void)
{
    struct sim_worker *w = sim_self;
    sim_settle(w);
    sim_current(w)->place = sim_place(__builtin_return_address(0));
    sim_trace_event(w, "barrier", sim_current(w)->place, 0);
    wait_in_state(w, SIM_AT_BARRIER);
}

// What the thread has written, other workers see before what it writes next.
void __threadfence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// Whether two calls are of one place in the source, perhaps copied by the compiler.
static bool same_place(uint32_t a, uint32_t b)
{
    return a == b || strcmp(sim_frames(a), sim_frames(b)) == 0;
}

static void check_barrier(struct sim_worker *w, uint32_t first)
{
    uint32_t place = w->threads[first].place;
    for (uint32_t i = 0; i < w->nthreads; i++) {
        const struct sim_thread *t = &w->threads[i];
        if (t->state == SIM_DONE) {
            if (sim_fault(w, SIM_BARRIER, place, 0))
                sim_say(w, 0, "Every thread of the block must come to the barrier: guard the work "
                        "with an if, not the barrier, and do not return before it.",
                        "%s waits at this barrier, but %s has already left the kernel.",
                        sim_thread_text(w, first).s, sim_thread_text(w, i).s);
            return;
        }
        if (!same_place(t->place, place)) {
            if (sim_fault(w, SIM_BARRIER, place, t->place))
                sim_say(w, 0, "Every thread of the block must come to the same barrier: it cannot "
                        "stand where only some of them pass.",
                        "%s waits at this barrier while %s waits at the one at @.",
                        sim_thread_text(w, first).s, sim_thread_text(w, i).s);
            return;
        }
    }
}

// Every thread of the block waits at a barrier or has ended: lets them go on, as
// a GPU would. Returns 0 when all have ended.
static int release_barrier(struct sim_worker *w)
{
    uint32_t first = w->nthreads, warps = 0;
    for (uint32_t i = w->nthreads; i-- > 0;)
        if (w->threads[i].state == SIM_AT_BARRIER)
            first = i;
    if (first == w->nthreads)
        return 0;
    check_barrier(w, first);
    uint32_t last_warp = UINT32_MAX;
    w->barrier_place = w->threads[first].place;
    for (uint32_t i = 0; i < w->nthreads; i++)
        if (w->threads[i].state == SIM_AT_BARRIER) {
            w->threads[i].state = SIM_READY;
            if (!same_place(w->threads[i].place, w->threads[first].place))
                w->barrier_place = SIM_MIXED;
            warps += i / SIM_WARP != last_warp;
            last_warp = i / SIM_WARP;
        }
    w->barriers += warps;
    w->barrier = ++w->clock;
    return 1;
}

// --------------------------------------------------------- warp operations

static uint32_t lanes_in_warp(const struct sim_worker *w, uint32_t warp)
{
    uint32_t n = w->nthreads - warp * SIM_WARP;
    return n < SIM_WARP ? n : SIM_WARP;
}

// The lane that `lane` reads from; itself where there is none.
static int source_lane(const struct sim_thread *t, int lane)
{
    int first = lane & ~(t->width - 1);   // of its segment
    int last = first + t->width - 1;
    int source = lane;
    switch (t->op) {
    case SIM_SHFL_IDX: source = first + (t->lane & (t->width - 1)); break;
    case SIM_SHFL_UP: source = lane - t->lane; break;
    case SIM_SHFL_DOWN: source = lane + t->lane; break;
    case SIM_SHFL_XOR: source = lane ^ t->lane; break;
    case SIM_SYNCWARP: break;
    }
    if (source > last || (source < first && t->op != SIM_SHFL_XOR))
        return lane;
    return source;
}

// Whether every lane of the mask that is still alive has come to the operation.
static int all_there(const struct sim_thread *lanes, uint32_t n, uint32_t mask)
{
    for (uint32_t i = 0; i < n; i++)
        if ((mask >> i & 1) && lanes[i].state != SIM_DONE &&
            (lanes[i].state != SIM_AT_WARP_OP || lanes[i].mask != mask))
            return 0;
    return 1;
}

static void check_source(struct sim_worker *w, uint32_t warp, const struct sim_thread *t,
                         uint32_t lane, uint32_t source)
{
    const struct sim_thread *from = &w->threads[warp * SIM_WARP + source];
    const char *why = source >= lanes_in_warp(w, warp) ? "this warp does not have"
                      : !(t->mask >> source & 1) ? "is not in the mask"
                      : from->state == SIM_DONE ? "does not execute it" : NULL;
    if (!why)
        return;
    w->tid = warp * SIM_WARP + lane;
    if (sim_fault(w, SIM_SHUFFLE, t->place, 0))
        sim_say(w, 0, "A shuffle reads from lanes that execute it too; from any other the value is "
                "undefined.", "%s (lane %u) reads from lane %u, which %s.",
                sim_thread_text(w, w->tid).s, lane, source, why);
}

static void check_same_op(struct sim_worker *w, const struct sim_thread *t,
                          const struct sim_thread *u)
{
    if (same_place(t->place, u->place))
        return;
    if (sim_fault(w, SIM_WARP_OP, t->place, u->place))
        sim_say(w, 0, "All lanes of the mask must execute the same operation.",
                "%s executes this one while %s, which the mask names too, executes the one at @.",
                sim_thread_text(w, (uint32_t)(t - w->threads)).s,
                sim_thread_text(w, (uint32_t)(u - w->threads)).s);
}

// The lanes of the mask have met, and with each the lanes that it had met.
static void meet(struct sim_thread *lanes, uint32_t mask, uint32_t clock, uint32_t place)
{
    struct sim_meeting met[SIM_WARP] = {{0, 0}};
    for (int i = 0; i < SIM_WARP; i++)
        for (int j = 0; j < SIM_WARP && (mask >> i & 1); j++)
            if (lanes[i].met[j].clock > met[j].clock)
                met[j] = lanes[i].met[j];
    for (int i = 0; i < SIM_WARP; i++)
        if (mask >> i & 1)
            met[i] = (struct sim_meeting){clock, place};
    for (int i = 0; i < SIM_WARP; i++)
        if (mask >> i & 1)
            memcpy(lanes[i].met, met, sizeof met);
}

// All of the mask are there: gives each the value of its source lane, and lets
// them go on.
static void exchange(struct sim_worker *w, uint32_t warp, uint32_t mask)
{
    struct sim_thread *lanes = &w->threads[warp * SIM_WARP];
    uint32_t n = lanes_in_warp(w, warp), running = w->tid;
    uint32_t given[SIM_WARP] = {0};
    const struct sim_thread *first = NULL;
    uint32_t taking_part = 0;
    int full = 1;   // all that live take part
    for (uint32_t i = 0; i < n; i++)
        given[i] = lanes[i].value;
    for (uint32_t i = 0; i < n; i++) {
        struct sim_thread *t = &lanes[i];
        if (t->state == SIM_DONE)
            continue;
        if (!(mask >> i & 1)) {
            full = 0;
            continue;
        }
        int source = source_lane(t, (int)i);
        first = first ? first : t;
        taking_part |= 1u << i;
        check_same_op(w, first, t);
        check_source(w, warp, t, i, (uint32_t)source);
        t->value = given[source];
    }
    if (first && first->op == SIM_SYNCWARP)
        meet(lanes, taking_part, ++w->clock, first->place);
    for (uint32_t i = 0; i < n; i++)
        if (taking_part >> i & 1)
            lanes[i].state = SIM_READY;
    w->tid = running;
    if (full)
        sim_count_live(w, lanes, n);
}

// A lane has come to an operation, or to its end: lets those go on whose operation is
// complete now.
static void complete_warp_op(struct sim_worker *w, uint32_t warp)
{
    const struct sim_thread *lanes = &w->threads[warp * SIM_WARP], *t = sim_current(w);
    const uint32_t n = lanes_in_warp(w, warp);
    if (t->state == SIM_AT_WARP_OP && all_there(lanes, n, t->mask))
        exchange(w, warp, t->mask);
    for (uint32_t i = 0; i < n && t->state == SIM_DONE; i++)
        if (lanes[i].state == SIM_AT_WARP_OP && all_there(lanes, n, lanes[i].mask))
            exchange(w, warp, lanes[i].mask);
}

static void not_in_own_mask(struct sim_worker *w, const struct sim_thread *t)
{
    if (sim_fault(w, SIM_WARP_OP, t->place, 0))
        sim_say(w, 0, "The mask must name every lane that executes the operation.",
                "%s (lane %u) executes it with the mask 0x%08x, in which it is not.",
                sim_thread_text(w, w->tid).s, w->tid % SIM_WARP, t->mask);
    sim_abandon(w);
}

unsigned sim_warp_op(enum sim_shuffle op, unsigned mask, unsigned value, int lane, int width)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    sim_settle(w);
    t->op = op;
    t->mask = mask;
    t->value = value;
    t->lane = lane & (SIM_WARP - 1);   // PTX takes 5 bits of it
    t->width = width;
    t->place = sim_place(__builtin_return_address(0));
    sim_trace_event(w, op == SIM_SYNCWARP ? "syncwarp" : "shuffle", t->place, 0);
    if (!(mask >> w->tid % SIM_WARP & 1))
        not_in_own_mask(w, t);
    wait_in_state(w, SIM_AT_WARP_OP);
    if (w->watch & SIM_COUNT)
        sim_note_step(w, t->place);   // here the lanes' ways begin
    return t->value;
}

// No lane can go on: those that wait at a warp operation do so for ever.
static void check_stuck(struct sim_worker *w, uint32_t warp)
{
    struct sim_thread *lanes = &w->threads[warp * SIM_WARP];
    uint32_t n = lanes_in_warp(w, warp), i = 0, j = 0;
    while (i < n && lanes[i].state != SIM_AT_WARP_OP)
        i++;
    if (i == n)
        return;
    while (j < n && (!(lanes[i].mask >> j & 1) || lanes[j].state == SIM_DONE ||
                     (lanes[j].state == SIM_AT_WARP_OP && lanes[j].mask == lanes[i].mask)))
        j++;
    uint32_t me = warp * SIM_WARP + i, other = warp * SIM_WARP + (j < n ? j : i);
    if (sim_fault(w, SIM_WARP_OP, lanes[i].place, w->threads[other].place))
        sim_say(w, 0, "Every lane that the mask names must come to the operation: this is a "
                "deadlock.", "%s waits here for lane %u of its warp, %s, which waits at @.",
                sim_thread_text(w, me).s, other % SIM_WARP, sim_thread_text(w, other).s);
    w->abandoned = 1;
}

// ---------------------------------------------------------------- the block

static void run_warp(struct sim_worker *w, uint32_t warp)
{
    uint32_t first = warp * SIM_WARP, end = first + lanes_in_warp(w, warp);
    int progress = 1;
    while (progress) {
        progress = 0;
        for (uint32_t i = first; i < end; i++)
            if (w->threads[i].state == SIM_READY) {
                resume(w, i);
                if (w->abandoned)
                    return;
                complete_warp_op(w, warp);
                progress = 1;
            }
    }
    check_stuck(w, warp);
    sim_count_warp(w);
}

static void begin_block(struct sim_worker *w)
{
    const struct sim_launch *launch = w->launch;
    struct uint3 grid = launch->grid;
    w->block_idx.x = (unsigned)(w->block % grid.x);
    w->block_idx.y = (unsigned)(w->block / grid.x % grid.y);
    w->block_idx.z = (unsigned)(w->block / grid.x / grid.y);
    w->block_tag = (uint32_t)w->block + 1;
    w->abandoned = 0;
    w->watch &= ~(uint32_t)SIM_INDEX;   // of a block that was abandoned
    w->barrier_place = 0;
    if (w->clock > UINT32_MAX / 2)
        sim_forget_marks(w);
    w->block_start = w->barrier = ++w->clock;
    sim_poison(w);
    for (uint32_t i = 0; i < w->nthreads; i++) {
        struct sim_thread *t = &w->threads[i];
        t->state = SIM_READY;
        t->sp = sim_fiber(sim_stack_top(w->stacks, i), run_thread);
        t->groups = t->waits = t->wait_place = 0;
    }
}

void sim_run_block(struct sim_worker *w)
{
    begin_block(w);
    sim_trace_block(w);
    do {
        for (uint32_t warp = 0; warp * SIM_WARP < w->nthreads && !w->abandoned; warp++)
            run_warp(w, warp);
    } while (!w->abandoned && release_barrier(w));
    if (w->abandoned)
        for (uint32_t i = 0; i < w->nthreads; i++)
            sim_drop_copies(w, &w->threads[i]);
    sim_count_warp(w);   // what a block that was abandoned has left behind
}
