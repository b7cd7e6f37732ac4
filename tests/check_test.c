// The checker must fail what is wrong, and only that. Prints TAP.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "matrix.h"

static int count, failures;

static void ok(const char *name, bool good)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++count, name);
    failures += !good;
}

// A rectangle whose sides all differ, with inputs and a right C in fp32.
struct problem {
    int M, N, K;
    float *A, *B, *C;
};

static void multiply(struct problem *p)
{
    for (int i = 0; i < p->M; i++)
        for (int j = 0; j < p->N; j++) {
            float sum = 0.0f;
            for (int k = 0; k < p->K; k++)
                sum = fmaf(p->A[i * p->K + k], p->B[k * p->N + j], sum);
            p->C[i * p->N + j] = sum;
        }
}

static struct problem make(int M, int N, int K, enum fill fill)
{
    struct problem p = {M, N, K, malloc(sizeof(float) * M * (K + 1)),
                        malloc(sizeof(float) * (K + 1) * N), malloc(sizeof(float) * M * N)};
    if (!p.A || !p.B || !p.C)
        exit(1);
    matrix_fill(p.A, p.B, M, N, K, fill, 5);
    multiply(&p);
    return p;
}

static void destroy(struct problem *p)
{
    free(p->A);
    free(p->B);
    free(p->C);
}

static struct check run(const struct problem *p, enum bound bound)
{
    struct check c;
    struct reference ref = {.A = p->A, .B = p->B, .M = p->M, .N = p->N, .K = p->K, .bound = bound};
    if (!check_product(&ref, p->C, &c))
        exit(1);
    reference_free(&ref);
    return c;
}

static bool passes(const struct problem *p)
{
    return run(p, BOUND_WORST).pass;
}

// Whether C fails when element (i, j) is `value`, and the place is named.
static bool catches(struct problem *p, int i, int j, float value)
{
    float *at = &p->C[i * p->N + j], right = *at;
    *at = value;
    const struct check c = run(p, BOUND_WORST);
    *at = right;
    return !c.pass && c.wrong == 1 && c.row == i && c.col == j;
}

static void wrong_elements(void)
{
    struct problem p = make(37, 53, 29, FILL_RANDOM);
    ok("a right product passes", passes(&p));
    ok("its bound is used, and not all of it", run(&p, BOUND_WORST).bound_ratio > 0 && run(&p, BOUND_WORST).bound_ratio < 1);

    const int rows[] = {0, 0, 36, 36, 18}, cols[] = {0, 52, 0, 52, 26};
    const char *const places[] = {"first row, first column", "first row, last column",
                                  "last row, first column", "last row, last column", "the middle"};
    for (int i = 0; i < 5; i++) {
        char name[80];
        snprintf(name, sizeof name, "one wrong element: %s", places[i]);
        const float right = p.C[rows[i] * p.N + cols[i]];
        ok(name, catches(&p, rows[i], cols[i], right + 1e-3f) && catches(&p, rows[i], cols[i], right - 1e-3f));
        snprintf(name, sizeof name, "one NaN: %s", places[i]);
        ok(name, catches(&p, rows[i], cols[i], NAN));
        snprintf(name, sizeof name, "one Inf: %s", places[i]);
        ok(name, catches(&p, rows[i], cols[i], INFINITY));
    }

    memset(p.C, 0xff, sizeof(float) * p.M * p.N);
    const struct check untouched = run(&p, BOUND_WORST);
    ok("an untouched C fails in every element", untouched.wrong == (size_t)p.M * p.N);
    ok("and its difference is no number a test could accept", untouched.max_abs_diff == INFINITY);
    destroy(&p);
}

static void swapped_inputs(void)
{
    struct problem p = make(31, 31, 31, FILL_RANDOM), q = p;
    q.C = malloc(sizeof(float) * 31 * 31);
    if (!q.C)
        exit(1);
    for (int i = 0; i < 31; i++)   // B transposed: what swapped indexes compute
        for (int j = 0; j < 31; j++) {
            float sum = 0.0f;
            for (int k = 0; k < 31; k++)
                sum = fmaf(p.A[i * 31 + k], p.B[j * 31 + k], sum);
            q.C[i * 31 + j] = sum;
        }
    ok("B transposed fails", !passes(&q));
    q.A = p.B;
    q.B = p.A;
    multiply(&q);
    q.A = p.A;
    q.B = p.B;
    ok("A and B exchanged fails", !passes(&q));
    free(q.C);
    destroy(&p);
}

