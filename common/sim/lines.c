// Source lines of places in the code, asked from addr2line, which comes with the
// compiler (binutils).
#include "report.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 64 };   // places a run

static struct answer {
    uint32_t place;
    char *line;     // "03_tiled_shared/sgemm.cu:51"
    char *caller;   // the kernel's own, if that line's function was inlined; else ""
    char *frames;   // all of them, from the innermost to the kernel's
} *cache;
static int ncached;
// Workers may ask, too, on the stack of a CUDA thread that may have little left: so what is
// large here is static, under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct answer *cached(uint32_t place)
{
    for (int i = 0; i < ncached; i++)
        if (cache[i].place == place)
            return &cache[i];
    return NULL;
}

static void find_lines(const uint32_t *places, int n);

static struct answer answer(uint32_t place)
{
    struct answer a = {0, "", "", ""};
    if (place == 0)
        return a;
    pthread_mutex_lock(&lock);
    if (!cached(place))
        find_lines(&place, 1);
    a = *cached(place);
    pthread_mutex_unlock(&lock);
    return a;
}

const char *sim_line(uint32_t place)
{
    return answer(place).line;
}

const char *sim_caller(uint32_t place)
{
    return answer(place).caller;
}

const char *sim_frames(uint32_t place)
{
    return answer(place).frames;
}

struct sim_text sim_where(uint32_t place)
{
    struct sim_text t;
    const char *caller = strrchr(sim_caller(place), ':');
    if (caller)
        snprintf(t.s, sizeof t.s, "%.120s (from %.12s)", sim_line(place), caller + 1);
    else
        snprintf(t.s, sizeof t.s, "%.140s", sim_line(place));
    return t;
}

static void keep(uint32_t place, const char *line, const char *caller, const char *frames)
{
    cache = realloc(cache, (size_t)(ncached + 1) * sizeof *cache);
    if (!cache)
        sim_die("out of memory");
    struct answer *a = &cache[ncached++];
    *a = (struct answer){place, strdup(line), strdup(caller), strdup(frames)};
    if (!a->line || !a->caller || !a->frames)
        sim_die("out of memory");
}

static void keep_unknown(uint32_t place)
{
    static int told;
    char line[32];
    if (!told)
        fputs("simulator: no source lines: addr2line (Debian package binutils) is missing or could "
              "not run, or the program has no debug information (-g)\n", stderr);
    told = 1;
    snprintf(line, sizeof line, "0x%zx", (size_t)sim_file_address(place));
    keep(place, line, "", line);
}

// Whether a frame is in the common layer, which a learner need not look at.
static int in_common(const char *line)
{
    const char *common = strstr(line, "common/");
    return common && (common == line || common[-1] == '/') &&
           (strstr(common, ".h:") || strstr(common, "common/sim/"));
}

// Cuts what addr2line prints behind the line, and the folder we are in.
static const char *tidy(char *line)
{
    static char folder[4096];
    line[strcspn(line, "\n")] = 0;
    char *more = strstr(line, " (discriminator ");
    if (more)
        *more = 0;
    size_t n = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (n > 1 && strncmp(line, folder, n) == 0 && line[n] == '/')
        line += n + 1;
    return line;
}

// addr2line -a -i prints the address, then its frames, innermost first. The first
// that is not in common/ is the line; the last one, in the kernel itself, its caller.
static void read_answers(FILE *in, const uint32_t *places, int n)
{
    static char text[4096], line[4096], caller[4096], frames[8192];
    line[0] = caller[0] = frames[0] = 0;
    for (int i = -1;;) {
        char *got = fgets(text, sizeof text, in);
        if (!got || strncmp(text, "0x", 2) == 0) {
            if (i >= 0 && i < n && line[0])
                keep(places[i], line, caller, frames);
            if (!got)
                return;
            i++;
            line[0] = caller[0] = frames[0] = 0;
            continue;
        }
        const char *frame = tidy(text);
        if (frame[0] == '?')
            continue;
        size_t length = strlen(frames);
        snprintf(frames + length, sizeof frames - length, "%s\n", frame);
        if (!line[0] || in_common(line))
            strcpy(line, frame);
        else if (!in_common(frame))
            strcpy(caller, frame);
    }
}

static void ask(const uint32_t *places, int n)
{
    // The program's path goes to the shell as a variable: no character of it matters.
    static char command[8192], program[4096];
    const char *addr2line = getenv("SIM_ADDR2LINE");
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    program[len < 0 ? 0 : len] = 0;
    if (access(program, R_OK) != 0)   // built anew while it runs
        snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
    setenv("SIM_PROGRAM", program, 1);
    size_t m = (size_t)snprintf(command, sizeof command - 24 * BATCH, "%s -a -i -e \"$SIM_PROGRAM\"",
                                addr2line ? addr2line : "addr2line");
    if (m >= sizeof command - 24 * BATCH)
        return;
    for (int i = 0; i < n; i++)   // a place is a return address: the call is before it
        m += (size_t)snprintf(command + m, sizeof command - m, " 0x%zx",
                              (size_t)sim_file_address(places[i]) - 1);
    snprintf(command + m, sizeof command - m, " 2>/dev/null");
    FILE *in = popen(command, "r");
    if (!in)
        return;
    read_answers(in, places, n);
    pclose(in);
}

static void find_lines(const uint32_t *places, int n)
{
    uint32_t batch[BATCH];
    int m = 0;
    for (int i = 0; i <= n; i++) {
        if (m == BATCH || (i == n && m > 0)) {
            ask(batch, m);
            for (int j = 0; j < m; j++)
                if (!cached(batch[j]))
                    keep_unknown(batch[j]);
            m = 0;
        }
        if (i == n)
            break;
        int known = places[i] == 0 || cached(places[i]);
        for (int j = 0; j < m; j++)
            known = known || batch[j] == places[i];
        if (!known)
            batch[m++] = places[i];
    }
}

void sim_find_lines(const uint32_t *places, int n)
{
    pthread_mutex_lock(&lock);
    find_lines(places, n);
    pthread_mutex_unlock(&lock);
}
