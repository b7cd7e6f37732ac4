// Races on shared memory, and shared memory that nobody wrote.
#include "case.h"

// case race_read
// expect Thread 32 writes tile\[32\], which thread 31 reads
// expect both after the start of the block
// expect No __syncthreads\(\) separates
__global__ void race_read(const float *A, float *C)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = A[threadIdx.x];         // other
    C[threadIdx.x] = tile[63 - threadIdx.x];    // fault
}

// case race_in_warp
// expect Thread 1 reads tile\[0\], which thread 0 writes
// expect nor, as the two threads are in one warp, a __syncwarp\(\)
__global__ void race_in_warp(const float *A, float *C)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = A[threadIdx.x];         // other
    if (threadIdx.x > 0)
        C[threadIdx.x] = tile[threadIdx.x - 1]; // fault
}

// case race_write_after_read
// expect Thread 33 writes tile\[33\], which thread 0 reads
// expect both after the barrier at tests/sim/races.cu:[0-9]+ with no other on the way
// expect separates that read from this write
__global__ void race_write_after_read(const float *A, float *C)
{
    __shared__ float tile[64];
    tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        C[0] = tile[33];                        // other
    if (threadIdx.x == 33)
        tile[33] = 0.0f;                        // fault
}

// case race_in_warp_write_after_read
// expect Thread 16 writes tile\[16\], which thread 0 reads
// expect separates that read from this write, nor, if only this warp reads it, a __syncwarp\(\)
__global__ void race_in_warp_write_after_read(const float *A, float *C)
{
    __shared__ float tile[32];
    const int lane = threadIdx.x;
    tile[lane] = A[lane];
    __syncwarp();
    const float v = lane < 16 ? tile[lane + 16] : 0.0f; // other
    tile[lane] = v;                                     // fault
    __syncwarp();
    C[lane] = tile[31 - lane];
}

// case race_of_writes
// expect Thread 1 writes sum, which thread 0 writes
// expect which one stays is chance
__global__ void race_of_writes(const float *A, float *C)
{
    __shared__ float sum;
    sum = A[threadIdx.x];                       // fault
    __syncthreads();
    C[threadIdx.x] = sum;
}

// case race_round_the_loop
// expect Thread \(0,1\) reads As\[0\]\[0\], which thread \(0,0\) writes
// expect both after the barrier at tests/sim/races.cu:[0-9]+ with no other on the way, be it round a loop
__global__ void race_round_the_loop(const float *A, float *C)
{
    __shared__ float As[8][8];
    float sum = 0.0f;
    for (int k0 = 0; k0 < 16; k0 += 8) {
        As[threadIdx.y][threadIdx.x] = A[k0 + threadIdx.y * 8 + threadIdx.x];   // other
        __syncthreads();
        sum += As[0][threadIdx.x];              // fault
    }
    C[threadIdx.y * 8 + threadIdx.x] = sum;
}

// case race_on_dynamic_memory
// expect Thread 32 reads smem\[31\], which thread 31 writes
__global__ void race_on_dynamic_memory(const float *A, float *C)
{
    extern __shared__ float smem[];
    smem[threadIdx.x] = A[threadIdx.x];         // other
    __syncwarp();
    if (threadIdx.x > 0)
        C[threadIdx.x] = smem[threadIdx.x - 1]; // fault
}

// case race_of_float4
// expect Thread 1 reads tile\[3\]\[2\], which thread 0 writes
__global__ void race_of_float4(const float *A, float *C)
{
    __shared__ float tile[4][4];
    if (threadIdx.x == 0)
        *(float4 *)tile[3] = make_float4(A[0], A[1], A[2], A[3]);   // other
    else
        C[0] = tile[3][2];                      // fault
}

