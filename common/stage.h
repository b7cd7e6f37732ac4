// What a stage hands to the common layer, and what the common layer hands back.
//
// The problem, everywhere: C = A * B in fp32. A is (M, K), B is (K, N), C is
// (M, N), all row-major and contiguous. M, N >= 1 and K >= 0; K = 0 gives C = 0.
// C is only written, never read.
#ifndef STAGE_H
#define STAGE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct shape {
    int M, N, K;
};

// One product to compute. All pointers are device memory.
struct gemm {
    int M, N, K;
    const float *A;   // (M, K)
    const float *B;   // (K, N)
    float *C;         // (M, N)
    float *work;      // tile->work_floats(...) floats of scratch, zeros before the
                      // first launch and left alone between launches; or NULL
    int sms;          // multiprocessors on this device
    size_t shared;    // bytes of shared memory that a block may have
};

// One way to cut C into pieces: a row of a stage's table. Sizes are in
// elements; 0 where the stage has no such level.
struct tile {
    const char *name;           // what --tile=NAME takes; no spaces or commas
    int BM, BN, BK;             // a block computes (BM, BN), BK of K at a time
    int WM, WN;                 // a warp computes (WM, WN) of it
    int TM, TN;                 // a thread computes (TM, TN) of it
    int threads_x, threads_y;   // the block; text for people says (x x y)
    int slots;                  // copies of the shared tiles in flight; 1: no ring
    const void *kernel;         // the __global__ function, for its registers and limits
    size_t shared_bytes;        // dynamic shared memory of a block
    void (*launch)(const struct gemm *g);   // enqueues the product and returns
    size_t (*work_floats)(const struct gemm *g);   // scratch it needs; NULL: none
};

struct stage {
    int number;                 // 1 to 5
    const char *title;          // one line, for people
    const struct tile *tiles;   // the table; a stage without a choice has one row
    int ntiles;
    int (*choose)(const struct gemm *g);   // row for this shape; NULL: row 0
    struct shape opening;       // where M > 0: run first with the notes' inputs,
                                // and print C's first row
    int wants_sm;               // compiled for less than this (80 for sm_80) ...
    const char *below;          // ... this line is printed; NULL: never
};

// Runs the whole program: arguments, inputs, launch, check, timing, report.
// Returns the exit status: 0 all right, 1 a check failed or the simulator found a fault,
// 2 the arguments were wrong, 3 the device or the runtime failed.
int stage_main(const struct stage *stage, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
