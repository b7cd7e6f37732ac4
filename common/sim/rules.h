// How one warp's access becomes sectors and wavefronts. See rules.c.
#ifndef SIM_RULES_H
#define SIM_RULES_H

#include <stdint.h>

enum { SIM_LANES = 32 };

// One instruction of one warp. Addresses are in bytes and multiples of `size`;
// shared ones count from the start of the block's shared memory, or from any
// multiple of 128 before it.
struct sim_request {
    uint32_t lanes;                  // bit i: lane i takes part
    uint32_t size;                   // bytes a lane: 4, 8 or 16
    uintptr_t address[SIM_LANES];    // global, or shared; of a cp.async, the destination
    uintptr_t source[SIM_LANES];     // of a cp.async, global; 0: nothing is read
};

unsigned sim_global_sectors(const struct sim_request *r);
unsigned sim_load_wavefronts(const struct sim_request *r);    // from shared memory
unsigned sim_store_wavefronts(const struct sim_request *r);   // to shared memory
uint32_t sim_reading_lanes(const struct sim_request *r);       // of a cp.async
void sim_async_cost(const struct sim_request *r, unsigned *sectors, unsigned *wavefronts);

// The wavefronts that the bytes alone would need, at most `wavefronts`.
unsigned sim_ideal_wavefronts(const struct sim_request *r, unsigned wavefronts);

#endif
