// Throws random command lines at args_parse: it must answer with go on, 0 or 2, and
// never read or write where it should not (built with the sanitizers where the
// compiler has them). Usage: args_fuzz SEED COUNT. Prints TAP.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "args.h"

static const char *const words[] = {
    "64", "0", "-1", "1", "8388608", "8388609", "1073741824", "1073741825", "9223372036854775807",
    "9223372036854775808", "99999999999999999999999", "", " ", "1.5", "1e3", "0x10", "+4", "64k",
    "--shape=1x2x3", "--shape=1x2", "--shape=", "--shape=x", "--shape=1x2x3,,4x5x6", "--shape=1x2x-3",
    "--shape=1x2x3,4x5x6,7x8x9", "--tile=auto", "--tile=list", "--tile=all", "--tile=a", "--tile=",
    "--check=full", "--check=off", "--check=", "--fill=integer", "--fill=", "--reps=0", "--reps=-1",
    "--reps=100001", "--seed=0", "--seed=18446744073709551616", "--csv", "--csv=", "--csv=x", "--counters",
    "--trace=", "--trace=t", "--", "-", "---", "--help", "--version", "--shape", "=", "\x80\xff", "%s%n",
};

static unsigned long long state;

static unsigned next(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

int main(int argc, char **argv)
{
    static const struct tile tiles[] = {{.name = "a"}, {.name = "b"}};
    static const struct stage stage = {.number = 3, .title = "fuzz", .tiles = tiles, .ntiles = 2};
    state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int runs = argc > 2 ? atoi(argv[2]) : 10000;
    FILE *tap = fdopen(dup(1), "w");
    if (!tap || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        return 1;

    int bad = 0, refused = 0;
    for (int run = 0; run < runs; run++) {
        char copy[6][64], *args[8] = {"stage3"};
        int n = 1;
        for (unsigned i = next(6); i > 0; i--, n++) {
            strcpy(copy[n - 1], words[next(sizeof words / sizeof words[0])]);
            const size_t length = strlen(copy[n - 1]);
            if (length > 0 && next(4) == 0)   // one byte wrong
                copy[n - 1][next((unsigned)length)] = (char)(1 + next(255));
            args[n] = copy[n - 1];
        }
        struct args a;
        const int status = args_parse(&stage, n, args, &a);
        bad += status != -1 && status != 0 && status != 2;
        for (int i = 0; status == -1 && i < a.nshapes; i++)
            bad += a.shapes[i].M < 1 || a.shapes[i].N < 1 || a.shapes[i].K < 0;
        refused += status == 2;
        free(a.shapes);
    }
    fprintf(tap, "%sok 1 - %d command lines, %d refused\n1..1\n", bad ? "not " : "", runs, refused);
    return bad > 0 || fclose(tap) != 0;
}
