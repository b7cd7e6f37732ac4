// The counters, on accesses whose cost was measured on an H200: one warp each,
// and exact. Prints TAP.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include "sim/sim.h"

enum { FLOATS = 1 << 16, TILE = 6144 };
static int *index_of, *source_of;   // device memory, one a lane
static float *A, *C;
static int tests, failures;

// ------------------------------------------------------------------- kernels

// A sum in memory, which a compiler would like to keep in a register.
__global__ void sum_in_memory(const float *__restrict__ A, float *__restrict__ C)
{
    C[threadIdx.x] = 0.0f;
    for (int k = 0; k < 10; k++)
        C[threadIdx.x] += A[32 * k + threadIdx.x];
}

// Each lane looks through eight numbers, and all but one find nothing.
__global__ void search(const float *A, const float *B, float *C)
{
    const int lane = threadIdx.x;
    int found;
    for (found = 0; found < 8; found++)
        if (A[8 * lane + found] > 0.5f)
            break;
    float z = B[lane];   // one request, whichever way out of the loop
    if (found == 8)
        z += 1.0f;
    C[lane] = z;
}

// Each lane looks for its own place in n sorted numbers: both ways through the loop
// lead straight back to its head, where the lanes meet.
__global__ void binary_search(int n, const float *A, float *C)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (A[middle] < (float)(n / 32 * threadIdx.x))
            low = middle + 1;
        else
            high = middle;
    }
    C[threadIdx.x] = (float)low;
}

// The inner loop runs at least once: to a compiler, both may begin in one place.
__global__ void loop_at_a_loops_begin(const float *A, float *C)
{
    const unsigned lane = threadIdx.x;
    float sum = 0.0f;
    for (unsigned i = 0; i < 3; i++) {
        unsigned j = 0;
        do
            sum += A[32 * j + lane];            // 4 requests each time
        while (j++ < (lane + i) % 4);
        sum += A[64 * i + lane];                // 1
    }
    C[lane] = sum;
}

// The same, and the inner loop may not run at all.
__global__ void rounds_to_do(const float *A, float *C)
{
    const int lane = threadIdx.x;
    float sum = 0.0f;
    int i = 1, j = 0;
    do {
        while (j < i * (lane % 4))
            sum += A[32 * j++ + lane];          // 3 requests each time
        sum += A[512 + 32 * i + lane];          // 1
    } while (++i <= 4);
    C[lane] = sum;
}

// A lane leaves the kernel between two meetings of the others.
__global__ void leave_between(const float *A, float *C)
{
    const int lane = threadIdx.x;
    float sum = 0.0f;
    for (int i = 0; i < 4; i++) {
        if ((lane + i) % 2)
            sum += A[32 * i + lane];            // 1 request each time
        __syncwarp();
        if (lane & 2) {
            sum += A[256 + 32 * i + lane];      // 1
        } else {
            sum += A[1256 + 32 * i + lane];     // 1
            if (lane == 9 * i)
                return;
        }
        sum += A[1024 + 32 * i + lane];         // 1
    }
    C[lane] = sum;
}

// Which lanes stay in which loop is chance. An H200 takes 65 requests to load.
__global__ void loops_by_chance(const float *A, float *C)
{
    unsigned x = threadIdx.x * 2654435761u + 7;
    float sum = 0.0f;
    int n = 0;
    do {
        do {
            sum += A[x >> 25];
            x = x * 1664525u + 1013904223u;
        } while (x >> 28 & 1);
        sum += A[x >> 24];
    } while ((x >> 20 & 3) != 0 && ++n < 9);
    C[threadIdx.x] = sum;
}

// To nvcc, and to g++, these are such loops, too. An H200 takes 93.
__global__ void back_to_the_begin(const float *A, float *C)
{
    unsigned x = threadIdx.x * 2654435761u + 7;
    float sum = 0.0f;
    for (;;) {
        sum += A[x >> 25];
        x = x * 1664525u + 1013904223u;
        if (x >> 28 & 1)
            continue;
        sum += A[x >> 24];
        if ((x >> 20 & 3) == 0)
            break;
    }
    C[threadIdx.x] = sum;
}

