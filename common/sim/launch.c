// A launch: its limits, and the workers that share its blocks.
#include "sim_internal.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "counters.h"
#include "fiber.h"
#include "report.h"

enum {
    // Each stack takes two of the 65,530 mappings that Linux grants a process.
    SIM_MAX_WORKERS = 28,
};

static _Thread_local char dynamic[SIM_MAX_SHARED] __attribute__((aligned(1024)));

static struct sim_worker *workers[SIM_MAX_WORKERS];   // kept from launch to launch
static atomic_ullong next_block, blocks_done;
static atomic_int workers_done;

// ------------------------------------------------------------------ helpers

void sim_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("simulator: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(3);
}

void *sim_dynamic_shared(const char *name, size_t element_bytes)
{
    struct sim_worker *w = sim_self;
    if (!w->launch)   // a variable of the file, set before any block runs
        sim_die("extern __shared__ ... %s[]: in front of a kernel it must be a line of its own, with nothing "
                "before extern; or declare it in the kernel", name);
    w->dynamic_name = name;
    w->dynamic_element = (uint32_t)element_bytes;
    return dynamic;
}

int sim_worker_count(void)
{
    const char *wanted = getenv("SIM_WORKERS");
    if (!wanted) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        return n < 1 ? 1 : n > SIM_MAX_WORKERS ? SIM_MAX_WORKERS : (int)n;
    }
    char *end;
    long n = strtol(wanted, &end, 10);
    if (end == wanted || *end || n < 1 || n > SIM_MAX_WORKERS)
        sim_die("SIM_WORKERS=%s: want a number from 1 to %d", wanted, SIM_MAX_WORKERS);
    return (int)n;
}

static void start(void)
{
    static int started;
    if (started++)
        return;
    sim_symbols_init();
    sim_catch_signals();
}

size_t sim_static_shared(const void *kernel)
{
    start();
    const char *name = sim_mangled_name(kernel);
    size_t bytes = 0;
    for (int i = 0; i < sim_narrays; i++)
        if (sim_owns(name, &sim_arrays[i]))
            bytes += sim_arrays[i].size;
    return bytes;
}

// ------------------------------------------------------------------ workers

// The arrays of the kernel at hand, which hold NaN when a block begins.
static struct {
    int n;
    const struct sim_array **array;
} mine;

void sim_poison(struct sim_worker *w)
{
    for (int i = 0; i < mine.n; i++)
        memset((char *)w->shared_lo + mine.array[i]->offset, 0xff, mine.array[i]->size);
    if (w->launch->dynamic_bytes)
        memset(dynamic, 0xff, w->launch->dynamic_bytes);
}

static void find_my_arrays(const void *kernel)
{
    if (!mine.array)
        mine.array = calloc((size_t)sim_narrays + 1, sizeof *mine.array);
    if (!mine.array)
        sim_die("out of memory");
    const char *name = sim_mangled_name(kernel);
    mine.n = 0;
    for (int i = 0; i < sim_narrays; i++)
        if (sim_owns(name, &sim_arrays[i]))
            mine.array[mine.n++] = &sim_arrays[i];
}

static struct sim_worker *new_worker(void)
{
    struct sim_worker *w = calloc(1, sizeof *w);
    if (w)
        w->threads = calloc(SIM_MAX_THREADS, sizeof *w->threads);
    if (!w || !w->threads)
        sim_die("out of memory");
    w->stack_size = SIM_STACK;
    w->faults = sim_new_fault_list();
    w->tally = sim_new_tally();
    return w;
}

// Readies the worker for threads numbered as in the launch.
static void set_threads(struct sim_worker *w, const struct sim_launch *launch)
{
    struct uint3 d = launch->block;
    w->launch = launch;
    w->watch = launch->checked ? sim_counting() : 0;
    w->nthreads = d.x * d.y * d.z;
    if (w->nthreads > w->nstacks) {
        sim_free_stacks(w->stacks, w->nstacks);
        w->stacks = sim_stacks(w->nthreads);
        w->nstacks = w->nthreads;
    }
    for (uint32_t i = 0; i < w->nthreads; i++)
        w->threads[i].idx = (struct uint3){i % d.x, i / d.x % d.y, i / d.x / d.y};
}

static unsigned long long count_blocks(const struct sim_launch *launch)
{
    return (unsigned long long)launch->grid.x * launch->grid.y * launch->grid.z;
}

