// Global memory: what cudaMalloc hands out, and who wrote which word of it.
#include "report.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uintptr_t sim_global_lo, sim_global_size;
struct sim_slot sim_slots[SIM_SLOTS];
uint64_t *sim_writers;

// What no access needs at once. The span is where the slot's allocation is or,
// once freed, was.
static struct {
    uintptr_t lo, hi;
    const char *name;
} spans[SIM_SLOTS];

static const uintptr_t slot_size = (uintptr_t)1 << SIM_SLOT_BITS;
static const uintptr_t page = 1 << 16;   // the largest that Linux has on our machines
static size_t nslots, next_slot;

static void *map(void *at, uintptr_t bytes, int protection)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0);
    void *p = mmap(at, bytes, protection, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Takes the addresses, not the memory: room for twice what the machine has, and
// for small allocations. Not all that 47 bits give, as an emulator like qemu notes
// every page of it.
static size_t wanted_slots(void)
{
    const uintptr_t memory = (uintptr_t)sysconf(_SC_PHYS_PAGES) * (uintptr_t)sysconf(_SC_PAGESIZE);
    const size_t wanted = 32 + (2 * memory >> SIM_SLOT_BITS);
    return wanted < SIM_SLOTS ? wanted : SIM_SLOTS;
}

static void reserve(void)
{
    for (nslots = wanted_slots(); nslots > 8; nslots /= 2) {
        // one slot more, to start at a multiple of its size; twice as much
        // again for the writers, 8 bytes for each word of 4
        uintptr_t lo = (uintptr_t)map(NULL, (3 * nslots + 1) * slot_size, PROT_NONE);
        if (!lo)
            continue;
        sim_global_lo = (lo + slot_size - 1) & ~(slot_size - 1);
        sim_global_size = nslots * slot_size;
        sim_writers = (uint64_t *)(sim_global_lo + sim_global_size);
        return;
    }
    sim_die("cannot reserve %zu GiB of addresses, which take no memory: %s. Is there a limit (ulimit -v)?",
            (3 * 2 * nslots + 1) * slot_size >> 30, strerror(errno));
}

static uintptr_t writers_of(uintptr_t address)
{
    return (uintptr_t)sim_writers + (address - sim_global_lo) * 2;
}

// First of n slots in a row that were never used or, failing that, are free again.
static size_t find_slots(size_t n)
{
    if (next_slot + n <= nslots) {
        next_slot += n;
        return next_slot - n;
    }
    size_t run = 0;
    for (size_t i = 0; i < nslots; i++) {
        run = sim_slots[i].hi ? 0 : run + 1;
        if (run == n)
            return i + 1 - n;
    }
    return nslots;
}

void *sim_allocate(size_t bytes)
{
    if (nslots == 0)
        reserve();
    if (bytes > sim_global_size)
        return NULL;
    // A guard page in front, then the bytes, up to another guard page: cudaMalloc
    // aligns to 256, so the end is exact to 255 bytes and the checks do the rest.
    uintptr_t bytes256 = (bytes + 255) & ~(uintptr_t)255;
    uintptr_t pages = (bytes256 + page - 1) & ~(page - 1);
    size_t n = (pages + 2 * page + slot_size - 1) >> SIM_SLOT_BITS;
    size_t first = find_slots(n);
    if (first == nslots)
        return NULL;
    // In the middle, so that an index that is negative by much leads to no other array.
    uintptr_t slack = n * slot_size - pages - 2 * page;
    uintptr_t start = sim_global_lo + first * slot_size + page + (slack / 2 & ~(page - 1));
    uintptr_t lo = start + pages - bytes256;
    if (pages && (!map((void *)start, pages, PROT_READ | PROT_WRITE) ||
                  !map((void *)writers_of(start), 2 * pages, PROT_READ | PROT_WRITE)))
        return NULL;
    for (size_t i = first; i < first + n; i++) {
        sim_slots[i] = (struct sim_slot){lo, lo + bytes};
        spans[i].lo = lo;
        spans[i].hi = lo + bytes;
        spans[i].name = NULL;
    }
    return (void *)lo;
}

static size_t slot_of(const void *p)
{
    uintptr_t offset = (uintptr_t)p - sim_global_lo;
    return offset < sim_global_size ? offset >> SIM_SLOT_BITS : nslots;
}

int sim_release(void *p)
{
    size_t i = slot_of(p);
    if (i == nslots || sim_slots[i].lo != (uintptr_t)p || sim_slots[i].hi == 0)
        return -1;
    struct sim_slot freed = sim_slots[i];
    for (; i < nslots && sim_slots[i].lo == freed.lo; i++)
        sim_slots[i] = (struct sim_slot){0, 0};
    uintptr_t start = freed.lo & ~(page - 1);
    uintptr_t pages = ((freed.hi + 255) & ~(uintptr_t)255) - start;
    pages = (pages + page - 1) & ~(page - 1);
    if (pages) {
        map((void *)start, pages, PROT_NONE);
        map((void *)writers_of(start), 2 * pages, PROT_NONE);
    }
    return 0;
}

int sim_is_allocated(const void *p, size_t bytes)
{
    size_t i = slot_of(p);
    uintptr_t lo = (uintptr_t)p;
    return i < nslots && lo >= sim_slots[i].lo && lo <= sim_slots[i].hi &&
           bytes <= sim_slots[i].hi - lo;
}

void sim_name(const void *p, const char *name)
{
    for (size_t i = slot_of(p); i < nslots && sim_slots[i].lo == (uintptr_t)p; i++)
        spans[i].name = name;
}

void sim_forget_writers(void)
{
    for (size_t i = 0; i < nslots && i < next_slot; i++) {
        struct sim_slot slot = sim_slots[i];
        if (slot.hi == slot.lo || (i > 0 && sim_slots[i - 1].lo == slot.lo))
            continue;
        uintptr_t lo = writers_of(slot.lo & ~(page - 1)), hi = writers_of(slot.hi);
        madvise((void *)lo, hi - lo, MADV_DONTNEED);
    }
}

// ------------------------------------------------------------------- reports

// The element that an address would be, counted in floats from the allocation's start.
static struct sim_text element(uintptr_t address, size_t slot)
{
    struct sim_text t;
    long long offset = (long long)(address - spans[slot].lo);
    char name[80];
    if (spans[slot].name)
        snprintf(name, sizeof name, "%.64s", spans[slot].name);
    else
        snprintf(name, sizeof name, "(allocation of %zu bytes)", spans[slot].hi - spans[slot].lo);
    if (offset % 4)
        snprintf(t.s, sizeof t.s, "%s + %lld bytes", name, offset);
    else
        snprintf(t.s, sizeof t.s, "%s[%lld]", name, offset / 4);
    return t;
}

struct sim_text sim_global_text(uintptr_t address)
{
    return element(address, slot_of((void *)address));
}

size_t sim_global_offset(uintptr_t address)
{
    return address - spans[slot_of((void *)address)].lo;
}

struct sim_text sim_stray_text(uintptr_t address, uint32_t size)
{
    struct sim_text t;
    size_t slot = slot_of((void *)address);
    if (address < 4096) {
        snprintf(t.s, sizeof t.s, "through a null pointer (address %zu)", (size_t)address);
    } else if (slot == nslots) {
        snprintf(t.s, sizeof t.s, "memory that cudaMalloc has not given out (the host's, or a "
                 "wild pointer), at %#zx", (size_t)address);
    } else if (spans[slot].hi == 0) {
        snprintf(t.s, sizeof t.s, "far from every allocation, at %#zx", (size_t)address);
    } else if (sim_slots[slot].hi == 0) {
        snprintf(t.s, sizeof t.s, "%.100s after cudaFree", element(address, slot).s);
    } else if (address < spans[slot].lo) {
        snprintf(t.s, sizeof t.s, "%.100s, before its start", element(address, slot).s);
    } else {
        snprintf(t.s, sizeof t.s, "%.80s (%u bytes), past its end: it has %zu elements",
                 element(address, slot).s, size, (size_t)(spans[slot].hi - spans[slot].lo) / 4);
    }
    return t;
}
