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

// The right product of A (M, K) and B (K, N), row-major on the host, for any number
// of Cs to be compared with. Set the first five lines, and the rest to 0.
struct reference {
    const float *A, *B;
    int M, N, K;
    bool exact;             // the bound is 0: for integer inputs
    reference_fn *other;    // NULL: the plain triple loop on all cores
    const void *context;    // of `other`
    double *panel;          // check_product's own: the last panel, product and magnitude
    bool kept;              // and it is all of C
};

// Compares C (M, N), row-major on the host, with the reference. Works in panels, and
// keeps the panel for the next C where one is enough. Returns false where memory ran
// out or `other` returned false.
bool check_product(struct reference *reference, const float *C, struct check *result);

// Frees what check_product keeps.
void reference_free(struct reference *reference);

#endif
