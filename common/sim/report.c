// Faults: collected by each worker without locks, put together when the launch
// ends, printed once a place. Blocks are taken in order, so the report shows the
// lowest block that met the fault, however many workers there are.
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

const char SIM_RACE[] = "race on shared memory";
const char SIM_UNWRITTEN[] = "shared memory is read before it is written";
const char SIM_INDEX_OUTSIDE[] = "index outside its array";
const char SIM_GLOBAL[] = "access outside global memory";
const char SIM_TWO_BLOCKS[] = "two blocks write one element";
const char SIM_UNDER_WAY[] = "cp.async still under way";
const char SIM_NO_WAIT[] = "cp.async never waited for";
const char SIM_COPY[] = "cp.async misused";
const char SIM_BARRIER[] = "not all threads come to the same __syncthreads()";
const char SIM_WARP_OP[] = "not all lanes come to the same warp operation";
const char SIM_SHUFFLE[] = "a shuffle reads from a lane that takes no part";
const char SIM_MISALIGNED[] = "misaligned access";
const char SIM_OVERFLOW[] = "stack overflow";
const char SIM_FOREVER[] = "a thread runs on without end";
const char SIM_LAUNCH[] = "launch refused";
const char SIM_DIVISION[] = "integer division by zero";
const char SIM_TRAP[] = "trap";

// A worker's; places in the program, of which an unrolled loop has many for one line.
enum { MAX_FAULTS = 1024, MAX_SHOWN = 8, MAX_WORKERS = 32 };

struct fault {
    const char *kind;
    uint32_t place, other, third;
    unsigned long long count;
    uint64_t block;
    char where[96];   // "kernel sgemm, block (0,1)"
    char text[512], missing[320];
};

// One worker's faults of a launch. With more places than fit, there is enough to
// mend first.
struct sim_fault_list {
    int n;
    struct fault fault[MAX_FAULTS];
};

// ------------------------------------------------------------------- names

static struct sim_text tuple(const char *what, struct uint3 i, struct uint3 dim)
{
    struct sim_text t;
    if (dim.z > 1)
        snprintf(t.s, sizeof t.s, "%s (%u,%u,%u)", what, i.x, i.y, i.z);
    else if (dim.y > 1)
        snprintf(t.s, sizeof t.s, "%s (%u,%u)", what, i.x, i.y);
    else
        snprintf(t.s, sizeof t.s, "%s %u", what, i.x);
    return t;
}

struct sim_text sim_thread_text(const struct sim_worker *w, uint32_t tid)
{
    return tuple("thread", w->threads[tid].idx, w->launch->block);
}

struct sim_text sim_block_text(const struct sim_worker *w, uint64_t block)
{
    struct uint3 grid = w->launch->grid;
    struct uint3 i = {(unsigned)(block % grid.x), (unsigned)(block / grid.x % grid.y),
                      (unsigned)(block / grid.x / grid.y)};
    return tuple("block", i, grid);
}

const struct sim_array *sim_array_at(const struct sim_worker *w, uintptr_t address)
{
    for (int i = 0; i < sim_narrays; i++)
        if (address - w->shared_lo - sim_arrays[i].offset < sim_arrays[i].size)
            return &sim_arrays[i];
    return NULL;
}

// "As[3][17]" for a byte offset into the array; with unknown dimensions, "As[81]".
static struct sim_text element_text(const char *name, uintptr_t offset, uint32_t element,
                                    const uint32_t dims[3])
{
    struct sim_text t;
    uintptr_t i = offset / element, inner = 1;
    int n = snprintf(t.s, 80, "%.64s", name);
    for (int d = 1; d < 3 && dims[d]; d++)
        inner *= dims[d];
    for (int d = 0; d < 3 && (d == 0 || dims[d]); d++) {
        n += snprintf(t.s + n, sizeof t.s - (size_t)n, "[%zu]", (size_t)(i / inner));
        i %= inner;
        if (d < 2 && dims[d + 1])
            inner /= dims[d + 1];
    }
    if (offset % element)   // inside a float4, say
        snprintf(t.s + n, sizeof t.s - (size_t)n, " + %zu bytes", (size_t)(offset % element));
    return t;
}