// Keeps the 10 bits of fraction that tensor cores do, rounded to nearest.
static void to_tf32(float *X, int n)
{
    for (int i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &X[i], sizeof bits);
        bits = (bits + 0x1000) & ~UINT32_C(0x1fff);
        memcpy(&X[i], &bits, sizeof bits);
    }
}

static void lengths_and_scales(void)
{
    const int lengths[] = {1, 32, 1000, 8192};
    for (int i = 0; i < 4; i++) {
        char name[80];
        struct problem p = make(7, 5, lengths[i], FILL_RANDOM);
        snprintf(name, sizeof name, "K = %d passes", lengths[i]);
        ok(name, passes(&p));
        destroy(&p);
        p = make(7, 5, lengths[i], FILL_INTEGER);
        snprintf(name, sizeof name, "K = %d, integers: exact", lengths[i]);
        ok(name, run(&p, BOUND_NONE).pass && run(&p, BOUND_NONE).max_abs_diff == 0);
        p.C[17] += 1.0f;
        const bool above = run(&p, BOUND_NONE).pass;
        p.C[17] -= 2.0f;
        snprintf(name, sizeof name, "K = %d, integers: off by one fails", lengths[i]);
        ok(name, !above && !run(&p, BOUND_NONE).pass);
        destroy(&p);
    }

    // In the worst case roundings could cost more than these faults; random ones do not.
    const int long_ones[] = {86, 4096, 20000, 1000000};
    for (int i = 0; i < 4; i++) {
        const int K = long_ones[i];
        char name[80];
        struct problem p = make(16, 16, K, FILL_RANDOM);
        const double ratio = run(&p, BOUND_RANDOM).bound_ratio;
        snprintf(name, sizeof name, "K = %d, random: passes, with more than a thousandth of the bound", K);
        ok(name, ratio > 0.001 && ratio < 0.1);
        for (int k = K - 8; k < K; k++)
            for (int ij = 0; ij < 256; ij++)
                p.C[ij] -= p.A[ij / 16 * K + k] * p.B[k * 16 + ij % 16];
        snprintf(name, sizeof name, "K = %d, random: without the last 8 of K it fails", K);
        ok(name, !run(&p, BOUND_RANDOM).pass);
        memset(p.C, 0, 256 * sizeof *p.C);
        snprintf(name, sizeof name, "K = %d, random: zeros fail", K);
        ok(name, !run(&p, BOUND_RANDOM).pass);

        if (K > 30000) {   // TF32 stays below the bound from here on
            destroy(&p);
            continue;
        }
        struct problem rounded = make(16, 16, K, FILL_RANDOM);
        to_tf32(rounded.A, 16 * K);
        to_tf32(rounded.B, 16 * K);
        multiply(&rounded);
        memcpy(p.C, rounded.C, 256 * sizeof *p.C);
        snprintf(name, sizeof name, "K = %d, random: inputs rounded to TF32 fail", K);
        ok(name, !run(&p, BOUND_RANDOM).pass);
        destroy(&rounded);
        destroy(&p);
    }
    struct problem p = make(5, 5, 85, FILL_RANDOM);
    ok("K = 85: one bound", run(&p, BOUND_RANDOM).bound_ratio == run(&p, BOUND_WORST).bound_ratio);
    destroy(&p);

    p = make(9, 8, 50, FILL_RANDOM);
    for (int i = 0; i < p.M * p.K; i++)
        p.A[i] *= 10000;
    multiply(&p);
    ok("inputs up to 10,000 pass", passes(&p));
    for (int i = 0; i < p.M * p.K; i++)
        p.A[i] *= 1e-44f;   // denormals
    multiply(&p);
    ok("denormals pass", passes(&p));
    destroy(&p);

    p = make(3, 4, 0, FILL_RANDOM);
    ok("K = 0: zeros pass", passes(&p));
    p.C[5] = 1e-30f;
    ok("K = 0: anything else fails", !passes(&p));
    destroy(&p);
}

