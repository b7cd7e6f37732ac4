// cp.async for the kernels: a copy from global to shared memory that bypasses
// the registers and runs on while the thread computes. Works on every backend:
// PTX from sm_80 on, a plain copy below it, the simulator's queue on a CPU.
//
// A copy belongs to the group that the thread's next cp_async_commit() closes.
// cp_async_wait(n) returns when at most the n newest of the thread's groups are
// still under way. It says nothing about the copies of other threads: only a
// __syncthreads() after the wait does.
#ifndef CP_ASYNC_H
#define CP_ASYNC_H

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// The PTX form with a source size: fewer bytes than the copy are filled up with
// zeros, so an element outside the matrix costs no branch. (__pipeline_memcpy_async
// takes a zero-fill too, but as a run-time value it becomes a switch.)
// dst: shared memory; src: global memory; both aligned to the copy's size.
// ok false: dst is filled with zeros and src is not read.
static __device__ __forceinline__ void cp_async4(float *dst, const float *src, bool ok)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // .ca is the only form for less than 16 bytes
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(dst)),
                 "l"(src), "r"(ok ? 4 : 0));
#elif defined(__CUDA_ARCH__)
    *dst = ok ? *src : 0.0f;
#else
    __pipeline_memcpy_async(dst, src, 4, ok ? 0 : 4);
#endif
}

static __device__ __forceinline__ void cp_async16(float *dst, const float *src, bool ok)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // .cg: through L2 only, L1 has nothing to gain from data that goes to shared
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(dst)),
                 "l"(src), "r"(ok ? 16 : 0));
#elif defined(__CUDA_ARCH__)
    *(float4 *)dst = ok ? *(const float4 *)src : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#else
    __pipeline_memcpy_async(dst, src, 16, ok ? 0 : 16);
#endif
}

static __device__ __forceinline__ void cp_async_commit(void)
{
    __pipeline_commit();
}

#define cp_async_wait(n) __pipeline_wait_prior(n)

#endif
