// The common layer's own small kernels; GPU only.
#ifndef KERNELS_H
#define KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Runs a loop of independent multiply-adds on `blocks` blocks of 256 threads;
// each thread does 16 * rounds of them. Enqueues only. With `cycles` (device
// memory) the first thread stores how many clock cycles it took.
void enqueue_ffma(int blocks, int rounds, float *sink, long long *cycles);

// Y = X and Z = |X|, or the squares of X, in double, densely (rows, cols); X is (rows,
// cols) with ld elements from row to row. All device memory. Enqueues only.
void enqueue_widen(const float *X, size_t ld, int rows, int cols, bool squares, double *Y, double *Z);

#ifdef __cplusplus
}
#endif
#endif
