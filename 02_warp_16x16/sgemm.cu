// Stage 2: a warp composes sixteen micro-kernels into a 16x16 tile.
//
// All 32 lanes work. Sixteen of them would cover the tile with 4x4 each, so two
// lanes share a micro-kernel: one takes the even k, the other the odd, and a
// shuffle adds the two halves. What one lane loads its neighbours need too:
// equal addresses in a warp are one access (broadcast), neighbouring ones share
// a 32-byte sector (coalescing).
//
//     make stage2 && ./stage2 [S | M N K]
#include <cuda_runtime.h>
#include "stage.h"

constexpr int TM = 4, TN = 4;     // thread tile: what one thread computes
constexpr int BM = 16, BN = 16;   // block tile: the block is one warp
constexpr int UNROLL = 4;         // steps of k whose loads are under way together
constexpr int THREADS_X = 32, THREADS_Y = 1;
constexpr int TILES_N = BN / TN, TILES = BM / TM * TILES_N;
static_assert(2 * TILES == 32, "two lanes share a micro-kernel");

__global__ void sgemm(int M, int N, int K, const float *__restrict__ A,
                      const float *__restrict__ B, float *__restrict__ C)
{
    const int blocks_n = (N + BN - 1) / BN;
    const int m0 = blockIdx.x / blocks_n * BM;
    const int n0 = blockIdx.x % blocks_n * BN;
    const int half = threadIdx.x / TILES, tile = threadIdx.x % TILES;   // even or odd k; which of the 16
    const int tm = tile / TILES_N * TM, tn = tile % TILES_N * TN;   // in the block tile

    float acc[TM][TN] = {};

    // Even and odd k, not first and second half: the two lanes then read
    // neighbouring elements of A, which lie in one sector.
#pragma unroll UNROLL
    for (int k0 = 0; k0 < K; k0 += 2) {
        // Outside the matrix a fragment holds zeros, which add nothing.
        const int k = k0 + half;
        float a[TM], b[TN];
        for (int i = 0; i < TM; i++)
            a[i] = m0 + tm + i < M && k < K ? A[(size_t)(m0 + tm + i) * K + k] : 0.0f;
        for (int j = 0; j < TN; j++)
            b[j] = n0 + tn + j < N && k < K ? B[(size_t)k * N + n0 + tn + j] : 0.0f;
        for (int i = 0; i < TM; i++)
            for (int j = 0; j < TN; j++)
                acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }

    for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++) {
            acc[i][j] += __shfl_xor_sync(0xffffffff, acc[i][j], TILES);
            // Both lanes hold the sum now; each stores every second row.
            if (i % 2 == half && m0 + tm + i < M && n0 + tn + j < N)
                C[(size_t)(m0 + tm + i) * N + n0 + tn + j] = acc[i][j];
        }
}

static void launch(const struct gemm *g)
{
    const dim3 block(THREADS_X, THREADS_Y);
    const unsigned blocks = (unsigned)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    sgemm<<<blocks, block>>>(g->M, g->N, g->K, g->A, g->B, g->C);
}

static const struct tile tiles[] = {
    {.name = "16x16", .BM = BM, .BN = BN, .BK = 2, .WM = BM, .WN = BN, .TM = TM, .TN = TN,
     .threads_x = THREADS_X, .threads_y = THREADS_Y, .slots = 1,
     .kernel = (const void *)sgemm, .launch = launch},
};

int main(int argc, char **argv)
{
    const struct stage stage = {.number = 2, .title = "one warp, sixteen micro-kernels",
                                .tiles = tiles, .ntiles = 1};
    return stage_main(&stage, argc, argv);
}
