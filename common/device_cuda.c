// device.h on an NVIDIA GPU.
#include "device.h"

#include <cublas_v2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_check.h"
#include "kernels.h"

#ifndef BUILT_FOR
#define BUILT_FOR "?"   // the Makefile's ARCH
#endif

const char *cuda_hint(cudaError_t error)
{
    switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        return "; no usable GPU or driver here: 'make BACKEND=cpu' runs the same program "
               "on the simulator";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion: {
        static char text[160];
        int major = 0, minor = 0;
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
        snprintf(text, sizeof text,
                 "; built for " BUILT_FOR ", this GPU is sm_%d%d: build with 'make ARCH=sm_%d%d'",
                 major, minor, major, minor);
        return text;
    }
    case cudaErrorMemoryAllocation:
        return "; the device is out of memory: try a smaller shape";
    default:
        return "";
    }
}

enum {
    MIN_REPS = 11,      // of a shape, at the least ...
    FEW_REPS = 3,       // ... or these, once MAX_MS have passed
    MAX_REPS = 1000,
    MIN_MS = 150,
    MAX_MS = 2000,
    BATCH = 16,         // pairs of launches enqueued at a time
    DELAY_ROUNDS = 100000,   // milliseconds, to enqueue a batch meanwhile
    PANEL = 4096,       // elements of k in a step of the reference
};

static cublasHandle_t cublas;
static float *sink;             // enqueue_ffma's outputs, never read but for cycles
static long long *cycles;

static void cublas_check(cublasStatus_t status, const char *call, int line)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: cuBLAS status %d\n", __FILE__, line, call, (int)status);
    exit(3);
}
#define CUBLAS(call) cublas_check((call), #call, __LINE__)

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0, device = 0;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

// fp32 multiply-add units of a multiprocessor: CUDA C++ Programming Guide,
// "Arithmetic Instructions", results per clock cycle. 0: a part newer than this table.
static int fp32_lanes(int cc)
{
    switch (cc) {
    case 75: case 80: return 64;
    case 86: case 87: case 89: case 90: case 100: case 103: case 110: case 120: case 121:
        return 128;
    default: return 0;
    }
}

// The runtime knows only the CUDA version that the driver supports; the driver's
// own is the first word of this form in the kernel module's line.
static void driver_text(char *text, size_t size)
{
    char line[256] = "";
    FILE *f = fopen("/proc/driver/nvidia/version", "r");
    if (f) {
        if (!fgets(line, sizeof line, f))
            line[0] = '\0';
        fclose(f);
    }
    for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n")) {
        if (strspn(word, "0123456789.") == strlen(word) && strchr(word, '.')) {
            snprintf(text, size, "%s", word);
            return;
        }
    }
    int cuda = 0;
    CUDA(cudaDriverGetVersion(&cuda));
    snprintf(text, size, "for CUDA %d.%d", cuda / 1000, cuda % 1000 / 10);
}

void device_open(struct device *d)
{
    struct cudaDeviceProp prop;
    int device;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceProperties(&prop, device));
    *d = (struct device){.backend = "cuda", .sms = prop.multiProcessorCount,
                         .cc = prop.major * 10 + prop.minor,
                         .shared_optin = prop.sharedMemPerBlockOptin};
    snprintf(d->name, sizeof d->name, "%s", prop.name);
    d->peak_gflops = 2e-6 * d->sms * fp32_lanes(d->cc) * attribute(cudaDevAttrClockRate);
    driver_text(d->driver, sizeof d->driver);
    snprintf(d->cuda, sizeof d->cuda, "%d.%d", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);

    // The yardstick is plain fp32, whatever the environment says: no TF32, and no
    // fp32 emulated by other units.
    setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
    setenv("CUBLAS_EMULATE_SINGLE_PRECISION", "0", 1);
    setenv("CUBLAS_EMULATE_DOUBLE_PRECISION", "0", 1);   // nor the reference
    CUBLAS(cublasCreate(&cublas));
    CUBLAS(cublasSetMathMode(cublas, CUBLAS_DEFAULT_MATH));
    snprintf(d->yardstick, sizeof d->yardstick, "cuBLAS %d.%d fp32 without TF32",
             CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR);
    CUDA(cudaMalloc((void **)&sink, sizeof *sink));
    CUDA(cudaMalloc((void **)&cycles, sizeof *cycles));
}

int device_compiled_for(const struct tile *t)
{
    struct cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, t->kernel));
    return a.ptxVersion;
}

bool device_occupancy(const struct tile *t, int *registers, int *blocks)
{
    struct cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, t->kernel));
    *registers = a.numRegs;
    // More than 48 KB of dynamic shared memory has to be asked for.
    CUDA(cudaFuncSetAttribute(t->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              (int)t->shared_bytes));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, t->kernel, t->threads_x * t->threads_y, t->shared_bytes));
    return true;
}

