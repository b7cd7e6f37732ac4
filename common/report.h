// What a run says: text for people, rows for tools.
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "check.h"
#include "device.h"
#include "stage.h"

// The outcome of one shape with one tile.
struct row {
    const struct stage *stage;
    const struct device *device;
    const struct tile *tile;
    bool automatic;               // the tile the stage chooses itself
    struct gemm gemm;
    const char *fill;
    uint64_t seed;
    const char *error;            // NULL, or why there is no result
    bool checked;
    struct check check;
    enum bound bound;
    const char *reference;        // who computed it, for people: "CPU" or "GPU"
    bool same_inputs;             // A and B are what they were before the checked launch
    bool same_bits;               // the last timed launch gave the checked C again
    uint64_t checksum;
    bool timed;
    struct timing timing, yardstick;
    double clock_mhz;
    double seconds;               // what the launch took, with the simulator
    bool counted;
    struct counters counters;
};

// A row is right if it ran, passed its check, and was not faster than the card
// can be.
bool row_passes(const struct row *r);

void report_title(FILE *out, const struct stage *stage, const struct device *device);
void report_shape(FILE *out, const struct row *r);      // before the run
void report_result(FILE *out, const struct row *r);     // after it
void report_tiles(FILE *out, const struct stage *stage, const struct device *device);

void csv_header(FILE *out);
void csv_row(FILE *out, const struct row *r);

#endif
