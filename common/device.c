// The part of device.h that is the same on a GPU and on the simulator.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include "cuda_check.h"

void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    // Where there is a hint, the fault is not the program's.
    const char *text = cudaGetErrorString(error), *hint = cuda_hint(error);
    if (*hint)
        fprintf(stderr, "%s%s\n", text, hint);
    else
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, text);
    exit(3);
}

const char *const counter_names[COUNTERS] = {
    "ffma", "barriers",
    "global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors",
    "shared_load_requests", "shared_load_wavefronts", "shared_store_requests", "shared_store_wavefronts",
    "async_requests", "async_sectors", "async_wavefronts", "async_bytes",
};

size_t device_free_bytes(void)
{
    size_t available, total;
    CUDA(cudaMemGetInfo(&available, &total));
    return available;
}

size_t device_shared_bytes(const struct tile *t)
{
    struct cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, t->kernel));
    return a.sharedSizeBytes + t->shared_bytes;
}

bool device_fits(const struct device *d, const struct tile *t, char *why, size_t size)
{
    struct cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, t->kernel));
    const size_t shared = device_shared_bytes(t);
    const int threads = t->threads_x * t->threads_y;
    if (shared > d->shared_optin)
        snprintf(why, size, "tile %s needs %zu bytes of shared memory a block; %s allows %zu",
                 t->name, shared, d->name, d->shared_optin);
    else if (threads > a.maxThreadsPerBlock)   // its registers count, too
        snprintf(why, size, "tile %s: %d threads are too many for a block on %s; its kernel allows %d",
                 t->name, threads, d->name, a.maxThreadsPerBlock);
    else
        return true;
    return false;
}

const char *device_launch(const struct tile *t, const struct gemm *g)
{
    static char text[512];
    t->launch(g);
    // A bad launch shows at once, a fault inside the kernel when it has ended.
    cudaError_t error = cudaGetLastError();
    const char *when = "launch";
    if (error == cudaSuccess) {
        error = cudaDeviceSynchronize();
        when = "kernel";
    }
    if (error == cudaSuccess)
        return NULL;
    snprintf(text, sizeof text, "%s failed: %s%s", when, cudaGetErrorString(error),
             cuda_hint(error));
    return text;
}

bool device_lost(void)
{
    return cudaDeviceSynchronize() != cudaSuccess;
}