static void special_values(void)
{
    struct problem p = make(6, 7, 8, FILL_RANDOM);
    p.A[2 * p.K + 3] = NAN;
    multiply(&p);
    ok("a NaN in A: a row of NaN passes", passes(&p));
    p.C[2 * p.N + 4] = 0.5f;
    ok("a NaN in A: a number in that row fails", !passes(&p));
    multiply(&p);
    p.C[3 * p.N + 4] = NAN;
    ok("a NaN in A: a NaN in another row fails", !passes(&p));

    matrix_fill(p.A, p.B, p.M, p.N, p.K, FILL_RANDOM, 5);
    p.B[3 * p.N + 1] = INFINITY;
    multiply(&p);
    ok("Inf in B: a column of Inf passes", passes(&p));
    p.C[1 * p.N + 1] = -p.C[1 * p.N + 1];
    ok("Inf in B: the other sign fails", !passes(&p));

    matrix_fill(p.A, p.B, p.M, p.N, p.K, FILL_RANDOM, 5);
    p.A[0] = 3e38f;
    p.B[0] = 10.0f;
    multiply(&p);
    ok("beyond the largest float: Inf passes", isinf(p.C[0]) && passes(&p));
    destroy(&p);

    for (int seed = 0; seed < 20; seed++) {
        p = make(40, 50, 60, FILL_RANDOM);
        matrix_fill(p.A, p.B, p.M, p.N, p.K, FILL_SPECIAL, seed);
        multiply(&p);
        char name[80];
        snprintf(name, sizeof name, "the special fill passes, seed %d", seed);
        ok(name, passes(&p));
        destroy(&p);
    }
}

// A reference that comes in panels gives the same verdict as the triple loop.
static bool panel(const void *context, int i0, int rows, int j0, int cols, bool squares,
                  double *product, double *magnitude)
{
    const struct problem *p = context;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < p->K; k++) {
                const double x = (double)p->A[(i0 + i) * p->K + k] * p->B[k * p->N + j0 + j];
                sum += x;
                size += squares ? x * x : fabs(x);
            }
            product[i * cols + j] = sum;
            magnitude[i * cols + j] = size;
        }
    return true;
}

static void panels(void)
{
    struct problem p = make(4100, 3, 5, FILL_RANDOM), q = make(3, 4100, 5, FILL_RANDOM);
    const struct problem *const both[] = {&p, &q};
    for (int i = 0; i < 2; i++) {
        const struct problem *x = both[i];
        for (int library = 0; library < 2; library++) {
            struct reference ref = {.A = x->A, .B = x->B, .M = x->M, .N = x->N, .K = x->K,
                                    .other = library ? panel : NULL, .context = x};
            struct check c;
            char name[80];
            snprintf(name, sizeof name, "panels of %s, %s: right", i ? "columns" : "rows",
                     library ? "a library's" : "the triple loop's");
            ok(name, check_product(&ref, x->C, &c) && c.pass);
            const int row = x->M - 1, col = x->N - 2;
            x->C[row * x->N + col] += 1;
            snprintf(name, sizeof name, "panels of %s, %s: near the last element", i ? "columns" : "rows",
                     library ? "a library's" : "the triple loop's");
            ok(name, check_product(&ref, x->C, &c) && !c.pass && c.wrong == 1 && c.row == row && c.col == col);
            x->C[row * x->N + col] -= 1;
            reference_free(&ref);
        }
    }
    destroy(&p);
    destroy(&q);

    p = make(20, 30, 90, FILL_RANDOM);
    double ratios[2];
    for (int library = 0; library < 2; library++) {
        struct reference sums = {.A = p.A, .B = p.B, .M = p.M, .N = p.N, .K = p.K, .bound = BOUND_RANDOM,
                                 .other = library ? panel : NULL, .context = &p};
        struct check c;
        if (!check_product(&sums, p.C, &c))
            exit(1);
        ratios[library] = c.bound_ratio;
        reference_free(&sums);
    }
    ok("panels, random: a library's and the triple loop's bound are one", fabs(ratios[1] / ratios[0] - 1) < 1e-9);
    destroy(&p);

    p = make(20, 30, 40, FILL_RANDOM);
    struct reference ref = {.A = p.A, .B = p.B, .M = p.M, .N = p.N, .K = p.K};
    struct check c;
    ok("a reference serves several Cs: right", check_product(&ref, p.C, &c) && c.pass);
    p.C[77] += 1;
    ok("a reference serves several Cs: wrong", ref.kept && check_product(&ref, p.C, &c) && c.wrong == 1);
    reference_free(&ref);
    destroy(&p);
}

