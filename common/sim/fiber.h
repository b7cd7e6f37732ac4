// Fibers: see fiber.c.
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

// Leaves the running fiber, noting in *save where to come back, and goes on with `load`.
void sim_switch(void **save, void *load);

// What to switch to so that `entry` runs on the stack that ends at `top`, a
// multiple of 16. `entry` must not return.
void *sim_fiber(char *top, void (*entry)(void));

// n stacks of SIM_STACK bytes in one piece, each above a guard that no access survives.
char *sim_stacks(unsigned n);
void sim_free_stacks(char *stacks, unsigned n);
char *sim_stack_top(char *stacks, unsigned i);

#endif