struct sim_text sim_shared_text(const struct sim_worker *w, uintptr_t address)
{
    struct sim_text t;
    const struct sim_array *a = sim_array_at(w, address);
    uintptr_t offset = address - w->dynamic_lo;
    if (a && a->size > a->element)
        return element_text(a->name, address - w->shared_lo - a->offset, a->element, a->dims);
    if (a)
        snprintf(t.s, sizeof t.s, "%.64s", a->name);
    else if (w->dynamic_name && offset < w->launch->dynamic_bytes)
        return element_text(w->dynamic_name, offset, w->dynamic_element, (uint32_t[3]){0});
    else if (w->dynamic_name && offset < SIM_MAX_SHARED)
        snprintf(t.s, sizeof t.s, "at %s[%zu], but the launch gave it only %zu bytes",
                 w->dynamic_name, (size_t)(offset / w->dynamic_element), w->launch->dynamic_bytes);
    else
        snprintf(t.s, sizeof t.s, "outside every array");
    return t;
}

size_t sim_shared_offset(const struct sim_worker *w, uintptr_t address)
{
    const struct sim_array *a = sim_array_at(w, address);
    return address - (a ? w->shared_lo + a->offset : w->dynamic_lo);
}

// ---------------------------------------------------------- taking down faults

struct sim_fault_list *sim_new_fault_list(void)
{
    struct sim_fault_list *list = calloc(1, sizeof *list);
    if (!list)
        sim_die("out of memory");
    return list;
}

int sim_fault(struct sim_worker *w, const char *kind, uint32_t place, uint32_t other)
{
    struct sim_fault_list *list = w->faults;
    for (int i = 0; i < list->n; i++) {
        struct fault *f = &list->fault[i];
        if (f->kind == kind && f->place == place && f->other == other) {
            f->count++;
            return 0;
        }
    }
    if (list->n == MAX_FAULTS)
        return 0;
    list->fault[list->n++] = (struct fault){.kind = kind, .place = place, .other = other,
                                            .count = 1, .block = w->block};
    return 1;
}

void sim_say(struct sim_worker *w, uint32_t third, const char *missing, const char *format, ...)
{
    struct fault *f = &w->faults->fault[w->faults->n - 1];
    va_list args;
    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
    f->text[0] = (char)(f->text[0] >= 'a' && f->text[0] <= 'z' ? f->text[0] - 32 : f->text[0]);
    f->third = third;
    snprintf(f->missing, sizeof f->missing, "%s", missing);
    snprintf(f->where, sizeof f->where, "kernel %.48s, %.36s", w->launch->name,
             sim_block_text(w, w->block).s);
}

// ------------------------------------------------------------------ printing

// The faults of all launches, one a kind and pair of source lines.
static struct known {
    const char *kind, *line, *other;
    char where[96];
    unsigned long long count;
} *known;
static int nknown;

static void put_line(uint32_t place)
{
    fputs(place ? sim_line(place) : "an unknown place", stderr);
}

// Prints text with the places in it, broken into lines of at most 90 characters.
static void put_text(const char *text, const struct fault *f)
{
    char full[1024] = "";
    size_t n = 0;
    for (const char *c = text; *c && n < sizeof full - 1; c++) {
        uint32_t place = *c == '@' ? f->other : f->third;
        if (*c == '@' || *c == '#')
            n += (size_t)snprintf(full + n, sizeof full - n, "%s", place ? sim_where(place).s : "?");
        else
            full[n++] = *c;
        if (n >= sizeof full)
            n = sizeof full - 1;
    }
    full[n] = 0;
    char *start = full;
    while (strlen(start) > 90) {
        char *end = start + 90;
        while (end > start && *end != ' ')
            end--;
        if (end == start)
            break;
        fprintf(stderr, "  %.*s\n", (int)(end - start), start);
        start = end + 1;
    }
    fprintf(stderr, "  %s\n", start);
}

// Whether the file was changed after the program was built.
static int is_newer(FILE *file)
{
    struct stat source, program;
    FILE *self = fopen("/proc/self/exe", "r");   // stat() would be of qemu, where that runs it
    const int newer = self && fstat(fileno(file), &source) == 0 && fstat(fileno(self), &program) == 0 &&
                      source.st_mtime > program.st_mtime;
    if (self)
        fclose(self);
    return newer;
}

