// What compiled kernels call. -fsanitize=thread puts a call in front of every
// access that may concern other threads, -fsanitize=bounds one in front of every
// use of an index that is outside its array, and -fsanitize-coverage=trace-pc
// one at the start of every basic block. No sanitizer library is linked: these
// are the functions.
#include "sim_internal.h"

#include <string.h>

#include "counters.h"
#include "report.h"
#include "shared.h"

#define HERE __builtin_return_address(0)

// ------------------------------------------------------------------ accesses

static void global_write(struct sim_worker *w, uintptr_t a, uint32_t size, uint32_t place)
{
    uint64_t *writer = sim_writers + (a - sim_global_lo) / 4;
    uint64_t me = (uint64_t)w->block_tag << 32 | sim_who(place, w->tid);
    for (uint32_t i = 0; i < size / 4; i++) {
        uint64_t last = __atomic_exchange_n(&writer[i], me, __ATOMIC_RELAXED);
        uint32_t block = (uint32_t)(last >> 32), who = (uint32_t)last;
        if (block == 0 || block == w->block_tag)
            continue;
        if (sim_fault(w, SIM_TWO_BLOCKS, place, sim_who_place(who)))
            sim_say(w, 0, "Blocks run in any order: each element must belong to one block.",
                    "%s writes %s, which %s of %s writes too, at @.",
                    sim_thread_text(w, w->tid).s, sim_global_text(a + 4 * i).s,
                    sim_thread_text(w, sim_who_tid(who)).s, sim_block_text(w, block - 1).s);
        return;
    }
}

// Neither shared nor global memory, nor inside an allocation.
static void stray(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place)
{
    if (sim_is_program_data(a))
        return;   // constants
    if (sim_fault(w, SIM_GLOBAL, place, 0))
        sim_say(w, 0, "Guard the access, or correct the index or the pointer.", "%s %s %s.",
                sim_thread_text(w, w->tid).s, write ? "writes" : "reads",
                sim_stray_text(a, size).s);
    sim_abandon(w);
}

void sim_global_check(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place)
{
    const struct sim_slot *slot = &sim_slots[(a - sim_global_lo) >> SIM_SLOT_BITS];
    if (a - sim_global_lo >= sim_global_size || a < slot->lo || a + size > slot->hi)
        stray(w, a, size, write, place);
    else if (write)
        global_write(w, a, size, place);
}

static void misaligned(struct sim_worker *w, uintptr_t a, uint32_t size, int write, uint32_t place)
{
    int shared = a - w->shared_lo < w->shared_size;
    if (!shared && !sim_is_allocated((void *)a, size))
        stray(w, a, size, write, place);
    if (sim_fault(w, SIM_MISALIGNED, place, 0))
        sim_say(w, 0, "Such an access must start at a multiple of its size: of 2 floats for a "
                "float2, of 4 for a float4.", "%s %s %u bytes at once at %s.",
                sim_thread_text(w, w->tid).s, write ? "writes" : "reads", size,
                shared ? sim_shared_text(w, a).s : sim_global_text(a).s);
    sim_abandon(w);
}

// All that an access may need; the hooks do the usual themselves.
static __attribute__((noinline)) void full_access(struct sim_worker *w, uintptr_t a, uint32_t size,
                                                  int write, uint32_t place)
{
    if (a - (uintptr_t)w->launch->arguments < w->launch->argument_bytes)
        return;   // a structure passed by value is copied from here
    if (size == 1 && a - w->shared_lo < w->shared_size && sim_is_guard(w, a))
        return;   // the compiler's, not the kernel's
    if (w->watch & SIM_INDEX)
        sim_index_used(w, a, place);
    if (a & (size - 1))
        misaligned(w, a, size, write, place);
    if (w->watch & (SIM_COUNT | SIM_TRACE))
        sim_note_access(w, a, size, write, place);
    if (a - w->shared_lo < w->shared_size)
        sim_shared_access(w, a, size, write, place);
    else
        sim_global_check(w, a, size, write, place);
}

static inline __attribute__((always_inline)) void access_memory(const void *p, uint32_t size,
                                                                int write, const void *from)
{
    struct sim_worker *w = sim_self;
    uintptr_t a = (uintptr_t)p;
    if (a - w->stack_lo < w->stack_size)
        return;   // the thread's own
    uint32_t place = sim_place(from);
    if (SIM_LIKELY((w->watch | (a & (size - 1))) == 0)) {
        if (size == 4 && a - w->shared_lo < w->shared_size && sim_shared_quick(w, a, write, place))
            return;
        if (!write && a - sim_global_lo < sim_global_size) {
            const struct sim_slot *slot = &sim_slots[(a - sim_global_lo) >> SIM_SLOT_BITS];
            if (SIM_LIKELY(a >= slot->lo && a + size <= slot->hi))
                return;
        }
    }
    full_access(w, a, size, write, place);
}

// Copies of whole structures, and what the compiler joins from smaller pieces.
static void access_range(const void *p, size_t bytes, int write, const void *from)
{
    size_t step = ((uintptr_t)p | bytes) % 4 ? 1 : 4;
    for (size_t i = 0; i < bytes; i += step)
        access_memory((const char *)p + i, (uint32_t)step, write, from);
}

