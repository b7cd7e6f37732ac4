// Is C the product? Every element is compared with a reference in double.
//
// The bound is the rounding error of an inner product of length K, whatever the
// order of its additions, for fp32 with round to nearest, element by element:
//
//     |C - A B| <= gamma |A| |B|
//
// In the worst case all K roundings go the same way: Higham, Accuracy and Stability
// of Numerical Algorithms, 2nd ed. (SIAM, 2002), section 3.1, eq. (3.5):
//
//     gamma = K u / (1 - K u),   u = 2^-24
//
// For K in the thousands that is so wide that a wrong C may pass. With random inputs of
// mean 0 the terms a b have random signs, and so have the roundings, and most of both
// cancels. With S = sum of (a b)^2 over the element's K terms:
//
//     |C - A B| <= L^2 sqrt(K S) u,   L = 8
//
// for no partial sum, of any of the terms, is larger than L sqrt(S) but with a
// probability of 2 exp(-L^2 / 2) (Hoeffding); so each rounding is at most u L sqrt(S), of
// mean 0 whatever came before, and K of them add up to L sqrt(K) times that but with the
// same probability (Azuma). So one right element fails with a probability of some
// K * 2.5e-14. That roundings may be taken as of mean 0, and what the inputs' mean 0 is
// worth: Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM
// J. Sci. Comput. 41(5), 2019, and Sharper Probabilistic Backward Error Analysis for Basic
// Linear Algebra Kernels with Random Data, 42(5), 2020.
//
// It is used from K = 86 on, where it is the smaller one: inputs are uniform in [-1, 1), so
// the mean of |a b| is 1/4, and the root of that of (a b)^2 is 1/3. What rounding really
// costs is a few hundredths of it at any K, less where K is shared out. Where C is 16x16 or
// more, a k-tile of 8 that is left out fails up to K = 10^6 and beyond, inputs rounded to
// TF32 up to some 30,000.
//
// Results below 2^-126 lose digits in fp32; K half units of the smallest denormal,
// 2^-150, are added for them. A fused multiply-add rounds once where eq. (3.5) allows
// twice.
//
// NaN and Inf come out as the definition says: where the reference is NaN, C must
// be NaN; where it is Inf, or beyond the largest float, C must be Inf with its
// sign. A NaN anywhere else fails.
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stddef.h>

enum { PANEL = 4096 };   // rows and columns of the reference, two doubles an element, at a time

enum bound {
    BOUND_WORST,    // for any inputs: --fill=notes, special
    BOUND_RANDOM,   // the smaller of the two, for inputs random and of mean 0: --fill=random
    BOUND_NONE,     // C must be equal, for small integers: --fill=integer
};

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
// [j0, j0 + cols) of A * B and |A| * |B|, or the product of the elements' squares, in
// double. Returns false if it cannot.
typedef bool reference_fn(const void *context, int i0, int rows, int j0, int cols, bool squares,
                          double *product, double *magnitude);

// The right product of A (M, K) and B (K, N), row-major on the host, for any number
// of Cs to be compared with. Set the first five lines, and the rest to 0.
struct reference {
    const float *A, *B;
    int M, N, K;
    enum bound bound;       // what the inputs allow
    reference_fn *other;    // NULL: the plain triple loop on all cores
    const void *context;    // of `other`
    double *panel;          // check_product's own: the last panel, product and magnitude
    bool kept;              // and it is all of C
};

// The bound as a formula, for a person.
const char *bound_text(enum bound bound, int K);

// Compares C (M, N), row-major on the host, with the reference. Works in panels, and
// keeps the panel for the next C where one is enough. Returns false where memory ran
// out or `other` returned false.
bool check_product(struct reference *reference, const float *C, struct check *result);

// Frees what check_product keeps.
void reference_free(struct reference *reference);

#endif
