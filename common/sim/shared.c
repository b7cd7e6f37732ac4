// The rules of shared memory: written before it is read, and no two threads at
// one word, one of them writing, without a barrier between.
//
// Each word remembers its last writer and its last two different readers. A
// mark is ordered before the running thread if it is the thread's own, if a
// block barrier has passed since, or if both threads are in one warp and have
// met at a __syncwarp() since. Clocks only grow, so nothing is cleared between blocks:
// what is older than the block counts as never written.
#include "shared.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static int ordered(const struct sim_worker *w, struct sim_mark m)
{
    uint32_t t = sim_who_tid(m.who);
    return m.stamp < w->barrier || t == w->tid ||
           (t / SIM_WARP == w->tid / SIM_WARP && m.stamp < sim_current(w)->met[t % SIM_WARP].clock);
}

static int by_async(const struct sim_word *word)
{
    return word->landed == word->write.stamp;
}

// What ordered the two threads last: a barrier or, in one warp, a __syncwarp; or 0.
static uint32_t last_ordered(const struct sim_worker *w, uint32_t other)
{
    const struct sim_meeting met = sim_current(w)->met[other % SIM_WARP];
    return other / SIM_WARP == w->tid / SIM_WARP && met.clock > w->barrier ? met.place : w->barrier_place;
}

static void race(struct sim_worker *w, uintptr_t a, uint32_t place, const char *mine,
                 struct sim_mark m, const char *theirs, const char *missing)
{
    uint32_t other = sim_who_place(m.who), t = sim_who_tid(m.who), last = last_ordered(w, t);
    if (sim_fault(w, SIM_RACE, place, other))
        sim_say(w, last == SIM_MIXED ? 0 : last, missing, "%s %s %s, which %s %s at @, %s.",
                sim_thread_text(w, w->tid).s, mine, sim_shared_text(w, a).s,
                sim_thread_text(w, t).s, theirs,
                last == SIM_MIXED ? "both after barriers that not all threads came to, with no other on the way"
                : last ? "both after the barrier at # with no other on the way, be it round a loop"
                     : "both after the start of the block with no barrier between");
}

static const char *what_separates(const struct sim_worker *w, struct sim_mark m, const char *block,
                                  const char *warp)
{
    return sim_who_tid(m.who) / SIM_WARP == w->tid / SIM_WARP ? warp : block;
}

static void read_race(struct sim_worker *w, const struct sim_word *word, uintptr_t a, uint32_t place)
{
    const char *missing = what_separates(
        w, word->write,
        "No __syncthreads() separates this read from that write.",
        "No __syncthreads() separates this read from that write, nor, as the two threads are in "
        "one warp, a __syncwarp().");
    if (by_async(word))
        missing = "A wait covers only the thread's own copies: a __syncthreads() must follow it "
                  "before other threads read. And one must follow the reads before the place is "
                  "filled anew.";
    race(w, a, place, "reads", word->write, by_async(word) ? "copies to by cp.async" : "writes",
         missing);
}

static void outside(struct sim_worker *w, uintptr_t a, uint32_t place, const char *does)
{
    if (sim_fault(w, SIM_INDEX_OUTSIDE, place, 0))
        sim_say(w, 0, "An index or a pointer is too large or negative.",
                "%s %s shared memory %s.", sim_thread_text(w, w->tid).s, does,
                sim_shared_text(w, a).s);
    sim_abandon(w);
}

// ---------------------------------------------------------------- cp.async

// The copy under way to this word; the word's last writer has issued it.
static const struct sim_copy *copy_to(const struct sim_thread *t, uintptr_t a)
{
    for (uint32_t i = t->issued; i > t->landed; i--) {
        const struct sim_copy *c = &t->copies[i - 1];
        if (a - (uintptr_t)c->dst < c->size)
            return c;
    }
    return NULL;
}