// A function that is called in a branch, and again behind it.
static __device__ float sum_of(int n, const float *A)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += A[32 * i + threadIdx.x];
    return sum;
}

__global__ void calls(const float *A, float *C)
{
    const int lane = threadIdx.x;
    float sum = 0.0f;
    if (lane % 3 == 0)
        sum = sum_of(16, A);            // 16 requests
    C[lane] = sum;                      // 1
    sum += sum_of(lane % 9, A);         // 8
    if (lane % 5 == 0)
        sum += sum_of(4, A);            // 4
    C[lane + 32] = sum;                 // 1
}

// Lanes whose index is negative take no part.
template <typename T> __global__ void load_shared(const int *index, float *C)
{
    __shared__ __align__(16) float tile[TILE];
    for (int i = 0; i < TILE; i += 32)
        tile[i + threadIdx.x] = 0.0f;
    __syncthreads();
    const int i = index[threadIdx.x];
    if (i >= 0) {
        const T v = *(const T *)(tile + i);
        C[threadIdx.x] = *(const float *)&v;
    }
}

template <typename T> __global__ void store_shared(const int *index, T value)
{
    __shared__ __align__(16) float tile[TILE];
    const int i = index[threadIdx.x];
    if (i >= 0)
        *(T *)(tile + i) = value;
}

// Shorts 136 bytes apart in pairs, chars 128 bytes apart: one bank.
__global__ void small_loads(float *C)
{
    __shared__ short s[2][68];
    __shared__ char c[32 * 128];
    const int lane = threadIdx.x;
    s[lane % 2][lane] = (short)lane;
    c[lane * 128] = (char)lane;
    __syncthreads();
    C[lane] = (float)(s[lane % 2][0] + c[lane % 2 * 128]);
}

template <typename T> __global__ void load_global(const int *index, const float *A, float *C)
{
    const int i = index[threadIdx.x];
    if (i >= 0) {
        const T v = *(const T *)(A + i);
        C[threadIdx.x] = *(const float *)&v;
    }
}

template <typename T> __global__ void store_global(const int *index, float *C, T value)
{
    const int i = index[threadIdx.x];
    if (i >= 0)
        *(T *)(C + i) = value;
}

