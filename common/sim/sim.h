// What the common layer asks of the CPU simulator: faults, counters, traces.
// All calls are made between launches, from the thread that launches.
#ifndef SIM_H
#define SIM_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------- faults

// The name that reports give the allocation that `device_pointer` starts; kept
// until cudaFree. `name` is not copied.
void sim_name(const void *device_pointer, const char *name);

// Number of different faults so far: one a kind and source line, however often
// it occurred. Each is printed on stderr when its launch ends.
int sim_faults(void);

// One line a fault, with the number of times it occurred; nothing if none did.
void sim_report(FILE *out);

// ----------------------------------------------------------------- counters

// What the launches so far would have cost on a GPU, counted for each warp. A
// request is one warp-wide instruction; README.md has the rules.
struct sim_access_counters {
    unsigned long long requests;
    unsigned long long bytes;        // asked for by the threads
    unsigned long long sectors;      // of 32 bytes; global memory only
    unsigned long long wavefronts;   // shared memory only
    unsigned long long ideal;        // wavefronts without any bank conflict
};

struct sim_counters {
    unsigned long long fmas;       // calls of fmaf, one a thread
    unsigned long long barriers;   // __syncthreads(), one a warp
    struct sim_access_counters global_load, global_store;   // without cp.async
    struct sim_access_counters shared_load, shared_store;   // without cp.async
    struct sim_access_counters async;   // cp.async: sectors read, wavefronts written
};

// Counting is off at first; it needs kernels built with the checks, and it
// makes a launch several times slower.
void sim_counters(int on);
void sim_counters_reset(void);
void sim_counters_get(struct sim_counters *counters);

// A table with one row a source line and kind of access, then a summary.
void sim_counters_print(FILE *out);

// -------------------------------------------------------------------- trace

// Writes every access of one block of the next launches to `out` as CSV, in the
// order in which the simulator ran them; NULL ends it. `block` counts x fastest.
// README.md describes the columns.
void sim_trace(FILE *out, unsigned long long block);

#ifdef __cplusplus
}
#endif
#endif