// Why the copy has not landed: t issued it, me is the thread that touches its destination,
// with a copy of its own or not; issued_before: a barrier, or being one thread, orders the two.
static struct sim_text why_under_way(const struct sim_thread *t, const struct sim_thread *me,
                                     const struct sim_copy *c, bool async, bool issued_before)
{
    struct sim_text why = {"No wait has covered that copy yet."};
    if (c && c->group == t->groups && async)
        snprintf(why.s, sizeof why.s, "Two copies into one place: which one stays is chance. One has "
                 "a wrong index, or the first one needs its commit and wait before the other.");
    else if (c && c->group == t->groups && issued_before)
        snprintf(why.s, sizeof why.s, "The copy belongs to no group yet: __pipeline_commit() is "
                 "missing, or comes too late.");
    else if (c && me->waits > t->waits)
        snprintf(why.s, sizeof why.s, "The one thread has waited already, the other has yet to: a "
                 "__syncthreads() must follow the wait before other threads' copies are used.");
    else if (c && !issued_before)
        snprintf(why.s, sizeof why.s, "No __syncthreads() separates the two: the slot is refilled while "
                 "others still read it, or read before its wait and barrier.");
    else if (c && t->waits && c->group < t->wait_groups)
        snprintf(why.s, sizeof why.s, "The wait at # lets the %u newest groups run on, and the copy "
                 "is in one of them: too many, or a commit is missing, or this is the wrong slot.",
                 t->wait_prior);
    else if (c)
        snprintf(why.s, sizeof why.s, "No __pipeline_wait_prior() has followed the commit of that "
                 "copy.");
    return why;
}

static void under_way(struct sim_worker *w, const struct sim_word *word, uintptr_t a,
                      uint32_t place, const char *does, bool async)
{
    uint32_t tid = sim_who_tid(word->write.who);
    const struct sim_thread *t = &w->threads[tid];
    if (sim_fault(w, SIM_UNDER_WAY, place, sim_who_place(word->write.who)))
        sim_say(w, t->wait_place, why_under_way(t, sim_current(w), copy_to(t, a), async,
                                             ordered(w, word->write)).s,
                "%s %s %s while a cp.async into it is under way, issued by %s at @.",
                sim_thread_text(w, w->tid).s, does, sim_shared_text(w, a).s,
                sim_thread_text(w, tid).s);
}

// -------------------------------------------------------------------- rules

static int read_fault(struct sim_worker *w, struct sim_word *word, uintptr_t a, uint32_t place)
{
    if (word->odd & SIM_OUTSIDE)
        outside(w, a, place, "reads");
    if (word->odd) {
        under_way(w, word, a, place, "reads", false);
        return 1;
    }
    if (word->write.stamp < w->block_start) {
        if (sim_fault(w, SIM_UNWRITTEN, place, 0))
            sim_say(w, 0, "Shared memory holds garbage at first. Is a __syncthreads() missing between "
                    "the writes and this read, or does nobody write this element?",
                    "%s reads %s, which no thread of the block has written yet.",
                    sim_thread_text(w, w->tid).s, sim_shared_text(w, a).s);
        return 1;
    }
    if (ordered(w, word->write))
        return 0;
    read_race(w, word, a, place);
    return 1;
}

static int write_fault(struct sim_worker *w, struct sim_word *word, uintptr_t a, uint32_t place,
                       bool async)
{
    const char *does = async ? "copies by cp.async to" : "writes";
    if (word->odd & SIM_OUTSIDE)
        outside(w, a, place, does);
    if (word->odd) {
        under_way(w, word, a, place, does, async);
        return 1;
    }
    if (!ordered(w, word->write)) {
        race(w, a, place, does, word->write, by_async(word) ? "copies to by cp.async" : "writes",
             what_separates(w, word->write,
                            "No __syncthreads() separates the two writes: which one stays is chance.",
                            "No __syncthreads() separates the two writes, nor, as the two threads are "
                            "in one warp, a __syncwarp(): which one stays is chance."));
        return 1;
    }
    for (int i = 0; i < 2; i++)
        if (!ordered(w, word->read[i])) {
            race(w, a, place, does, word->read[i], "reads",
                 !async ? what_separates(w, word->read[i],
                                         "No __syncthreads() separates that read from this write.",
                                         "No __syncthreads() separates that read from this write, nor, if "
                                         "only this warp reads it, a __syncwarp().")
                 : word->write.stamp < w->block_start
                     ? "The read wants what this copy brings: a __syncthreads() must follow the copy's "
                       "wait before other threads read."
                     : "The slot is refilled while others may still read it: no __syncthreads() "
                       "separates that read from this copy.");
            return 1;
        }
    return 0;
}

