// The inputs, and C's fingerprint.
#ifndef MATRIX_H
#define MATRIX_H

#include <stddef.h>
#include <stdint.h>

enum fill {
    FILL_RANDOM,    // uniform in [-1, 1), a multiple of 2^-23: few are equal
    FILL_INTEGER,   // small integers, none of them 0; every partial sum is exact in fp32
    FILL_NOTES,     // A[i] = (i % 7) * 0.1f, B[i] = (i % 5) * 0.2f
    FILL_SPECIAL,   // random, with -0 and denormals; NaN, Inf, -Inf and 1e38, each at one place
    FILLS,
};

extern const char *const fill_names[FILLS];   // as --fill= takes them

// Fills A (M, K) and B (K, N). The same seed gives the same values on every
// machine. An element depends on its place alone, so a swapped index, a missed
// row or a repeated tile changes the product.
void matrix_fill(float *A, float *B, int M, int N, int K, enum fill fill, uint64_t seed);

// 64-bit FNV-1a over the n floats' 32-bit words: another sum means other bits.
// Every NaN counts as the same.
uint64_t matrix_checksum(const float *X, size_t n);

#endif
