// Ways to write a kernel that are not the course's own, but that CUDA has.
#include "case.h"
#include <cstring>
#include <memory>   // has a __noinline__ of its own

// case never_written
// expect shared memory is read before it is written
// expect Thread 0 reads tile\[0\]\[1\], which no thread of the block has written yet
__global__ void never_written(const float *A, float *C)
{
    __shared__ float tile[4][4];
    C[threadIdx.x] = A[threadIdx.x] + tile[0][1];   // fault
}

// case array_of_float4
// clean
__global__ void array_of_float4(const float *A, float *C)
{
    __shared__ float4 quads[32];
    __shared__ float2 pairs[32];
    quads[threadIdx.x] = make_float4(1, 2, 3, A[threadIdx.x]);
    pairs[threadIdx.x] = make_float2(4, 5);
    __syncthreads();
    C[threadIdx.x] = quads[31 - threadIdx.x].w + pairs[31 - threadIdx.x].y;
}

struct counted {
    float sum;
    int n;
};

// case dimensions_of_the_launch
// clean
__global__ void dimensions_of_the_launch(const float *A, float *C)
{
    const dim3 block = blockDim, grid = gridDim;
    C[threadIdx.x] = A[block.x * grid.x];
}

// case structures_on_one_line
// clean
__global__ void structures_on_one_line(const float *A, float *C)
{
    __shared__ struct named { float a[32]; float b[2][4]; } s[2];
    __shared__ struct { float a[32]; } t;
    __shared__ union { float a[32]; int n[32]; } u;
    s[1].a[threadIdx.x] = t.a[threadIdx.x] = u.a[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = s[1].a[31 - threadIdx.x] + t.a[31 - threadIdx.x] + u.a[31 - threadIdx.x];
}

// case small_arrays
// clean
__global__ void small_arrays(const float *A, float *C)
{
    __shared__ float one[1], two[2];
    __shared__ counted c;
    if (threadIdx.x == 0) {
        one[0] = A[1], two[0] = A[2], two[1] = A[3];
        c.sum = A[4], c.n = 5;
    }
    __syncthreads();
    C[threadIdx.x] = one[0] + two[0] + two[1] + c.sum + (float)c.n;
}

struct mixed {
    float a[32];
    float4 b[8];
};

// case structure_with_float4
// clean
__global__ void structure_with_float4(const float *A, float *C)
{
    __shared__ mixed one;
    __shared__ mixed ring[2];
    __shared__ float4 quads[2][3 * (2 + 1)], more[2];
    __shared__ alignas(32) float alone[32];
    const int t = threadIdx.x;
    one.a[t] = ring[1].a[t] = alone[t] = A[t];
    if (t < 2)
        more[t] = quads[t][8] = ring[0].b[t] = one.b[t] = make_float4(t, 1, 2, 3);
    __syncthreads();
    C[t] = one.a[31 - t] + ring[1].a[31 - t] + alone[31 - t] + one.b[1].y + ring[0].b[1].z +
           quads[1][8].w + more[1].x;
}

__shared__ float4 quads_in_front[4];

// case arrays_over_two_lines
// clean
__global__ void arrays_over_two_lines(const float *A, float *C)
{
    __shared__ float4 quads[32],
                      more[32];
    __shared__ float2 pairs[(8 > 4) == 1 ? 32 : 1];
    const int t = threadIdx.x;
    quads[t] = more[t] = quads_in_front[t % 4] = make_float4(A[0], 1, 2, 3);
    pairs[t] = make_float2(4, 5);
    C[t] = quads[t].x + more[t].y + quads_in_front[t % 4].z + pairs[t].x;
}

// case misaligned_in_a_local_array
// expect misaligned access
// expect accesses a float4 at an address that is no multiple of 16
__global__ void misaligned_in_a_local_array(const float *A, float *C)
{
    float row[8];
    for (int i = 0; i < 8; i++)
        row[i] = A[i];
    const float4 v = *(const float4 *)&row[1 + (int)A[threadIdx.x] % 4];    // fault
    C[threadIdx.x] = v.x;
}

struct scale {
    float2 by, plus;
};

// case structure_by_value
// clean
__global__ void structure_by_value(scale s, const float *A, float *C)
{
    C[threadIdx.x] = A[threadIdx.x] * s.by.x + s.plus.y;
}

// case never_written_float4
// clean
__global__ void never_written_float4(const float *, float *C)
{
    float4 sum;
    for (int i = 0; i < 4; i++)
        sum.x += 1, sum.y += 1, sum.z += 1, sum.w += 1;
    ((float4 *)C)[threadIdx.x] = sum;
}

__shared__ float in_front[64];

// case array_in_front
// expect race on shared memory
// expect Thread 32 writes in_front\[32\], which thread 31 reads
__global__ void array_in_front(const float *A, float *C)
{
    in_front[threadIdx.x] = A[threadIdx.x];             // other
    C[threadIdx.x] = in_front[63 - threadIdx.x];        // fault
}

// case filled_by_memcpy
// clean
__global__ void filled_by_memcpy(const float *A, float *C)
{
    __shared__ float tile[8][8];
    if (threadIdx.x < 8)
        memcpy(tile[threadIdx.x], A + 8 * threadIdx.x, 8 * sizeof(float));
    __syncthreads();
    C[threadIdx.x] = tile[threadIdx.x % 8][threadIdx.x / 8];
}

// case cleared_by_memset
// expect race on shared memory
// expect Thread 32 writes tile\[32\], which thread 0 writes
__global__ void cleared_by_memset(const float *A, float *C)
{
    static __shared__ float tile[64];
    if (threadIdx.x == 0)
        memset(tile, 0, sizeof tile);                   // other
    __syncwarp();
    tile[threadIdx.x] = A[threadIdx.x];                 // fault
    __syncthreads();
    C[threadIdx.x] = tile[63 - threadIdx.x];
}

// case bytes_of_dynamic_memory
// clean
__global__ void bytes_of_dynamic_memory(const float *A, float *C)
{
    extern __shared__ __align__(16) unsigned char bytes[ ];
    float *tile = (float *)bytes;
    tile[threadIdx.x] = A[threadIdx.x];
    __syncthreads();
    C[threadIdx.x] = tile[31 - threadIdx.x];
}

extern __shared__ float in_front[];

// case dynamic_memory_in_front
// clean
__global__ void dynamic_memory_in_front(const float *A, float *C)
{
    const int i = blockIdx.x * 32 + threadIdx.x;
    in_front[threadIdx.x] = A[i];
    __syncthreads();
    C[i] = in_front[31 - threadIdx.x];
}

// case four_dimensions
// expect Thread 0 reads quad\[31\], which no thread of the block has written yet
__global__ void four_dimensions(const float *A, float *C)
{
    __shared__ float quad[2][2][2][4];
    const int t = threadIdx.x;
    if (t < 31)
        quad[t / 16][t / 8 % 2][t / 4 % 2][t % 4] = A[t];
    __syncthreads();
    C[t] = quad[1][1][1][3 - t % 4];                    // fault
}

// case static_and_dynamic
// expect launch refused
// expect more than 48 KiB of shared memory needs cudaFuncSetAttribute
__global__ void static_and_dynamic(const float *A, float *C)
{
    __shared__ float tile[1024];
    tile[threadIdx.x] = A[threadIdx.x];
    C[threadIdx.x] = tile[threadIdx.x];
}

namespace inner {
// case in_a_namespace
// expect race on shared memory
__global__ void in_a_namespace(const float *A, float *C)
{
    extern volatile __shared__ float bytes[];
    bytes[threadIdx.x] = A[threadIdx.x];
    C[threadIdx.x] = bytes[31 - threadIdx.x];           // fault
}
}

static __device__ __forceinline__ void meet(void)
{
    __syncthreads();
}

// case barrier_in_a_function
// expect Thread 0 waits at this barrier while thread 10 waits at the one at
__global__ void barrier_in_a_function(const float *A, float *C)
{
    if (threadIdx.x < 10)
        meet();
    else
        meet();
    C[threadIdx.x] = A[threadIdx.x];
}

// case division_by_zero
// expect integer division by zero
// expect Thread 0 divides an integer by zero, or the least one by -1
__global__ void division_by_zero(const float *A, float *C)
{
    const int zero = (int)A[0];
    C[threadIdx.x] = (float)(7 / zero);                 // fault
}

// case too_much_shared_in_c
// expect launch refused
extern "C" __global__ void too_much_shared_in_c(const float *A, float *C)
{
    __shared__ float tile[16384];
    tile[threadIdx.x] = A[threadIdx.x];
    C[threadIdx.x] = tile[threadIdx.x];
}

// case least_of_mixed_types
// clean
__global__ void least_of_mixed_types(const float *A, float *C)
{
    const int n = 20;
    C[threadIdx.x] = A[min(threadIdx.x, n)] + A[max(n, threadIdx.x)] + (float)max(A[0], 0.5);
    C[threadIdx.x] += A[min((size_t)threadIdx.x, (long)n)];
}

struct row {
    float x[4];
    __device__ float get(int j) const { return x[j]; }
    __device__ void set(int j, float v) { x[j] = v; }   // fault of last_array_of_a_structure
};

// case last_array_of_a_structure
// expect Thread 0 uses the index 4 in a dimension of 4
__global__ void last_array_of_a_structure(const float *A, float *C)
{
    row r;
    for (int j = 0; j <= 4; j++)
        r.set(j, A[j]);
    C[threadIdx.x] = r.get(threadIdx.x % 4);
}

// case one_name_twice
// expect Thread 7 writes T\[3\]\[7\], which thread 3 writes
// expect Thread 4 writes T\[1\]\[0\]\[2\], which thread 0 writes
__global__ void one_name_twice(const float *, float *)
{
    {
        __shared__ float T[4][8];
        if (threadIdx.x % 4 == 3)
            T[threadIdx.x % 4][7] = 1;          // fault
    }
    __syncthreads();
    {
        __shared__ float T[2][2][3];
        if (threadIdx.x % 4 == 0)
            T[1][0][2] = 1;                     // fault
    }
}

constexpr int SHAPE[2] = {4, 8};

// case dimensions_from_an_array
// expect Thread 9 writes T\[1\]\[1\], which thread 1 writes
__global__ void dimensions_from_an_array(const float *, float *)
{
    __shared__ float T[SHAPE[0]][SHAPE[1]], U[SHAPE[1]];
    if (threadIdx.x % 8 == 1)
        T[1][threadIdx.x % 8] = 1;              // fault
    if (threadIdx.x == 0)
        U[0] = 1;
}

// case array_beside_a_local_one
// expect index 16 in a dimension of 16 of an array of type float\[16\]
__global__ void array_beside_a_local_one(const float *A, float *C)
{
    __shared__ float P[16][16];
    float frag[16], v = 0;
    for (int i = 0; i < 16; i++)
        P[threadIdx.x][i] = frag[i] = A[i];
    __syncthreads();
    for (int i = 0; i < 16; i++)
        v += frag[i + 1] * P[15 - threadIdx.x][i];   // fault
    C[threadIdx.x] = v;
}

struct point {
    float x, y, z;
};

// case array_of_structures
// expect index -4 in a dimension of 64 of Q: only
__global__ void array_of_structures(const float *A, float *C)
{
    __shared__ float O[64];
    __shared__ point Q[64];
    __shared__ float P[64];
    Q[threadIdx.x].x = O[threadIdx.x] = P[threadIdx.x] = A[threadIdx.x];
    C[threadIdx.x] = O[threadIdx.x] + Q[(int)threadIdx.x - 4].x + P[threadIdx.x];   // fault
}

// case array_of_shorts
// expect index 100 in a dimension of 64 of H: only
__global__ void array_of_shorts(const float *, float *)
{
    __shared__ float I[64];
    __shared__ short H[64];
    I[threadIdx.x] = H[threadIdx.x + 100] = 1;   // fault
}

// case copies_of_pairs
// clean
struct pair_of_floats {
    float a, b;
};
__global__ void copies_of_pairs(const float *A, float *C)
{
    const pair_of_floats *from = (const pair_of_floats *)(A + 1);
    ((pair_of_floats *)(C + 1))[threadIdx.x] = from[threadIdx.x];
}

namespace inner {
__shared__ float Bs_E2_x[2][16];
}

// case array_in_a_namespace
// expect Thread 16 writes Bs_E2_x\[1\]\[0\], which thread 0 writes
__global__ void array_in_a_namespace(const float *, float *)
{
    inner::Bs_E2_x[1][threadIdx.x % 16] = 1;    // fault
}

// case filled_by_std_memcpy
// clean
__global__ void filled_by_std_memcpy(const float *A, float *C)
{
    __shared__ float tile[8][8];
    if (threadIdx.x < 8)
        std::memcpy(tile[threadIdx.x], A + 8 * threadIdx.x, 8 * sizeof(float));
    __syncthreads();
    C[threadIdx.x] = std::fmaf(tile[threadIdx.x % 8][threadIdx.x / 8], 2.0f, 1.0f);
}

#define RUN(kernel, threads)                                                            \
    static void run_##kernel(const float *A, float *C) { kernel<<<1, threads>>>(A, C); }
RUN(never_written, 32)
RUN(array_of_float4, 32)
RUN(structure_with_float4, 32)
RUN(arrays_over_two_lines, 4)
RUN(misaligned_in_a_local_array, 1)
RUN(small_arrays, 32)
RUN(structures_on_one_line, 32)
RUN(dimensions_of_the_launch, 32)
RUN(array_in_front, 64)
RUN(filled_by_memcpy, 64)
RUN(cleared_by_memset, 64)
RUN(barrier_in_a_function, 32)
RUN(too_much_shared_in_c, 32)
RUN(least_of_mixed_types, 32)
RUN(four_dimensions, 32)
RUN(last_array_of_a_structure, 32)
RUN(one_name_twice, 8)
RUN(dimensions_from_an_array, 32)
RUN(filled_by_std_memcpy, 64)
RUN(array_beside_a_local_one, 16)
RUN(array_of_structures, 32)
RUN(array_of_shorts, 1)
RUN(copies_of_pairs, 32)
RUN(array_in_a_namespace, 32)

static void run_bytes_of_dynamic_memory(const float *A, float *C)
{
    bytes_of_dynamic_memory<<<1, 32, 32 * sizeof(float)>>>(A, C);
}

static void run_dynamic_memory_in_front(const float *A, float *C)
{
    dynamic_memory_in_front<<<16, 32, 32 * sizeof(float)>>>(A, C);
}

static void run_structure_by_value(const float *A, float *C)
{
    const scale s = {make_float2(2, 0), make_float2(0, 3)};
    structure_by_value<<<1, 32>>>(s, A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    if (result[5] != 13.0f)
        fprintf(stderr, "C is %g\n", (double)result[5]);
}

// What holds garbage is no fault, but must not look right.
static void run_never_written_float4(const float *A, float *C)
{
    never_written_float4<<<1, 32>>>(A, C);
    cudaMemcpy(result, C, sizeof result, cudaMemcpyDeviceToHost);
    if (result[0] == 4.0f)
        fprintf(stderr, "a float4 that nobody has written is 0\n");
}

static void run_in_a_namespace(const float *A, float *C)
{
    inner::in_a_namespace<<<1, 32, 32 * sizeof(float)>>>(A, C);
}

static void run_static_and_dynamic(const float *A, float *C)
{
    static_and_dynamic<<<1, 32, 45 * 1024>>>(A, C);
}

// Several blocks meet it at once: the one that is reported must be whole.
static void run_division_by_zero(const float *A, float *C)
{
    division_by_zero<<<16, 32>>>(A, C);
}

int main(int argc, char **argv)
{
    static const struct sim_case cases[] = {
#define CASE(name) {#name, run_##name}
        CASE(never_written), CASE(array_of_float4), CASE(small_arrays), CASE(array_in_front),
        CASE(filled_by_memcpy), CASE(cleared_by_memset), CASE(bytes_of_dynamic_memory),
        CASE(barrier_in_a_function), CASE(division_by_zero), CASE(too_much_shared_in_c),
        CASE(least_of_mixed_types), CASE(dynamic_memory_in_front), CASE(in_a_namespace),
        CASE(four_dimensions), CASE(static_and_dynamic), CASE(structure_with_float4),
        CASE(structure_by_value), CASE(arrays_over_two_lines), CASE(misaligned_in_a_local_array),
        CASE(never_written_float4), CASE(last_array_of_a_structure), CASE(one_name_twice),
        CASE(dimensions_from_an_array), CASE(filled_by_std_memcpy),
        CASE(array_beside_a_local_one), CASE(array_of_structures), CASE(array_of_shorts),
        CASE(copies_of_pairs), CASE(array_in_a_namespace), CASE(structures_on_one_line),
        CASE(dimensions_of_the_launch),
    };
    return run_case(cases, COUNT(cases), argc, argv);
}
