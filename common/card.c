// What the GPU at hand can do, as one row of CSV under its header: the fp32 peak
// that a loop of multiply-adds reaches and the bandwidth of a copy, measured.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "cuda_check.h"
#include "device.h"
#include "kernels.h"

enum {
    WARM = 3,           // launches before the timed ones
    REPS = 21,
    ROUNDS = 100000,    // of 16 multiply-adds a thread: some milliseconds
    BLOCK = 256,        // threads, as enqueue_ffma has them
};
#define COPY_BYTES ((size_t)1 << 30)   // far beyond any L2

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

struct work {
    int blocks;             // of the multiply-add loop; 0: copy instead
    float *sink;
    long long *cycles;
    char *from, *to;
    size_t bytes;
};

static void enqueue(const struct work *w)
{
    if (w->blocks)
        enqueue_ffma(w->blocks, ROUNDS, w->sink, w->cycles);
    else
        CUDA(cudaMemcpyAsync(w->to, w->from, w->bytes, cudaMemcpyDeviceToDevice, 0));
}

// The median of REPS launches, each between two events, in milliseconds.
static double median_ms(const struct work *w)
{
    float ms[REPS];
    cudaEvent_t start, stop;
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&stop));
    for (int i = 0; i < WARM; i++)
        enqueue(w);
    for (int i = 0; i < REPS; i++) {
        CUDA(cudaEventRecord(start, 0));
        enqueue(w);
        CUDA(cudaEventRecord(stop, 0));
        CUDA(cudaEventSynchronize(stop));
        CUDA(cudaEventElapsedTime(&ms[i], start, stop));
    }
    CUDA(cudaEventDestroy(start));
    CUDA(cudaEventDestroy(stop));
    qsort(ms, REPS, sizeof *ms, by_value);
    return ms[REPS / 2];
}

// The best of a few numbers of blocks, all resident at once on every GPU from
// sm_75 on. A block alone on its multiprocessor runs as long as the launch does: its
// cycles give the clock. Among several the first is served first, and ends early.
static double measure_ffma(int sms, double *clock_mhz)
{
    struct work w = {0};
    double best = 0.0;
    CUDA(cudaMalloc((void **)&w.sink, sizeof *w.sink));
    CUDA(cudaMalloc((void **)&w.cycles, sizeof *w.cycles));
    for (int a_sm = 1; a_sm <= 4; a_sm *= 2) {
        w.blocks = sms * a_sm;
        const double ms = median_ms(&w);
        const double gflops = 2e-6 * w.blocks * BLOCK * 16.0 * ROUNDS / ms;
        if (a_sm == 1) {
            long long cycles;
            CUDA(cudaMemcpy(&cycles, w.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
            *clock_mhz = cycles / (ms * 1e3);
        }
        if (gflops > best)
            best = gflops;
    }
    CUDA(cudaFree(w.sink));
    CUDA(cudaFree(w.cycles));
    return best;
}

// Bytes read and bytes written, in 1e9 a second.
static double measure_copy(void)
{
    struct work w = {.bytes = COPY_BYTES};
    while (w.bytes > device_free_bytes() / 4)
        w.bytes /= 2;
    CUDA(cudaMalloc((void **)&w.from, w.bytes));
    CUDA(cudaMalloc((void **)&w.to, w.bytes));
    CUDA(cudaMemset(w.from, 0, w.bytes));
    const double ms = median_ms(&w);
    CUDA(cudaFree(w.from));
    CUDA(cudaFree(w.to));
    return 2e-6 * w.bytes / ms;
}

// In quotes, as RFC 4180 has them.
static void quoted(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"')
            putchar('"');
        putchar(*s);
    }
    putchar('"');
}

int main(void)
{
    struct device d;
    device_open(&d);
    double clock_mhz = 0.0;
    const double ffma = measure_ffma(d.sms, &clock_mhz);
    const double copy = measure_copy();

    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    printf("device,sms,driver,cuda,clock_mhz,peak_gflops,ffma_gflops,copy_gbs,date\n");
    quoted(d.name);
    printf(",%d,", d.sms);
    quoted(d.driver);
    printf(",%s,%.0f,%.0f,%.0f,%.0f,%s\n", d.cuda, clock_mhz, d.peak_gflops, ffma, copy, date);
    return 0;
}