#define HOOKS(size)                                                                     \
    void __tsan_read##size(void *p);                                                    \
    void __tsan_write##size(void *p);                                                   \
    void __tsan_unaligned_read##size(void *p);                                          \
    void __tsan_unaligned_write##size(void *p);                                         \
    void __tsan_read##size(void *p) { access_memory(p, size, 0, HERE); }                \
    void __tsan_write##size(void *p) { access_memory(p, size, 1, HERE); }               \
    void __tsan_unaligned_read##size(void *p) { access_range(p, size, 0, HERE); }       \
    void __tsan_unaligned_write##size(void *p) { access_range(p, size, 1, HERE); }

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *p, size_t bytes);
void __tsan_write_range(void *p, size_t bytes);
void *__tsan_memcpy(void *dst, const void *src, size_t bytes);
void *__tsan_memmove(void *dst, const void *src, size_t bytes);
void *__tsan_memset(void *dst, int byte, size_t bytes);

void __tsan_read_range(void *p, size_t bytes)
{
    access_range(p, bytes, 0, HERE);
}

void __tsan_write_range(void *p, size_t bytes)
{
    access_range(p, bytes, 1, HERE);
}

void *__tsan_memcpy(void *dst, const void *src, size_t bytes)
{
    access_range(src, bytes, 0, HERE);
    access_range(dst, bytes, 1, HERE);
    return memcpy(dst, src, bytes);
}

void *__tsan_memmove(void *dst, const void *src, size_t bytes)
{
    access_range(src, bytes, 0, HERE);
    access_range(dst, bytes, 1, HERE);
    return memmove(dst, src, bytes);
}

void *__tsan_memset(void *dst, int byte, size_t bytes)
{
    access_range(dst, bytes, 1, HERE);
    return memset(dst, byte, bytes);
}

// Called too, with nothing to do.
void __tsan_init(void);
void __tsan_func_entry(void *from);
void __tsan_func_exit(void);
uint8_t __tsan_atomic8_load(const volatile uint8_t *p, int order);

// The host's code looks in this way whether a local static is initialized.
uint8_t __tsan_atomic8_load(const volatile uint8_t *p, int order)
{
    (void)order;
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *from)
{
    (void)from;
}

void __tsan_func_exit(void)
{
}

// ------------------------------------------------------------------- indexes

// What -fsanitize=bounds passes, as far as it is of use.
struct bounds_type {
    uint16_t kind, info;   // of an integer: info = log2(bits) * 2 + signed
    char name[];           // in quotes: 'float [16][64]'
};

struct bounds_check {
    const char *file;
    uint32_t line, column;
    const struct bounds_type *array, *index;
};

static long long index_value(const struct bounds_type *type, uintptr_t value)
{
    unsigned bits = 1u << (type->info >> 1);
    if (bits >= 64 || !(type->info & 1))
        return (long long)value;
    return (long long)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

void __ubsan_handle_out_of_bounds(const struct bounds_check *check, uintptr_t value);

// Which array it is, only the access itself will tell: an array in registers if
// none follows from here.
void __ubsan_handle_out_of_bounds(const struct bounds_check *check, uintptr_t value)
{
    struct sim_worker *w = sim_self;
    if (!w->launch || (w->watch & SIM_INDEX))
        return;
    w->outside.type = check->array->name;
    w->outside.index = index_value(check->index, value);
    w->outside.place = sim_place(HERE);
    w->watch |= SIM_INDEX;
}

// ------------------------------------------------------- counters, and fmaf

void __sanitizer_cov_trace_pc(void);

static __attribute__((noinline)) void give_up(struct sim_worker *w, uint32_t place)
{
    if (!w->launch)
        return;
    // The hook's call may have no line. Then what is behind it has, or another block of
    // the loop, or what stands before it.
    if (strchr(sim_line(place), '?'))
        place++;
    if (strchr(sim_line(place), '?') && w->without_line++ < 16) {
        w->patience = 0;
        return;
    }
    for (int i = 0; i < 64 && strchr(sim_line(place), '?'); i++)
        place--;
    if (sim_fault(w, SIM_FOREVER, place, 0))
        sim_say(w, 0, "Its loop does not end, or waits for a value that nobody writes, or that a thread "
                "writes which has not had its turn: those of a block run one after the other here, "
                "each to its next barrier. The blocks that have not begun are left out.",
                "%s has come through %u basic blocks without a barrier or the kernel's end.",
                sim_thread_text(w, w->tid).s, SIM_PATIENCE);
    sim_stop_launch();
    sim_abandon(w);
}

void __sanitizer_cov_trace_pc(void)
{
    struct sim_worker *w = sim_self;
    if (!SIM_LIKELY(w->patience-- != 0))
        give_up(w, sim_place(HERE));
    if (!SIM_LIKELY((w->watch & SIM_COUNT) == 0))
        sim_note_step(w, sim_place(HERE));
}

float sim_fmaf(float a, float b, float c)
{
    sim_self->fmas++;
    return __builtin_fmaf(a, b, c);
}
