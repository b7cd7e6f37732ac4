#include "check.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "parallel.h"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "the check must see NaN and Inf: build without -ffast-math and -Ofast"
#endif

enum { LAMBDA = 8 };     // L in check.h

// What the threads that work on one panel share.
struct panel {
    const struct reference *ref;
    const float *C;
    int i0, rows, j0, cols;
    double *product, *magnitude;       // (rows, cols)
    bool squares;                      // magnitude is the sum of (a b)^2, not |a b|
    double gamma, underflow;           // the bound is gamma * its size + underflow
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
        const double size = p->squares ? sqrt(magnitude) : magnitude;
        ratio = diff == 0.0 ? 0.0 : diff / (p->gamma * size + p->underflow);
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

static void triple_loop_row(void *arg, long i)
{
    const struct panel *p = arg;
    const struct reference *ref = p->ref;
    double *product = p->product + i * p->cols, *magnitude = p->magnitude + i * p->cols;
    memset(product, 0, p->cols * sizeof *product);
    memset(magnitude, 0, p->cols * sizeof *magnitude);
    for (int k = 0; k < ref->K; k++) {
        const double a = ref->A[(size_t)(p->i0 + i) * ref->K + k];
        const float *b = &ref->B[(size_t)k * ref->N + p->j0];
        for (int j = 0; j < p->cols; j++) {
            const double ab = a * b[j];
            product[j] += ab;
            magnitude[j] += p->squares ? ab * ab : fabs(ab);
        }
    }
}

static void compare_row(void *arg, long i)
{
    struct panel *p = arg;
    struct check r = {0};
    const int row = p->i0 + (int)i;
    const float *C = &p->C[(size_t)row * p->ref->N + p->j0];
    for (int j = 0; j < p->cols; j++)
        compare(p, C[j], p->product[i * p->cols + j], p->magnitude[i * p->cols + j], row,
                p->j0 + j, &r);

    pthread_mutex_lock(&p->lock);
    merge(p->result, &r);
    pthread_mutex_unlock(&p->lock);
}

static bool fill_panel(struct panel *p)
{
    const struct reference *ref = p->ref;
    if (ref->other)
        return ref->other(ref->context, p->i0, p->rows, p->j0, p->cols, p->squares, p->product,
                          p->magnitude);
    parallel_for(p->rows, triple_loop_row, p);
    return true;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Whether the bound is that of sums and roundings that cancel: the smaller one where
// L^2 K / 3 < K^2 / 4, see check.h.
static bool cancels(enum bound bound, int K)
{
    return bound == BOUND_RANDOM && K > LAMBDA * LAMBDA * 4 / 3;
}

static double gamma_of(enum bound bound, int K)
{
    const double u = 0x1p-24;
    if (bound == BOUND_NONE)
        return 0;
    if (cancels(bound, K))
        return LAMBDA * LAMBDA * sqrt(K) * u;
    return K * u / (1 - K * u);
}

const char *bound_text(enum bound bound, int K)
{
    _Static_assert(LAMBDA == 8, "the text says so");
    return bound == BOUND_NONE ? "0: integers are exact in fp32"
           : cancels(bound, K) ? "64 sqrt(K sum (ab)^2) * 2^-24" : "K * 2^-24 * |A||B|";
}

bool check_product(struct reference *ref, const float *C, struct check *result)
{
    struct panel p = {.ref = ref, .C = C, .result = result,
                      .squares = cancels(ref->bound, ref->K), .gamma = gamma_of(ref->bound, ref->K),
                      .underflow = ref->bound == BOUND_NONE ? 0 : ref->K * 0x1p-150};
    *result = (struct check){0};

    const size_t most = (size_t)least(ref->M, PANEL) * least(ref->N, PANEL);
    if (!ref->panel && !(ref->panel = malloc(2 * most * sizeof *ref->panel)))
        return false;
    p.product = ref->panel;
    p.magnitude = ref->panel + most;

    bool ok = true;
    pthread_mutex_init(&p.lock, NULL);
    for (p.i0 = 0; ok && p.i0 < ref->M; p.i0 += p.rows) {
        p.rows = least(ref->M - p.i0, PANEL);
        for (p.j0 = 0; ok && p.j0 < ref->N; p.j0 += p.cols) {
            p.cols = least(ref->N - p.j0, PANEL);
            ok = ref->kept || fill_panel(&p);
            if (ok)
                parallel_for(p.rows, compare_row, &p);
        }
    }
    pthread_mutex_destroy(&p.lock);
    ref->kept = ok && ref->M <= PANEL && ref->N <= PANEL;
    result->pass = result->wrong == 0;
    return ok;
}

void reference_free(struct reference *ref)
{
    free(ref->panel);
    ref->panel = NULL;
    ref->kept = false;
}
