// Global memory: outside, freed, the host's, written by two blocks; misaligned.
#include "case.h"
#include <stdlib.h>

// case read_past_the_end
// expect access outside global memory \(kernel read_past_the_end, block 0\)
// expect Thread 1 reads A\[1024\] \(4 bytes\), past its end: it has 1024 elements
__global__ void read_past_the_end(const float *A, float *C)
{
    C[threadIdx.x] = A[1023 + threadIdx.x];     // fault
}

// case read_far_past_the_end
// expect Thread 0 reads A\[1000000\] \(4 bytes\), past its end
__global__ void read_far_past_the_end(const float *A, float *C)
{
    C[threadIdx.x] = A[1000000 + threadIdx.x];  // fault
}

// case write_past_the_end
// expect Thread \(0,2\) writes C\[1024\] \(4 bytes\), past its end
__global__ void write_past_the_end(const float *A, float *C)
{
    C[1022 + threadIdx.y] = A[0];               // fault
}

// case read_below_the_start
// expect Thread 0 reads A\[-2\], before its start
__global__ void read_below_the_start(const float *A, float *C)
{
    C[threadIdx.x] = A[(int)threadIdx.x - 2];   // fault
}

// case read_far_below_the_start
// expect Thread 0 reads C\[-100000\], before its start
__global__ void read_far_below_the_start(const float *, float *C)
{
    C[threadIdx.x] = C[(int)threadIdx.x - 100000];   // fault
}

// Whatever becomes of the value.
// case read_outside_and_masked
// expect Thread 24 reads A\[1024\]
__global__ void read_outside_and_masked(const float *A, float *C)
{
    const float v = A[1000 + threadIdx.x];      // fault
    C[threadIdx.x] = threadIdx.x < 24 ? v : 0.0f;
}

// case write_below_the_start
// expect Thread 0 writes C\[-1\], before its start
__global__ void write_below_the_start(const float *A, float *C)
{
    C[(int)threadIdx.x - 1] = A[threadIdx.x];   // fault
}

// case read_float4_past_the_end
// expect Thread 0 reads A\[1022\] \(16 bytes\), past its end|Thread 0 reads 16 bytes at once at A\[1022\]
__global__ void read_float4_past_the_end(const float *A, float *C)
{
    const float4 v = *(const float4 *)(A + 1022);   // fault
    C[0] = v.x;
}

// case host_pointer
// expect memory that cudaMalloc has not given out \(the host's, or a wild pointer\)
__global__ void host_pointer(const float *A, float *C)
{
    C[threadIdx.x] = A[threadIdx.x];            // fault
}

// Not a kernel's fault, but the host's: the call says so.
static void check_copies(const float *A, float *C)
{
    static float host[2 * FLOATS];
    const int kinds[] = {cudaMemcpyHostToDevice, cudaMemcpyDefault};
    for (int i = 0; i < 2; i++)
        if (cudaMemcpy(C, host, sizeof host, (cudaMemcpyKind)kinds[i]) != cudaErrorInvalidValue)
            fprintf(stderr, "a copy beyond the end is made\n");
    if (cudaMemcpy(host, A, sizeof host / 2, cudaMemcpyDefault) != cudaSuccess || host[7] != 7.0f)
        fprintf(stderr, "cudaMemcpyDefault does not copy\n");
}

// case copies_of_the_host
// clean

// case null_on_a_condition
// expect Thread 20 writes through a null pointer
__global__ void null_on_a_condition(const float *A, float *C)
{
    float *const to = threadIdx.x < 20 ? C + threadIdx.x : nullptr;
    *to = A[threadIdx.x];                       // fault
}

// case null_pointer
// expect Thread 0 writes through a null pointer
__global__ void null_pointer(const float *A, float *C)
{
    C[threadIdx.x] = A[threadIdx.x];            // fault
}

// case freed_pointer
// expect Thread 0 reads B\[3\] after cudaFree
__global__ void freed_pointer(const float *A, float *C)
{
    C[threadIdx.x] = A[threadIdx.x + 3];        // fault
}

// case two_blocks
// expect two blocks write one element
// expect Thread [0-9]+ writes C\[[0-9]+\], which thread [0-9]+ of block \([01],[01]\) writes too
__global__ void two_blocks(const float *A, float *C)
{
    C[threadIdx.x] = A[blockIdx.x];             // fault
}

// case one_block_an_element
// clean
__global__ void one_block_an_element(const float *A, float *C)
{
    C[blockIdx.x * 32 + threadIdx.x] = A[threadIdx.x];
}

