// The run: arguments -> shapes -> inputs -> launch -> check -> time -> report.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "args.h"
#include "check.h"
#include "cuda_check.h"
#include "device.h"
#include "matrix.h"
#include "output.h"
#include "report.h"

// Above this many multiply-adds the reference comes from the device's library.
#define TRIPLE_LOOP_MAX 2e9

enum { PASSED = 0, CHECK_FAILED = 1, WRONG_ARGUMENTS = 2, DEVICE_FAILED = 3 };

struct run {
    const struct stage *stage;
    struct device device;
    struct args args;
    FILE *text;            // for people
    struct output csv;     // for tools; without a file, stdout
    struct output trace;   // of the first tile of the first shape
    int status;            // the worst so far
    const struct row *unfinished;   // what is said of the tile at hand, if the runtime fails
};

// The inputs, C and the right product of one shape, on the host; and on the device.
struct matrices {
    float *A, *B, *C;
    struct gemm device;
    struct reference reference;
};

static void worse(struct run *run, int status)
{
    if (status > run->status)
        run->status = status;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static float *host_floats(size_t n)
{
    float *p = malloc(n ? n * sizeof *p : 1);
    if (!p) {
        fprintf(stderr, "the host has no memory for %zu floats: try a smaller shape\n", n);
        exit(DEVICE_FAILED);
    }
    return p;
}

static float *device_floats(size_t n)
{
    float *p = NULL;
    CUDA(cudaMalloc((void **)&p, n ? n * sizeof *p : sizeof *p));
    return p;
}

// Scratch for a tile, all zeros at first; NULL where it wants none.
static float *zeroed_floats(size_t n)
{
    if (n == 0)
        return NULL;
    float *p = device_floats(n);
    CUDA(cudaMemset(p, 0, n * sizeof *p));
    return p;
}

static int chosen(const struct stage *stage, const struct gemm *g)
{
    return stage->choose ? stage->choose(g) : 0;
}

// The most scratch that a tile to be run wants, in floats.
static size_t work_floats(const struct run *run, const struct gemm *g)
{
    size_t most = 0;
    for (int i = 0; i < run->stage->ntiles; i++) {
        const struct tile *t = &run->stage->tiles[i];
        const size_t n = t->work_floats ? t->work_floats(g) : 0;
        const bool wanted = strcmp(run->args.tile, "all") == 0 ||
                            strcmp(run->args.tile, t->name) == 0 ||
                            (strcmp(run->args.tile, "auto") == 0 && i == chosen(run->stage, g));
        if (wanted && n > most)
            most = n;
    }
    return most;
}

// What Linux could give to a new program; elsewhere, no limit is known.
static double host_free_bytes(void)
{
    char line[128];
    double kib = INFINITY;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "MemAvailable: %lf", &kib) != 1) {
    }
    if (f)
        fclose(f);
    return 1024 * kib;
}

// Refuses what the device or the host cannot hold, before anything is allocated. On the
// device the yardstick has a C of its own, and the reference, where it is computed there,
// takes some. The simulator's device memory is the host's, with a record of 8 bytes for each
// word that is written (SIM=fast has none, and is refused somewhat early).
static bool fits_memory(const struct run *run, const struct shape *s, size_t work)
{
    const bool large = (double)s->M * s->N * s->K > TRIPLE_LOOP_MAX && run->device.yardstick[0];
    const bool simulated = strcmp(run->device.backend, "cpu") == 0;
    const double c = 4.0 * s->M * s->N, written = c + 4.0 * (double)work;
    const double inputs = 4.0 * ((double)s->M * s->K + (double)s->K * s->N);
    const double device = inputs + written + (simulated ? 2 * written : c) +
                          (run->args.check && large ? 1e9 : 0);
    const double panel = run->args.check ? fmin(4 * c, 16.0 * PANEL * PANEL) : 0;
    const double host = inputs + c + panel + (simulated ? device : 0);
    const double device_free = device_free_bytes(), host_free = host_free_bytes();
    const bool fits = device <= device_free;
    if (fits && host <= host_free)
        return true;
    fflush(run->text);
    fprintf(stderr, "stage%d: %dx%dx%d needs %.0f bytes, %s has %.0f free: try a smaller shape\n",
            run->stage->number, s->M, s->N, s->K, fits ? host : device,
            fits ? "this machine" : run->device.name, fits ? host_free : device_free);
    return false;
}

