// A program of small kernels: `program NAME` runs one of them. sim.t reads the
// comments in front of each kernel and on its lines, and compares them with what
// the simulator reports:
//
//     // case NAME          the next kernel
//     // expect REGEX       somewhere in the report, line breaks made blanks
//     // clean              no report at all
//     ... // fault          the report names this line first
//     ... // fault of NAME  the same, anywhere in the file
//     ... // other          and mentions this one
#ifndef CASE_H
#define CASE_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include "sim/sim.h"

enum { FLOATS = 1024 };   // in A and in C

struct sim_case {
    const char *name;
    void (*run)(const float *A, float *C);
};

// What C holds after the run; a clean case may look at it.
static float result[FLOATS];

static int run_case(const struct sim_case *cases, int n, int argc, char **argv)
{
    float *A, *C, input[FLOATS];
    for (int i = 0; i < FLOATS; i++)
        input[i] = (float)i;
    cudaMalloc(&A, sizeof input);
    cudaMalloc(&C, sizeof input);
    sim_name(A, "A");
    sim_name(C, "C");
    cudaMemcpy(A, input, sizeof input, cudaMemcpyHostToDevice);
    cudaMemset(C, 0, sizeof input);
    for (int i = 0; i < n; i++)
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(A, C);
            cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
            return sim_faults() > 0;
        }
    fprintf(stderr, "no such case\n");
    return 2;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

#endif