// Shows the source line itself where the file can be found.
static void put_source(const char *line, const char *remark)
{
    char path[512], *text = NULL;
    size_t room = 0;
    const char *colon = strrchr(line, ':');
    if (!colon || (size_t)(colon - line) >= sizeof path)
        return;
    memcpy(path, line, (size_t)(colon - line));
    path[colon - line] = 0;
    long wanted = strtol(colon + 1, NULL, 10);
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    const int newer = is_newer(file);
    if (newer)
        fprintf(stderr, "  %5ld | (the file is newer than this program: make it again)%s\n", wanted, remark);
    for (long i = 1; !newer && getline(&text, &room, file) > 0; i++)
        if (i == wanted) {
            text[strcspn(text, "\n")] = 0;
            fprintf(stderr, "  %5ld | %s%s\n", wanted, text, remark);
            break;
        }
    free(text);
    fclose(file);
}

static void put_fault(const struct fault *f)
{
    put_line(f->place);
    fprintf(stderr, ": %s (%s)\n", f->kind, f->where);
    put_source(sim_line(f->place), "");
    if (strcmp(sim_caller(f->place), sim_line(f->place)) != 0)
        put_source(sim_caller(f->place), "   <- called from here");
    put_text(f->text, f);
    put_text(f->missing, f);
}

static int same_lines(const struct known *k, const char *line, const char *other)
{
    return strcmp(k->line, line) == 0 && strcmp(k->other, other) == 0;
}

// A race of line x with line y is one of y with x. Calls of one function from
// several lines are one fault: its line is what has to be mended, or all of them.
static struct known *find_known(const struct fault *f)
{
    const char *line = sim_line(f->place), *other = sim_line(f->other);
    for (int i = 0; i < nknown; i++)
        if (known[i].kind == f->kind &&
            (same_lines(&known[i], line, other) ||
             (f->kind == SIM_RACE && same_lines(&known[i], other, line))))
            return &known[i];
    return NULL;
}

static struct known *add_known(const struct fault *f)
{
    known = realloc(known, (size_t)(nknown + 1) * sizeof *known);
    if (!known)
        sim_die("out of memory");
    struct known *k = &known[nknown++];
    *k = (struct known){.kind = f->kind, .line = sim_line(f->place), .other = sim_line(f->other)};
    memcpy(k->where, f->where, sizeof k->where);
    return k;
}

// A race comes before the unwritten element that it has somebody read.
static int by_block(const void *a, const void *b)
{
    const struct fault *f = *(struct fault *const *)a, *g = *(struct fault *const *)b;
    if (f->block != g->block)
        return f->block < g->block ? -1 : 1;
    if ((f->kind == SIM_UNWRITTEN) != (g->kind == SIM_UNWRITTEN))
        return f->kind == SIM_UNWRITTEN ? 1 : -1;
    return f < g ? -1 : f > g;   // one block is one worker's: in order of occurrence
}

static void find_all_lines(struct fault *const *faults, int n)
{
    static uint32_t places[3 * MAX_FAULTS * MAX_WORKERS];
    int m = 0;
    for (int i = 0; i < n; i++) {
        places[m++] = faults[i]->place;
        places[m++] = faults[i]->other;
        places[m++] = faults[i]->third;
    }
    sim_find_lines(places, m);
}

void sim_print_faults(struct sim_worker *const *workers, int nworkers)
{
    static struct fault *faults[MAX_FAULTS * MAX_WORKERS];
    int n = 0, shown = 0, hidden = 0;
    for (int i = 0; i < nworkers; i++)
        for (int j = 0; j < workers[i]->faults->n; j++)
            faults[n++] = &workers[i]->faults->fault[j];
    if (n == 0)
        return;
    qsort(faults, (size_t)n, sizeof *faults, by_block);
    find_all_lines(faults, n);
    fflush(stdout);
    for (int i = 0; i < n; i++) {
        struct known *k = find_known(faults[i]);
        if (!k) {
            k = add_known(faults[i]);
            if (shown < MAX_SHOWN) {
                put_fault(faults[i]);
                shown++;
            } else {
                hidden++;
            }
        }
        k->count += faults[i]->count;
    }
    if (hidden)
        fprintf(stderr, "... and %d more; mend the first ones first.\n", hidden);
    for (int i = 0; i < nworkers; i++)
        workers[i]->faults->n = 0;
}

