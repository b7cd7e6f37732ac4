// Counting what a GPU would do, and tracing what a block did.
#ifndef SIM_COUNTERS_H
#define SIM_COUNTERS_H

#include "sim_internal.h"

enum sim_kind { SIM_STEP, SIM_GLOBAL_LOAD, SIM_GLOBAL_STORE, SIM_SHARED_LOAD, SIM_SHARED_STORE,
                 SIM_ASYNC_COPY, SIM_KINDS };

// The running thread is about to access memory, or to copy it, or has come to
// another basic block.
void sim_note_access(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place);
void sim_note_copy(struct sim_worker *w, const struct sim_copy *copy);
void sim_note_step(struct sim_worker *w, uint32_t place);

// The lanes of the warp at hand have all come to a place where they meet: their
// accesses since the last such place become requests.
void sim_count_warp(struct sim_worker *w);
// The same at an operation of all n lanes of the warp that live.
void sim_count_live(struct sim_worker *w, const struct sim_thread *lanes, uint32_t n);

// What a launch that begins has to watch: SIM_COUNT or 0.
uint32_t sim_counting(void);
struct sim_tally *sim_new_tally(void);

// Adds up what the workers counted; a launch has ended.
void sim_gather_counters(struct sim_worker *const *workers, int n);

// ----------------------------------------------------------------- trace.c

void sim_trace_block(struct sim_worker *w);   // a block begins
void sim_trace_end(void);                     // a launch has ended
void sim_trace_record(const struct sim_worker *w, const char *event, uint32_t place,
                      uintptr_t address, uint32_t size, unsigned long long n);

static inline void sim_trace_event(const struct sim_worker *w, const char *event, uint32_t place,
                                   unsigned long long n)
{
    if (w->watch & SIM_TRACE)
        sim_trace_record(w, event, place, 0, 0, n);
}

static inline void sim_trace_access(const struct sim_worker *w, const char *event, uint32_t place,
                                    uintptr_t address, uint32_t size, unsigned long long n)
{
    if (w->watch & SIM_TRACE)
        sim_trace_record(w, event, place, address, size, n);
}

#endif
