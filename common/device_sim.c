// device.h on the CPU simulator: everything but time.
#include "device.h"

#include <stdio.h>
#include "cuda_check.h"
#include "sim.h"

const char *cuda_hint(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "; try a smaller shape" : "";
}

void device_open(struct device *d)
{
    struct cudaDeviceProp prop;
    CUDA(cudaGetDeviceProperties(&prop, 0));
    *d = (struct device){.backend = "cpu", .sms = prop.multiProcessorCount,
                         .shared_optin = prop.sharedMemPerBlockOptin,
                         .driver = "none", .cuda = "none"};
    snprintf(d->name, sizeof d->name, "%s", prop.name);
}

int device_compiled_for(const struct tile *t)
{
    (void)t;
    return 0;
}

// Registers are what a GPU's compiler gives out.
bool device_occupancy(const struct tile *t, int *registers, int *blocks)
{
    (void)t, (void)registers, (void)blocks;
    return false;
}

// What the simulator takes says nothing about a GPU.
bool device_time(const struct tile *t, const struct gemm *g, int reps,
                 struct timing *tile, struct timing *yardstick, double *clock_mhz)
{
    (void)t, (void)g, (void)reps, (void)tile, (void)yardstick, (void)clock_mhz;
    return false;
}

bool device_reference(const struct gemm *g, int i0, int rows, int j0, int cols,
                      bool squares, double *product, double *magnitude)
{
    (void)g, (void)i0, (void)rows, (void)j0, (void)cols, (void)squares, (void)product, (void)magnitude;
    return false;
}

void device_label(const void *pointer, const char *name)
{
    sim_name(pointer, name);
}

int device_faults(FILE *out)
{
    sim_report(out);
    return sim_faults();
}

const char *device_why_not_counted(void)
{
#ifdef SIM_FAST
    return "the simulator's checks: make BACKEND=cpu SIM=check";
#else
    return NULL;
#endif
}

bool device_count(void)
{
    sim_counters(1);
    sim_counters_reset();
    return true;
}

struct counters device_counters(void)
{
    struct sim_counters c;
    sim_counters_get(&c);
    const double sectors = (double)c.global_load.sectors + c.global_store.sectors + c.async.sectors;
    const double wavefronts = (double)c.shared_load.wavefronts + c.shared_store.wavefronts + c.async.wavefronts;
    return (struct counters){
        // In the order of counter_names.
        .value = {c.fmas, c.barriers,
                  c.global_load.requests, c.global_load.sectors,
                  c.global_store.requests, c.global_store.sectors,
                  c.shared_load.requests, c.shared_load.wavefronts,
                  c.shared_store.requests, c.shared_store.wavefronts,
                  c.async.requests, c.async.sectors, c.async.wavefronts, c.async.bytes},
        .global_bytes_per_fma = c.fmas ? 32 * sectors / c.fmas : 0,
        .shared_bytes_per_fma = c.fmas ? 128 * wavefronts / c.fmas : 0,
    };
}

void device_counters_print(FILE *out)
{
    sim_counters_print(out);
}

bool device_trace(FILE *out)
{
    sim_trace(out, 0);
    return true;
}
