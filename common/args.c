#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define VERSION "1.0"

enum {
    DIM_MAX = 1 << 30,    // a tile may reach past the edge, and int must hold that
    K_MAX = 1 << 23,      // the error bound needs K * 2^-24 < 1
    REPS_MAX = 100000,
};

static int fail(const struct stage *stage, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "stage%d: ", stage->number);
    vfprintf(stderr, format, list);
    fprintf(stderr, " (./stage%d --help)\n", stage->number);
    va_end(list);
    return 2;
}

// A whole number in [low, high] and nothing after it but `stop`. Returns where it
// ended, or NULL.
static const char *number(const char *s, long long low, long long high, const char *stop,
                          long long *value)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)*s))
        return NULL;
    *value = strtoll(s, &end, 10);
    if (errno || *value < low || *value > high || !strchr(stop, *end))
        return NULL;
    return end;
}

static bool whole(const char *s, long long low, long long high, long long *value)
{
    const char *end = number(s, low, high, "", value);
    return end && *end == '\0';
}

static void add_shape(struct args *args, long long M, long long N, long long K)
{
    args->shapes = realloc(args->shapes, (args->nshapes + 1) * sizeof *args->shapes);
    if (!args->shapes) {
        fprintf(stderr, "no memory for another shape\n");
        exit(3);
    }
    args->shapes[args->nshapes++] = (struct shape){(int)M, (int)N, (int)K};
}

static bool shape_list(struct args *args, const char *s)
{
    for (;;) {
        long long M, N, K;
        if (!(s = number(s, 1, DIM_MAX, "x", &M)) || *s != 'x' ||
            !(s = number(s + 1, 1, DIM_MAX, "x", &N)) || *s != 'x' ||
            !(s = number(s + 1, 0, K_MAX, ",", &K)))
            return false;
        add_shape(args, M, N, K);
        if (*s == '\0')
            return true;
        s++;
    }
}

static void usage(const struct stage *stage)
{
    printf("usage: ./stage%d [options] [S | M N K]      one cube, or one shape\n\n"
           "C = A * B in fp32; A is M x K, B is K x N. Stage %d: %s.\n\n"
           "  --shape=MxNxK[,MxNxK...]   several shapes\n"
           "  --tile=auto|list|all|NAME  how C is cut; list names the choices, all takes those that\n"
           "                             the device can have (default auto)\n"
           "  --check=full|off           compare every element with a reference (default full)\n"
           "  --fill=random|integer|notes|special\n"
           "                             the inputs; integer makes the check an equality\n"
           "  --seed=X                   of the inputs (default 1)\n"
           "  --reps=R                   timed launches (0: none; default: what a steady median takes)\n"
           "  --csv[=FILE]               a row a shape and tile, to stdout or FILE\n"
           "  --counters                 count loads, bank conflicts, sectors (BACKEND=cpu)\n"
           "  --trace=FILE               who touches what in one block of the first shape (BACKEND=cpu)\n"
           "  --help  --version\n\n"
           "Exit status: 0 all right, 1 a check failed or a fault found, 2 wrong arguments, 3 device or runtime.\n",
           stage->number, stage->number, stage->title);
}

static bool known_tile(const struct stage *stage, const char *name)
{
    for (int i = 0; i < stage->ntiles; i++)
        if (strcmp(stage->tiles[i].name, name) == 0)
            return true;
    return strcmp(name, "auto") == 0 || strcmp(name, "list") == 0 || strcmp(name, "all") == 0;
}

