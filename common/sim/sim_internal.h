// What the files of the simulator share. Read README.md first.
#ifndef SIM_INTERNAL_H
#define SIM_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE   // dl_iterate_phdr, MAP_ANONYMOUS; so include this file first
#endif

#include <stdint.h>
#include <stdio.h>

#include "cuda_runtime.h"
#include "sim.h"

enum {
    SIM_WARP = 32,
    SIM_MAX_THREADS = 1024,               // a block
    SIM_STACK_OWN = 128 << 10,            // what a thread may use of its stack, bytes
    SIM_STACK = SIM_STACK_OWN + (32 << 10),   // with what looking up a source line takes, and the stagger
    SIM_STACK_STRIDE = 512 << 10,         // stack and the guard below it
    SIM_MAX_SHARED = 227 << 10,           // an H200's opt-in limit, bytes a block
    SIM_DEFAULT_SHARED = 48 << 10,        // without opting in
    SIM_TID_BITS = 10,
    SIM_MIXED = 0x7fffffff,               // a place that is none: not all came to one barrier
    SIM_PC_BITS = 22,
};

// ---------------------------------------------------------- places in the code

// A place is the offset of an instruction from the start of the program, 0 for
// unknown. `who` packs a place and the thread that was there into one word.
static inline uint32_t sim_who(uint32_t place, uint32_t tid)
{
    return place << SIM_TID_BITS | tid;
}

static inline uint32_t sim_who_tid(uint32_t who)
{
    return who & ((1u << SIM_TID_BITS) - 1);
}

static inline uint32_t sim_who_place(uint32_t who)
{
    return who >> SIM_TID_BITS;
}

extern uintptr_t sim_code;   // where the program starts

static inline uint32_t sim_place(const void *return_address)
{
    uintptr_t offset = (uintptr_t)return_address - sim_code;
    return offset < (1u << SIM_PC_BITS) ? (uint32_t)offset : 0;
}

// ------------------------------------------------------ what a worker works with

// One 4-byte word of shared memory: who wrote it last, and its last two readers.
// A stamp is the worker's clock at the time, see `sim_worker`.
struct sim_mark {
    uint32_t stamp, who;
};

struct sim_word {
    struct sim_mark write, read[2];
    uint32_t odd;       // SIM_OUTSIDE, or the number of cp.async under way to it
    uint32_t landed;    // the stamp of `write` if a cp.async wrote it
};

enum { SIM_OUTSIDE = 1u << 31 };   // the word belongs to no array

enum sim_state { SIM_READY, SIM_AT_BARRIER, SIM_AT_WARP_OP, SIM_DONE };

// A cp.async that has been issued and has not landed.
struct sim_copy {
    char *dst;
    const char *src;
    uint32_t size, zfill, place;
    uint32_t group;
};

struct sim_array;   // below

// One CUDA thread of the block at hand.
struct sim_thread {
    void *sp;                 // where its stack was left
    enum sim_state state;
    uint32_t place;           // of the barrier or warp operation it waits at
    struct uint3 idx;

    enum sim_shuffle op;      // of the warp operation
    uint32_t mask, value;
    int lane, width;

    struct sim_copy *copies;  // oldest first: copies[landed .. issued - 1]
    uint32_t landed, issued, room;
    uint32_t groups;          // committed so far
    uint32_t waits, wait_place, wait_prior, wait_groups;   // how many, and its last

    // For each lane of its warp the clock at the last __syncwarp at which the two met, be
    // it by way of other lanes, and where that is.
    struct sim_meeting {
        uint32_t clock, place;
    } met[SIM_WARP];
};

// A CPU thread that runs blocks, one after the other.
//
// The clock orders what a block's threads do: it ticks at every block barrier
// and at every __syncwarp. What happened before the tick of a barrier is ordered
// before what happens after it.
struct sim_worker {
    // What every access looks at.
    uintptr_t stack_lo, stack_size;     // of the running thread
    uintptr_t shared_lo, shared_size;   // this worker's shared memory
    uintptr_t dynamic_lo;               // the dynamic part of it
    struct sim_word *words;             // one a word of it
    uint32_t clock;
    uint32_t block_start;               // clock when the block began
    uint32_t barrier;                   // clock at its last barrier, or block_start
    uint32_t tid;                       // of the running thread, in the block
    uint32_t watch;                     // enum sim_watch
    uint64_t patience;                  // basic blocks until a thread that meets nobody is given up
    uint32_t without_line;              // since then, those without a line
    uint32_t block_tag;                 // 1 + block index, for the writers of global memory
    unsigned long long fmas, barriers;

    void *scheduler_sp;
    struct sim_thread *threads;
    const struct sim_launch *launch;
    uint32_t nthreads;
    struct uint3 block_idx;
    uint64_t block;
    int abandoned;                      // a fault ended the block
    uint32_t barrier_place;             // of the block's last barrier; 0: none yet; SIM_MIXED
    const char *dynamic_name;
    uint32_t dynamic_element;
    uint32_t dynamic_inside;            // bytes of dynamic shared memory not SIM_OUTSIDE
    char *stacks;
    uint32_t nstacks;
    void *signal_stack;
    struct sim_fault_list *faults;
    struct sim_tally *tally;            // counters.c
    struct {                            // an index outside its array, until the access
        const char *type;               // that it was for says which array it is
        long long index;
        uint32_t place;
    } outside;
};