static bool reference(const void *context, int i0, int rows, int j0, int cols,
                      bool squares, double *product, double *magnitude)
{
    return device_reference(context, i0, rows, j0, cols, squares, product, magnitude);
}

static void copy_inputs(const struct matrices *m)
{
    const struct gemm *g = &m->device;
    CUDA(cudaMemcpy((void *)g->A, m->A, (size_t)g->M * g->K * sizeof *g->A, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy((void *)g->B, m->B, (size_t)g->K * g->N * sizeof *g->B, cudaMemcpyHostToDevice));
}

static struct matrices make_matrices(const struct run *run, const struct shape *s,
                                     enum fill fill, size_t work)
{
    const size_t a = (size_t)s->M * s->K, b = (size_t)s->K * s->N, c = (size_t)s->M * s->N;
    struct matrices m = {.A = host_floats(a), .B = host_floats(b), .C = host_floats(c)};
    matrix_fill(m.A, m.B, s->M, s->N, s->K, fill, run->args.seed);

    float *A = device_floats(a), *B = device_floats(b), *C = device_floats(c);
    device_label(A, "A");
    device_label(B, "B");
    device_label(C, "C");
    m.device = (struct gemm){.M = s->M, .N = s->N, .K = s->K, .A = A, .B = B, .C = C,
                             .work = zeroed_floats(work),
                             .sms = run->device.sms, .shared = run->device.shared_optin};
    copy_inputs(&m);

    const bool large = (double)s->M * s->N * s->K > TRIPLE_LOOP_MAX;
    m.reference = (struct reference){.A = m.A, .B = m.B, .M = s->M, .N = s->N, .K = s->K,
                                     .bound = fill == FILL_INTEGER ? BOUND_NONE
                                              : fill == FILL_RANDOM ? BOUND_RANDOM : BOUND_WORST,
                                     .other = large && run->device.yardstick[0] ? reference : NULL};
    return m;
}

static void free_matrices(struct matrices *m)
{
    reference_free(&m->reference);
    cudaFree((void *)m->device.A);   // all fail if a kernel did, which has been said
    cudaFree((void *)m->device.B);
    cudaFree(m->device.C);
    cudaFree(m->device.work);
    free(m->A);
    free(m->B);
    free(m->C);
}

static size_t c_bytes(const struct gemm *g)
{
    return (size_t)g->M * g->N * sizeof *g->C;
}

static void check(const struct run *run, struct matrices *m, struct row *row)
{
    if (!m->reference.kept) {
        fprintf(run->text, m->reference.other ? "[GPU] computing reference in double (cuBLAS)...\n"
                                              : "[CPU] computing reference...\n");
        fflush(run->text);
    }
    if (!check_product(&m->reference, m->C, &row->check)) {
        fprintf(stderr, "no memory for the reference of %dx%dx%d: try a smaller shape\n",
                m->device.M, m->device.N, m->device.K);
        exit(DEVICE_FAILED);
    }
    row->checked = true;
}

// Whether n floats on the device have the bits of those on the host.
static bool same_bits(const float *device, const float *host, size_t n)
{
    const size_t chunk = 1 << 22;
    float *again = host_floats(n < chunk ? n : chunk);
    bool same = true;
    for (size_t i = 0; same && i < n; i += chunk) {
        const size_t bytes = (n - i < chunk ? n - i : chunk) * sizeof *again;
        CUDA(cudaMemcpy(again, device + i, bytes, cudaMemcpyDeviceToHost));
        same = memcmp(again, host + i, bytes) == 0;
    }
    free(again);
    return same;
}

// Whether A and B are what they were; if not, they are made so for the next tile.
static bool same_inputs(const struct matrices *m)
{
    const struct gemm *g = &m->device;
    const size_t a = (size_t)g->M * g->K, b = (size_t)g->K * g->N;
    if (same_bits(g->A, m->A, a) && same_bits(g->B, m->B, b))
        return true;
    copy_inputs(m);
    return false;
}

static struct row run_tile(struct run *run, const struct tile *tile, bool automatic,
                           struct matrices *m, enum fill fill)
{
    static char why[512];
    struct row row = {.stage = run->stage, .device = &run->device, .tile = tile,
                      .automatic = automatic, .gemm = m->device, .fill = fill_names[fill],
                      .seed = run->args.seed, .bound = m->reference.bound, .same_inputs = true,
                      .same_bits = true};
    m->reference.context = &m->device;
    report_shape(run->text, &row);
    if (!device_fits(&run->device, tile, why, sizeof why)) {
        row.error = why;
        return row;
    }

    // An element that the kernel leaves out fails: bytes of ones are a NaN, which nothing
    // makes a number again. Where a NaN may be right, C begins with 3.4e38.
    CUDA(cudaMemset(m->device.C, fill == FILL_SPECIAL ? 0x7f : 0xff, c_bytes(&m->device)));
    if (run->args.counters)
        row.counted = device_count();
    const bool trace = run->trace.stream && !run->trace.used;
    if (trace)
        device_trace(run->trace.stream);
    const double start = seconds();
    row.error = device_launch(tile, &m->device);
    row.seconds = seconds() - start;
    if (trace) {
        device_trace(NULL);
        run->trace.used = true;
    }
    if (row.error)
        return row;
    if (row.counted)
        row.counters = device_counters();
    CUDA(cudaMemcpy(m->C, m->device.C, c_bytes(&m->device), cudaMemcpyDeviceToHost));
    row.checksum = matrix_checksum(m->C, c_bytes(&m->device) / sizeof *m->C);

    if (run->args.check) {
        row.same_inputs = same_inputs(m);   // first, as a reference may be computed from them
        check(run, m, &row);
    }
    if (row_passes(&row) && run->args.reps != 0) {
        row.timed = device_time(tile, &m->device, run->args.reps, &row.timing, &row.yardstick,
                                &row.clock_mhz);
        row.same_bits = !row.timed || same_bits(m->device.C, m->C, c_bytes(&m->device) / sizeof *m->C);
    }
    return row;
}

static void put_row(struct run *run, const struct row *row)
{
    if (run->csv.stream)
        csv_row(run->csv.stream, row);
    run->csv.used = true;
    worse(run, row->error ? DEVICE_FAILED : row_passes(row) ? PASSED : CHECK_FAILED);
}

// The stage's first experiment: the notes' inputs, and C's first row as they print it.
static void run_opening(struct run *run)
{
    const struct shape *s = &run->stage->opening;
    struct matrices m = make_matrices(run, s, FILL_NOTES, 0);
    fprintf(run->text, "\nThe notes' experiment, A[i] = (i %% 7) * 0.1f, B[i] = (i %% 5) * 0.2f:\n");
    FILE *const trace = run->trace.stream;
    run->trace.stream = NULL;   // it is of the shapes that were asked for
    struct row row = run_tile(run, &run->stage->tiles[0], true, &m, FILL_NOTES);
    run->trace.stream = trace;
    if (!row.error)
        fprintf(run->text, "C[0..3]: %f %f %f %f\n", m.C[0], m.C[1], m.C[2], m.C[3]);
    report_result(run->text, &row);
    worse(run, row.error ? DEVICE_FAILED : row_passes(&row) ? PASSED : CHECK_FAILED);
    free_matrices(&m);
}

static void run_shape(struct run *run, const struct shape *s)
{
    const struct stage *stage = run->stage;
    struct gemm sizes = {.M = s->M, .N = s->N, .K = s->K, .sms = run->device.sms,
                         .shared = run->device.shared_optin};
    const int automatic = chosen(stage, &sizes);
    if (automatic < 0 || automatic >= stage->ntiles) {
        fflush(run->text);
        fprintf(stderr, "stage%d: choose() says row %d of the tiles, of which there are %d: mend sgemm.cu\n",
                stage->number, automatic, stage->ntiles);
        worse(run, DEVICE_FAILED);
        return;
    }
    const size_t work = work_floats(run, &sizes);
    const bool fits = fits_memory(run, s, work), all = strcmp(run->args.tile, "all") == 0;
    char why[512];
    struct matrices m = {0};
    for (int i = 0; i < stage->ntiles; i++) {
        const struct tile *tile = &stage->tiles[i];
        const bool by_name = strcmp(run->args.tile, tile->name) == 0;
        if (!by_name && !all && !(strcmp(run->args.tile, "auto") == 0 && i == automatic))
            continue;
        if (all && i != automatic && !device_fits(&run->device, tile, why, sizeof why)) {
            fprintf(run->text, "\n  Left out: %s\n", why);
            continue;
        }
        const struct row unfinished = {.stage = stage, .device = &run->device, .tile = tile,
                                       .automatic = !by_name && i == automatic, .gemm = sizes,
                                       .fill = fill_names[run->args.fill], .seed = run->args.seed,
                                       .error = "no result"};
        if (!fits) {
            put_row(run, &unfinished);
            continue;
        }
        run->unfinished = &unfinished;
        if (!m.A)
            m = make_matrices(run, s, run->args.fill, work);
        const struct row row = run_tile(run, tile, unfinished.automatic, &m, run->args.fill);
        run->unfinished = NULL;
        report_result(run->text, &row);
        put_row(run, &row);
        if (row.error && device_lost())
            break;
    }
    free_matrices(&m);
}

static const struct shape *default_shapes(const struct run *run, int *n)
{
    static const struct shape gpu[] = {{1024, 1024, 1024}, {2048, 2048, 2048}};
    static const struct shape cpu[] = {{256, 256, 256}};
    const bool simulated = strcmp(run->device.backend, "cpu") == 0;
    *n = simulated ? 1 : 2;
    return simulated ? cpu : gpu;
}

static bool open_csv(struct run *run)
{
    struct output *o = &run->csv;
    *o = (struct output){.option = "--csv", .file = run->args.csv_file};
    if (!run->args.csv)
        return true;
    if (!o->file) {
        o->stream = stdout;
        run->text = stderr;
    } else if (!output_open(o, run->stage->number)) {
        return false;
    }
    return true;
}

// Whether everything that was printed has arrived.
static bool close_output(struct run *run)
{
    bool ok = !run->trace.stream || output_save(&run->trace, run->stage->number);
    if (run->csv.stream && run->csv.file)
        ok = output_save(&run->csv, run->stage->number) && ok;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "stage%d: the output could not be written whole\n", run->stage->number);
        ok = false;
    }
    return ok;
}