// A __syncwarp of some lanes orders these, and with them those that they had met.
// case syncwarps_of_halves
// clean
__global__ void syncwarps_of_halves(const float *A, float *C)
{
    __shared__ float tile[32];
    const int t = threadIdx.x;
    tile[t] = A[t];
    if (t < 16) {
        __syncwarp(0x0000ffff);
        C[t] = tile[15 - t];
    } else {
        __syncwarp(0xffff0000);
        C[t] = tile[47 - t];
    }
    if (t == 15 || t == 16)
        __syncwarp(0x00018000);
    if (t >= 16) {
        __syncwarp(0xffff0000);
        C[t] += tile[t - 16];                   // by way of threads 15 and 16
    }
}

// case syncwarp_without_the_upper_half
// expect Thread 0 reads tile\[16\], which thread 16 writes at
__global__ void syncwarp_without_the_upper_half(const float *A, float *C)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = A[threadIdx.x];
    if (threadIdx.x < 16) {
        __syncwarp(0x0000ffff);
        C[threadIdx.x] = tile[threadIdx.x + 16];
    }
}

// The lower half has come to its end before the upper half waits.
// case syncwarp_without_the_lower_half
// expect Thread 16 reads tile\[0\], which thread 0 writes at
__global__ void syncwarp_without_the_lower_half(const float *A, float *C)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = A[threadIdx.x];         // other
    if (threadIdx.x >= 16) {
        __syncwarp(0xffff0000);
        C[threadIdx.x] = tile[threadIdx.x - 16];   // fault
    }
}

// case syncwarp_after_lanes_have_left
// clean
__global__ void syncwarp_after_lanes_have_left(const float *A, float *C)
{
    __shared__ float tile[32];
    if (threadIdx.x >= 20)
        return;
    tile[threadIdx.x] = A[threadIdx.x];
    __syncwarp(0x000fffff);
    C[threadIdx.x] = tile[19 - threadIdx.x];
}

// case shuffle_orders_nothing
// expect Thread 1 reads tile\[0\], which thread 0 writes
__global__ void shuffle_orders_nothing(const float *A, float *C)
{
    __shared__ float tile[32];
    tile[threadIdx.x] = A[threadIdx.x];         // other
    float a = __shfl_xor_sync(0xffffffffu, A[threadIdx.x], 1);
    if (threadIdx.x == 1)
        C[threadIdx.x] = a + tile[0];           // fault
}

// case unwritten
// expect shared memory is read before it is written
// expect Thread 0 reads tile\[31\], which no thread of the block has written yet
__global__ void unwritten(const float *A, float *C)
{
    __shared__ float tile[32];
    if (threadIdx.x < 31)
        tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = tile[31 - threadIdx.x];    // fault
}

