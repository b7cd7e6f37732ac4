// Reporting a fault. See report.c.
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include "sim_internal.h"

// A short text, returned by value so that several fit into one printf.
struct sim_text {
    char s[160];
};

// The kinds of fault, as the heading of a report names them.
extern const char SIM_RACE[], SIM_UNWRITTEN[], SIM_INDEX_OUTSIDE[], SIM_GLOBAL[], SIM_TWO_BLOCKS[],
    SIM_UNDER_WAY[], SIM_NO_WAIT[],
    SIM_COPY[], SIM_BARRIER[], SIM_WARP_OP[], SIM_SHUFFLE[], SIM_MISALIGNED[], SIM_OVERFLOW[],
    SIM_FOREVER[], SIM_LAUNCH[], SIM_DIVISION[], SIM_TRAP[];

// Notes a fault of the running block: `kind`, where it happened, and the place
// that it has to do with (0: none). Returns 1 if this is the first of its kind
// at these places: then sim_say must follow.
int sim_fault(struct sim_worker *w, const char *kind, uint32_t place, uint32_t other);

// Two sentences: what happened, and what is missing. A '@' stands for the other
// place, a '#' for `third`.
void sim_say(struct sim_worker *w, uint32_t third, const char *missing, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

struct sim_fault_list *sim_new_fault_list(void);

// A fault of the launch itself, before any block runs.
void sim_launch_fault(const struct sim_launch *launch, uint32_t place, const char *why);

// Faults of a launch that has ended: prints the new ones, of all workers at once.
void sim_print_faults(struct sim_worker *const *workers, int n);

// Names for reports: "thread (3,0)", "block (1,2)", "As[3][17]" or "C[77]".
struct sim_text sim_thread_text(const struct sim_worker *w, uint32_t tid);
struct sim_text sim_block_text(const struct sim_worker *w, uint64_t block);
struct sim_text sim_shared_text(const struct sim_worker *w, uintptr_t address);
struct sim_text sim_global_text(uintptr_t address);

// Bytes from the start of the array or allocation.
size_t sim_shared_offset(const struct sim_worker *w, uintptr_t address);
size_t sim_global_offset(uintptr_t address);

// The array that holds the address; NULL for dynamic shared memory and elsewhere.
const struct sim_array *sim_array_at(const struct sim_worker *w, uintptr_t address);

// What is wrong with a pointer that no allocation holds; one phrase.
struct sim_text sim_stray_text(uintptr_t address, uint32_t size);

// "file:line" of many places at once, with one run of addr2line; the answers
// are kept. Frames in common/ give way to the kernel that called them.
void sim_find_lines(const uint32_t *places, int n);
const char *sim_line(uint32_t place);
const char *sim_frames(uint32_t place);        // that line and all that inlined it, up to the kernel's
const char *sim_caller(uint32_t place);        // the kernel's line, if that one's function was inlined; or ""
struct sim_text sim_where(uint32_t place);     // "file:line", or "file:line (from line)"

void sim_catch_signals(void);
void sim_signal_stack(struct sim_worker *w);   // for this CPU thread

#endif
