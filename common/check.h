// Is C the product? Every element is compared with a reference in double.
//
// The bound is the a-priori rounding error of an inner product of length K,
// whatever the order of its additions: Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed. (SIAM, 2002), section 3.1, eq. (3.5):
//
//     |C - A B| <= gamma_K |A| |B|,   gamma_K = K u / (1 - K u),   u = 2^-24
//
// element by element, for fp32 with round to nearest. Results below 2^-126 lose
// digits in fp32; K half units of the smallest denormal, 2^-150, are added for
// them. A fused multiply-add rounds once where the theorem allows twice.
//
// NaN and Inf come out as the definition says: where the reference is NaN, C must
// be NaN; where it is Inf, or beyond the largest float, C must be Inf with its
// sign. A NaN anywhere else fails.
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct check {
    bool pass;
    double max_abs_diff;   // largest |C - ref|; Inf if a NaN or Inf is wrong
    double bound_ratio;    // largest |C - ref| / bound; at most 1 passes; Inf as above
    size_t wrong;          // elements that failed
    int row, col;          // the first of them in row-major order
    float got;
    double want;
};

// Fills product and magnitude, (rows, cols), with rows [i0, i0 + rows) and columns
// [j0, j0 + cols) of A * B and |A| * |B| in double. Returns false if it cannot.
typedef bool reference_fn(const void *context, int i0, int rows, int j0, int cols,
                          double *product, double *magnitude);

// Compares C (M, N) with A (M, K) * B (K, N); all on the host, row-major. `exact`
// makes the bound 0: for integer inputs. The reference is the plain triple loop
// on all cores, or `other` where that is not NULL (for products too large for it).
// Returns false where `other` returned false or memory ran out.
bool check_product(const float *A, const float *B, const float *C, int M, int N, int K,
                   bool exact, reference_fn *other, const void *context,
                   struct check *result);

#endif
