// How one warp's access becomes 32-byte sectors of global memory and wavefronts
// of shared memory. Measured on an H200 with single-warp kernels and checked
// against whole ones; README.md lists the rules and how far each was tested.
//
// Shared memory has 32 banks of 4 bytes. A wavefront reads or writes one word
// of each bank, so lanes that want different words of one bank take turns.
#include "rules.h"

#define LANES(from, n) ((uint32_t)(((uint64_t)1 << (n)) - 1) << (from))
#define FOR_LANES(i, set) for (uint32_t i = 0; i < SIM_LANES; i++) if ((set) >> i & 1)

// Lanes that the hardware takes at once: as many as move 128 bytes.
static uint32_t group_size(uint32_t bytes)
{
    return bytes == 16 ? 8 : bytes == 8 ? 16 : 32;
}

// Over all banks, the most different words that these lanes touch in one bank.
static unsigned degree(const struct sim_request *r, uint32_t set)
{
    uintptr_t words[32][SIM_LANES];
    uint8_t n[32] = {0};
    unsigned most = 0;
    FOR_LANES(i, r->lanes & set)
        for (uintptr_t word = r->address[i] / 4; word <= (r->address[i] + r->size - 1) / 4; word++) {
            unsigned bank = word % 32, k = 0;
            while (k < n[bank] && words[bank][k] != word)
                k++;
            if (k == n[bank])
                words[bank][n[bank]++] = word;
            if (n[bank] > most)
                most = n[bank];
        }
    return most;
}

static unsigned sum_of_degrees(const struct sim_request *r, uint32_t first, uint32_t n)
{
    uint32_t group = group_size(r->size);
    unsigned sum = 0;
    for (uint32_t i = first; i < first + n; i += group)
        sum += degree(r, LANES(i, group));
    return sum;
}

// Whether each lane's neighbour at distance b, or else at 2 b, reads the same address.
static int pairs(const struct sim_request *r, uint32_t set)
{
    for (uint32_t b = 1; b <= 2; b++) {
        int all = 1;
        FOR_LANES(i, r->lanes & set)
            if ((r->lanes >> (i ^ b) & 1) && r->address[i] != r->address[i ^ b])
                all = 0;
        if (all)
            return 1;
    }
    return 0;
}

unsigned sim_store_wavefronts(const struct sim_request *r)
{
    return sum_of_degrees(r, 0, SIM_LANES);
}

unsigned sim_load_wavefronts(const struct sim_request *r)
{
    if (r->size <= 4)
        return degree(r, r->lanes);
    // Two groups become one wavefront if their lanes share addresses in pairs
    // and so want no more than 128 bytes together.
    const uint32_t unit = r->size == 16 ? 16 : 32;
    unsigned sum = 0;
    for (uint32_t i = 0; i < SIM_LANES; i += unit)
        sum += pairs(r, LANES(i, unit)) && degree(r, LANES(i, unit)) == 1
                   ? 1 : sum_of_degrees(r, i, unit);
    return sum;
}

unsigned sim_ideal_wavefronts(const struct sim_request *r, unsigned wavefronts)
{
    unsigned bytes = (unsigned)__builtin_popcount(r->lanes) * r->size;
    unsigned ideal = (bytes + 127) / 128;
    return ideal < wavefronts ? ideal : wavefronts;
}

static unsigned count_sectors(const uintptr_t address[SIM_LANES], uint32_t lanes)
{
    uintptr_t seen[SIM_LANES];
    unsigned n = 0;
    FOR_LANES(i, lanes) {
        uintptr_t sector = address[i] / 32;
        unsigned k = n;
        while (k > 0 && seen[k - 1] != sector)
            k--;
        if (k == 0)
            seen[n++] = sector;
    }
    return n;
}

unsigned sim_global_sectors(const struct sim_request *r)
{
    return count_sectors(r->address, r->lanes);
}

// ------------------------------------------------------------------ cp.async

// The lanes that read anything; the others fill their destination with zeros.
uint32_t sim_reading_lanes(const struct sim_request *r)
{
    uint32_t lanes = 0;
    FOR_LANES(i, r->lanes)
        if (r->source[i])
            lanes |= 1u << i;
    return lanes;
}

