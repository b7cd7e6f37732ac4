// Indexes outside their arrays, stacks that overflow, launches that a GPU refuses.
#include "case.h"

// case index_past_the_end
// expect index outside its array \(kernel index_past_the_end, block 0\)
// expect Thread 3 uses the index 16 in a dimension of 16 of tile: only 0 to 15 exist
__global__ void index_past_the_end(const float *A, float *C)
{
    __shared__ float tile[16];
    tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = tile[threadIdx.x * 5 + 1]; // fault
}

// It still falls into the array, one row further.
// case index_past_the_row
// expect Thread 0 uses the index 8 in a dimension of 8 of tile
__global__ void index_past_the_row(const float *A, float *C)
{
    __shared__ float other[4][8], tile[4][8];
    const int n = (int)A[8];   // is 8
    for (int i = 0; i < 32; i++)
        other[i / 8][i % 8] = tile[i / 8][i % 8] = A[i];
    C[0] = tile[1][n] + other[0][0];            // fault
}

// It falls into another array, or between the two.
// case index_into_the_neighbour
// expect Thread 0 uses the index 32 in a dimension of 32 of (tile|other)
__global__ void index_into_the_neighbour(const float *A, float *C)
{
    __shared__ float tile[32];
    __shared__ float other[32];
    for (int i = 0; i < 32; i++)
        tile[i] = other[i] = A[i];
    const int n = (int)A[32];   // is 32
    tile[n] = 1.0f;                             // fault
    C[0] = other[0] + tile[n / 2];
}

// case negative_index
// expect Thread 0 uses the index -1 in a dimension of 8 of tile
__global__ void negative_index(const float *A, float *C)
{
    __shared__ float tile[8][8];
    for (int i = 0; i < 64; i++)
        tile[i / 8][i % 8] = A[i];
    C[0] = tile[3][(int)threadIdx.x - 1];       // fault
}

// case fragment_in_registers
// expect uses the index 4 in a dimension of 4 of an array of type float\[4\]
__global__ void fragment_in_registers(const float *A, float *C)
{
    __shared__ float tile[64][5];
    float a[4];
    tile[threadIdx.x][0] = tile[threadIdx.x][1] = tile[threadIdx.x][2] = tile[threadIdx.x][3] = A[threadIdx.x];
    __syncthreads();
    for (int i = 0; i <= (int)A[4]; i++)
        a[i] = tile[i][threadIdx.x % 4];                // fault
    C[threadIdx.x] = a[threadIdx.x % 4];
}

// case array_in_registers
// expect Thread 0 uses the index 4 in a dimension of 4 of an array of type float\[4\]
__global__ void array_in_registers(const float *A, float *C)
{
    float acc[4] = {1.0f, 2.0f, 3.0f, 4.0f};
    const int n = (int)A[4];   // is 4
    for (int i = 0; i <= n; i++)
        acc[i] = A[i];                          // fault
    C[0] = acc[0] + acc[1] + acc[2] + acc[3];
}

// case pointer_past_dynamic_memory
// expect Thread 0 writes shared memory at smem\[16\], but the launch gave it only 64 bytes
__global__ void pointer_past_dynamic_memory(const float *A, float *C)
{
    extern __shared__ float smem[];
    for (int i = 0; i <= 16; i++)
        smem[i] = A[i];                         // fault
    C[0] = smem[0];
}

// case stack_overflow
// expect Thread 0 needs more stack than the simulator gives a thread, 128 KiB at least
__device__ float deep(const float *A, int n)
{
    volatile float local[64];
    local[n % 64] = A[n % 64];
    return n == 0 ? 0.0f : local[n % 64] + deep(A, n - 1);
}

__global__ void stack_overflow(const float *A, float *C)
{
    C[0] = deep(A, 1 << 20);
}

// case large_local_array
// expect stack overflow
// expect needs more stack than the simulator gives a thread
__global__ void large_local_array(const float *A, float *C)
{
    volatile float big[200000];
    big[0] = A[0];
    C[0] = big[0];
}

// Each of 32 lanes has 127 KiB, and its report is made on what is left.
// case fault_with_little_stack_left
// expect uses the index 8 in a dimension of 8 of s
__global__ void fault_with_little_stack_left(const float *A, float *C)
{
    __shared__ float s[8];
    volatile float big[127 << 8];
    if (threadIdx.x < 8)
        s[threadIdx.x] = A[threadIdx.x];
    big[threadIdx.x] = A[0];
    __syncthreads();
    C[threadIdx.x] = s[(threadIdx.x + 7) % 8 + 1] + big[threadIdx.x];   // fault
}

// case loop_without_end
// expect a thread runs on without end
__global__ void loop_without_end(const float *A, float *C)
{
    for (int k = 0; k < 32; k += (int)A[0]) C[k] = A[k];   // fault
}

// case flag_that_nobody_raises
// expect a thread runs on without end
__global__ void flag_that_nobody_raises(const float *A, float *C)
{
    while (C[0] != 12345.0f) {}                 // fault
    C[1] = A[0];
}

// case too_many_threads
// expect launch refused \(kernel too_many_threads\)
// expect block \(1025,1,1\), 0 bytes of dynamic shared memory: a block is at most \(1024,1024,64\)
__global__ void too_many_threads(const float *A, float *C)
{
    C[threadIdx.x] = A[0];
}

