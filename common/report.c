#include "report.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

static double gflops(const struct row *r, double ms)
{
    return 2e-6 * r->gemm.M * r->gemm.N * r->gemm.K / ms;
}

static bool above_peak(const struct row *r)
{
    const double peak = r->device->peak_gflops;
    return r->timed && peak > 0 && gflops(r, r->timing.median_ms) > peak;
}

static bool check_failed(const struct row *r)
{
    return r->checked && !(r->check.pass && r->same_inputs && r->same_bits);
}

bool row_passes(const struct row *r)
{
    return !r->error && !check_failed(r) && !above_peak(r);
}

// K = 0 computes nothing, so it has a time but no speed.
static bool has_speed(const struct row *r)
{
    return row_passes(r) && r->timed && r->gemm.K > 0;
}

static double ratio(const struct row *r)
{
    return r->yardstick.median_ms / r->timing.median_ms;
}

void report_title(FILE *out, const struct stage *stage, const struct device *device)
{
    fprintf(out, "==== Stage %d: %s ====\n  Device: %s", stage->number, stage->title, device->name);
    if (device->cc)
        fprintf(out, ", %d SMs, driver %s, CUDA %s", device->sms, device->driver, device->cuda);
    fprintf(out, "\n");
    if (stage->below && device->cc && device_compiled_for(&stage->tiles[0]) < stage->wants_sm)
        fprintf(out, "  %s\n", stage->below);
}

void report_shape(FILE *out, const struct row *r)
{
    const struct tile *t = r->tile;
    fprintf(out, "\n  M=%d, N=%d, K=%d\n  Tile: BM=%d, BN=%d, BK=%d", r->gemm.M, r->gemm.N, r->gemm.K,
            t->BM, t->BN, t->BK);
    if (r->stage->ntiles > 1)
        fprintf(out, " (%s%s)", t->name, r->automatic ? ", chosen for this shape" : "");
    fprintf(out, "\n  Block: (%d x %d), Thread tile: (%d x %d)\n", t->threads_x, t->threads_y, t->TM, t->TN);
    fflush(out);
}

static void report_check(FILE *out, const struct row *r)
{
    if (!r->checked) {
        fprintf(out, "[Check] off\n");
        return;
    }
    const struct check *c = &r->check;
    if (c->max_abs_diff > 1e300)
        fprintf(out, "[Check] NaN or Inf where a number belongs, or the reverse");
    else if (r->bound == BOUND_NONE)
        fprintf(out, "[Check] max |diff| = %e, bound %s", c->max_abs_diff, bound_text(r->bound, r->gemm.K));
    else
        fprintf(out, c->bound_ratio < 1e4 ? "[Check] max |diff| = %e, at most %.2f %% of the bound %s"
                                          : "[Check] max |diff| = %e, %.2g %% of the bound %s",
                c->max_abs_diff, 100 * c->bound_ratio, bound_text(r->bound, r->gemm.K));
    fprintf(out, ": %s\n", check_failed(r) ? "FAIL" : "PASS");
    if (!c->pass)
        fprintf(out, "        %zu of %zu elements are wrong; the first is C[%d][%d] = %.9g, should be %.9g\n",
                c->wrong, (size_t)r->gemm.M * r->gemm.N, c->row, c->col, c->got, c->want);
    if (!r->same_inputs)
        fprintf(out, "        the kernel has changed A or B, which are its inputs\n");
    else if (!r->same_bits)
        fprintf(out, "        the timed launches gave other bits than the checked one: a race\n");
}

static void report_speed(FILE *out, const struct row *r)
{
    const struct timing *t = &r->timing;
    if (!r->timed) {
        if (strcmp(r->device->backend, "cpu") == 0)
            fprintf(out, "[Sim]   %.2f s on the simulator; on a GPU the program times itself\n", r->seconds);
        return;
    }
    if (above_peak(r)) {
        fprintf(out, "[Perf]  %.0f GFLOP/s is above the %.0f that this GPU can reach: the timing is "
                     "wrong, no speed\n", gflops(r, t->median_ms), r->device->peak_gflops);
        return;
    }
    if (!has_speed(r)) {
        fprintf(out, "[Perf]  no speed: %s\n", r->gemm.K > 0 ? "the result is wrong" : "K = 0 is no work");
        return;
    }
    fprintf(out, "[Perf]  avg time = %.3f ms,  GFLOP/s = %.2f\n", t->avg_ms, gflops(r, t->median_ms));
    fprintf(out, "        median %.4f ms (the GFLOP/s are its), %.4f to %.4f over %d launches, L2 warm, %.0f MHz\n",
            t->median_ms, t->min_ms, t->max_ms, t->reps, r->clock_mhz);
    fprintf(out, "        %.3f x cuBLAS: %.2f GFLOP/s in the same run (%s)\n", ratio(r),
            gflops(r, r->yardstick.median_ms), r->device->yardstick);
}