// Each launch writes all of C again.
// case two_launches
// clean
__global__ void two_launches(const float *A, float *C)
{
    C[blockIdx.x * 32 + threadIdx.x] = A[threadIdx.x];
}

// case misaligned_float4
// expect misaligned access
// expect Thread 1 reads 16 bytes at once at A\[5\]
__global__ void misaligned_float4(const float *A, float *C)
{
    if (threadIdx.x == 1)
        *(float4 *)C = *(const float4 *)(A + 5);    // fault
}

// case misaligned_float2
// expect Thread 0 writes 8 bytes at once at C\[3\]
__global__ void misaligned_float2(const float *A, float *C)
{
    *(float2 *)(C + 3) = make_float2(A[0], A[1]);   // fault
}

// case misaligned_shared_float4
// expect Thread 0 reads 16 bytes at once at tile\[1\]\[2\]
__global__ void misaligned_shared_float4(const float *A, float *C)
{
    __shared__ float tile[2][7];
    for (int i = 0; i < 14; i++)
        tile[i / 7][i % 7] = A[i];
    const float4 v = *(const float4 *)&tile[threadIdx.y + 1][2];   // fault
    C[0] = v.x + v.y;
}

// case aligned
// clean
__global__ void aligned(const float *A, float *C)
{
    __shared__ float tile[4][8];
    const float4 v = *(const float4 *)(A + 4 * threadIdx.x);
    *(float4 *)&tile[threadIdx.x / 2][threadIdx.x % 2 * 4] = v;
    __syncthreads();
    const float2 u = *(const float2 *)&tile[threadIdx.x % 4][2];
    *(float2 *)(C + 2 * threadIdx.x) = make_float2(u.y, u.x);
}

static void freed(const float *, float *C)
{
    float *B;
    cudaMalloc(&B, 100);
    sim_name(B, "B");
    cudaFree(B);
    freed_pointer<<<1, 32>>>(B, C);
}

static void of_the_host(const float *, float *C)
{
    float *B = (float *)calloc(32, sizeof *B);
    host_pointer<<<1, 32>>>(B, C);
    free(B);
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
        {"read_past_the_end", [](const float *A, float *C) { read_past_the_end<<<1, 2>>>(A, C); }},
        {"read_far_past_the_end",
         [](const float *A, float *C) { read_far_past_the_end<<<1, 2>>>(A, C); }},
        {"write_past_the_end",
         [](const float *A, float *C) { write_past_the_end<<<1, dim3(1, 3)>>>(A, C); }},
        {"read_far_below_the_start",
         [](const float *A, float *C) { read_far_below_the_start<<<1, 4>>>(A, C); }},
        {"read_outside_and_masked",
         [](const float *A, float *C) { read_outside_and_masked<<<1, 32>>>(A, C); }},
        {"read_below_the_start",
         [](const float *A, float *C) { read_below_the_start<<<1, 4>>>(A, C); }},
        {"write_below_the_start",
         [](const float *A, float *C) { write_below_the_start<<<1, 4>>>(A, C); }},
        {"read_float4_past_the_end",
         [](const float *A, float *C) { read_float4_past_the_end<<<1, 1>>>(A, C); }},
        {"host_pointer", of_the_host},
        {"copies_of_the_host", check_copies},
        {"null_on_a_condition",
         [](const float *A, float *C) { null_on_a_condition<<<1, 32>>>(A, C); }},
        {"null_pointer", [](const float *A, float *) { null_pointer<<<1, 1>>>(A, NULL); }},
        {"freed_pointer", freed},
        {"two_blocks", [](const float *A, float *C) { two_blocks<<<dim3(2, 2), 32>>>(A, C); }},
        {"one_block_an_element",
         [](const float *A, float *C) { one_block_an_element<<<32, 32>>>(A, C); }},
        {"two_launches", [](const float *A, float *C) {
             two_launches<<<32, 32>>>(A, C);
             two_launches<<<32, 32>>>(A, C);
         }},
        {"misaligned_float4", [](const float *A, float *C) { misaligned_float4<<<1, 2>>>(A, C); }},
        {"misaligned_float2", [](const float *A, float *C) { misaligned_float2<<<1, 1>>>(A, C); }},
        {"misaligned_shared_float4",
         [](const float *A, float *C) { misaligned_shared_float4<<<1, 1>>>(A, C); }},
        {"aligned", [](const float *A, float *C) { aligned<<<1, 8>>>(A, C); }},
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
