// The rules of shared memory, for every access: see shared.c.
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include "sim_internal.h"

#define SIM_LIKELY(x) __builtin_expect(!!(x), 1)

static inline struct sim_word *sim_word_at(struct sim_worker *w, uintptr_t a)
{
    return &w->words[(a - w->shared_lo) / 4];
}

// Checks and notes any access of `size` bytes.
void sim_shared_access(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place);

// What a cp.async does to the words of its destination.
void sim_shared_issue(struct sim_worker *w, const struct sim_copy *copy);
void sim_shared_land(struct sim_worker *w, const struct sim_copy *copy);

// Most accesses are of 4 bytes and plainly right: notes those, and returns 0 for others.
static inline int sim_shared_quick(struct sim_worker *w, uintptr_t a, int write, uint32_t place)
{
    struct sim_word *word = sim_word_at(w, a);
    struct sim_mark mark = {w->clock, sim_who(place, w->tid)};
    if (!SIM_LIKELY(word->odd == 0))
        return 0;
    if (write) {
        // nobody has been here since the last barrier
        if (!SIM_LIKELY(word->write.stamp < w->barrier && word->read[0].stamp < w->barrier &&
                        word->read[1].stamp < w->barrier))
            return 0;
        word->write = mark;
        word->landed = 0;
    } else {
        // written in this block, before its last barrier
        if (!SIM_LIKELY(word->write.stamp - w->block_start < w->barrier - w->block_start))
            return 0;
        if (sim_who_tid(word->read[0].who) != w->tid)
            word->read[1] = word->read[0];
        word->read[0] = mark;
    }
    return 1;
}

#endif
