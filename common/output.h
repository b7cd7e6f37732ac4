// A file that a run writes: the rows, the trace.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// A file that is asked for: it waits in memory until the run has ended, so that a run
// that is stopped, or has nothing to say, leaves what was there before.
struct output {
    const char *option, *file;
    FILE *stream;    // NULL: not asked for
    bool used;
    char *text;
    size_t size;
};

// Opens o->stream for o->file. If that file cannot be written, false and a line on
// stderr, which names the stage and the option.
bool output_open(struct output *o, int stage);

// Closes the stream and, if it was used, puts what was written into the file: whole, or
// not at all. False and a line on stderr if it could not.
bool output_save(struct output *o, int stage);

#endif