// Far more than any kernel of sense needs from one barrier to the next; some
// seconds. A thread may wait for another block in a loop, as long as that ends.
#ifndef SIM_PATIENCE   // tests have less
#define SIM_PATIENCE 4000000000u
#endif

enum sim_watch { SIM_COUNT = 1, SIM_TRACE = 2, SIM_INDEX = 4 };   // bits

// The worker that this CPU thread is. Elsewhere a dummy whose stack is all of
// memory, so that host code compiled with the checks is left alone.
extern _Thread_local struct sim_worker *sim_self;

static inline struct sim_thread *sim_current(const struct sim_worker *w)
{
    return &w->threads[w->tid];
}

// ------------------------------------------------------------------- block.c

// The blocks that have not begun are left out.
void sim_stop_launch(void);

// Runs block w->block from beginning to end.
void sim_run_block(struct sim_worker *w);

// Ends the block of the running thread at once, after a fault that leaves no
// sensible way on.
_Noreturn void sim_abandon(struct sim_worker *w);

// ------------------------------------------------------------------ shared.c

// Makes room for the marks, and knows the launch's dynamic shared memory.
void sim_set_words(struct sim_worker *w);

// Sets the clock back, and forgets all marks.
void sim_forget_marks(struct sim_worker *w);

// An index outside its array has been found (hooks.c): the access that it was
// for happens now; or, if the thread comes to rest, there was none.
void sim_index_used(struct sim_worker *w, uintptr_t a, uint32_t place);
void sim_index_unused(struct sim_worker *w);
void sim_index_fault(struct sim_worker *w, const struct sim_array *array);   // NULL: unknown

static inline void sim_settle(struct sim_worker *w)
{
    if (w->watch & SIM_INDEX)
        sim_index_unused(w);
}

// ---------------------------------------------------------------- pipeline.c

// The running thread ends: none of its copies may still be under way.
void sim_copies_end(struct sim_worker *w);

// Forgets the copies of a thread that will not go on.
void sim_drop_copies(struct sim_worker *w, struct sim_thread *t);

// ------------------------------------------------------------------ memory.c

// Global memory is one range of addresses, cut into slots of 1 GiB. An
// allocation has whole slots to itself, so what overruns it is still known to
// be its own, and the slot says at once where it starts and ends.
#ifndef SIM_SLOTS
#define SIM_SLOTS 4096
#define SIM_SLOT_BITS 30
#endif

struct sim_slot {
    uintptr_t lo, hi;   // of the allocation; 0, 0: none, or freed
};

extern uintptr_t sim_global_lo, sim_global_size;
extern uint64_t *sim_writers;   // of each word: 1 + block << 32 | who; 0: none
extern struct sim_slot sim_slots[SIM_SLOTS];

void *sim_allocate(size_t bytes);    // NULL: no room
int sim_release(void *p);            // 0, or -1: no such allocation

// Whether all of [p, p + bytes) is inside one allocation.
int sim_is_allocated(const void *p, size_t bytes);

// Checks a thread's access; hooks.c.
void sim_global_check(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place);

// Forgets who wrote which word of global memory: a new launch begins.
void sim_forget_writers(void);

// ----------------------------------------------------------------- symbols.c

struct sim_array {              // one __shared__ array
    const char *name;
    const char *function;       // mangled, after the _Z, not terminated
    size_t function_len;
    const char *ending;         // of the symbol: tells two arrays of one name in a kernel apart
    uint32_t offset, size;      // bytes, in the worker's shared memory
    uint32_t element, dims[3];  // bytes; 0 where there is no such dimension
};

extern struct sim_array *sim_arrays;
extern int sim_narrays;

void sim_symbols_init(void);

// The address that the program's file gives to a place.
uintptr_t sim_file_address(uint32_t place);

// Whether `array` belongs to the kernel of that name.
const char *sim_mangled_name(const void *kernel);
int sim_owns(const char *mangled_name, const struct sim_array *array);

// Whether the address is in the program itself: its constants and global variables.
int sim_is_program_data(uintptr_t address);

// Whether the address is a byte by which the compiler knows a shared array initialized.
int sim_is_guard(const struct sim_worker *w, uintptr_t address);

// Where this CPU thread's copy of the shared arrays lies.
uintptr_t sim_shared_base(size_t *size);

// ---------------------------------------------------------------------- rest

_Noreturn void sim_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

size_t sim_static_shared(const void *kernel);   // bytes a block
void sim_poison(struct sim_worker *w);           // the block's shared memory, with NaN
int sim_worker_count(void);
void sim_set_error(cudaError_t error);
size_t sim_dynamic_limit(const void *kernel);   // bytes that the kernel has opted in to

#endif
