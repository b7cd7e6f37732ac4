#include "check.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "parallel.h"

enum { PANEL = 4096 };   // rows and columns of a panel of `other`'s reference

// What the rows of one panel share.
struct panel {
    const float *A, *B, *C;
    int N, K;
    int i0, j0, cols;
    double gamma, underflow;           // the bound is gamma * magnitude + underflow
    const double *product, *magnitude; // from `other`, or NULL: the triple loop
    bool failed;                       // out of memory
    struct check *result;
    pthread_mutex_t lock;
};

// One element. A comparison with NaN is false, so every test says what passes.
static void compare(const struct panel *p, float got, double want, double magnitude,
                    int row, int col, struct check *r)
{
    double diff, ratio;
    if (isnan(want) || fabs(want) > FLT_MAX) {
        const bool same = isnan(want) ? isnan(got)
                                      : isinf(got) && (got > 0) == (want > 0);
        diff = ratio = same ? 0.0 : INFINITY;
    } else if (isfinite(got)) {
        diff = fabs(got - want);
        // Equal is right even where the bound is 0 (K = 0, integers).
        ratio = diff == 0.0 ? 0.0 : diff / (p->gamma * magnitude + p->underflow);
    } else {
        diff = ratio = INFINITY;
    }

    if (diff > r->max_abs_diff)
        r->max_abs_diff = diff;
    if (ratio > r->bound_ratio)
        r->bound_ratio = ratio;
    if (!(ratio <= 1.0) && r->wrong++ == 0) {
        r->row = row;
        r->col = col;
        r->got = got;
        r->want = want;
    }
}

static bool before(const struct check *a, const struct check *b)
{
    return a->row != b->row ? a->row < b->row : a->col < b->col;
}

static void merge(struct check *into, const struct check *r)
{
    if (r->wrong && (!into->wrong || before(r, into))) {
        into->row = r->row;
        into->col = r->col;
        into->got = r->got;
        into->want = r->want;
    }
    into->wrong += r->wrong;
    into->max_abs_diff = fmax(into->max_abs_diff, r->max_abs_diff);
    into->bound_ratio = fmax(into->bound_ratio, r->bound_ratio);
}

static void triple_loop_row(const struct panel *p, int row, double *product, double *magnitude)
{
    memset(product, 0, p->N * sizeof *product);
    memset(magnitude, 0, p->N * sizeof *magnitude);
    for (int k = 0; k < p->K; k++) {
        const double a = p->A[(size_t)row * p->K + k];
        const float *b = &p->B[(size_t)k * p->N];
        for (int j = 0; j < p->N; j++) {
            product[j] += a * b[j];
            magnitude[j] += fabs(a * b[j]);
        }
    }
}

static void check_row(void *arg, long i)
{
    struct panel *p = arg;
    struct check r = {0};
    const int row = p->i0 + (int)i;

    double *own = p->product ? NULL : malloc(2 * (size_t)p->N * sizeof *own);
    const double *product = own, *magnitude = own ? own + p->N : NULL;
    if (p->product) {
        product = p->product + i * p->cols;
        magnitude = p->magnitude + i * p->cols;
    } else if (own) {
        triple_loop_row(p, row, own, own + p->N);
    }
    for (int j = 0; product && j < p->cols; j++)
        compare(p, p->C[(size_t)row * p->N + p->j0 + j], product[j], magnitude[j],
                row, p->j0 + j, &r);

    pthread_mutex_lock(&p->lock);
    p->failed |= !product;
    merge(p->result, &r);
    pthread_mutex_unlock(&p->lock);
    free(own);
}

static bool check_panels(struct panel *p, int M, reference_fn *other, const void *context)
{
    const size_t rows_most = M < PANEL ? M : PANEL, cols_most = p->N < PANEL ? p->N : PANEL;
    double *reference = malloc(2 * rows_most * cols_most * sizeof *reference);
    bool ok = reference != NULL;
    for (p->i0 = 0; ok && p->i0 < M; p->i0 += PANEL) {
        const int rows = M - p->i0 < PANEL ? M - p->i0 : PANEL;
        for (p->j0 = 0; ok && p->j0 < p->N; p->j0 += PANEL) {
            p->cols = p->N - p->j0 < PANEL ? p->N - p->j0 : PANEL;
            p->product = reference;
            p->magnitude = reference + (size_t)rows * p->cols;
            ok = other(context, p->i0, rows, p->j0, p->cols, reference,
                       reference + (size_t)rows * p->cols);
            if (ok)
                parallel_for(rows, check_row, p);
        }
    }
    free(reference);
    return ok;
}

bool check_product(const float *A, const float *B, const float *C, int M, int N, int K,
                   bool exact, reference_fn *other, const void *context,
                   struct check *result)
{
    const double u = 0x1p-24;
    struct panel p = {.A = A, .B = B, .C = C, .N = N, .K = K, .cols = N, .result = result};
    if (!exact) {
        p.gamma = K * u / (1 - K * u);
        p.underflow = K * 0x1p-150;
    }
    pthread_mutex_init(&p.lock, NULL);

    *result = (struct check){0};
    if (other)
        p.failed = !check_panels(&p, M, other, context);
    else
        parallel_for(M, check_row, &p);
    pthread_mutex_destroy(&p.lock);
    result->pass = result->wrong == 0;
    return !p.failed;
}