void sim_launch_fault(const struct sim_launch *launch, uint32_t place, const char *why)
{
    struct fault f = {.kind = SIM_LAUNCH, .place = place, .count = 1,
                      .missing = "A GPU refuses this launch: the kernel does not run at all."};
    struct uint3 g = launch->grid, b = launch->block;
    snprintf(f.where, sizeof f.where, "kernel %.48s", launch->name);
    snprintf(f.text, sizeof f.text, "Grid (%u,%u,%u), block (%u,%u,%u), %zu bytes of dynamic "
             "shared memory: %s.", g.x, g.y, g.z, b.x, b.y, b.z, launch->dynamic_bytes, why);
    sim_find_lines(&place, 1);
    struct known *k = find_known(&f);
    if (!k) {
        k = add_known(&f);
        put_fault(&f);
    }
    k->count++;
}

int sim_faults(void)
{
    return nknown;
}

void sim_report(FILE *out)
{
    if (nknown == 0)
        return;
    fprintf(out, "simulator: %d %s\n", nknown, nknown == 1 ? "fault" : "faults");
    for (int i = 0; i < nknown; i++)
        fprintf(out, "%10llu times  %s: %s%s%s\n", known[i].count, known[i].line, known[i].kind,
                known[i].other[0] ? ", with " : "", known[i].other);
}

// -------------------------------------------------------------------- crashes

static const uint8_t *crash_pc(void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (const uint8_t *)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const uint8_t *)c->uc_mcontext.pc;
#else
    (void)c;
    return NULL;
#endif
}

// The kernel touched memory that is not there, or cannot go on for another reason.
// Says what it was and ends the program: there is no way on, and hardly any state to
// be careful of.
static void crash(int signal_number, siginfo_t *info, void *context)
{
    struct sim_worker *w = sim_self;
    if (!w->launch) {   // not a kernel's
        signal(signal_number, SIG_DFL);
        return;
    }
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending))
        pause();   // another worker met it first, and is about to end the program
    uintptr_t a = (uintptr_t)info->si_addr;
    uint32_t place = sim_place(crash_pc(context) + 1);
    if (signal_number == SIGFPE) {
        if (sim_fault(w, SIM_DIVISION, place, 0))
            sim_say(w, 0, "A GPU goes on, with a meaningless quotient.", "%s divides an integer by "
                    "zero, or the least one by -1.", sim_thread_text(w, w->tid).s);
    } else if (signal_number == SIGILL) {
        if (sim_fault(w, SIM_TRAP, place, 0))
            sim_say(w, 0, "It is there on purpose, or stands for what is undefined in the source.",
                    "%s executes an instruction that stops it.", sim_thread_text(w, w->tid).s);
    } else if (w->watch & SIM_INDEX) {   // compilers make nonsense of what follows such an index
        sim_index_fault(w, NULL);
    } else if (info->si_code == SI_KERNEL) {   // the address is not told
        if (sim_fault(w, SIM_MISALIGNED, place, 0))
            sim_say(w, 0, "Align the array, or the index in it; a local array, too: __align__(16).",
                    "%s accesses a float4 at an address that is no multiple of 16, or goes through a "
                    "pointer that is garbage.", sim_thread_text(w, w->tid).s);
    } else if (w->stack_lo - a < 16 << 20) {   // the guard, or what a large array lies over
        if (sim_fault(w, SIM_OVERFLOW, place, 0))
            sim_say(w, 0, "Smaller local arrays, or less recursion.",
                    "%s needs more stack than the simulator gives a thread, %d KiB at least.",
                    sim_thread_text(w, w->tid).s, SIM_STACK_OWN >> 10);
    } else if (sim_fault(w, SIM_GLOBAL, place, 0)) {
        sim_say(w, 0, w->launch->checked
                ? "Guard the access, or correct the index or the pointer."
                : "Guard the access, or correct the index or the pointer; a build with the checks "
                  "on may tell more.",
                "%s accesses %s.", sim_thread_text(w, w->tid).s, sim_stray_text(a, 4).s);
    }
    sim_print_faults(&w, 1);
    sim_report(stderr);
    _exit(1);
}

void sim_catch_signals(void)
{
    struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
}

void sim_signal_stack(struct sim_worker *w)
{
    enum { SIZE = 256 << 10 };   // it prints a report
    if (!w->signal_stack && !(w->signal_stack = malloc(SIZE)))
        sim_die("out of memory");
    stack_t s = {.ss_sp = w->signal_stack, .ss_size = SIZE};
    sigaltstack(&s, NULL);
}
