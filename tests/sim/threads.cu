// Threads that have to meet: barriers and warp operations.
#include "case.h"

// case early_exit
// expect not all threads come to the same __syncthreads\(\) \(kernel early_exit, block 0\)
// expect Thread 0 waits at this barrier, but thread 48 has already left the kernel
// expect guard the work with an if, not the barrier
__global__ void early_exit(const float *A, float *C)
{
    if (threadIdx.x >= 48)
        return;
    __syncthreads();                            // fault
    C[threadIdx.x] = A[threadIdx.x];
}

// case two_barriers
// expect Thread 0 waits at this barrier while thread 10 waits at the one at
// expect Every thread of the block must come to the same barrier
__global__ void two_barriers(const float *A, float *C)
{
    if (threadIdx.x < 10)
        __syncthreads();                        // fault
    else
        __syncthreads();                        // other
    C[threadIdx.x] = A[threadIdx.x];
}

static __device__ __forceinline__ void sync()
{
    __syncthreads();                            // fault of calls_of_one_barrier
}

static __device__ __forceinline__ void step(bool odd)
{
    if (odd)
        sync();
    else
        sync();
}

// case calls_of_one_barrier
// expect Thread 0 waits at this barrier while thread 1 waits at the one at
__global__ void calls_of_one_barrier(const float *A, float *C)
{
    step(threadIdx.x % 2);
    C[threadIdx.x] = A[threadIdx.x];
}

// The offset of a shuffle is its lowest 5 bits, as PTX has it.
// case large_offsets_of_shuffles
// clean
__global__ void large_offsets_of_shuffles(const float *A, float *C)
{
    const float a = A[threadIdx.x];
    C[threadIdx.x] = __shfl_xor_sync(0xffffffffu, a, ~0);
    C[32 + threadIdx.x] = __shfl_down_sync(0xffffffffu, a, 0xffffffffu);
    C[64 + threadIdx.x] = __shfl_sync(0xffffffffu, a, -1);
}

// The path of those that do nothing ends with the barrier.
// case work_of_few
// clean
__global__ void work_of_few(const float *A, float *C)
{
    __shared__ float s[64];
    const int t = threadIdx.x;
    if (t < 8)
        s[t] = A[t];
    __syncthreads();
    if (t < 8)
        C[t] = s[7 - t];
}

// case barrier_in_a_branch
// expect Thread 0 waits at this barrier while thread 1 waits at the one at
__global__ void barrier_in_a_branch(const float *A, float *C)
{
    if (threadIdx.x % 2 == 0)
        __syncthreads();                        // fault
    C[threadIdx.x] = A[threadIdx.x];
    __syncthreads();                            // other
}

// case race_after_a_barrier_in_a_branch
// expect Thread 1 reads s\[0\], which thread 0 writes at tests/sim/threads.cu:[0-9]+, both after barriers that not all threads came to, with no other on the way
__global__ void race_after_a_barrier_in_a_branch(const float *A, float *C)
{
    __shared__ float s[64];
    s[threadIdx.x] = A[threadIdx.x];
    if (threadIdx.x < 32) {
        __syncthreads();                        // fault
        s[threadIdx.x] += s[threadIdx.x + 32];  // other
    }
    else
        __syncthreads();                        // other
    C[threadIdx.x] = s[0];                      // fault
}

// case shuffle_without_all
// expect not all lanes come to the same warp operation
// expect Thread 0 waits here for lane 16 of its warp, thread 16, which waits at
// expect this is a deadlock
__global__ void shuffle_without_all(const float *A, float *C)
{
    float a = A[threadIdx.x];
    if (threadIdx.x < 16)
        a += __shfl_xor_sync(0xffffffffu, a, 1);   // fault
    __syncthreads();                            // other
    C[threadIdx.x] = a;
}

// case two_shuffles
// expect executes this one while thread (16|0), which the mask names too, executes the one at
__global__ void two_shuffles(const float *A, float *C)
{
    float a = A[threadIdx.x];
    if (threadIdx.x < 16)
        a += __shfl_xor_sync(0xffffffffu, a, 1);   // fault
    else
        a -= __shfl_xor_sync(0xffffffffu, a, 2);   // other
    C[threadIdx.x] = a;
}

// case lane_not_in_the_mask
// expect a shuffle reads from a lane that takes no part
// expect Thread 0 \(lane 0\) reads from lane 31, which is not in the mask
__global__ void lane_not_in_the_mask(const float *A, float *C)
{
    if (threadIdx.x < 16)
        C[threadIdx.x] = __shfl_sync(0x0000ffffu, A[threadIdx.x], 31);   // fault
}

// case lane_has_left
// expect Thread 8 \(lane 8\) reads from lane 0, which does not execute it
__global__ void lane_has_left(const float *A, float *C)
{
    if (threadIdx.x < 8)
        return;
    C[threadIdx.x] = __shfl_sync(0xffffffffu, A[threadIdx.x], 0);   // fault
}

// case no_such_lane
// expect Thread 0 \(lane 0\) reads from lane 20, which this warp does not have
__global__ void no_such_lane(const float *A, float *C)
{
    C[threadIdx.x] = __shfl_sync(0xffffffffu, A[threadIdx.x], 20);   // fault
}

