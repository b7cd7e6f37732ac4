// The part of CUDA that the course uses, on a CPU. C gets the runtime API; C++
// (a .cu file that went through launch.sed) also gets the kernel language.
#ifndef SIM_CUDA_RUNTIME_H
#define SIM_CUDA_RUNTIME_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
#include <cmath>     // now: they would undo the macros below
#include <cstring>
#include <type_traits>
extern "C" {
#endif

// ---------------------------------------------------------------- runtime API

typedef enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidDevice = 101,
} cudaError_t;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault,
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes;   // static, of a block
    int maxThreadsPerBlock;
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    size_t sharedMemPerBlockOptin;
    size_t sharedMemPerMultiprocessor;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int maxThreadsPerMultiProcessor;
    int clockRate;
    int memoryClockRate;
    int memoryBusWidth;
    int l2CacheSize;
    int major, minor;
    int multiProcessorCount;
};

typedef struct sim_stream *cudaStream_t;
typedef struct sim_event *cudaEvent_t;

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceSynchronize(void);

cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemset(void *p, int byte, size_t bytes);

// Everything has happened when a call returns, so a stream is a name and nothing more.
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop);

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attr, int value);

// ------------------------------------------------- what kernels call, all of it

struct uint3 {
    unsigned x, y, z;
};
#ifndef __cplusplus
typedef struct uint3 uint3;
#endif

// These never change during a thread's life: the compiler may ask once.
struct uint3 sim_thread_idx(void) __attribute__((const));
struct uint3 sim_block_idx(void) __attribute__((const));
struct uint3 sim_block_dim(void) __attribute__((const));
struct uint3 sim_grid_dim(void) __attribute__((const));

#if defined(__has_attribute)
#if __has_attribute(nomerge)
#define SIM_NO_MERGE __attribute__((nomerge))   // two calls in two branches stay two
#endif
#endif
#ifndef SIM_NO_MERGE
#define SIM_NO_MERGE
#endif

void __syncthreads(void) SIM_NO_MERGE;
void __threadfence(void);
float sim_fmaf(float a, float b, float c);
void *sim_dynamic_shared(const char *name, size_t element_bytes);

enum sim_shuffle { SIM_SHFL_IDX, SIM_SHFL_UP, SIM_SHFL_DOWN, SIM_SHFL_XOR, SIM_SYNCWARP };
unsigned sim_warp_op(enum sim_shuffle op, unsigned mask, unsigned value, int lane, int width)
    SIM_NO_MERGE;

struct sim_launch {
    const char *name;         // as written in front of <<<
    const void *kernel;
    struct uint3 grid, block;
    size_t dynamic_bytes;     // third argument of <<< >>>
    int checked;              // the kernel's accesses call the runtime
    void (*thread)(void *);   // runs one thread of it,
    void *arguments;          // with this,
    size_t argument_bytes;    // so large
};
void sim_run(const struct sim_launch *launch);

#ifdef __cplusplus
}

// ------------------------------------------------------------ kernel language

#if defined(__SANITIZE_THREAD__)
#define SIM_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIM_CHECKED 1
#endif
#endif
#ifndef SIM_CHECKED
#define SIM_CHECKED 0
#endif
#define SIM_NO_CHECKS __attribute__((no_sanitize("thread")))

#define __global__ __attribute__((noinline, flatten))
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
// A worker runs one block at a time, so what is the worker's own is the block's.
// On 128 bytes, so that the banks do not depend on the order of the arrays; `used`, so
// that the compiler neither takes an array apart nor reads what nobody writes as zero.
#define __shared__ static thread_local __attribute__((aligned(128), used))

#define threadIdx (sim_thread_idx())
#define blockIdx (sim_block_idx())
#define blockDim (sim_block_dim())
#define gridDim (sim_grid_dim())
constexpr int warpSize = 32;

// The dimensions of a shared array, found by the runtime under the name
// sim_shape_<array>. launch.sed puts one behind each declaration.
struct sim_shape {
    unsigned element_bytes, dims[3];
};
#define SIM_SHAPE(a)                                                                    \
    static constexpr sim_shape sim_shape_##a __attribute__((used)) = {                  \
        sizeof(std::remove_all_extents_t<decltype(a)>),                                 \
        {std::rank_v<decltype(a)> > 3                                                   \
             ? (unsigned)(sizeof(a) / sizeof(std::remove_all_extents_t<decltype(a)>))   \
             : (unsigned)std::extent_v<decltype(a), 0>,                                 \
         std::rank_v<decltype(a)> > 3 ? 0 : (unsigned)std::extent_v<decltype(a), 1>,    \
         std::rank_v<decltype(a)> > 3 ? 0 : (unsigned)std::extent_v<decltype(a), 2>}};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

// A float2 or float4 moves as one 8- or 16-byte access, as on a GPU: copied
// member by member, the compiler would make it two or four. The empty asm keeps
// it from taking apart what it need not keep together.
typedef unsigned long long sim_v2 __attribute__((may_alias));
typedef float sim_v4 __attribute__((vector_size(16), may_alias));

static __forceinline__ void sim_move2(void *to, const void *from)
{
    sim_v2 v = *(const sim_v2 *)from;
#if SIM_CHECKED
    __asm__("" : "+r"(v));
#endif
    *(sim_v2 *)to = v;
}

static __forceinline__ void sim_move4(void *to, const void *from)
{
    sim_v4 v = *(const sim_v4 *)from;
#if SIM_CHECKED && defined(__x86_64__)
    __asm__("" : "+x"(v));
#elif SIM_CHECKED && defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    *(sim_v4 *)to = v;
}

