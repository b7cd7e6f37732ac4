// cp.async as CUDA's <cuda_pipeline.h> offers it, for the CPU simulator.
#ifndef SIM_CUDA_PIPELINE_H
#define SIM_CUDA_PIPELINE_H

#include "cuda_runtime.h"

#include <stddef.h>

#ifdef __cplusplus
#define SIM_DEFAULT(value) = value
extern "C" {
#else
#define SIM_DEFAULT(value)
#endif

// Copies `size` bytes (4, 8 or 16) from global `src` to shared `dst`; the last
// `zfill` of them are zeros and not read from `src`. The bytes arrive at the
// thread's wait for the group that its next commit closes, not before.
void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill SIM_DEFAULT(0)) SIM_NO_MERGE;

// Closes the group of the copies issued since the last commit; it may be empty.
void __pipeline_commit(void) SIM_NO_MERGE;

// Returns when all but the `prior` newest of this thread's groups have arrived.
void __pipeline_wait_prior(size_t prior) SIM_NO_MERGE;

#ifdef __cplusplus
}
#endif
#endif
