// Source lines of places in the code, asked from addr2line, which comes with the
// compiler (binutils).
#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 64 };   // places a run

static struct {
    uint32_t place;
    char *line;   // "03_tiled_shared/sgemm.cu:51"
} *cache;
static int ncached;

static const char *cached(uint32_t place)
{
    for (int i = 0; i < ncached; i++)
        if (cache[i].place == place)
            return cache[i].line;
    return NULL;
}

const char *sim_line(uint32_t place)
{
    const char *line = place ? cached(place) : "";
    if (!line) {
        sim_find_lines(&place, 1);
        line = cached(place);
    }
    return line;
}

static void keep(uint32_t place, const char *line)
{
    cache = realloc(cache, (size_t)(ncached + 1) * sizeof *cache);
    char *copy = strdup(line);
    if (!cache || !copy)
        sim_die("out of memory");
    cache[ncached].place = place;
    cache[ncached++].line = copy;
}

static void keep_unknown(uint32_t place)
{
    static int told;
    char line[32];
    if (!told)
        fputs("simulator: no source lines: addr2line (Debian package binutils) is missing, or the "
              "program has no debug information (-g)\n", stderr);
    told = 1;
    snprintf(line, sizeof line, "0x%zx", (size_t)sim_file_address(place));
    keep(place, line);
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
    char folder[4096];
    line[strcspn(line, " \n")] = 0;
    size_t n = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (n > 1 && strncmp(line, folder, n) == 0 && line[n] == '/')
        line += n + 1;
    return line;
}

// addr2line -a -i prints the address, then its frames, innermost first.
static void read_answers(FILE *in, const uint32_t *places, int n)
{
    char line[4096], best[4096] = "";
    int i = -1, settled = 0;
    for (;;) {
        char *got = fgets(line, sizeof line, in);
        if (!got || strncmp(line, "0x", 2) == 0) {
            if (i >= 0 && i < n && best[0])
                keep(places[i], best);
            if (!got)
                return;
            i++;
            best[0] = 0;
            settled = 0;
            continue;
        }
        const char *frame = tidy(line);
        if (settled || frame[0] == '?')
            continue;
        if (!best[0] || !in_common(frame))
            memmove(best, frame, strlen(frame) + 1);
        settled = !in_common(frame);
    }
}

static void ask(const uint32_t *places, int n)
{
    char command[8192], program[4096];
    const char *addr2line = getenv("SIM_ADDR2LINE");
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    program[len < 0 ? 0 : len] = 0;
    size_t m = (size_t)snprintf(command, sizeof command - 24 * BATCH, "%s -a -i -e '%s'",
                                addr2line ? addr2line : "addr2line", program);
    if (m >= sizeof command - 24 * BATCH || strchr(program, '\''))
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

void sim_find_lines(const uint32_t *places, int n)
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