struct __attribute__((aligned(8))) float2 {
    float x, y;
    float2() = default;   // holds garbage, as on a GPU
    float2(float x_, float y_) : x(x_), y(y_) {}
    __forceinline__ float2(const float2 &o) { sim_move2(this, &o); }
    __forceinline__ float2 &operator=(const float2 &o)
    {
        sim_move2(this, &o);
        return *this;
    }
};

struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
    float4() = default;
    float4(float x_, float y_, float z_, float w_) : x(x_), y(y_), z(z_), w(w_) {}
    __forceinline__ float4(const float4 &o) { sim_move4(this, &o); }
    __forceinline__ float4 &operator=(const float4 &o)
    {
        sim_move4(this, &o);
        return *this;
    }
};

static __forceinline__ float2 make_float2(float x, float y)
{
    return float2(x, y);
}

static __forceinline__ float4 make_float4(float x, float y, float z, float w)
{
    return float4(x, y, z, w);
}

template <typename T> static __forceinline__ T min(T a, T b)
{
    return b < a ? b : a;
}

template <typename T> static __forceinline__ T max(T a, T b)
{
    return a < b ? b : a;
}

// Of two types CUDA has these, and no others.
template <typename T, typename U> T min(T, U) = delete;
template <typename T, typename U> T max(T, U) = delete;
#define SIM_MIXED(T, U)                                                     \
    static __forceinline__ U min(T a, U b) { return min((U)a, b); }         \
    static __forceinline__ U min(U a, T b) { return min(a, (U)b); }         \
    static __forceinline__ U max(T a, U b) { return max((U)a, b); }         \
    static __forceinline__ U max(U a, T b) { return max(a, (U)b); }
SIM_MIXED(int, unsigned)
SIM_MIXED(long, unsigned long)
SIM_MIXED(long long, unsigned long long)
SIM_MIXED(float, double)

template <typename T> static __forceinline__ T __ldg(const T *p)
{
    return *p;
}

static __forceinline__ void __syncwarp(unsigned mask = 0xffffffffu)
{
    sim_warp_op(SIM_SYNCWARP, mask, 0, 0, 32);
}

// T: a type of 4 bytes.
template <typename T>
static __forceinline__ T sim_shuffle_as(sim_shuffle op, unsigned mask, T value, int lane, int width)
{
    static_assert(sizeof(T) == 4, "the simulator shuffles types of 4 bytes");
    union {
        T value;
        unsigned bits;
    } u;
    u.value = value;
    u.bits = sim_warp_op(op, mask, u.bits, lane, width);
    return u.value;
}

template <typename T>
static __forceinline__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return sim_shuffle_as(SIM_SHFL_IDX, mask, value, lane, width);
}

template <typename T>
static __forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return sim_shuffle_as(SIM_SHFL_UP, mask, value, (int)delta, width);
}

template <typename T>
static __forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return sim_shuffle_as(SIM_SHFL_DOWN, mask, value, (int)delta, width);
}

template <typename T>
static __forceinline__ T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    return sim_shuffle_as(SIM_SHFL_XOR, mask, value, bits, width);
}

#if SIM_CHECKED
#define fmaf sim_fmaf   // counts
// Compilers would copy without a call of a hook.
extern "C" void *__tsan_memcpy(void *dst, const void *src, size_t bytes);
extern "C" void *__tsan_memmove(void *dst, const void *src, size_t bytes);
extern "C" void *__tsan_memset(void *dst, int byte, size_t bytes);
#define memcpy(dst, src, bytes) __tsan_memcpy(dst, src, bytes)
#define memmove(dst, src, bytes) __tsan_memmove(dst, src, bytes)
#define memset(p, byte, bytes) __tsan_memset(p, byte, bytes)
namespace std {
using ::sim_fmaf, ::__tsan_memcpy, ::__tsan_memmove, ::__tsan_memset;   // std::memcpy
}
#endif

// ------------------------------------------------------------ launching a kernel

template <typename F> SIM_NO_CHECKS static void sim_run_thread(void *f)
{
    (*(F *)f)();
}

template <typename... P> struct sim_launcher {
    sim_launch launch;
    void (*kernel)(P...);

    // Runs the whole grid before it returns.
    SIM_NO_CHECKS __forceinline__ void operator()(P... p)
    {
        auto thread = [kernel = kernel, p...]() SIM_NO_CHECKS { kernel(p...); };
        launch.thread = sim_run_thread<decltype(thread)>;
        launch.arguments = &thread;
        launch.argument_bytes = sizeof thread;
        sim_run(&launch);
    }
};

template <typename... P>
SIM_NO_CHECKS static sim_launcher<P...> sim_kernel(const char *name, void (*kernel)(P...),
                                                   dim3 grid, dim3 block,
                                                   size_t dynamic_bytes = 0, cudaStream_t = 0)
{
    return {{name, (const void *)kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
             dynamic_bytes, SIM_CHECKED, 0, 0, 0}, kernel};
}

// CUDA's C++ overloads of the C functions above.
template <typename T> static inline cudaError_t cudaMalloc(T **p, size_t bytes)
{
    return cudaMalloc((void **)p, bytes);
}

template <typename... P>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attr, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attr, value);
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event)
{
    return cudaEventRecord(event, (cudaStream_t)0);
}
#endif   // __cplusplus
#endif
