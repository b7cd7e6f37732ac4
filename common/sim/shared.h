// The rules of shared memory, for every access: see shared.c.
#ifndef SIM_SHARED_H
#define SIM_SHARED_H

#include "sim_internal.h"

#define SIM_LIKELY(x) __builtin_expect(!!(x), 1)

// The slow ways: what an access that is not plainly right does wrong. Return 0
// if it is right after all.
int sim_read_fault(struct sim_worker *w, struct sim_word *word, uintptr_t a, uint32_t place);
int sim_write_fault(struct sim_worker *w, struct sim_word *word, uintptr_t a, uint32_t place,
                    int async);

// An access of less than a word: whether the word is inside an array, no more.
void sim_shared_part(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place);

static inline struct sim_word *sim_word_at(struct sim_worker *w, uintptr_t a)
{
    return &w->words[(a - w->shared_lo) / 4];
}

// Checks and notes a read of `size` bytes at a. The first fault stands for all.
static inline void sim_shared_read(struct sim_worker *w, uintptr_t a, uint32_t size, uint32_t place)
{
    struct sim_mark mark = {w->clock, sim_who(place, w->tid)};
    int fault = 0;
    for (uint32_t i = 0; i < (size + 3) / 4; i++) {
        struct sim_word *word = sim_word_at(w, a) + i;
        // written in this block, before its last barrier
        if (!SIM_LIKELY(word->odd == 0 && word->write.stamp - w->block_start <
                                              w->barrier - w->block_start) && !fault)
            fault = sim_read_fault(w, word, a + 4 * i, place);
        if (sim_who_tid(word->read[0].who) != w->tid)
            word->read[1] = word->read[0];
        word->read[0] = mark;
    }
}

static inline void sim_shared_write(struct sim_worker *w, uintptr_t a, uint32_t size,
                                    uint32_t place)
{
    struct sim_mark mark = {w->clock, sim_who(place, w->tid)};
    int fault = 0;
    for (uint32_t i = 0; i < (size + 3) / 4; i++) {
        struct sim_word *word = sim_word_at(w, a) + i;
        if (!SIM_LIKELY(word->odd == 0 && word->write.stamp < w->barrier &&
                        word->read[0].stamp < w->barrier && word->read[1].stamp < w->barrier) &&
            !fault)
            fault = sim_write_fault(w, word, a + 4 * i, place, 0);
        word->write = mark;
        word->landed = 0;
    }
}

#endif
