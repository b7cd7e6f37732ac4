// cp.async: what is read too early, refilled too early, or asked for wrongly.
#include "case.h"
#include "cp_async.h"

// case read_before_the_wait
// expect cp.async still under way \(kernel read_before_the_wait, block 0\)
// expect Thread 3 reads tile\[3\] while a cp.async into it is under way, issued by thread 3
// expect No __pipeline_wait_prior\(\) has followed the commit
__global__ void read_before_the_wait(const float *A, float *C)
{
    __shared__ float tile[32];
    if (threadIdx.x == 3) {
        cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);   // other
        cp_async_commit();
        C[threadIdx.x] = tile[threadIdx.x];                     // fault
        cp_async_wait(0);
    }
}

// case no_commit
// expect Thread 0 reads tile\[0\] while a cp.async into it is under way
// expect __pipeline_commit\(\) is missing, or comes too late
__global__ void no_commit(const float *A, float *C)
{
    __shared__ float tile[32];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);       // other
    cp_async_wait(0);
    C[threadIdx.x] = tile[threadIdx.x];                         // fault
    cp_async_commit();
    cp_async_wait(0);
}

// case weak_wait
// expect Thread 0 reads tile\[1\]\[0\] while a cp.async into it is under way
// expect The wait at tests/sim/async.cu:[0-9]+ lets the 1 newest groups run on, and the copy is in one of them
__global__ void weak_wait(const float *A, float *C)
{
    __shared__ float tile[2][32];
    for (int i = 0; i < 2; i++) {
        cp_async4(&tile[i][threadIdx.x], A + threadIdx.x, true);   // other
        cp_async_commit();
    }
    cp_async_wait(1);
    C[threadIdx.x] = tile[0][threadIdx.x] + tile[1][threadIdx.x];   // fault
    cp_async_wait(0);
}

// case weak_wait_in_both_branches
// expect Thread 0 reads tile\[1\]\[0\] while a cp.async into it is under way
__global__ void weak_wait_in_both_branches(const float *A, float *C)
{
    __shared__ float tile[2][32];
    for (int i = 0; i < 2; i++) {
        cp_async4(&tile[i][threadIdx.x], A + threadIdx.x, true);   // other
        cp_async_commit();
    }
    if (blockDim.x > 32) {
        cp_async_wait(1);
        C[threadIdx.x] = tile[0][threadIdx.x];
    } else {
        cp_async_wait(1);                                          // other
        C[threadIdx.x] = tile[1][threadIdx.x];                     // fault
    }
    cp_async_wait(0);
}

// case no_barrier_before_others_copies
// expect Thread 0 reads tile\[63\] while a cp.async into it is under way, issued by thread 63
// expect The one thread has waited already, the other has yet to
__global__ void no_barrier_before_others_copies(const float *A, float *C)
{
    __shared__ float tile[64];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);       // other
    cp_async_commit();
    __syncthreads();
    cp_async_wait(0);
    C[threadIdx.x] = tile[63 - threadIdx.x];                    // fault
}

// case no_barrier_after_the_wait
// expect race on shared memory
// expect Thread 32 reads tile\[31\], which thread 31 copies to by cp.async
// expect a __syncthreads\(\) must follow it before other threads read
__global__ void no_barrier_after_the_wait(const float *A, float *C)
{
    __shared__ float tile[64];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);       // other
    cp_async_commit();
    cp_async_wait(0);
    if (threadIdx.x == 32)
        C[threadIdx.x] = tile[31];                              // fault
}

// case refilled_too_early
// expect race on shared memory
// expect Thread 1 copies by cp.async to tile\[4\], which thread 0 reads
// expect The slot is refilled while others may still read it
__global__ void refilled_too_early(const float *A, float *C)
{
    __shared__ float tile[8];
    cp_async16(&tile[4 * threadIdx.x], A + 4 * threadIdx.x, true);
    cp_async_commit();
    cp_async_wait(0);
    __syncthreads();
    C[threadIdx.x] = tile[4];                                   // other
    cp_async16(&tile[4 * threadIdx.x], A + 8 + 4 * threadIdx.x, true);   // fault
    cp_async_commit();
    cp_async_wait(0);
}

// case filled_twice
// expect Thread 0 copies by cp.async to tile\[0\] while a cp.async into it is under way, issued by thread 0
__global__ void filled_twice(const float *A, float *C)
{
    __shared__ float tile[32];
    for (int i = 0; i < 2; i++) {
        cp_async4(&tile[threadIdx.x], A + 32 * i + threadIdx.x, true);   // fault
        cp_async_commit();
    }
    cp_async_wait(0);
    C[threadIdx.x] = tile[threadIdx.x];
}