// Row-major C = A * B is column-major C' = B' * A'.
static void enqueue_cublas(const struct gemm *g, float *C)
{
    const float one = 1.0f, zero = 0.0f;
    CUBLAS(cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, g->N, g->M, g->K, &one,
                        g->B, CUDA_R_32F, g->N, g->A, CUDA_R_32F, g->K > 0 ? g->K : 1, &zero,
                        C, CUDA_R_32F, g->N, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static struct timing summarize(float *ms, int n)
{
    struct timing t = {.reps = n};
    qsort(ms, n, sizeof *ms, by_value);
    for (int i = 0; i < n; i++)
        t.avg_ms += ms[i] / n;
    t.min_ms = ms[0];
    t.max_ms = ms[n - 1];
    t.median_ms = (ms[(n - 1) / 2] + ms[n / 2]) / 2.0;
    return t;
}

// The clock of the multiprocessors just now.
static double read_clock_mhz(void)
{
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    enqueue_ffma(1, DELAY_ROUNDS, sink, NULL);
    CUDA(cudaEventRecord(start, 0));
    enqueue_ffma(1, DELAY_ROUNDS, sink, cycles);
    CUDA(cudaEventRecord(stop, 0));
    CUDA(cudaEventSynchronize(stop));
    float ms;
    long long n;
    CUDA(cudaEventElapsedTime(&ms, start, stop));
    CUDA(cudaMemcpy(&n, cycles, sizeof n, cudaMemcpyDeviceToHost));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    return n / (ms * 1e3);
}

bool device_time(const struct tile *t, const struct gemm *g, int reps,
                 struct timing *tile, struct timing *yardstick, double *clock_mhz)
{
    float *other, *tile_ms, *yard_ms;
    CUDA(cudaMalloc((void **)&other, (size_t)g->M * g->N * sizeof *other));
    const int most = reps > 0 ? reps : MAX_REPS;
    tile_ms = malloc(2 * (size_t)most * sizeof *tile_ms);
    if (!tile_ms) {
        fprintf(stderr, "no memory for %d timings: use a smaller --reps\n", most);
        exit(3);
    }
    yard_ms = tile_ms + most;
    cudaEvent_t events[BATCH][3];
    for (int i = 0; i < BATCH; i++)
        for (int j = 0; j < 3; j++)
            CUDA(cudaEventCreate(&events[i][j]));

    // The first launches load code and choose algorithms.
    for (int i = 0; i < 2; i++) {
        t->launch(g);
        enqueue_cublas(g, other);
    }
    CUDA(cudaDeviceSynchronize());

    int n = 0;
    double spent = 0.0;
    while (reps > 0 ? n < reps
                    : n < MAX_REPS && (n < MIN_REPS || spent < MIN_MS) &&
                          (n < FEW_REPS || spent < MAX_MS)) {
        // Long launches come singly, so that the loop can stop in time. Short
        // ones are enqueued behind a delay, so that the GPU never waits for the
        // CPU between two events.
        int batch = n == 0 || spent / n > 5.0 ? 1 : BATCH;
        if (batch > most - n)
            batch = most - n;
        enqueue_ffma(1, DELAY_ROUNDS, sink, NULL);
        for (int i = 0; i < batch; i++) {
            CUDA(cudaEventRecord(events[i][0], 0));
            t->launch(g);
            CUDA(cudaEventRecord(events[i][1], 0));
            enqueue_cublas(g, other);
            CUDA(cudaEventRecord(events[i][2], 0));
        }
        CUDA(cudaGetLastError());
        CUDA(cudaDeviceSynchronize());
        for (int i = 0; i < batch; i++, n++) {
            CUDA(cudaEventElapsedTime(&tile_ms[n], events[i][0], events[i][1]));
            CUDA(cudaEventElapsedTime(&yard_ms[n], events[i][1], events[i][2]));
            spent += tile_ms[n];
        }
    }
    *tile = summarize(tile_ms, n);
    *yardstick = summarize(yard_ms, n);
    *clock_mhz = read_clock_mhz();

    for (int i = 0; i < BATCH; i++)
        for (int j = 0; j < 3; j++)
            CUDA(cudaEventDestroy(events[i][j]));
    free(tile_ms);
    CUDA(cudaFree(other));
    return true;
}

static void enqueue_dgemm(int rows, int cols, int k, const double *A, const double *B,
                          double beta, double *C)
{
    const double one = 1.0;
    CUBLAS(cublasDgemm(cublas, CUBLAS_OP_N, CUBLAS_OP_N, cols, rows, k, &one, B, cols, A, k,
                       &beta, C, cols));
}

bool device_reference(const struct gemm *g, int i0, int rows, int j0, int cols,
                      bool squares, double *product, double *magnitude)
{
    const size_t out = (size_t)rows * cols;
    const int step = g->K < PANEL ? g->K : PANEL;
    const size_t a = (size_t)rows * step, b = (size_t)step * cols;
    double *work;
    CUDA(cudaMalloc((void **)&work, 2 * (out + a + b) * sizeof *work));
    double *P = work, *Q = P + out;                  // product, magnitude
    double *A = Q + out, *sizeA = A + a, *B = sizeA + a, *sizeB = B + b;

    for (int k = 0; k < g->K; k += step) {
        const int n = g->K - k < step ? g->K - k : step;
        enqueue_widen(g->A + (size_t)i0 * g->K + k, g->K, rows, n, squares, A, sizeA);
        enqueue_widen(g->B + (size_t)k * g->N + j0, g->N, n, cols, squares, B, sizeB);
        enqueue_dgemm(rows, cols, n, A, B, k > 0, P);
        enqueue_dgemm(rows, cols, n, sizeA, sizeB, k > 0, Q);
    }
    CUDA(cudaMemcpy(product, P, out * sizeof *P, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(magnitude, Q, out * sizeof *Q, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(work));
    return true;
}

void device_label(const void *pointer, const char *name)
{
    (void)pointer, (void)name;
}

int device_faults(FILE *out)
{
    (void)out;
    return 0;
}

const char *device_why_not_counted(void)
{
    return "the simulator: make BACKEND=cpu; for this GPU's own counters: make profileN";
}

bool device_count(void)
{
    return false;
}

struct counters device_counters(void)
{
    return (struct counters){0};
}

void device_counters_print(FILE *out)
{
    (void)out;
}

bool device_trace(FILE *out)
{
    (void)out;
    return false;
}
