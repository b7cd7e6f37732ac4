// One loop on all cores.
#ifndef PARALLEL_H
#define PARALLEL_H

// Calls body(arg, i) for every i in [0, n), each once, in any order, from
// several threads. Returns when all are done.
void parallel_for(long n, void (*body)(void *arg, long i), void *arg);

#endif