// case filled_twice_in_a_group
// expect Thread 0 copies by cp.async to tile\[0\] while a cp.async into it is under way, issued by thread 0
// expect Two copies into one place
__global__ void filled_twice_in_a_group(const float *A, float *C)
{
    __shared__ float tile[32];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);               // other
    cp_async4(&tile[threadIdx.x], A + 32 + threadIdx.x, true);          // fault
    cp_async_commit();
    cp_async_wait(0);
    C[threadIdx.x] = tile[threadIdx.x];
}

// case read_before_the_first_copy
// expect Thread 1 copies by cp.async to tile\[1\], which thread 0 reads
// expect The read wants what this copy brings
__global__ void read_before_the_first_copy(const float *A, float *C)
{
    __shared__ float tile[32];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);               // fault
    cp_async_commit();
    cp_async_wait(0);
    C[threadIdx.x] = tile[(threadIdx.x + 1) % 32];                      // other
}

// case copies_without_end
// expect has 65536 copies under way
__global__ void copies_without_end(const float *A, float *C)
{
    __shared__ float tile[32];
    for (int i = 0; i < 32; i += threadIdx.x)   // by 0
        cp_async4(&tile[i], A + i, true);                               // fault
    C[threadIdx.x] = tile[0];
}

// case refilled_by_one_ahead
// expect Thread 1 reads ring\[0\]\[0\] while a cp.async into it is under way, issued by thread 0
// expect No __syncthreads\(\) separates the two
__global__ void refilled_by_one_ahead(const float *A, float *C)
{
    __shared__ float ring[2][32];
    float sum = 0.0f;
    cp_async4(&ring[0][threadIdx.x], A + threadIdx.x, true);
    cp_async_commit();
    for (int k = 0; k < 3; k++) {
        cp_async4(&ring[(k + 1) % 2][threadIdx.x], A + 32 * (k + 1) + threadIdx.x, true);   // other
        cp_async_commit();
        cp_async_wait(1);
        __syncthreads();
        sum += ring[k % 2][0];                                          // fault
    }
    cp_async_wait(0);
    C[threadIdx.x] = sum;
}

// case filled_by_two
// expect Thread 1 copies by cp.async to tile\[0\], which thread 0 copies to by cp.async
// expect which one stays is chance
__global__ void filled_by_two(const float *A, float *C)
{
    __shared__ float tile[4];
    cp_async4(&tile[0], A + threadIdx.x, true);                 // fault
    cp_async_commit();
    cp_async_wait(0);
    __syncthreads();
    C[threadIdx.x] = tile[0];
}

// case never_waited_for
// expect cp.async never waited for \(kernel
// expect Thread 0 leaves the kernel without having waited for its copy to tile\[0\]
// expect A __pipeline_wait_prior\(0\) is missing before the end of the kernel
__global__ void never_waited_for(const float *A, float *)
{
    __shared__ float tile[32];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);       // fault
    cp_async_commit();
}

// case never_committed
// expect Thread 0 leaves the kernel without having waited for its copy to tile\[0\]
// expect A __pipeline_commit\(\) is missing behind it, or both that and a __pipeline_wait_prior\(0\)
__global__ void never_committed(const float *A, float *)
{
    __shared__ float tile[32];
    cp_async4(&tile[threadIdx.x], A + threadIdx.x, true);       // fault
}

// case misaligned_source
// expect cp.async of 16 bytes to tile\[0\], but its source is not aligned to its size
__global__ void misaligned_source(const float *A, float *)
{
    __shared__ __align__(16) float tile[32];
    cp_async16(tile, A + 2, true);                              // fault
    cp_async_commit();
    cp_async_wait(0);
}

// case misaligned_destination
// expect cp.async of 16 bytes to tile\[1\]\[0\], but its destination is not aligned to its size
__global__ void misaligned_destination(const float *A, float *)
{
    __shared__ __align__(16) float tile[4][17];
    cp_async16(tile[1], A, true);                               // fault
    cp_async_commit();
    cp_async_wait(0);
}