static struct run *running;   // until its output is closed

// Where a check of the runtime ends the program, the rows so far stay.
static void keep_rows(void)
{
    if (running && running->unfinished) {
        put_row(running, running->unfinished);
        close_output(running);
    }
}

// A closed stdin, stdout or stderr would give its number to the next file that is
// opened, and what is printed would go into that.
static void keep_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            exit(DEVICE_FAILED);
}

// Counters and traces: of the simulator alone.
static bool open_simulator_options(struct run *run)
{
    run->trace = (struct output){.option = "--trace", .file = run->args.trace};
    const char *why_not = device_why_not_counted();
    if ((run->args.counters || run->args.trace) && why_not) {
        fprintf(stderr, "stage%d: --counters and --trace need %s\n", run->stage->number, why_not);
        return false;
    }
    return !run->args.trace || output_open(&run->trace, run->stage->number);
}

static void run_shapes(struct run *run)
{
    int n;
    const struct shape *shapes = default_shapes(run, &n);
    if (run->args.shapes) {
        shapes = run->args.shapes;
        n = run->args.nshapes;
    }
    if (run->stage->opening.M > 0)
        run_opening(run);
    for (int i = 0; i < n && !device_lost(); i++)
        run_shape(run, &shapes[i]);
}

int stage_main(const struct stage *stage, int argc, char **argv)
{
    struct run run = {.stage = stage, .text = stdout};
    keep_standard_files();
    const int done = args_parse(stage, argc, argv, &run.args);
    if (done >= 0)
        return done == 0 && !close_output(&run) ? DEVICE_FAILED : done;

    if (!open_csv(&run))
        return WRONG_ARGUMENTS;
    device_open(&run.device);
    if (!open_simulator_options(&run))
        return WRONG_ARGUMENTS;
    if (run.csv.stream)
        csv_header(run.csv.stream);
    running = &run;
    atexit(keep_rows);
    report_title(run.text, stage, &run.device);
    if (strcmp(run.args.tile, "list") == 0)
        report_tiles(run.text, stage, &run.device);
    else
        run_shapes(&run);
    if (device_faults(run.text) > 0)
        worse(&run, CHECK_FAILED);
    running = NULL;
    if (!close_output(&run))
        worse(&run, DEVICE_FAILED);
    free(run.args.shapes);
    return run.status;
}