// "--name=value": the value if arg is this option, else NULL.
static const char *value_of(const char *arg, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static bool takes_value(const char *arg)
{
    static const char *const names[] = {"--shape", "--tile", "--check", "--fill", "--seed", "--reps", "--trace"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(arg, names[i]) == 0)
            return true;
    return false;
}

static int parse_option(const struct stage *stage, const char *arg, struct args *args)
{
    const char *v;
    long long n;

    if ((v = value_of(arg, "--shape"))) {
        if (!shape_list(args, v))
            return fail(stage, "%s: want MxNxK[,MxNxK...] with M and N from 1 to %d, K from 0 to %d",
                        arg, DIM_MAX, K_MAX);
    } else if ((v = value_of(arg, "--tile"))) {
        if (!known_tile(stage, v))
            return fail(stage, "%s: no such tile; --tile=list names them", arg);
        args->tile = v;
    } else if ((v = value_of(arg, "--check"))) {
        if (strcmp(v, "full") != 0 && strcmp(v, "off") != 0)
            return fail(stage, "%s: want full or off", arg);
        args->check = strcmp(v, "full") == 0;
    } else if ((v = value_of(arg, "--fill"))) {
        int f = 0;
        while (f < FILLS && strcmp(v, fill_names[f]) != 0)
            f++;
        if (f == FILLS)
            return fail(stage, "%s: want random, integer, notes or special", arg);
        args->fill = (enum fill)f;
    } else if ((v = value_of(arg, "--seed"))) {
        if (!whole(v, 0, INT64_MAX, &n))
            return fail(stage, "%s: want a whole number from 0 to %lld", arg, (long long)INT64_MAX);
        args->seed = (uint64_t)n;
    } else if ((v = value_of(arg, "--reps"))) {
        if (!whole(v, 0, REPS_MAX, &n))
            return fail(stage, "%s: want a whole number from 0 to %d", arg, REPS_MAX);
        args->reps = (int)n;
    } else if (strcmp(arg, "--csv") == 0) {
        args->csv = true;
        args->csv_file = NULL;
    } else if ((v = value_of(arg, "--csv"))) {
        if (*v == '\0')
            return fail(stage, "%s: want a file's name after the =", arg);
        args->csv = true;
        args->csv_file = v;
    } else if (strcmp(arg, "--counters") == 0) {
        args->counters = true;
    } else if ((v = value_of(arg, "--trace"))) {
        if (*v == '\0')
            return fail(stage, "%s: want a file's name after the =", arg);
        args->trace = v;
    } else {
        return fail(stage, takes_value(arg) ? "%s: want a value, %s=..." : "%s: no such option", arg, arg);
    }
    return -1;
}

// Whether two paths name one file, which need not be there yet.
static bool same_file(const char *a, const char *b)
{
    char copies[4][PATH_MAX];
    const char *paths[2] = {a, b};
    struct stat st[2];
    for (int i = 0; i < 2; i++) {
        snprintf(copies[2 * i], PATH_MAX, "%s", paths[i]);
        snprintf(copies[2 * i + 1], PATH_MAX, "%s", paths[i]);
        if (stat(dirname(copies[2 * i]), &st[i]) != 0)
            return false;   // it cannot be written, and that will be said
    }
    return st[0].st_dev == st[1].st_dev && st[0].st_ino == st[1].st_ino &&
           strcmp(basename(copies[1]), basename(copies[3])) == 0;
}

int args_parse(const struct stage *stage, int argc, char **argv, struct args *args)
{
    *args = (struct args){.tile = "auto", .check = true, .reps = AUTO_REPS, .seed = 1};

    const char *sizes[3];
    int nsizes = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage(stage);
            return 0;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("stage%d " VERSION "\n", stage->number);
            return 0;
        }
        if (strncmp(argv[i], "--", 2) == 0) {
            const int status = parse_option(stage, argv[i], args);
            if (status >= 0)
                return status;
        } else {
            if (nsizes == 3)
                return fail(stage, "%s: too many sizes, want one (a cube) or M N K", argv[i]);
            sizes[nsizes++] = argv[i];
        }
    }

    long long d[3];
    for (int i = 0; i < nsizes; i++) {
        const bool is_k = i == 2;   // of a cube, K is M, so 1 is the least
        if (!whole(sizes[i], is_k ? 0 : 1, is_k ? K_MAX : DIM_MAX, &d[i]))
            return fail(stage, "'%s' is no size: want a whole number from %d to %d", sizes[i],
                        is_k ? 0 : 1, is_k ? K_MAX : DIM_MAX);
    }
    if (strcmp(args->tile, "list") == 0 && (args->csv || args->counters || args->trace))
        return fail(stage, "--tile=list only lists: --csv, --counters and --trace go with a run");
    if (args->csv_file && args->trace && same_file(args->csv_file, args->trace))
        return fail(stage, "--csv and --trace name the same file: give each its own");
    if (nsizes == 2)
        return fail(stage, "two sizes, want one (a cube) or three (M N K)");
    if (nsizes > 0 && args->nshapes > 0)
        return fail(stage, "sizes and --shape both name shapes: give one of them");
    if (nsizes == 1 && d[0] > K_MAX)
        return fail(stage, "'%s' is no cube's size: want a whole number from 1 to %d", sizes[0], K_MAX);
    if (nsizes == 1)
        add_shape(args, d[0], d[0], d[0]);
    if (nsizes == 3)
        add_shape(args, d[0], d[1], d[2]);
    return -1;
}