static void note_read(struct sim_worker *w, struct sim_word *word, uint32_t place)
{
    if (sim_who_tid(word->read[0].who) != w->tid)
        word->read[1] = word->read[0];
    word->read[0] = (struct sim_mark){w->clock, sim_who(place, w->tid)};
}

// Less than a word: other threads may well use the rest of it, so of the rules
// only that of the arrays' bounds holds.
static void access_part(struct sim_worker *w, uintptr_t a, int write, uint32_t place)
{
    struct sim_word *word = sim_word_at(w, a);
    if (word->odd & SIM_OUTSIDE)
        outside(w, a, place, write ? "writes" : "reads");
    if (write && !word->odd) {
        word->write = (struct sim_mark){w->clock, sim_who(place, w->tid)};
        word->landed = 0;
    }
}

void sim_shared_access(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place)
{
    int fault = 0;   // the first stands for all
    if (size < 4) {
        access_part(w, a, write, place);
        return;
    }
    for (uint32_t i = 0; i < size / 4; i++) {
        struct sim_word *word = sim_word_at(w, a) + i;
        if (sim_shared_quick(w, a + 4 * i, write, place))
            continue;
        if (!fault)
            fault = write ? write_fault(w, word, a + 4 * i, place, false)
                          : read_fault(w, word, a + 4 * i, place);
        if (write && !word->odd) {   // a copy under way is still its thread's
            word->write = (struct sim_mark){w->clock, sim_who(place, w->tid)};
            word->landed = 0;
        } else if (!write) {
            note_read(w, word, place);
        }
    }
}

// The copy owns its words from now on until it lands.
void sim_shared_issue(struct sim_worker *w, const struct sim_copy *c)
{
    struct sim_word *const words = sim_word_at(w, (uintptr_t)c->dst);
    for (uint32_t i = 0, fault = 0; i < c->size / 4 && !fault; i++)
        fault = (uint32_t)write_fault(w, &words[i], (uintptr_t)c->dst + 4 * i, c->place, true);
    for (uint32_t i = 0; i < c->size / 4; i++) {
        struct sim_word *word = &words[i];
        word->write = (struct sim_mark){w->clock, sim_who(c->place, w->tid)};
        word->odd++;
    }
}

// At its thread's wait the copy becomes that thread's write.
void sim_shared_land(struct sim_worker *w, const struct sim_copy *c)
{
    for (uint32_t i = 0; i < c->size / 4; i++) {
        struct sim_word *word = sim_word_at(w, (uintptr_t)c->dst) + i;
        word->write = (struct sim_mark){w->clock, sim_who(c->place, w->tid)};
        word->landed = w->clock;
        word->odd--;
    }
}

// --------------------------------------------------------------- the marks

static size_t words_size(const struct sim_worker *w)
{
    return (w->shared_size / 4 + 4) * sizeof *w->words;   // the last access may stick out
}

static void set_inside(struct sim_worker *w, uintptr_t lo, uint32_t bytes, int inside)
{
    for (uint32_t i = 0; i < (bytes + 3) / 4; i++)
        sim_word_at(w, lo)[i].odd = inside ? 0 : SIM_OUTSIDE;
}

void sim_forget_marks(struct sim_worker *w)
{
    w->clock = 0;
    for (int i = 0; i < SIM_MAX_THREADS; i++)
        memset(w->threads[i].met, 0, sizeof w->threads[i].met);
    if (!w->words)
        return;   // no checks
    memset(w->words, 0, words_size(w));
    for (size_t i = 0; i < words_size(w) / sizeof *w->words; i++)
        w->words[i].odd = SIM_OUTSIDE;
    for (int i = 0; i < sim_narrays; i++)
        set_inside(w, w->shared_lo + sim_arrays[i].offset, sim_arrays[i].size, 1);
    w->dynamic_inside = 0;
    sim_set_words(w);
}