// case too_many_threads_in_all
// expect a block has at most 1024 threads
__global__ void too_many_threads_in_all(const float *A, float *C)
{
    C[threadIdx.x] = A[0];
}

// case grid_too_high
// expect Grid \(1,65536,1\), .* a grid is at most \(2147483647,65535,65535\)
__global__ void grid_too_high(const float *A, float *C)
{
    C[threadIdx.x] = A[0];
}

// case empty_grid
// expect a block and a grid need at least 1 of everything
__global__ void empty_grid(const float *A, float *C)
{
    C[threadIdx.x] = A[0];
}

// case no_opt_in
// expect more than 48 KiB of shared memory needs cudaFuncSetAttribute\(
__global__ void no_opt_in(const float *A, float *C)
{
    extern __shared__ float smem[];
    smem[0] = A[0];
    C[0] = smem[0];
}

// The kernel's mangled name has more than 255 characters.
struct a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_1 {};
using first = a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_1;
struct a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_2 {};
using second = a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_2;
struct a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_3 {};
using third = a_structure_with_a_name_that_goes_on_and_on_until_it_is_as_long_as_a_line_of_text_3;

// case more_static_memory_than_a_block_has
// expect a block has at most 48 KiB of __shared__ arrays
template <typename S, typename T, typename U>
__global__ void more_static_memory_than_a_block_has(const float *A, float *C)
{
    __shared__ float tile[16384];
    tile[threadIdx.x] = A[0];
    C[threadIdx.x] = tile[threadIdx.x];
}

// case too_much_shared_memory
// expect a block has at most 227 KiB of shared memory
__global__ void too_much_shared_memory(const float *A, float *C)
{
    extern __shared__ float smem[];
    smem[0] = A[0];
    C[0] = smem[0];
}

// case opt_in
// clean
__global__ void opt_in(const float *A, float *C)
{
    extern __shared__ float smem[];
    smem[threadIdx.x * 56] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = smem[(1023 - threadIdx.x) * 56];
}

static void launch_opt_in(const float *A, float *C)
{
    const int bytes = 227 << 10;
    if (cudaFuncSetAttribute(opt_in, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) !=
        cudaSuccess)
        fprintf(stderr, "227 KiB refused\n");
    opt_in<<<1, 1024, bytes>>>(A, C);
}

static void launch_too_many(const float *A, float *C)
{
    too_many_threads<<<1, 1025>>>(A, C);   // fault of too_many_threads
    if (cudaGetLastError() != cudaErrorInvalidConfiguration)
        fprintf(stderr, "no error from cudaGetLastError\n");
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
        {"index_past_the_end",
         [](const float *A, float *C) { index_past_the_end<<<1, 16>>>(A, C); }},
        {"index_past_the_row", [](const float *A, float *C) { index_past_the_row<<<1, 1>>>(A, C); }},
        {"index_into_the_neighbour",
         [](const float *A, float *C) { index_into_the_neighbour<<<1, 1>>>(A, C); }},
        {"negative_index", [](const float *A, float *C) { negative_index<<<1, 1>>>(A, C); }},
        {"fragment_in_registers",
         [](const float *A, float *C) { fragment_in_registers<<<1, 64>>>(A, C); }},
        {"array_in_registers", [](const float *A, float *C) { array_in_registers<<<1, 1>>>(A, C); }},
        {"pointer_past_dynamic_memory",
         [](const float *A, float *C) { pointer_past_dynamic_memory<<<1, 1, 64>>>(A, C); }},
        {"stack_overflow", [](const float *A, float *C) { stack_overflow<<<1, 1>>>(A, C); }},
        {"large_local_array", [](const float *A, float *C) { large_local_array<<<1, 1>>>(A, C); }},
        {"fault_with_little_stack_left",
         [](const float *A, float *C) { fault_with_little_stack_left<<<1, 32>>>(A, C); }},
        {"loop_without_end", [](const float *A, float *C) { loop_without_end<<<1, 1>>>(A, C); }},
        {"flag_that_nobody_raises", [](const float *A, float *C) { flag_that_nobody_raises<<<1, 1>>>(A, C); }},
        {"too_many_threads", launch_too_many},
        {"too_many_threads_in_all",
         [](const float *A, float *C) { too_many_threads_in_all<<<1, dim3(64, 17)>>>(A, C); }},
        {"grid_too_high",
         [](const float *A, float *C) { grid_too_high<<<dim3(1, 65536), 32>>>(A, C); }},
        {"empty_grid", [](const float *A, float *C) { empty_grid<<<0, 32>>>(A, C); }},
        {"no_opt_in", [](const float *A, float *C) { no_opt_in<<<1, 32, (48 << 10) + 4>>>(A, C); }},
        {"more_static_memory_than_a_block_has",
         [](const float *A, float *C) {
             more_static_memory_than_a_block_has<first, second, third><<<1, 32>>>(A, C);
         }},
        {"too_much_shared_memory",
         [](const float *A, float *C) { too_much_shared_memory<<<1, 32, (227 << 10) + 4>>>(A, C); }},
        {"opt_in", launch_opt_in},
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