template <int BYTES> __global__ void copy(const int *source, const int *index, const float *A)
{
    __shared__ __align__(16) float tile[TILE];
    const int from = source[threadIdx.x], to = index[threadIdx.x];
    if (to >= 0)
        __pipeline_memcpy_async(tile + to, A + from, BYTES);
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

// Lanes go different ways, and meet again.
__global__ void ways_part(const float *A, float *C)
{
    __shared__ float tile[32];
    const int lane = threadIdx.x;
    float sum = 0.0f;
    tile[lane] = 1.0f;
    __syncwarp();
    for (int i = 0; i < 4; i++) {           // 4 requests: lanes 0..7, 8..15, ...
        if (lane / 8 == i)
            sum += A[lane];
        sum += tile[(lane + i) % 32];       // 4 requests of all lanes
    }
    for (int i = 0; i < lane % 5; i++)      // 4 requests
        sum += A[64 * i + lane];
    if (lane % 2)
        sum += A[lane];                     // 1 request
    else
        sum -= A[lane + 32];                // 1 request
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (4 * i + j < lane)           // 9 requests
                C[16 * lane + 4 * i + j] = sum;
    for (int i = 0;; i++) {
        if (i == lane % 3)
            break;                          // 2 rounds
        if (lane == 1)
            continue;
        sum += A[i];                        // 2 requests
    }
    sum += tile[31 - lane];                 // 1 request of all lanes
    C[lane] = fmaf(sum, sum, sum);          // 1 request
}

// Half a warp goes round what the other half waits at, and they meet behind it.
__global__ void half_waits(bool upper, const float *A, float *C)
{
    const int lane = threadIdx.x;
    float v = A[lane];                          // 1 request
    if ((lane >= 16) == upper)
        v += __shfl_xor_sync(upper ? 0xffff0000 : 0x0000ffff, v, 8);
    v += A[lane + 32];                          // 1 request
    C[lane] = v;                                // 1 request
}

// More ways than a thread's own stack has room to put in order.
#define EIGHT_TIMES(x) x x x x x x x x
__global__ void many_ways(const float *A, float *C)
{
    float v = 0.0f;
    int i = threadIdx.x;
    EIGHT_TIMES(EIGHT_TIMES(EIGHT_TIMES(if (A[i] > 0.5f) { v += A[i + 1]; i ^= 1; } if (A[i + 2] > 0.5f) i ^= 2;)))
    __syncwarp();
    C[threadIdx.x] = v;
}

__global__ void barriers(float *C)
{
    for (int i = 0; i < 3; i++)
        __syncthreads();
    C[threadIdx.x] = 0.0f;
}

// -------------------------------------------------------------------- checks

static void expect(const char *what, unsigned long long got, unsigned long long wanted)
{
    tests++;
    failures += got != wanted;
    printf("%s %d - %s is %llu", got == wanted ? "ok" : "not ok", tests, what, wanted);
    if (got != wanted)
        printf(", not %llu", got);
    printf("\n");
}

typedef int (*pattern)(int lane);

static void set(int *device, pattern p)
{
    int host[32];
    for (int i = 0; i < 32; i++)
        host[i] = p(i);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    sim_counters_reset();
}

static struct sim_counters counters(void)
{
    struct sim_counters c;
    sim_counters_get(&c);
    return c;
}

// The index counts units of T, the kernels count floats.
template <typename T> static void loads(const char *what, pattern p, int wavefronts)
{
    set(index_of, p);
    load_shared<T><<<1, 32>>>(index_of, C);
    expect(what, counters().shared_load.wavefronts, wavefronts);
}

template <typename T> static void stores(const char *what, pattern p, int wavefronts)
{
    set(index_of, p);
    store_shared<T><<<1, 32>>>(index_of, T());
    expect(what, counters().shared_store.wavefronts, wavefronts);
}

template <typename T> static void globals(const char *what, pattern p, int sectors)
{
    char text[100];
    set(index_of, p);
    load_global<T><<<1, 32>>>(index_of, A, C);
    // the kernel's other load, of the indexes, takes 4
    snprintf(text, sizeof text, "global load, %s: sectors", what);
    expect(text, counters().global_load.sectors - 4, sectors);
    sim_counters_reset();
    store_global<T><<<1, 32>>>(index_of, C, T());
    snprintf(text, sizeof text, "global store, %s: sectors", what);
    expect(text, counters().global_store.sectors, sectors);
}

template <int BYTES> static void copies(const char *what, pattern from, pattern to, int wavefronts)
{
    set(source_of, from);
    set(index_of, to);
    copy<BYTES><<<1, 32>>>(source_of, index_of, A);
    expect(what, counters().async.wavefronts, wavefronts);
}

// i with one of its bits taken out: lanes that differ in it alone become equal.
static int without(int i, int bit)
{
    return i >> (bit + 1) << bit | (i & ((1 << bit) - 1));
}

static void shared_patterns(void)
{
    loads<float>("load 4 bytes, unit stride", [](int i) { return i; }, 1);
    loads<float>("load 4 bytes, stride 2", [](int i) { return 2 * i; }, 2);
    loads<float>("load 4 bytes, stride 16", [](int i) { return 16 * i; }, 16);
    loads<float>("load 4 bytes, stride 33", [](int i) { return 33 * i; }, 1);
    loads<float>("load 4 bytes, one address", [](int) { return 7; }, 1);
    loads<float>("load 4 bytes, stride 32, 5 lanes", [](int i) { return i < 5 ? 32 * i : -1; }, 5);
    loads<float2>("load 8 bytes, unit stride", [](int i) { return 2 * i; }, 2);
    loads<float2>("load 8 bytes, i and i^1 equal", [](int i) { return 2 * (i / 2); }, 1);
    loads<float2>("load 8 bytes, i and i^2 equal", [](int i) { return 2 * without(i, 1); }, 1);
    loads<float2>("load 8 bytes, i and i^8 equal", [](int i) { return 2 * without(i, 3); }, 2);
    loads<float4>("load 16 bytes, unit stride", [](int i) { return 4 * i; }, 4);
    loads<float4>("load 16 bytes, i and i^1 equal", [](int i) { return 4 * (i / 2); }, 2);
    loads<float4>("load 16 bytes, i and i^2 equal", [](int i) { return 4 * without(i, 1); }, 2);
    loads<float4>("load 16 bytes, i and i^3 equal",
                  [](int i) { return 4 * (i / 4 * 2 + (i ^ i / 2) % 2); }, 4);
    loads<float4>("load 16 bytes, i and i^4 equal", [](int i) { return 4 * without(i, 2); }, 4);
    loads<float4>("load 16 bytes, row lane/4", [](int i) { return 4 * (i / 4); }, 2);
    loads<float4>("load 16 bytes, column lane%4", [](int i) { return 4 * (i % 4); }, 4);
    loads<float4>("load 16 bytes, stride 4", [](int i) { return 16 * i; }, 16);
    loads<float4>("load 16 bytes, stride 8", [](int i) { return 32 * i; }, 32);
    loads<float4>("load 16 bytes, stride 9", [](int i) { return 36 * i; }, 4);
    stores<float>("store 4 bytes, unit stride", [](int i) { return i; }, 1);
    stores<float>("store 4 bytes, stride 2", [](int i) { return 2 * i; }, 2);
    stores<float2>("store 8 bytes, lane/4", [](int i) { return 2 * (i / 4); }, 2);
    stores<float4>("store 16 bytes, lane/8", [](int i) { return 4 * (i / 8); }, 4);
    stores<float4>("store 16 bytes, unit stride", [](int i) { return 4 * i; }, 4);
}

static void global_patterns(void)
{
    globals<float>("4 bytes, unit stride", [](int i) { return i; }, 4);
    globals<float>("4 bytes, 4 bytes off", [](int i) { return i + 1; }, 5);
    globals<float>("4 bytes, stride 1000", [](int i) { return 1000 * i; }, 32);
    globals<float4>("16 bytes, unit stride", [](int i) { return 4 * i; }, 16);
    globals<float4>("16 bytes, 16 bytes off", [](int i) { return 4 * i + 4; }, 17);
    globals<float4>("16 bytes, stride 2", [](int i) { return 8 * i; }, 32);
    globals<float4>("16 bytes, one address", [](int) { return 0; }, 1);
}

static void async_patterns(void)
{
    const pattern row16 = [](int i) { return i / 16 * 1024 + i % 16; };
    const pattern row32 = [](int i) { return i; };
    const pattern row8x4 = [](int i) { return i / 8 * 1024 + i % 8 * 4; };
    copies<4>("cp.async.ca 4 bytes, 16 k a row, to k*128+m", row16,
              [](int i) { return i % 16 * 128 + i / 16; }, 17);
    copies<4>("cp.async.ca 4 bytes, 16 k a row, to k*136+m", row16,
              [](int i) { return i % 16 * 136 + i / 16; }, 5);
    copies<4>("cp.async.ca 4 bytes, 16 k a row, to k*68+m", row16,
              [](int i) { return i % 16 * 68 + i / 16; }, 3);
    copies<4>("cp.async.ca 4 bytes, 32 k a row, pitch 132", row32, [](int i) { return i * 132; }, 4);
    copies<4>("cp.async.ca 4 bytes, 32 k a row, pitch 129", row32, [](int i) { return i * 129; }, 1);
    copies<16>("cp.async.cg 16 bytes, 8 lanes a row, pitch 32", row8x4,
               [](int i) { return i / 8 * 32 + i % 8 * 4; }, 4);
    copies<16>("cp.async.cg 16 bytes, 8 lanes a row, pitch 36", row8x4,
               [](int i) { return i / 8 * 36 + i % 8 * 4; }, 10);
    expect("its requests", counters().async.requests, 1);
    expect("its bytes", counters().async.bytes, 512);
}

static void diverging_lanes(void)
{
    sim_counters_reset();
    ways_part<<<1, 32>>>(A, C);
    struct sim_counters c = counters();
    expect("ways part: global load requests", c.global_load.requests, 4 + 4 + 2 + 2);
    expect("ways part: global store requests", c.global_store.requests, 9 + 1);
    expect("ways part: shared load requests", c.shared_load.requests, 4 + 1);
    expect("ways part: shared load wavefronts", c.shared_load.wavefronts, 5);
    expect("ways part: FMAs", c.fmas, 32);
    expect("ways part: bytes loaded from shared memory", c.shared_load.bytes, 5 * 128);
    sim_counters_reset();
    sum_in_memory<<<1, 32>>>(A, C);
    expect("a sum in memory: loads", counters().global_load.requests, 10 + 10);
    expect("a sum in memory: stores", counters().global_store.requests, 1 + 10);
    sim_counters_reset();
    small_loads<<<1, 32>>>(C);
    expect("shorts and chars: store wavefronts", counters().shared_store.wavefronts, 2 + 32);
    expect("shorts and chars: load wavefronts", counters().shared_load.wavefronts, 1 + 2);
    const float one = 1.0f;
    cudaMemcpy(A + 8 * 3 + 2, &one, sizeof one, cudaMemcpyHostToDevice);
    sim_counters_reset();
    search<<<1, 32>>>(A, A, C);
    expect("a search: load requests", counters().global_load.requests, 8 + 1);
    float numbers[1024];
    for (int i = 0; i < 1024; i++)
        numbers[i] = (float)i;
    cudaMemcpy(A, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    sim_counters_reset();
    binary_search<<<1, 32>>>(1024, A, C);
    expect("a binary search of 1024: load requests", counters().global_load.requests, 11);
    sim_counters_reset();
    loop_at_a_loops_begin<<<1, 32>>>(A, C);
    expect("a loop at a loop's begin: load requests", counters().global_load.requests, 3 * (4 + 1));
    sim_counters_reset();
    rounds_to_do<<<1, 32>>>(A, C);
    expect("rounds to do: load requests", counters().global_load.requests, 4 * (3 + 1));
    sim_counters_reset();
    leave_between<<<1, 32>>>(A, C);
    expect("a lane leaves between: load requests", counters().global_load.requests, 4 * 4);
    sim_counters_reset();
    loops_by_chance<<<1, 32>>>(A, C);
    expect("loops by chance: load requests", counters().global_load.requests, 65);
    sim_counters_reset();
    back_to_the_begin<<<1, 32>>>(A, C);
#ifdef __clang__   // has the lanes wait for the others at the loop's end
    expect("back to a loop's begin: load requests", counters().global_load.requests, 71);
#else
    expect("back to a loop's begin: load requests", counters().global_load.requests, 93);
#endif
    sim_counters_reset();
    calls<<<1, 32>>>(A, C);
    expect("a function called thrice: load requests", counters().global_load.requests, 16 + 8 + 4);
    expect("a function called thrice: store requests", counters().global_store.requests, 2);
    for (int upper = 0; upper < 2; upper++) {
        sim_counters_reset();
        half_waits<<<1, 32>>>(upper, A, C);
        expect(upper ? "the upper half waits: load requests" : "the lower half waits: load requests",
               counters().global_load.requests, 2);
        expect(upper ? "the upper half waits: store requests" : "the lower half waits: store requests",
               counters().global_store.requests, 1);
    }
    float steps[64];
    for (int i = 0; i < 64; i++)
        steps[i] = i % 3 ? 0.0f : 1.0f;
    cudaMemcpy(A, steps, sizeof steps, cudaMemcpyHostToDevice);
    sim_counters_reset();
    many_ways<<<1, 32>>>(A, C);
    expect("1024 branches and a meeting: store requests", counters().global_store.requests, 1);
    sim_counters_reset();
    barriers<<<1, 80>>>(C);
    expect("barriers, one a warp", counters().barriers, 9);
    expect("requests of a block of 80", counters().global_store.requests, 3);
    expect("sectors of a block of 80", counters().global_store.sectors, 10);
}

int main(void)
{
    cudaMalloc(&index_of, 32 * sizeof *index_of);
    cudaMalloc(&source_of, 32 * sizeof *source_of);
    cudaMalloc(&A, FLOATS * sizeof *A);
    cudaMalloc(&C, FLOATS * sizeof *C);
    cudaMemset(A, 0, FLOATS * sizeof *A);
    sim_counters(1);
    shared_patterns();
    global_patterns();
    async_patterns();
    diverging_lanes();
    printf("1..%d\n", tests);
    return failures > 0;
}
