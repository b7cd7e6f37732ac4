// The command line of every stage.
#ifndef ARGS_H
#define ARGS_H

#include <stdbool.h>
#include <stdint.h>
#include "matrix.h"
#include "stage.h"

enum { AUTO_REPS = -1 };

struct args {
    struct shape *shapes;    // malloc'd; NULL: the defaults
    int nshapes;
    const char *tile;        // "auto", "list", "all" or a name of the table
    bool check;
    int reps;                // AUTO_REPS: as many as the timing wants; 0: no timing
    enum fill fill;
    uint64_t seed;
    bool csv;
    const char *csv_file;    // NULL: stdout
    bool counters;           // simulator only
    const char *trace;       // file, simulator only; NULL: none
};

// Reads argv. Returns -1 to go on, else the status to exit with: 0 after --help
// or --version, 2 after one line on stderr that says what was wrong.
int args_parse(const struct stage *stage, int argc, char **argv, struct args *args);

#endif
