// Stage 1: one thread computes a 4x4 tile of C in registers.
//
// The tile's sixteen sums stay in registers while k runs; every step loads four
// elements of A and four of B and multiplies each with each: a rank-1 update,
// the micro-kernel of every fast matrix product. Eight loads pay for sixteen
// multiply-adds. A block is one thread here, so 31 of a warp's 32 lanes idle.
//
//     make stage1 && ./stage1 [S | M N K]
#include <cuda_runtime.h>
#include "stage.h"

constexpr int TM = 4, TN = 4;     // thread tile: what one thread computes
constexpr int BM = TM, BN = TN;   // block tile: the block is one thread
constexpr int UNROLL = 4;         // steps of k whose loads are under way together: try 1 and 8
constexpr int THREADS_X = 1, THREADS_Y = 1;

__global__ void sgemm(int M, int N, int K, const float *__restrict__ A,
                      const float *__restrict__ B, float *__restrict__ C)
{
    const int blocks_n = (N + BN - 1) / BN;
    const int m0 = blockIdx.x / blocks_n * BM;
    const int n0 = blockIdx.x % blocks_n * BN;

    float acc[TM][TN] = {};

#pragma unroll UNROLL
    for (int k = 0; k < K; k++) {
        // Outside the matrix a fragment holds zeros, which add nothing.
        float a[TM], b[TN];
        for (int i = 0; i < TM; i++)
            a[i] = m0 + i < M ? A[(size_t)(m0 + i) * K + k] : 0.0f;
        for (int j = 0; j < TN; j++)
            b[j] = n0 + j < N ? B[(size_t)k * N + n0 + j] : 0.0f;
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++)
                acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            if (m0 + i < M && n0 + j < N)
                C[(size_t)(m0 + i) * N + n0 + j] = acc[i][j];
}

static void launch(const struct gemm *g)
{
    const dim3 block(THREADS_X, THREADS_Y);
    const unsigned blocks = (unsigned)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    sgemm<<<blocks, block>>>(g->M, g->N, g->K, g->A, g->B, g->C);
}

// What the common layer prints, checks and launches: common/stage.h.
static const struct tile tiles[] = {
    {.name = "4x4", .BM = BM, .BN = BN, .BK = 1, .TM = TM, .TN = TN,
     .threads_x = THREADS_X, .threads_y = THREADS_Y, .slots = 1,
     .kernel = (const void *)sgemm, .launch = launch},
};

int main(int argc, char **argv)
{
    // The opening is the notes' experiment: this kernel as a single thread.
    const struct stage stage = {.number = 1, .title = "one thread, a 4x4 tile in registers",
                                .tiles = tiles, .ntiles = 1, .opening = {4, 4, 1024}};
    return stage_main(&stage, argc, argv);
}
