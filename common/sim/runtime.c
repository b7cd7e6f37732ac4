// The CUDA runtime API on a CPU: memory is the host's, everything runs at once.
#include "sim_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ------------------------------------------------------------------- errors

static cudaError_t last_error = cudaSuccess;

void sim_set_error(cudaError_t error)
{
    last_error = error;
}

static cudaError_t fail(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            return errors[i].text;
    return "unrecognized error code";
}

// ------------------------------------------------------------------- device

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    if (device != 0)
        return fail(cudaErrorInvalidDevice);
    size_t unused;
    *prop = (struct cudaDeviceProp){
        .sharedMemPerBlock = SIM_DEFAULT_SHARED,
        .sharedMemPerBlockOptin = SIM_MAX_SHARED,
        .sharedMemPerMultiprocessor = SIM_MAX_SHARED + 1024,
        .regsPerBlock = 65536,
        .warpSize = SIM_WARP,
        .maxThreadsPerBlock = SIM_MAX_THREADS,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {INT_MAX, 65535, 65535},
        .maxThreadsPerMultiProcessor = 2048,
        .major = 9,
        .minor = 0,
        // An H200's, so that a stage chooses the tile that it would choose there.
        .multiProcessorCount = 132,
    };
    int n = sim_worker_count();
    snprintf(prop->name, sizeof prop->name, "CPU simulator (%d worker%s)", n, n == 1 ? "" : "s");
    return cudaMemGetInfo(&unused, &prop->totalGlobalMem);
}

cudaError_t cudaDeviceSynchronize(void)
{
    return last_error;
}

// ------------------------------------------------------------------- memory

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    char line[128];
    size_t kib;
    FILE *file = fopen("/proc/meminfo", "r");
    *free_bytes = *total_bytes = file ? 0 : SIZE_MAX / 2;   // no /proc: no limit is known
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %zu", &kib) == 1)
            *total_bytes = kib << 10;
        if (sscanf(line, "MemAvailable: %zu", &kib) == 1)
            *free_bytes = kib << 10;
    }
    if (file)
        fclose(file);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *p = sim_allocate(bytes);
    if (!*p)
        return fail(cudaErrorMemoryAllocation);
    memset(*p, 0xff, bytes);   // NaN: a GPU's memory holds anything at first
    return cudaSuccess;
}

cudaError_t cudaFree(void *p)
{
    if (p && sim_release(p) != 0)
        return fail(cudaErrorInvalidDevicePointer);
    return cudaSuccess;
}

static int on_device(const void *p)
{
    return (uintptr_t)p - sim_global_lo < sim_global_size;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    int from_device = kind == cudaMemcpyDefault ? on_device(src)
                      : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int to_device = kind == cudaMemcpyDefault ? on_device(dst)
                    : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0)
        return cudaSuccess;
    if ((from_device && !sim_is_allocated(src, bytes)) ||
        (to_device && !sim_is_allocated(dst, bytes)))
        return fail(cudaErrorInvalidValue);
    memmove(dst, src, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int byte, size_t bytes)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!sim_is_allocated(p, bytes))
        return fail(cudaErrorInvalidValue);
    memset(p, byte, bytes);
    return cudaSuccess;
}

// ------------------------------------------------------------------- events

struct sim_event {
    struct timespec at;
};

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = calloc(1, sizeof **event);
    return *event ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    *ms = (float)((double)(stop->at.tv_sec - start->at.tv_sec) * 1e3 +
                  (double)(stop->at.tv_nsec - start->at.tv_nsec) * 1e-6);
    return cudaSuccess;
}

// ----------------------------------------------------------------- functions

// The kernels that have opted in to more than 48 KiB of shared memory.
static struct opt_in {
    const void *kernel;
    size_t bytes;
    struct opt_in *next;
} *opted_in;

size_t sim_dynamic_limit(const void *kernel)
{
    for (struct opt_in *o = opted_in; o; o = o->next)
        if (o->kernel == kernel)
            return o->bytes;
    return SIM_DEFAULT_SHARED - sim_static_shared(kernel);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    attributes->sharedSizeBytes = sim_static_shared(kernel);
    attributes->maxThreadsPerBlock = SIM_MAX_THREADS;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attr, int value)
{
    if (attr != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    if (value < 0 || (size_t)value + sim_static_shared(kernel) > SIM_MAX_SHARED)
        return fail(cudaErrorInvalidValue);
    struct opt_in *o = malloc(sizeof *o);
    if (!o)
        return fail(cudaErrorMemoryAllocation);
    *o = (struct opt_in){kernel, (size_t)value, opted_in};
    opted_in = o;   // the newest is found first
    return cudaSuccess;
}
