// Stage 3: a block stages tiles of A and B in shared memory.
//
// The 256 threads of a block fetch a (64, 16) tile of A and a (16, 64) tile of B
// once, together, and every thread then reads its fragments from shared memory:
// an element comes from global memory once a block instead of once a thread.
// The price is two barriers a tile, and shared memory whose banks must be minded.
//
//     make stage3 && ./stage3 [S | M N K]
#include <cuda_runtime.h>
#include "stage.h"

constexpr int TM = 4, TN = 4;     // thread tile: what one thread computes
constexpr int BM = 64, BN = 64;   // block tile: what the block shares ...
constexpr int BK = 16;            // ... this much of K at a time
constexpr int PAD = 1;            // added to a row, so that rows start in other banks
constexpr int THREADS_X = BN / TN, THREADS_Y = BM / TM, NTHREADS = THREADS_X * THREADS_Y;
static_assert(BM % TM == 0 && BN % TN == 0, "thread tiles must cover the block tile");

__global__ void sgemm(int M, int N, int K, const float *__restrict__ A,
                      const float *__restrict__ B, float *__restrict__ C)
{
    __shared__ float As[BM][BK + PAD];   // (BM, BK)
    __shared__ float Bs[BK][BN + PAD];   // (BK, BN)

    const int blocks_n = (N + BN - 1) / BN;
    const int m0 = blockIdx.x / blocks_n * BM;
    const int n0 = blockIdx.x % blocks_n * BN;
    const int tid = threadIdx.y * THREADS_X + threadIdx.x;
    const int tm = threadIdx.y * TM, tn = threadIdx.x * TN;   // in the block tile

    float acc[TM][TN] = {};

    for (int k0 = 0; k0 < K; k0 += BK) {
        // Neighbouring threads load neighbouring elements, so that a warp's
        // loads fall into few sectors. Outside the matrix the tile holds zeros,
        // which add nothing: the loops below need no edge case.
        for (int e = tid; e < BM * BK; e += NTHREADS) {
            const int r = e / BK, c = e % BK;
            const bool inside = m0 + r < M && k0 + c < K;
            As[r][c] = inside ? A[(size_t)(m0 + r) * K + k0 + c] : 0.0f;
        }
        for (int e = tid; e < BK * BN; e += NTHREADS) {
            const int r = e / BN, c = e % BN;
            const bool inside = k0 + r < K && n0 + c < N;
            Bs[r][c] = inside ? B[(size_t)(k0 + r) * N + n0 + c] : 0.0f;
        }
        __syncthreads();   // nobody reads before both tiles are whole

        // One k at a time: unrolled, the compiler would find reads of neighbouring
        // elements and join them, which is the next stage's idea.
#pragma unroll 1
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
            for (int i = 0; i < TM; i++)
                a[i] = As[tm + i][k];
            for (int j = 0; j < TN; j++)
                b[j] = Bs[k][tn + j];
            for (int i = 0; i < TM; i++)
                for (int j = 0; j < TN; j++)
                    acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();   // nobody refills before everyone has read
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
            if (m0 + tm + i < M && n0 + tn + j < N)
                C[(size_t)(m0 + tm + i) * N + n0 + tn + j] = acc[i][j];
}

static void launch(const struct gemm *g)
{
    const dim3 block(THREADS_X, THREADS_Y);
    const unsigned blocks = (unsigned)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    sgemm<<<blocks, block>>>(g->M, g->N, g->K, g->A, g->B, g->C);
}

static const struct tile tiles[] = {
    {.name = "64x64x16", .BM = BM, .BN = BN, .BK = BK, .TM = TM, .TN = TN,
     .threads_x = THREADS_X, .threads_y = THREADS_Y, .slots = 1,
     .kernel = (const void *)sgemm, .launch = launch},
};

int main(int argc, char **argv)
{
    const struct stage stage = {.number = 3, .title = "block tiles in shared memory",
                                .tiles = tiles, .ntiles = 1};
    return stage_main(&stage, argc, argv);
}