static void *work(void *worker)
{
    struct sim_worker *w = worker;
    unsigned long long n = count_blocks(w->launch);
    sim_self = w;
    w->shared_lo = sim_shared_base(&w->shared_size);
    w->dynamic_lo = (uintptr_t)dynamic;
    sim_signal_stack(w);
    if (w->launch->checked)
        sim_set_words(w);
    for (;;) {
        w->block = atomic_fetch_add(&next_block, 1);
        if (w->block >= n)
            break;
        sim_run_block(w);
        atomic_fetch_add_explicit(&blocks_done, 1, memory_order_relaxed);
    }
    atomic_fetch_add(&workers_done, 1);
    return NULL;
}

void sim_stop_launch(void)
{
    atomic_store(&next_block, UINT64_MAX / 2);
}

// ----------------------------------------------------------------- progress

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Waits for the workers, and tells how far they are: at a terminal in one line, from
// 2 s on; in a file after 10, 20, 40 s ...
static void wait_for_workers(const struct sim_launch *launch, pthread_t *ids, int n)
{
    unsigned long long blocks = count_blocks(launch);
    const bool terminal = isatty(STDERR_FILENO);
    const double start = seconds();
    double spent = 0, next = terminal ? 2 : 10;
    bool shown = false;
    while (atomic_load(&workers_done) < n) {
        double nap = spent < 6 ? spent / 32 + 2e-5 : 0.2;
        nanosleep(&(struct timespec){0, (long)(1e9 * nap)}, NULL);
        spent = seconds() - start;
        if (spent < next)
            continue;
        next = terminal ? spent : 2 * next;
        shown = terminal;
        fprintf(stderr, "%s[sim] %s: %3.0f %% of %llu blocks after %.0f s%s", terminal ? "\r" : "",
                launch->name, 100.0 * (double)atomic_load(&blocks_done) / (double)blocks, blocks, spent,
                terminal ? "" : "\n");
    }
    for (int i = 0; i < n; i++)
        pthread_join(ids[i], NULL);
    if (shown)
        fputs("\r\033[K", stderr);
}

// ------------------------------------------------------------------- launch

// What a GPU would refuse, or NULL.
static const char *over_limit(const struct sim_launch *l)
{
    struct uint3 g = l->grid, b = l->block;
    size_t shared = sim_static_shared(l->kernel);
    if (b.x == 0 || b.y == 0 || b.z == 0 || g.x == 0 || g.y == 0 || g.z == 0)
        return "a block and a grid need at least 1 of everything";
    if (b.x > 1024 || b.y > 1024 || b.z > 64)
        return "a block is at most (1024,1024,64)";
    if ((unsigned long long)b.x * b.y * b.z > SIM_MAX_THREADS)
        return "a block has at most 1024 threads";
    if (g.x > 0x7fffffff || g.y > 65535 || g.z > 65535)
        return "a grid is at most (2147483647,65535,65535)";
    if (shared > SIM_DEFAULT_SHARED)
        return "a block has at most 48 KiB of __shared__ arrays; more needs extern __shared__";
    if (l->dynamic_bytes > SIM_MAX_SHARED || shared + l->dynamic_bytes > SIM_MAX_SHARED)
        return "a block has at most 227 KiB of shared memory";
    if (l->dynamic_bytes > sim_dynamic_limit(l->kernel))
        return "more than 48 KiB of shared memory needs cudaFuncSetAttribute(kernel, "
               "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)";
    return NULL;
}

void sim_run(const struct sim_launch *launch)
{
    start();
    const char *why = over_limit(launch);
    if (why) {
        sim_launch_fault(launch, sim_place(__builtin_return_address(0)), why);
        sim_set_error(cudaErrorInvalidConfiguration);
        return;
    }
    unsigned long long blocks = count_blocks(launch);
    int n = sim_worker_count();
    if ((unsigned long long)n > blocks)
        n = (int)blocks;
    find_my_arrays(launch->kernel);
    sim_forget_writers();
    atomic_store(&next_block, 0);
    atomic_store(&blocks_done, 0);
    atomic_store(&workers_done, 0);
    pthread_t ids[SIM_MAX_WORKERS];
    for (int i = 0; i < n; i++) {
        if (!workers[i])
            workers[i] = new_worker();
        set_threads(workers[i], launch);
        if (pthread_create(&ids[i], NULL, work, workers[i]) != 0)
            sim_die("cannot start a thread");
    }
    wait_for_workers(launch, ids, n);
    sim_gather_counters(workers, n);
    sim_trace_end();
    sim_print_faults(workers, n);
}