// case wrong_size
// expect cp.async misused \(kernel
// expect cp.async of 12 bytes to tile\[0\], but its size is not 4, 8 or 16 bytes
__global__ void wrong_size(const float *A, float *)
{
    __shared__ __align__(16) float tile[4];
    __pipeline_memcpy_async(tile, A, 12);                       // fault
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

// case not_to_shared_memory
// expect cp.async of 4 bytes to elsewhere, but its destination is not in shared memory
__global__ void not_to_shared_memory(const float *A, float *C)
{
    __pipeline_memcpy_async(C, A, 4);                           // fault
}

// case copies_past_the_end
// expect access outside global memory
// expect Thread 1 reads A\[1024\] \(4 bytes\), past its end
__global__ void copies_past_the_end(const float *A, float *)
{
    __shared__ float tile[2];
    cp_async4(&tile[threadIdx.x], A + 1023 + threadIdx.x, true);   // fault
    cp_async_commit();
    cp_async_wait(0);
}

// Nothing is read where all is filled up, so the source may be anywhere.
// case fills_up
// clean
__global__ void fills_up(const float *A, float *C)
{
    __shared__ float tile[4];
    cp_async4(&tile[threadIdx.x], A + 1023 + threadIdx.x, threadIdx.x == 0);
    cp_async_commit();
    cp_async_wait(0);
    C[threadIdx.x] = tile[threadIdx.x];
}

// A ring of three slots, filled two tiles ahead.
// case ring
// clean
__global__ void ring(const float *A, float *C)
{
    __shared__ __align__(16) float slots[3][64];
    const int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < 2; i++) {
        if (tid < 16)
            cp_async16(&slots[i][4 * tid], A + 64 * i + 4 * tid, true);
        cp_async_commit();
    }
    for (int i = 0; i < 8; i++) {
        cp_async_wait(1);
        __syncthreads();
        sum += slots[i % 3][63 - tid];
        if (tid < 16 && i + 2 < 8)
            cp_async16(&slots[(i + 2) % 3][4 * tid], A + 64 * (i + 2) + 4 * tid, true);
        cp_async_commit();
    }
    C[tid] = sum;
}

// case wrong_index_in_one_block
// expect index outside its array \(kernel wrong_index_in_one_block, block 0\)
// expect Thread 0 uses the index 3000 in a dimension of 4 of
// expect 1 fault, 1 block without C
__global__ void wrong_index_in_one_block(const float *A, float *C)
{
    __shared__ float tile[4][32];
    const int row = blockIdx.x == 0 ? 3000 : 0;
    cp_async4(&tile[row][threadIdx.x], A + threadIdx.x, true);  // fault
    cp_async_commit();
    cp_async_wait(0);
    C[32 * blockIdx.x + threadIdx.x] = tile[row][threadIdx.x];
}

static void check_wrong_index(const float *A, float *C)
{
    cudaMemset(C, 0xff, FLOATS * sizeof *C);
    wrong_index_in_one_block<<<32, 32>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    int without = 0;
    for (int i = 0; i < 32; i++)
        without += result[32 * i] != 0.0f;
    fprintf(stderr, "%d fault, %d block without C\n", sim_faults(), without);
}

__global__ void right_behind(const float *A, float *C)
{
    extern __shared__ float smem[];
    const int t = threadIdx.x;
    if (t < 30)
        smem[t] = A[t];
    __syncthreads();
    if (t < 30)
        C[t] = smem[29 - t];
}

// What a wrong kernel leaves behind is no fault of the next one.
// case sticks_out
// expect Thread 0 copies by cp.async to shared memory
// expect the next one has 0 faults
__global__ void sticks_out(const float *A)
{
    extern __shared__ float smem[];
    if (threadIdx.x == 0)
        __pipeline_memcpy_async(&smem[28], A, 16);              // fault
}

// case one_of_two_leaves
// expect Thread 1 copies by cp.async to smem\[0\] while a cp.async into it is under way, issued by thread 0
// expect the next one has 0 faults
__global__ void one_of_two_leaves(const float *A)
{
    extern __shared__ float smem[];
    if (threadIdx.x < 2) {
        __pipeline_memcpy_async(&smem[0], A, 4);                // fault
        __pipeline_commit();
    }
    __syncthreads();
    if (threadIdx.x == 0)
        return;
    __pipeline_wait_prior(0);
}

static void check_right_behind(const float *A, float *C)
{
    const int before = sim_faults();
    right_behind<<<1, 32, 120>>>(A, C);
    fprintf(stderr, "the next one has %d faults\n", sim_faults() - before);
}

// A store of a byte is no copy.
// case byte_behind_a_copy
// expect Thread 0 reads tile\[31\], which thread 31 writes at
__global__ void byte_behind_a_copy(const float *A, float *C)
{
    __shared__ float tile[32];
    const int t = threadIdx.x;
    cp_async4(&tile[t], A + t, true);
    cp_async_commit();
    cp_async_wait(0);
    ((unsigned char *)tile)[4 * t] = 5;                         // other
    __syncwarp(1u << t);
    C[t] = tile[31 - t];                                        // fault
}