static int same_bank(uintptr_t a, uintptr_t b)
{
    return a / 4 % 32 == b / 4 % 32;
}

// 4 and 8 bytes go through L1: a bank is needed to read and a bank to write, and
// equal addresses do not merge.
static unsigned async_wavefronts_ca(const struct sim_request *r)
{
    uint32_t group = group_size(r->size);
    unsigned sum = 0;
    for (uint32_t first = 0; first < SIM_LANES; first += group) {
        uint32_t lanes = r->lanes & LANES(first, group);
        unsigned most = 0;
        FOR_LANES(i, lanes) {
            unsigned n = 0;
            FOR_LANES(j, lanes)
                n += same_bank(r->address[i], r->address[j]) ||
                     (r->source[i] && r->source[j] && same_bank(r->source[i], r->source[j]));
            most = n > most ? n : most;
        }
        sum += most;
    }
    return sum;
}

// A copy of 16 bytes, or two that together make an aligned 32 on both sides.
struct unit {
    uintptr_t source, destination;
    int part;    // 0: whole 32 bytes; 1, 2: the lower or upper half
    int reads;   // 0: fills up with zeros
};

// Zeros come as if from a source that lies like their destination.
static uintptr_t source_of(const struct sim_request *r, uint32_t i)
{
    return r->source[i] ? r->source[i] : r->address[i];
}

static uint32_t partner(const struct sim_request *r, uint32_t i, uint32_t lanes)
{
    if (r->address[i] % 32 || source_of(r, i) % 32)
        return SIM_LANES;
    FOR_LANES(j, lanes)
        if (r->address[j] == r->address[i] + 16 && !r->source[j] == !r->source[i] &&
            source_of(r, j) == source_of(r, i) + 16)
            return j;
    return SIM_LANES;
}

static unsigned make_units(const struct sim_request *r, struct unit units[SIM_LANES])
{
    uint32_t left = r->lanes;
    unsigned n = 0;
    FOR_LANES(i, r->lanes) {
        uint32_t j = partner(r, i, left);
        if (!(left >> i & 1) || j == SIM_LANES)
            continue;
        units[n++] = (struct unit){source_of(r, i), r->address[i], 0, r->source[i] != 0};
        left &= ~(1u << i | 1u << j);
    }
    FOR_LANES(i, left)
        units[n++] = (struct unit){source_of(r, i), r->address[i],
                                   1 + (int)(source_of(r, i) / 16 % 2), r->source[i] != 0};
    return n;
}

static int same_turn(const struct unit *a, const struct unit *b)
{
    return a->source / 128 == b->source / 128 && a->destination / 128 == b->destination / 128 &&
           a->part == b->part &&
           (((a->source ^ a->destination) ^ (b->source ^ b->destination)) / 32) % 2 == 0;
}

// Units of one source line and one destination row go together, if they are of
// one part and one parity; copies of one source to several places do not.
static unsigned async_wavefronts_cg(const struct unit *units, unsigned n)
{
    unsigned sum = 0;
    uint32_t counted = 0;
    for (unsigned i = 0; i < n; i++) {
        if (counted >> i & 1)
            continue;
        unsigned most = 0;
        for (unsigned j = i; j < n; j++) {
            if (!same_turn(&units[i], &units[j]))
                continue;
            counted |= 1u << j;
            unsigned copies = 0;
            for (unsigned k = i; k < n; k++)
                copies += same_turn(&units[j], &units[k]) && units[j].source == units[k].source;
            most = copies > most ? copies : most;
        }
        sum += most;
    }
    return sum;
}

void sim_async_cost(const struct sim_request *r, unsigned *sectors, unsigned *wavefronts)
{
    if (r->size < 16) {
        *sectors = count_sectors(r->source, sim_reading_lanes(r));
        *wavefronts = async_wavefronts_ca(r);
        return;
    }
    struct unit units[SIM_LANES];
    unsigned n = make_units(r, units);
    *sectors = 0;
    for (unsigned i = 0; i < n; i++)
        *sectors += units[i].reads;
    *wavefronts = async_wavefronts_cg(units, n);
}