// case not_in_its_own_mask
// expect Thread 4 \(lane 4\) executes it with the mask 0x0000000f, in which it is not
__global__ void not_in_its_own_mask(const float *A, float *C)
{
    C[threadIdx.x] = __shfl_xor_sync(0x0000000fu, A[threadIdx.x], 1);   // fault
}

// All threads leave together, before a barrier that nobody comes to.
// case all_leave
// clean
__global__ void all_leave(const float *A, float *C)
{
    if (A != NULL)
        return;
    __syncthreads();
    C[threadIdx.x] = 1.0f;
}

// case shuffles
// clean
__global__ void shuffles(const float *A, float *C)
{
    const int t = threadIdx.x;
    C[t] = __shfl_sync(0xffffffffu, A[t], t + 1);
    C[64 + t] = __shfl_up_sync(0xffffffffu, A[t], 3);
    C[128 + t] = __shfl_down_sync(0xffffffffu, A[t], 3);
    C[192 + t] = __shfl_xor_sync(0xffffffffu, A[t], 5);
    C[256 + t] = __shfl_sync(0xffffffffu, A[t], 9, 8);
    C[320 + t] = __shfl_up_sync(0xffffffffu, A[t], 3, 8);
    C[384 + t] = __shfl_down_sync(0xffffffffu, A[t], 3, 8);
    C[448 + t] = __shfl_xor_sync(0xffffffffu, A[t], 9, 8);
    C[512 + t] = (float)__shfl_xor_sync(0xffffffffu, t, 1);
    if (t % 32 < 16)
        C[576 + t] = __shfl_down_sync(0x0000ffffu, A[t], 1, 16);
    else
        C[576 + t] = __shfl_up_sync(0xffff0000u, A[t], 1, 16);
}

// What CUDA's guide says they return, by its own rule for each.
static int expected(int row, int t)
{
    const int lane = t % 32, warp = t - lane, first = t & ~7, last = first + 7;
    switch (row) {
    case 0: return warp + (t + 1) % 32;
    case 1: return lane >= 3 ? t - 3 : t;
    case 2: return lane + 3 < 32 ? t + 3 : t;
    case 3: return t ^ 5;
    case 4: return first + 1;
    case 5: return t - 3 >= first ? t - 3 : t;
    case 6: return t + 3 <= last ? t + 3 : t;
    case 7: return (t ^ 9) > last ? t : t ^ 9;   // earlier segments may be read
    case 8: return t ^ 1;
    default: return lane < 16 ? t + (lane < 15) : t - (lane > 16);
    }
}

static void check_shuffles(const float *A, float *C)
{
    shuffles<<<1, 64>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    for (int row = 0; row < 10; row++)
        for (int t = 0; t < 64; t++)
            if (result[64 * row + t] != (float)expected(row, t))
                fprintf(stderr, "shuffle %d of thread %d: %g, not %d\n", row, t,
                        (double)result[64 * row + t], expected(row, t));
}

static void run_large_offsets_of_shuffles(const float *A, float *C)
{
    large_offsets_of_shuffles<<<1, 32>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        if (result[i] != (float)(i ^ 31) || result[32 + i] != (float)(i == 0 ? 31 : i) || result[64 + i] != 31.0f)
            fprintf(stderr, "lane %d has %g, %g, %g\n", i, (double)result[i], (double)result[32 + i],
                    (double)result[64 + i]);
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
        {"early_exit", [](const float *A, float *C) { early_exit<<<1, 64>>>(A, C); }},
        {"work_of_few", [](const float *A, float *C) { work_of_few<<<1, 64>>>(A, C); }},
        {"calls_of_one_barrier", [](const float *A, float *C) { calls_of_one_barrier<<<1, 64>>>(A, C); }},
        {"large_offsets_of_shuffles", run_large_offsets_of_shuffles},
        {"two_barriers", [](const float *A, float *C) { two_barriers<<<1, 64>>>(A, C); }},
        {"barrier_in_a_branch",
         [](const float *A, float *C) { barrier_in_a_branch<<<1, 64>>>(A, C); }},
        {"race_after_a_barrier_in_a_branch",
         [](const float *A, float *C) { race_after_a_barrier_in_a_branch<<<1, 64>>>(A, C); }},
        {"shuffle_without_all",
         [](const float *A, float *C) { shuffle_without_all<<<1, 32>>>(A, C); }},
        {"two_shuffles", [](const float *A, float *C) { two_shuffles<<<1, 32>>>(A, C); }},
        {"lane_not_in_the_mask",
         [](const float *A, float *C) { lane_not_in_the_mask<<<1, 32>>>(A, C); }},
        {"lane_has_left", [](const float *A, float *C) { lane_has_left<<<1, 32>>>(A, C); }},
        {"no_such_lane", [](const float *A, float *C) { no_such_lane<<<1, 16>>>(A, C); }},
        {"not_in_its_own_mask",
         [](const float *A, float *C) { not_in_its_own_mask<<<1, 32>>>(A, C); }},
        {"all_leave", [](const float *A, float *C) { all_leave<<<1, 64>>>(A, C); }},
        {"shuffles", check_shuffles},
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
