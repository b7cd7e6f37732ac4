// cp.async: copies that land at the wait for their group, not before. Until then
// their destination holds NaN.
#include "sim_internal.h"

#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "cuda_pipeline.h"
#include "report.h"
#include "shared.h"

// Copies of a thread under way: more than the words of shared memory.
enum { TOO_MANY = 1 << 16 };

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

// What is wrong with the call itself, or NULL.
static const char *misuse(const struct sim_worker *w, uintptr_t dst, uintptr_t src, size_t size,
                          size_t zfill)
{
    if (size != 4 && size != 8 && size != 16)
        return "its size is not 4, 8 or 16 bytes";
    if (zfill > size)
        return "it fills up more bytes than it copies";
    if (dst - w->shared_lo >= w->shared_size)
        return "its destination is not in shared memory";
    if (dst % size)
        return "its destination is not aligned to its size";
    if (zfill < size && src - w->shared_lo < w->shared_size)
        return "its source is not in global memory";
    if (zfill < size && src % size)
        return "its source is not aligned to its size";
    return NULL;
}

static void check_copy(struct sim_worker *w, const struct sim_copy *c)
{
    uintptr_t dst = (uintptr_t)c->dst, src = (uintptr_t)c->src;
    if (w->watch & SIM_INDEX)
        sim_index_used(w, dst, c->place);
    const char *why = misuse(w, dst, src, c->size, c->zfill);
    if (why) {
        if (sim_fault(w, SIM_COPY, c->place, 0))
            sim_say(w, 0, "A GPU would end the kernel with an error, or refuse to compile it.",
                    "%s issues a cp.async of %u bytes to %s, but %s.",
                    sim_thread_text(w, w->tid).s, c->size,
                    dst - w->shared_lo < w->shared_size ? sim_shared_text(w, dst).s : "elsewhere",
                    why);
        sim_abandon(w);
    }
    const struct sim_thread *t = sim_current(w);
    if (t->issued - t->landed >= TOO_MANY) {
        if (sim_fault(w, SIM_COPY, c->place, 0))
            sim_say(w, 0, "Its loop does not end, or a wait is missing in it.",
                    "%s has %d copies under way, more than shared memory has words.",
                    sim_thread_text(w, w->tid).s, TOO_MANY);
        sim_abandon(w);
    }
    if (c->zfill < c->size)
        sim_global_check(w, src, c->size - c->zfill, 0, c->place);
    if (w->watch & (SIM_COUNT | SIM_TRACE))
        sim_note_copy(w, c);
}

void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    struct sim_copy copy = {.dst = dst, .src = src, .size = (uint32_t)size,
                            .zfill = (uint32_t)zfill,
                            .place = sim_place(__builtin_return_address(0)), .group = t->groups};
    if (w->launch->checked) {
        check_copy(w, &copy);
        sim_shared_issue(w, &copy);
    }
    *new_copy(t) = copy;
    memset(dst, 0xff, size);
}

void __pipeline_commit(void)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    sim_trace_event(w, "commit", sim_place(__builtin_return_address(0)), t->groups);
    t->groups++;
}

void __pipeline_wait_prior(size_t prior)
{
    struct sim_worker *w = sim_self;
    struct sim_thread *t = sim_current(w);
    t->wait_place = sim_place(__builtin_return_address(0));
    t->wait_groups = t->groups;
    t->wait_prior = (uint32_t)prior;
    t->waits++;
    sim_trace_event(w, "wait", t->wait_place, prior);
    for (; t->landed < t->issued; t->landed++) {
        const struct sim_copy *c = &t->copies[t->landed];
        if (c->group + prior >= t->groups)
            break;
        size_t bytes = c->size - c->zfill;
        memcpy(c->dst, c->src, bytes);
        memset(c->dst + bytes, 0, c->zfill);
        if (w->launch->checked)
            sim_shared_land(w, c);
        sim_trace_access(w, "land", c->place, (uintptr_t)c->dst, c->size, c->group);
    }
    if (t->landed == t->issued)
        t->landed = t->issued = 0;
}

void sim_copies_end(struct sim_worker *w)
{
    struct sim_thread *t = sim_current(w);
    if (t->landed < t->issued && w->launch->checked) {
        const struct sim_copy *c = &t->copies[t->landed];
        if (sim_fault(w, SIM_NO_WAIT, c->place, 0))
            sim_say(w, 0, c->group == t->groups
                    ? "A __pipeline_commit() is missing behind it, or both that and a "
                      "__pipeline_wait_prior(0)."
                    : "A __pipeline_wait_prior(0) is missing before the end of the kernel, or the "
                      "copy is one too many.",
                    "%s leaves the kernel without having waited for its copy to %s.",
                    sim_thread_text(w, w->tid).s, sim_shared_text(w, (uintptr_t)c->dst).s);
    }
    sim_drop_copies(w, t);
}

void sim_drop_copies(struct sim_worker *w, struct sim_thread *t)
{
    for (; t->landed < t->issued; t->landed++) {
        const struct sim_copy *c = &t->copies[t->landed];
        for (uint32_t i = 0; i < c->size / 4 && w->launch->checked; i++)
            sim_word_at(w, (uintptr_t)c->dst)[i].odd--;
    }
    t->landed = t->issued = 0;
}
