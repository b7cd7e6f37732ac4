// A trace: everything that one block does, in the order in which the simulator
// does it, as CSV. README.md describes the columns.
#include "counters.h"

#include <stdlib.h>

#include "report.h"

struct record {
    const char *event;
    uint32_t place, tid, tick, size;
    uintptr_t address;
    unsigned long long n;   // FMAs, the group, or how many groups a wait lets run on
};

static FILE *file;
static unsigned long long wanted;   // block
static struct record *records;
static size_t nrecords, room;
static unsigned long long fmas_so_far;
static const struct sim_worker *tracer;

void sim_trace(FILE *out, unsigned long long block)
{
    if (out && out != file)
        fputs("seq,block,thread,warp,lane,tick,event,line,element,space,offset,size,bank,n\n", out);
    file = out;
    wanted = block;
}

void sim_trace_block(struct sim_worker *w)
{
    w->watch &= ~(uint32_t)SIM_TRACE;
    if (!file || w->block != wanted)
        return;
    w->watch |= SIM_TRACE;
    tracer = w;
    fmas_so_far = w->fmas;
}

static void record(const struct sim_worker *w, struct record r)
{
    if (nrecords == room) {
        room = room ? 2 * room : 4096;
        records = realloc(records, room * sizeof *records);
        if (!records)
            sim_die("out of memory");
    }
    r.tid = w->tid;
    r.tick = w->clock - w->block_start;
    records[nrecords++] = r;
}

// A thread's multiply-adds between two other events become one event, of no one line.
static void record_fmas(const struct sim_worker *w)
{
    if (w->fmas != fmas_so_far)
        record(w, (struct record){.event = "fma", .n = w->fmas - fmas_so_far});
    fmas_so_far = w->fmas;
}

void sim_trace_record(const struct sim_worker *w, const char *event, uint32_t place,
                      uintptr_t address, uint32_t size, unsigned long long n)
{
    record_fmas(w);
    record(w, (struct record){.event = event, .place = place, .address = address, .size = size,
                              .n = n});
}

static void put_record(size_t seq, const struct record *r)
{
    const struct sim_worker *w = tracer;
    int shared = r->address - w->shared_lo < w->shared_size;
    fprintf(file, "%zu,%llu,%u,%u,%u,%u,%s,%s,", seq, wanted, r->tid, r->tid / SIM_WARP,
            r->tid % SIM_WARP, r->tick, r->event, sim_line(r->place));
    if (!r->address)
        fprintf(file, ",,,,,%llu\n", r->n);
    else if (shared)
        fprintf(file, "%s,shared,%zu,%u,%u,%llu\n", sim_shared_text(w, r->address).s,
                sim_shared_offset(w, r->address), r->size, (unsigned)(r->address / 4 % 32), r->n);
    else
        fprintf(file, "%s,global,%zu,%u,,%llu\n", sim_global_text(r->address).s,
                sim_global_offset(r->address), r->size, r->n);
}

void sim_trace_end(void)
{
    if (nrecords == 0)
        return;
    for (size_t i = 0; i < nrecords; i++)
        put_record(i, &records[i]);
    fflush(file);
    nrecords = 0;
}