// What block 0 wrote is not there in block 1.
// case unwritten_in_block_1
// expect kernel unwritten_in_block_1, block 1
// expect Thread 0 reads smem\[0\]
__global__ void unwritten_in_block_1(const float *A, float *C)
{
    extern __shared__ float smem[];
    if (blockIdx.x == 0)
        smem[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[blockIdx.x * 32 + threadIdx.x] = smem[threadIdx.x];   // fault
}

// case barrier_orders
// clean
__global__ void barrier_orders(const float *A, float *C)
{
    __shared__ float tile[64];
    float sum = 0.0f;
    for (int i = 0; i < 3; i++) {
        tile[threadIdx.x] = A[threadIdx.x] + (float)i;
        __syncthreads();
        sum += tile[63 - threadIdx.x];
        __syncthreads();
    }
    C[blockIdx.x * 64 + threadIdx.x] = sum;
}

// case syncwarp_orders
// clean
__global__ void syncwarp_orders(const float *A, float *C)
{
    __shared__ float tile[2][32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int i = 0; i < 3; i++) {
        tile[warp][lane] = A[lane];
        __syncwarp();
        C[threadIdx.x] = tile[warp][31 - lane];
        __syncwarp();
    }
}

// case stores_in_both_branches
// expect Thread 1 writes tile\[1\], which thread 0 writes
__global__ void stores_in_both_branches(const float *A, float *C)
{
    __shared__ float tile[64];
    const int t = threadIdx.x;
    if (t % 2)
        tile[t] = A[t];          // fault
    else
        tile[t + 1] = A[t];      // other
    __syncthreads();
    C[t] = tile[t | 1];
}

// case filled_in_branches
// expect Thread 32 writes tile\[32\], which thread 31 reads
__global__ void filled_in_branches(const float *A, float *C)
{
    __shared__ float tile[64];
    const int t = threadIdx.x;
    if (t < 20)
        tile[t] = A[t];
    else
        tile[t] = 0.0f;          // fault
    C[t] = tile[63 - t];         // other
}

// case syncwarp_round_the_loop
// expect Thread 16 reads tile\[0\], which thread 0 writes
// expect both after the barrier at tests/sim/races.cu:[0-9]+ with no other on the way, be it round a loop
__global__ void syncwarp_round_the_loop(const float *A, float *C)
{
    __shared__ float tile[32];
    float sum = 0.0f;
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = A[threadIdx.x];             // other
        __syncwarp();
        sum += tile[threadIdx.x ^ 16];                  // fault
    }
    C[threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
        {"race_read", [](const float *A, float *C) { race_read<<<1, 64>>>(A, C); }},
        {"race_in_warp", [](const float *A, float *C) { race_in_warp<<<1, 32>>>(A, C); }},
        {"race_write_after_read",
         [](const float *A, float *C) { race_write_after_read<<<1, 64>>>(A, C); }},
        {"race_in_warp_write_after_read",
         [](const float *A, float *C) { race_in_warp_write_after_read<<<1, 32>>>(A, C); }},
        {"race_of_writes", [](const float *A, float *C) { race_of_writes<<<1, 64>>>(A, C); }},
        {"race_round_the_loop",
         [](const float *A, float *C) { race_round_the_loop<<<1, dim3(8, 8)>>>(A, C); }},
        {"race_on_dynamic_memory",
         [](const float *A, float *C) { race_on_dynamic_memory<<<1, 64, 256>>>(A, C); }},
        {"race_of_float4", [](const float *A, float *C) { race_of_float4<<<1, 2>>>(A, C); }},
        {"syncwarps_of_halves", [](const float *A, float *C) { syncwarps_of_halves<<<1, 32>>>(A, C); }},
        {"syncwarp_without_the_upper_half",
         [](const float *A, float *C) { syncwarp_without_the_upper_half<<<1, 32>>>(A, C); }},
        {"syncwarp_without_the_lower_half",
         [](const float *A, float *C) { syncwarp_without_the_lower_half<<<1, 32>>>(A, C); }},
        {"syncwarp_after_lanes_have_left",
         [](const float *A, float *C) { syncwarp_after_lanes_have_left<<<1, 32>>>(A, C); }},
        {"shuffle_orders_nothing",
         [](const float *A, float *C) { shuffle_orders_nothing<<<1, 32>>>(A, C); }},
        {"unwritten", [](const float *A, float *C) { unwritten<<<1, 32>>>(A, C); }},
        {"unwritten_in_block_1",
         [](const float *A, float *C) { unwritten_in_block_1<<<2, 32, 128>>>(A, C); }},
        {"stores_in_both_branches",
         [](const float *A, float *C) { stores_in_both_branches<<<1, 32>>>(A, C); }},
        {"filled_in_branches",
         [](const float *A, float *C) { filled_in_branches<<<1, 64>>>(A, C); }},
        {"syncwarp_round_the_loop",
         [](const float *A, float *C) { syncwarp_round_the_loop<<<1, 32>>>(A, C); }},
        {"barrier_orders", [](const float *A, float *C) { barrier_orders<<<4, 64>>>(A, C); }},
        {"syncwarp_orders", [](const float *A, float *C) { syncwarp_orders<<<1, 64>>>(A, C); }},
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
