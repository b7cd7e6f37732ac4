#include "kernels.h"

#include <cuda_runtime.h>
#include "cuda_check.h"

constexpr int THREADS = 256;

__global__ void ffma(int rounds, float x, float *sink, long long *cycles)
{
    // Sixteen chains hide the latency of one; the factor is a run-time value, or
    // the compiler would compute the result.
    float acc[16];
    for (int i = 0; i < 16; i++)
        acc[i] = threadIdx.x + i;
    const long long start = clock64();
#pragma unroll 8
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 16; i++)
            acc[i] = fmaf(acc[i], x, x);
    if (cycles && blockIdx.x == 0 && threadIdx.x == 0)
        *cycles = clock64() - start;
    float sum = 0.0f;
    for (int i = 0; i < 16; i++)
        sum += acc[i];
    if (sum == 12345.0f)   // never, but the compiler cannot know
        *sink = sum;
}

void enqueue_ffma(int blocks, int rounds, float *sink, long long *cycles)
{
    ffma<<<blocks, THREADS>>>(rounds, 0.999f, sink, cycles);
    CUDA(cudaGetLastError());
}

__global__ void widen(const float *X, size_t ld, int rows, int cols, bool squares, double *Y, double *Z)
{
    const size_t n = (size_t)rows * cols;
    for (size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x; i < n;
         i += (size_t)gridDim.x * THREADS) {
        const double x = X[i / cols * ld + i % cols];
        Y[i] = x;
        Z[i] = squares ? x * x : fabs(x);
    }
}

void enqueue_widen(const float *X, size_t ld, int rows, int cols, bool squares, double *Y, double *Z)
{
    widen<<<1024, THREADS>>>(X, ld, rows, cols, squares, Y, Z);
    CUDA(cudaGetLastError());
}
