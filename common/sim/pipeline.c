// cp.async: copies that land at the wait for their group, not before. Until then
// their destination holds NaN.
#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_pipeline.h"

static struct sim_copy *new_copy(struct sim_thread *t)
{
    if (t->issued == t->room) {
        uint32_t n = t->issued - t->landed;
        if (t->landed > t->room / 2) {
            memmove(t->copies, t->copies + t->landed, n * sizeof *t->copies);
        } else {
            uint32_t room = t->room ? 2 * t->room : 16;
            struct sim_copy *copies = malloc(room * sizeof *copies);
            if (!copies)
                sim_die("out of memory");
            if (n)
                memcpy(copies, t->copies + t->landed, n * sizeof *copies);
            free(t->copies);
            t->copies = copies;
            t->room = room;
        }
        t->landed = 0;
        t->issued = n;
    }
    return &t->copies[t->issued++];
}

void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    uint32_t place = sim_place(__builtin_return_address(0));
    *new_copy(t) = (struct sim_copy){.dst = dst, .src = src, .size = (uint32_t)size,
                                     .zfill = (uint32_t)zfill, .place = place,
                                     .group = t->groups};
    memset(dst, 0xff, size);
}

void __pipeline_commit(void)
{
    sim_current(sim_self)->groups++;
}

void __pipeline_wait_prior(size_t prior)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    for (; t->landed < t->issued; t->landed++) {
        const struct sim_copy *c = &t->copies[t->landed];
        if (c->group + prior >= t->groups)
            break;
        size_t bytes = c->size - c->zfill;
        memcpy(c->dst, c->src, bytes);
        memset(c->dst + bytes, 0, c->zfill);
    }
    if (t->landed == t->issued)
        t->landed = t->issued = 0;
}

void sim_copies_end(struct sim_worker *w)
{
    (void)w;
}