// The integers are of both signs, not larger than what keeps every sum exact, none is 0,
// so that no lost term goes unseen, and all of them occur.
static void integer_fill(int K, int limit)
{
    struct problem p = make(8, 8, K, FILL_INTEGER);
    int seen[2][17] = {{0}}, others = 0, missing = 0;
    for (int i = 0; i < 8 * K; i++)
        for (int j = 0; j < 2; j++) {
            const float x = j ? p.B[i] : p.A[i];
            if (x == rintf(x) && x != 0 && fabsf(x) <= limit)
                seen[j][8 + (int)x]++;
            else
                others++;
        }
    for (int j = 0; j < 2; j++)
        for (int x = -limit; x <= limit; x++)
            missing += x != 0 && seen[j][8 + x] == 0;
    char name[80];
    snprintf(name, sizeof name, "K = %d, integers: -%d to %d, all of them but 0", K, limit, limit);
    ok(name, others == 0 && missing == 0 && (double)limit * limit * K <= 0x1p24);
    destroy(&p);
}

// Each special value gets into A and B at most seeds (one may lie on another), and the
// last element, beside the padding, is one at some.
static void special_fill(void)
{
    enum { SEEDS = 40, KINDS = 6 };
    int found[2][KINDS] = {{0}}, last = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        struct problem p = make(20, 30, 40, FILL_RANDOM);
        matrix_fill(p.A, p.B, p.M, p.N, p.K, FILL_SPECIAL, seed);
        for (int j = 0; j < 2; j++) {
            const float *X = j ? p.B : p.A;
            const int n = j ? p.K * p.N : p.M * p.K;
            bool here[KINDS] = {false};
            for (int i = 0; i < n; i++) {
                here[0] |= isnan(X[i]);
                here[1] |= X[i] == INFINITY;
                here[2] |= X[i] == -INFINITY;
                here[3] |= X[i] == 0 && signbit(X[i]);
                here[4] |= fpclassify(X[i]) == FP_SUBNORMAL;
                here[5] |= X[i] == 1e38f;
            }
            for (int k = 0; k < KINDS; k++)
                found[j][k] += here[k];
            last += !(fabsf(X[n - 1]) <= 1);
        }
        destroy(&p);
    }
    bool all = true;
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < KINDS; k++)
            all = all && (j == 1 && k == 5 ? found[j][k] == 0 : found[j][k] > SEEDS / 2);
    ok("the special fill has NaN, Inf, -Inf, -0, denormals, and 1e38 in A alone", all);
    ok("the special fill puts one at the end", last > SEEDS / 4);
}

static void fills(void)
{
    enum { N = 64 };
    float A[N * N], B[N * N];
    matrix_fill(A, B, N, N, N, FILL_RANDOM, 1);
    int equal = 0;
    for (int i = 0; i < N * N; i++)
        for (int j = 0; j < i; j++)
            equal += A[i] == A[j];
    ok("random inputs differ everywhere, or nearly", equal <= 4);
    ok("A and B differ", memcmp(A, B, sizeof A) != 0);
    const uint64_t first = matrix_checksum(A, N * N);
    matrix_fill(A, B, N, N, N, FILL_RANDOM, 2);
    ok("another seed gives other inputs", matrix_checksum(A, N * N) != first);
    A[7] = -A[7];
    const uint64_t second = matrix_checksum(A, N * N);
    A[7] = -A[7];
    ok("a checksum sees a sign", matrix_checksum(A, N * N) != second);
}

int main(void)
{
    wrong_elements();
    swapped_inputs();
    lengths_and_scales();
    special_values();
    panels();
    fills();
    integer_fill(64, 8);
    integer_fill(8192, 8);
    integer_fill(400000, 6);
    special_fill();
    printf("1..%d\n", count);
    return failures > 0;
}
