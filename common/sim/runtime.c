// The CUDA runtime API on a CPU: memory is the host's, everything runs at once.
#include "sim_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

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
    snprintf(prop->name, sizeof prop->name, "CPU simulator (%d workers)", sim_worker_count());
    return cudaMemGetInfo(&unused, &prop->totalGlobalMem);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    struct cudaDeviceProp prop;
    cudaError_t error = cudaGetDeviceProperties(&prop, device);
    if (error != cudaSuccess)
        return error;
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = prop.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)prop.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)prop.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)prop.sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrWarpSize: *value = prop.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = prop.multiProcessorCount; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = prop.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = prop.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = prop.minor; break;
    case cudaDevAttrClockRate:   // no clock, no bus, no cache is simulated
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
    case cudaDevAttrL2CacheSize: *value = 0; break;
    default: return fail(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 0;   // as where no driver is installed
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return last_error;
}

cudaError_t cudaDeviceReset(void)
{
    last_error = cudaSuccess;
    return cudaSuccess;
}

// ------------------------------------------------------------------- memory

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *total_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * page;
    *free_bytes = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    *p = sim_allocate(bytes);
    return *p ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *p)
{
    if (p && sim_release(p) != 0)
        return fail(cudaErrorInvalidDevicePointer);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (bytes == 0)
        return cudaSuccess;
    if ((from_device && !sim_is_allocated(src, bytes)) ||
        (to_device && !sim_is_allocated(dst, bytes)))
        return fail(cudaErrorInvalidValue);
    memmove(dst, src, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)stream;
    return cudaMemcpy(dst, src, bytes, kind);
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

cudaError_t cudaMemsetAsync(void *p, int byte, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMemset(p, byte, bytes);
}

// --------------------------------------------------------- streams and events

struct sim_event {
    struct timespec at;
};

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaDeviceSynchronize();
}

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
    return SIM_DEFAULT_SHARED;
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

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *kernel)
{
    *attr = (struct cudaFuncAttributes){
        .sharedSizeBytes = sim_static_shared(kernel),
        .maxThreadsPerBlock = SIM_MAX_THREADS,
        .maxDynamicSharedSizeBytes = (int)sim_dynamic_limit(kernel),
    };
    return cudaSuccess;
}