void report_result(FILE *out, const struct row *r)
{
    if (r->error) {
        fprintf(out, "[Error] %s\n", r->error);
        return;
    }
    report_check(out, r);
    report_speed(out, r);
    if (r->counted)
        device_counters_print(out);
    fflush(out);
}

void report_tiles(FILE *out, const struct stage *stage, const struct device *device)
{
    fprintf(out, "%-22s %-12s %-8s %-7s %-10s %5s %9s %9s %10s\n", "tile", "block tile", "warp", "thread",
            "threads", "slots", "shared B", "registers", "blocks/SM");
    for (int i = 0; i < stage->ntiles; i++) {
        const struct tile *t = &stage->tiles[i];
        char block[32], warp[32] = "-", thread[32], threads[32], why[256];
        int registers, blocks;
        snprintf(block, sizeof block, "%dx%dx%d", t->BM, t->BN, t->BK);
        if (t->WM)
            snprintf(warp, sizeof warp, "%dx%d", t->WM, t->WN);
        snprintf(thread, sizeof thread, "%dx%d", t->TM, t->TN);
        snprintf(threads, sizeof threads, "%d x %d", t->threads_x, t->threads_y);
        fprintf(out, "%-22s %-12s %-8s %-7s %-10s %5d %9zu", t->name, block, warp, thread, threads,
                t->slots, device_shared_bytes(t));
        if (!device_fits(device, t, why, sizeof why))
            fprintf(out, "  does not fit this device\n");
        else if (device_occupancy(t, &registers, &blocks))
            fprintf(out, " %9d %10d\n", registers, blocks);
        else
            fprintf(out, " %9s %10s\n", "-", "-");
    }
}

void csv_header(FILE *out)
{
    fprintf(out, "stage,backend,device,tile,choice,M,N,K,reps,median_ms,min_ms,max_ms,gflops,"
                 "cublas_gflops,ratio,max_abs_diff,bound_ratio,check,avg_ms,sms,driver,cuda,date,"
                 "clock_mhz,peak_gflops,fill,seed,checksum,yardstick");
    for (int i = 0; i < COUNTERS; i++)
        fprintf(out, ",%s", counter_names[i]);
    fprintf(out, ",global_bytes_per_fma,shared_bytes_per_fma\n");
}

// A field as RFC 4180 wants it: quoted if it holds a comma, a quote or a line's end.
static void csv_text(FILE *out, const char *s)
{
    if (!strpbrk(s, ",\"\r\n")) {
        fputs(s, out);
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

void csv_row(FILE *out, const struct row *r)
{
    const char *check = r->error          ? "ERROR"
                        : above_peak(r)   ? "ABOVE_PEAK"
                        : check_failed(r) ? "FAIL"
                        : !r->checked     ? "off"
                                          : "PASS";
    char date[32];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));

    fprintf(out, "%d,%s,", r->stage->number, r->device->backend);
    csv_text(out, r->device->name);
    fprintf(out, ",%s,%s,%d,%d,%d,", r->tile->name, r->automatic ? "auto" : "named", r->gemm.M,
            r->gemm.N, r->gemm.K);
    if (has_speed(r))
        fprintf(out, "%d,%.6f,%.6f,%.6f,%.2f,%.2f,%.4f,", r->timing.reps, r->timing.median_ms,
                r->timing.min_ms, r->timing.max_ms, gflops(r, r->timing.median_ms),
                gflops(r, r->yardstick.median_ms), ratio(r));
    else
        fprintf(out, ",,,,,,,");
    if (r->checked && !r->error)
        fprintf(out, "%.9g,%.6g,", r->check.max_abs_diff, r->check.bound_ratio);
    else
        fprintf(out, ",,");
    fprintf(out, "%s,", check);
    if (has_speed(r))
        fprintf(out, "%.6f", r->timing.avg_ms);
    fprintf(out, ",%d,%s,%s,%s,", r->device->sms, r->device->driver, r->device->cuda, date);
    if (has_speed(r))
        fprintf(out, "%.0f", r->clock_mhz);
    fprintf(out, ",");
    if (r->device->peak_gflops > 0)
        fprintf(out, "%.0f", r->device->peak_gflops);
    fprintf(out, ",%s,%" PRIu64 ",", r->fill, r->seed);
    if (!r->error)
        fprintf(out, "%016" PRIx64, r->checksum);
    fprintf(out, ",");
    csv_text(out, r->device->yardstick);
    for (int i = 0; i < COUNTERS; i++)
        if (r->counted)
            fprintf(out, ",%llu", r->counters.value[i]);
        else
            fprintf(out, ",");
    if (r->counted && r->counters.value[FMAS] > 0)
        fprintf(out, ",%.4f,%.4f\n", r->counters.global_bytes_per_fma, r->counters.shared_bytes_per_fma);
    else
        fprintf(out, ",,\n");
    fflush(out);   // a reader follows row by row
}
