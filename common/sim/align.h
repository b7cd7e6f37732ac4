// Which lanes of a warp execute an instruction together. See align.c.
#ifndef SIM_ALIGN_H
#define SIM_ALIGN_H

#include <stdint.h>

// What a lane did, as a list of instructions; any numbers will do for them.
struct sim_path {
    uint32_t *steps;
    uint32_t n, next;   // next: the first that has not been issued
};

struct sim_graph *sim_new_graph(void);   // room to work in

// Takes the lists of a warp's lanes apart into what the warp issues, in order:
// calls issue(context, step, lanes) with bit i of lanes set if lane i takes
// part. Overwrites the lists.
void sim_align(struct sim_graph *g, struct sim_path paths[32],
               void (*issue)(void *context, uint32_t step, uint32_t lanes), void *context);

#endif
