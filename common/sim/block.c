// The threads of a block: each is a fiber that runs until it has to wait for
// others. The scheduler takes the warps in order, and in a warp the lanes.
#include "sim_internal.h"

#include <string.h>

#include "fiber.h"

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

static void complete_warp_op(struct sim_worker *w, uint32_t warp);

static void run_thread(void)
{
    struct sim_worker *w = sim_self;
    w->launch->thread(w->launch->arguments);
    sim_copies_end(w);
    sim_current(w)->state = SIM_DONE;
    complete_warp_op(w, w->tid / SIM_WARP);   // nobody need wait for this lane now
    wait_in_state(w, SIM_DONE);
}

static void resume(struct sim_worker *w, uint32_t tid)
{
    w->tid = tid;
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
    sim_current(w)->place = sim_place(__builtin_return_address(0));
    wait_in_state(w, SIM_AT_BARRIER);
}

// Every thread of the block waits at a barrier or has ended: lets them go on.
// Returns 0 when all have ended.
static int release_barrier(struct sim_worker *w)
{
    int waiting = 0;
    for (uint32_t i = 0; i < w->nthreads; i++)
        if (w->threads[i].state == SIM_AT_BARRIER) {
            w->threads[i].state = SIM_READY;
            waiting++;
        }
    w->barrier = ++w->clock;
    return waiting;
}

// --------------------------------------------------------- warp operations

static uint32_t lanes_in_warp(const struct sim_worker *w, uint32_t warp)
{
    uint32_t n = w->nthreads - warp * SIM_WARP;
    return n < SIM_WARP ? n : SIM_WARP;
}

// The lane that `lane` reads from, or itself where there is none.
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

static void exchange(struct sim_worker *w, uint32_t warp, uint32_t mask)
{
    struct sim_thread *lanes = &w->threads[warp * SIM_WARP];
    uint32_t n = lanes_in_warp(w, warp);
    uint32_t given[SIM_WARP];
    for (uint32_t i = 0; i < n; i++)
        given[i] = lanes[i].value;
    int full = 1;
    for (uint32_t i = 0; i < n; i++) {
        struct sim_thread *t = &lanes[i];
        if (!(mask >> i & 1)) {
            full = full && t->state == SIM_DONE;
        } else if (t->state == SIM_AT_WARP_OP) {
            int source = source_lane(t, (int)i);
            full = full && t->op == SIM_SYNCWARP;
            t->value = given[source];
            t->state = SIM_READY;
        }
    }
    if (full)
        w->warp_tick[warp] = ++w->clock;
}

// Lets the lanes go on whose operation is complete.
static void complete_warp_op(struct sim_worker *w, uint32_t warp)
{
    struct sim_thread *lanes = &w->threads[warp * SIM_WARP];
    uint32_t n = lanes_in_warp(w, warp);
    for (uint32_t i = 0; i < n; i++)
        if (lanes[i].state == SIM_AT_WARP_OP && all_there(lanes, n, lanes[i].mask))
            exchange(w, warp, lanes[i].mask);
}

unsigned sim_warp_op(enum sim_shuffle op, unsigned mask, unsigned value, int lane, int width)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    uint32_t warp = w->tid / SIM_WARP;
    t->op = op;
    t->mask = mask;
    t->value = value;
    t->lane = lane;
    t->width = width;
    t->place = sim_place(__builtin_return_address(0));
    t->state = SIM_AT_WARP_OP;
    if (all_there(&w->threads[warp * SIM_WARP], lanes_in_warp(w, warp), mask))
        exchange(w, warp, mask);
    else
        wait_in_state(w, SIM_AT_WARP_OP);
    return t->value;
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
                progress = 1;
            }
    }
}

static void begin_block(struct sim_worker *w)
{
    const struct sim_launch *launch = w->launch;
    struct uint3 grid = launch->grid;
    w->block_idx.x = (unsigned)(w->block % grid.x);
    w->block_idx.y = (unsigned)(w->block / grid.x % grid.y);
    w->block_idx.z = (unsigned)(w->block / grid.x / grid.y);
    w->abandoned = 0;
    w->block_start = w->barrier = ++w->clock;
    for (uint32_t i = 0; i < w->nthreads; i += SIM_WARP)
        w->warp_tick[i / SIM_WARP] = w->clock;
    sim_poison(w);
    for (uint32_t i = 0; i < w->nthreads; i++) {
        struct sim_thread *t = &w->threads[i];
        t->state = SIM_READY;
        t->sp = sim_fiber(sim_stack_top(w->stacks, i), run_thread);
        t->landed = t->issued = t->groups = t->wait_place = 0;
    }
}

void sim_run_block(struct sim_worker *w)
{
    begin_block(w);
    do {
        for (uint32_t warp = 0; warp * SIM_WARP < w->nthreads && !w->abandoned; warp++)
            run_warp(w, warp);
    } while (!w->abandoned && release_barrier(w));
}