void sim_set_words(struct sim_worker *w)
{
    uint32_t bytes = (uint32_t)w->launch->dynamic_bytes;
    if (!w->words) {
        w->words = malloc(words_size(w));
        if (!w->words)
            sim_die("out of memory");
        sim_forget_marks(w);
    }
    if (bytes != w->dynamic_inside) {
        set_inside(w, w->dynamic_lo, w->dynamic_inside, 0);
        set_inside(w, w->dynamic_lo, bytes, 1);
        w->dynamic_inside = bytes;
    }
}

// ------------------------------------------- an index outside its dimension

// From 'float [16][64]', quotes and all: the type as it is written, its first
// dimension, the product of the others, and the bytes of an element, or 0 if the type
// is none of those below.
struct extent {
    char type[64];
    long long n, inner;
    uint32_t element;
};

static uint32_t element_bytes(const char *type)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } known[] = {{"*", sizeof(void *)}, {"float4", 16}, {"float2", 8}, {"double", 8}, {"long", sizeof(long)},
                 {"short", 2}, {"char", 1}, {"bool", 1}, {"int", 4}, {"unsigned", 4}, {"float", 4}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *at = strstr(type, known[i].name);
        if (at && (at == type || at[-1] == ' ') && !isalnum((unsigned char)at[strlen(known[i].name)]))
            return known[i].bytes;
    }
    return 0;
}

static struct extent parse_type(const char *type)
{
    struct extent e = {.inner = 1};
    size_t len = 0;
    for (const char *c = type; *c && len < sizeof e.type - 1; c++)
        if (*c != '\'' && !(*c == ' ' && c[1] == '['))
            e.type[len++] = *c;
    for (const char *dim = strchr(type, '['); dim; dim = strchr(dim + 1, '[')) {
        long long n = strtoll(dim + 1, NULL, 10);
        e.inner *= e.n ? n : 1;
        e.n = e.n ? e.n : n;
    }
    e.element = element_bytes(e.type);
    return e;
}

void sim_index_fault(struct sim_worker *w, const struct sim_array *array)
{
    struct extent e = parse_type(w->outside.type);
    char name[96];
    w->watch &= ~(uint32_t)SIM_INDEX;
    if (array)
        snprintf(name, sizeof name, "%.64s", array->name);
    else
        snprintf(name, sizeof name, "an array of type %s", e.type);
    if (sim_fault(w, SIM_INDEX_OUTSIDE, w->outside.place, 0))
        sim_say(w, 0, "The access may still fall into the array, or into the next one: it is "
                "wrong all the same.", "%s uses the index %lld in a dimension of %lld of %s: only "
                "0 to %lld exist.", sim_thread_text(w, w->tid).s, w->outside.index, e.n, name,
                e.n - 1);
}

// Whether the array has a dimension like the one that was indexed, and the access is
// where that index leads to: which begins a row, `start` bytes from the array's start.
static bool is_indexed(const struct sim_worker *w, const struct sim_array *array, const struct extent *e,
                       uintptr_t a)
{
    const long long offset = (long long)(a - w->shared_lo) - array->offset;
    const uint32_t element = array->dims[0] ? array->element : e->element;
    if (element == 0 || e->n <= 0 || (e->element && e->element != element))
        return false;
    long long step = element * e->inner, start = offset - w->outside.index * step;
    if (start < 0 || start >= array->size || start % (step * e->n) >= step)
        return false;
    if (!array->dims[0])   // not known
        return array->size % (step * e->n) == 0;
    long long inner = 1;
    for (int d = 2; d >= 0; d--) {
        if (!array->dims[d])
            continue;
        if (array->dims[d] == e->n && inner == e->inner)
            return true;
        inner *= array->dims[d];
    }
    return false;
}

void sim_index_used(struct sim_worker *w, uintptr_t a, uint32_t place)
{
    struct extent e = parse_type(w->outside.type);
    const struct sim_array *array = NULL;
    if (strcmp(sim_line(place), sim_line(w->outside.place)) == 0)
        for (int i = 0; i < sim_narrays && !array; i++)
            if (is_indexed(w, &sim_arrays[i], &e, a))
                array = &sim_arrays[i];
    sim_index_fault(w, array);
    sim_abandon(w);
}

void sim_index_unused(struct sim_worker *w)
{
    sim_index_fault(w, NULL);
    sim_abandon(w);
}
