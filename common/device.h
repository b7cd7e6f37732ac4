// The device at hand and what only it can do. Two implementations: device_cuda.c
// (with kernels.cu) for a GPU, device_sim.c for the simulator.
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include "stage.h"

struct device {
    char name[256];
    const char *backend;     // "cuda" or "cpu"
    int sms;                 // multiprocessors
    int cc;                  // compute capability, 90 for 9.0
    size_t shared_optin;     // most dynamic + static shared memory a block may ask for, bytes
    double peak_gflops;      // fp32 multiply-adds at the highest clock; 0: unknown
    char driver[32];         // text for people: "580.12", or "none"
    char cuda[32];           // toolkit the program was built with: "13.0"
    char yardstick[64];      // what ratio compares with: "cuBLAS 13.0, fp32"; "": nothing
};

// Repetitions of one launch, in milliseconds between two events around it.
struct timing {
    int reps;
    double avg_ms, median_ms, min_ms, max_ms;
};

// Finds the device. No usable device: one line on stderr, exit status 3.
void device_open(struct device *d);

// Free bytes of device memory now.
size_t device_free_bytes(void);

// Whether the tile can run here. If not, false and one line of reason in `why`.
bool device_fits(const struct device *d, const struct tile *t, char *why, size_t size);

// Shared memory that a block takes, in bytes.
size_t device_shared_bytes(const struct tile *t);

// The architecture that the tile's code was compiled for, 90 for sm_90. A GPU runs code
// for an older one, too.
int device_compiled_for(const struct tile *t);

// Registers a thread and blocks a multiprocessor; false where nobody can say.
bool device_occupancy(const struct tile *t, int *registers, int *blocks);

// Launches once and waits. NULL if all went well, else the error's text.
const char *device_launch(const struct tile *t, const struct gemm *g);

// Whether nothing can run any more, because a kernel failed.
bool device_lost(void);

// Times tile and yardstick in turns on the same A and B, so that clock and
// temperature are the same for both. L2 holds what the launches before left in
// it (warm), for both alike. reps < 0: as many as a steady median takes. The yardstick
// writes to its own C. Returns false where nothing can be timed (simulator).
bool device_time(const struct tile *t, const struct gemm *g, int reps,
                 struct timing *tile, struct timing *yardstick, double *clock_mhz);

// Rows [i0, i0 + rows) and columns [j0, j0 + cols) of A * B and of |A| * |B|, or
// the product of the elements' squares, in double, to host arrays (rows, cols). False
// where no library does this.
bool device_reference(const struct gemm *g, int i0, int rows, int j0, int cols,
                      bool squares, double *product, double *magnitude);

// ---- what only the simulator does; on a GPU these do nothing ----

// The name that reports give an allocation.
void device_label(const void *pointer, const char *name);

// Prints what was found so far; returns the number of faults.
int device_faults(FILE *out);

// NULL where counters and traces are to be had, else what they need, for people.
const char *device_why_not_counted(void);

// Counts what launches cost from now on, from 0. False where nothing counts.
bool device_count(void);

enum { FMAS = 0, COUNTERS = 14 };   // FMAS: the first
extern const char *const counter_names[COUNTERS];   // as in the CSV

// The counts since device_count(), and the bytes per multiply-add that follow
// from them: 32 a sector of global memory, 128 a wavefront of shared memory.
struct counters {
    unsigned long long value[COUNTERS];
    double global_bytes_per_fma, shared_bytes_per_fma;   // 0 without an FMA
};
struct counters device_counters(void);

// The same for people, a row a source line.
void device_counters_print(FILE *out);

// Writes every access of a block of the next launch to `out`, as CSV; NULL ends
// it. False where nothing is traced.
bool device_trace(FILE *out);

#endif