// case stored_over
// expect Thread 1 writes tile\[0\] while a cp.async into it is under way, issued by thread 0
// expect Thread 2 reads tile\[0\] while a cp.async into it is under way, issued by thread 0
__global__ void stored_over(const float *A, float *C)
{
    __shared__ float tile[32];
    if (threadIdx.x == 0) {
        cp_async4(&tile[0], A, true);                           // other
        cp_async_commit();
    }
    __syncthreads();
    if (threadIdx.x == 1)
        tile[0] = 3.0f;                                         // fault
    __syncthreads();
    if (threadIdx.x == 2)
        C[0] = tile[0];
    __syncthreads();
    cp_async_wait(0);
}

static void check_ring(const float *A, float *C)
{
    ring<<<1, 64>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        if (result[t] != (float)(8 * (63 - t) + 64 * 28))
            fprintf(stderr, "C[%d] is %g\n", t, (double)result[t]);
}

static void check_fill(const float *A, float *C)
{
    fills_up<<<1, 4>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    if (result[0] != 1023.0f || result[1] != 0.0f || result[3] != 0.0f)
        fprintf(stderr, "C is %g %g %g\n", (double)result[0], (double)result[1],
                (double)result[3]);
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
        {"read_before_the_wait",
         [](const float *A, float *C) { read_before_the_wait<<<1, 32>>>(A, C); }},
        {"no_commit", [](const float *A, float *C) { no_commit<<<1, 32>>>(A, C); }},
        {"weak_wait_in_both_branches",
         [](const float *A, float *C) { weak_wait_in_both_branches<<<1, 32>>>(A, C); }},
        {"weak_wait", [](const float *A, float *C) { weak_wait<<<1, 32>>>(A, C); }},
        {"no_barrier_before_others_copies",
         [](const float *A, float *C) { no_barrier_before_others_copies<<<1, 64>>>(A, C); }},
        {"no_barrier_after_the_wait",
         [](const float *A, float *C) { no_barrier_after_the_wait<<<1, 64>>>(A, C); }},
        {"refilled_too_early", [](const float *A, float *C) { refilled_too_early<<<1, 2>>>(A, C); }},
        {"filled_twice", [](const float *A, float *C) { filled_twice<<<1, 32>>>(A, C); }},
        {"filled_twice_in_a_group",
         [](const float *A, float *C) { filled_twice_in_a_group<<<1, 32>>>(A, C); }},
        {"read_before_the_first_copy",
         [](const float *A, float *C) { read_before_the_first_copy<<<1, 32>>>(A, C); }},
        {"copies_without_end", [](const float *A, float *C) { copies_without_end<<<1, 2>>>(A, C); }},
        {"refilled_by_one_ahead",
         [](const float *A, float *C) { refilled_by_one_ahead<<<1, 32>>>(A, C); }},
        {"filled_by_two", [](const float *A, float *C) { filled_by_two<<<1, 2>>>(A, C); }},
        {"never_waited_for", [](const float *A, float *C) { never_waited_for<<<1, 32>>>(A, C); }},
        {"never_committed", [](const float *A, float *C) { never_committed<<<1, 32>>>(A, C); }},
        {"misaligned_source", [](const float *A, float *C) { misaligned_source<<<1, 1>>>(A, C); }},
        {"misaligned_destination",
         [](const float *A, float *C) { misaligned_destination<<<1, 1>>>(A, C); }},
        {"wrong_size", [](const float *A, float *C) { wrong_size<<<1, 1>>>(A, C); }},
        {"not_to_shared_memory",
         [](const float *A, float *C) { not_to_shared_memory<<<1, 1>>>(A, C); }},
        {"copies_past_the_end",
         [](const float *A, float *C) { copies_past_the_end<<<1, 2>>>(A, C); }},
        {"wrong_index_in_one_block", check_wrong_index},
        {"sticks_out", [](const float *A, float *C) {
             sticks_out<<<1, 32, 120>>>(A);
             check_right_behind(A, C);
         }},
        {"one_of_two_leaves", [](const float *A, float *C) {
             one_of_two_leaves<<<1, 32, 120>>>(A);
             check_right_behind(A, C);
         }},
        {"byte_behind_a_copy", [](const float *A, float *C) { byte_behind_a_copy<<<1, 32>>>(A, C); }},
        {"stored_over", [](const float *A, float *C) { stored_over<<<1, 32>>>(A, C); }},
        {"fills_up", check_fill},
        {"ring", check_ring},
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
