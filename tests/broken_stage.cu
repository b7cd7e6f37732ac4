// A stage whose tiles are each broken in one way, to see that the common layer
// says so: tests/broken.t.
#include <cuda_runtime.h>
#include "cuda_check.h"
#include "stage.h"

enum fault { NONE, NAN_RESULT, UNTOUCHED, ONE_WRONG, OUT_OF_RANGE, OTHER_BITS, A_LITTLE, INPUTS };

__global__ void sgemm(int M, int N, int K, const float *A, const float *B, float *C, enum fault fault,
                      int launches)
{
    const int i = blockIdx.x / N, j = blockIdx.x % N;
    float sum = 0.0f;
    for (int k = 0; k < K; k++)
        sum = fmaf(A[(size_t)i * K + k], B[(size_t)k * N + j], sum);
    if (fault == NAN_RESULT)
        sum = sqrtf(-1.0f);
    if (fault == ONE_WRONG && i == M - 1 && j == N - 1)
        sum += 1.0f;
    if (fault == A_LITTLE && i == 0 && j == 0)   // within the bound of what is not an integer
        sum += 1.0f / 2048;
    if (fault == OTHER_BITS && launches > 1)
        sum = -sum;
    if (fault == UNTOUCHED && i == M / 2 && j == N / 2)
        return;
    if (fault == INPUTS && i == M - 1 && j == N - 1)
        ((float *)B)[(size_t)K * N - 1] += 1.0f;
    C[(fault == OUT_OF_RANGE ? (size_t)1 << 40 : 0) + (size_t)i * N + j] = sum;
}

static int launches;

template <enum fault fault>
static void launch(const struct gemm *g)
{
    launches++;
    sgemm<<<(unsigned)g->M * g->N, 1>>>(g->M, g->N, g->K, g->A, g->B, g->C, fault, launches);
}

static void launch_too_wide(const struct gemm *g)
{
    sgemm<<<1, 4096>>>(g->M, g->N, g->K, g->A, g->B, g->C, NONE, 0);
}

// A call of the runtime that the common layer makes fails, and ends the program.
static void launch_in_vain(const struct gemm *)
{
    CUDA(cudaErrorMemoryAllocation);
}

// Right at first, and then impossibly fast.
static void launch_once(const struct gemm *g)
{
    if (launches++ == 0)
        sgemm<<<(unsigned)g->M * g->N, 1>>>(g->M, g->N, g->K, g->A, g->B, g->C, NONE, 0);
}

static struct tile row(const char *name, void (*launch)(const struct gemm *), size_t shared_bytes)
{
    struct tile t = {};
    t.name = name;
    t.BM = t.BN = t.BK = t.TM = t.TN = t.threads_x = t.threads_y = t.slots = 1;
    t.kernel = (const void *)sgemm;
    t.shared_bytes = shared_bytes;
    t.launch = launch;
    return t;
}

static struct tile threads(const char *name, int n)
{
    struct tile t = row(name, launch<NONE>, 0);
    t.threads_x = n;
    return t;
}

int main(int argc, char **argv)
{
    const struct tile tiles[] = {
        row("right", launch<NONE>, 0),
        row("nan", launch<NAN_RESULT>, 0),
        row("untouched", launch<UNTOUCHED>, 0),
        row("one_wrong", launch<ONE_WRONG>, 0),
        row("out_of_range", launch<OUT_OF_RANGE>, 0),
        row("other_bits", launch<OTHER_BITS>, 0),
        row("a_little", launch<A_LITTLE>, 0),
        row("inputs", launch<INPUTS>, 0),
        row("right_behind", launch<NONE>, 0),
        row("too_wide", launch_too_wide, 0),
        row("too_much_shared", launch<NONE>, 1 << 20),
        threads("too_many_threads", 4096),
        row("impossible_speed", launch_once, 0),
        row("runtime_fails", launch_in_vain, 0),
    };
    struct stage stage = {};
    stage.number = 9;
    stage.title = "broken on purpose";
    stage.tiles = tiles;
    stage.ntiles = sizeof tiles / sizeof tiles[0];
    return stage_main(&stage, argc, argv);
}
