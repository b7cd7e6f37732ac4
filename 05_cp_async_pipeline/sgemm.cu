// Stage 5: cp.async fills the next tiles while this one is computed.
//
// In stage 4 a block waits for its tiles, computes, and waits again. Here shared
// memory is a ring of slots, each with a tile of A and one of B: copies run ahead
// of the computation by SLOTS - 1 tiles, past the registers. The fragments run
// ahead too: those of the next k are read while this k is computed, and one barrier
// a tile is left.
// The price is the ring's shared memory, and care for when a slot may be refilled.
//
//     make stage5 && ./stage5 [--tile=list|all|NAME] [S | M N K]
#include <cuda_runtime.h>
#include "cp_async.h"
#include "stage.h"

constexpr int PAD = 4;     // a row more, so that rows start in other banks; keeps 16-byte reads aligned
constexpr int GROUP = 8;   // rows of blocks that run together, and share B's tiles in L2

template <int BM, int BN, int BK>
struct slot {
    float As[BK][BM + PAD];   // (BK, BM): a column of A is a row here
    float Bs[BK][BN];         // (BK, BN)
};

// Four neighbours in one shared read.
static __device__ __forceinline__ void load4(float *r, const float *s)
{
    const float4 v = *(const float4 *)s;
    r[0] = v.x, r[1] = v.y, r[2] = v.z, r[3] = v.w;
}

// Starts the copies of the tiles at k0 into a slot; VEC floats of B at a time.
// Beyond K they fill zeros, which add nothing. Rows of A and columns of B outside
// the matrix are moved back into it: what is computed from them is never stored.
template <int BM, int BN, int BK, int NTHREADS, int VEC>
static __device__ __forceinline__ void copy(slot<BM, BN, BK> *s, int M, int N, int K, const float *A,
                                            const float *B, int m0, int n0, int k0, int tid)
{
#pragma unroll
    for (int e = tid; e < BM * BK; e += NTHREADS) {
        const int r = e / BK, c = e % BK;
        cp_async4(&s->As[c][r], &A[(size_t)min(m0 + r, M - 1) * K + k0 + c], c < K - k0);
    }
#pragma unroll
    for (int e = tid * VEC; e < BK * BN; e += NTHREADS * VEC) {
        const int r = e / BN, c = e % BN;
        const float *src = &B[(size_t)(k0 + r) * N + min(n0 + c, N - VEC)];
        if (VEC == 4)
            cp_async16(&s->Bs[r][c], src, r < K - k0);
        else
            cp_async4(&s->Bs[r][c], src, r < K - k0);
    }
    cp_async_commit();
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLOTS, int VEC>
__global__ void __launch_bounds__(BM / TM * (BN / TN))
sgemm(int M, int N, int K, const float *__restrict__ A,
      const float *__restrict__ B, float *__restrict__ C)
{
    constexpr int THREADS_X = BN / TN, NTHREADS = BM / TM * THREADS_X;
    constexpr int LANES_M = WM / TM, LANES_N = WN / TN;   // how a warp's lanes tile it
    static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles must cover the block tile");
    static_assert(LANES_M * LANES_N == 32, "thread tiles must cover the warp tile");
    static_assert(TM % 4 == 0 && TN % 4 == 0, "a thread tile is made of 4x4 tiles");
    static_assert(BM * BK % NTHREADS == 0 && BK * BN % (NTHREADS * VEC) == 0, "equal shares to copy");
    static_assert(BK % 2 == 0, "the fragments of k and k + 1 take turns");

    extern __shared__ float4 shared[];
    slot<BM, BN, BK> *const ring = (slot<BM, BN, BK> *)shared, *const last = ring + SLOTS - 1;

    // Blocks go down GROUP rows, then to the next column: those that run together
    // then want the same few tiles of A and B, which L2 holds.
    const int blocks_m = (M + BM - 1) / BM, blocks_n = (N + BN - 1) / BN;
    const int group = blockIdx.x / (GROUP * blocks_n), place = blockIdx.x % (GROUP * blocks_n);
    const int rows = min(GROUP, blocks_m - group * GROUP);
    const int m0 = (group * GROUP + place % rows) * BM;
    const int n0 = place / rows * BN;
    const int tid = threadIdx.y * THREADS_X + threadIdx.x;

    // Lanes i and i^1 share their rows, lanes i and i^2 their columns: a read in
    // which neighbours want the same 16 bytes takes half the wavefronts.
    const int warp = tid / 32, lane = tid % 32;
    const int tm = warp / (BN / WN) * WM + lane / 2 % LANES_M * 4;
    const int tn = warp % (BN / WN) * WN + (lane / (2 * LANES_M) * 2 + lane % 2) * 4;

    // The thread tile is TM/4 x TN/4 tiles of 4x4, spread over the warp tile so
    // that in each the lanes' quads of floats are neighbours in shared memory.
    float acc[TM][TN] = {};
    float a[2][TM], b[2][TN];   // fragments of this k and of the next

    slot<BM, BN, BK> *fill = ring, *use = ring;
    for (; fill < last; fill++)
        copy<BM, BN, BK, NTHREADS, VEC>(fill, M, N, K, A, B, m0, n0, (int)(fill - ring) * BK, tid);

    cp_async_wait(SLOTS - 2);
    __syncthreads();   // everyone's copies of the first tile have landed
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load4(&a[0][i], &use->As[0][tm + i * LANES_M]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load4(&b[0][j], &use->Bs[0][tn + j * LANES_N]);

    for (int k0 = 0; k0 < K; k0 += BK) {
        // Beyond K too: a branch around the copies would cost more than they do.
        copy<BM, BN, BK, NTHREADS, VEC>(fill, M, N, K, A, B, m0, n0, k0 + (SLOTS - 1) * BK, tid);
        fill = fill == last ? ring : fill + 1;

#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                cp_async_wait(SLOTS - 2);
                __syncthreads();   // the next tile has landed, and nobody reads this one any more
                use = use == last ? ring : use + 1;
            }
            const int next = (k + 1) % BK;
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                load4(&a[next % 2][i], &use->As[next][tm + i * LANES_M]);
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                load4(&b[next % 2][j], &use->Bs[next][tn + j * LANES_N]);
            // Every second row backwards: the first multiply-add of a row takes
            // its b from the last one's, and reads one register less.
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int jj = 0; jj < TN; jj++) {
                    const int j = i % 2 ? TN - 1 - jj : jj;
                    acc[i][j] = fmaf(a[k % 2][i], b[k % 2][j], acc[i][j]);
                }
        }
    }
    cp_async_wait(0);

#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int m = m0 + tm + i / 4 * 4 * LANES_M + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j++) {
            const int n = n0 + tn + j / 4 * 4 * LANES_N + j % 4;
            if (m < M && n < N)
                C[(size_t)m * N + n] = acc[i][j];
        }
    }
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLOTS>
static void launch(const struct gemm *g)
{
    const int bytes = SLOTS * sizeof(slot<BM, BN, BK>);
    const dim3 block(BN / TN, BM / TM);
    const unsigned blocks = (unsigned)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    if (g->N % 4 == 0) {
        cudaFuncSetAttribute((const void *)sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, 4>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, 4><<<blocks, block, bytes>>>(g->M, g->N, g->K, g->A, g->B, g->C);
    } else {
        cudaFuncSetAttribute((const void *)sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, 1>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, 1><<<blocks, block, bytes>>>(g->M, g->N, g->K, g->A, g->B, g->C);
    }
}

template <int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int SLOTS>
static struct tile row(const char *name)
{
    return {.name = name, .BM = BM_, .BN = BN_, .BK = BK_, .WM = WM_, .WN = WN_, .TM = TM_, .TN = TN_,
            .threads_x = BN_ / TN_, .threads_y = BM_ / TM_, .slots = SLOTS,
            .kernel = (const void *)sgemm<BM_, BN_, BK_, WM_, WN_, TM_, TN_, SLOTS, 4>,
            .shared_bytes = SLOTS * sizeof(slot<BM_, BN_, BK_>),
            .launch = launch<BM_, BN_, BK_, WM_, WN_, TM_, TN_, SLOTS>};
}

// The names: block tile, and thread tile.
static const struct tile tiles[] = {
    row<32, 32, 32, 16, 32, 4, 4, 3>("32x32x32-4x4"),
    row<64, 64, 16, 16, 32, 4, 4, 4>("64x64x16-4x4"),
    row<64, 64, 16, 32, 32, 8, 4, 4>("64x64x16-8x4"),
    row<64, 64, 16, 32, 64, 16, 4, 4>("64x64x16-16x4"),       // the notes' gemm_tiled_test
    row<64, 128, 16, 32, 32, 8, 4, 4>("64x128x16-8x4"),
    row<128, 128, 16, 32, 64, 8, 8, 3>("128x128x16-8x8"),
    row<128, 128, 32, 64, 64, 16, 8, 2>("128x128x32-16x8"),   // the notes' 64x64 warp tiles
    row<128, 256, 16, 64, 64, 16, 8, 3>("128x256x16-16x8"),
};

// Large tiles do more multiply-adds a byte, but a card is filled only by a block
// a multiprocessor: the largest tile that still gives nearly that many.
static int choose(const struct gemm *g)
{
    for (int t = 7; t > 0; t--) {
        const long blocks = (long)((g->M + tiles[t].BM - 1) / tiles[t].BM) *
                            ((g->N + tiles[t].BN - 1) / tiles[t].BN);
        if (blocks >= g->sms * 7 / 8)
            return t;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct stage stage = {.number = 5, .title = "cp.async fills a ring of tiles ahead",
                                .tiles = tiles, .ntiles = sizeof tiles / sizeof tiles[0],
                                .choose = choose, .wants_sm = 80,
                                .below = "no cp.async below sm_80: tiles are copied synchronously"};
    return stage_main(&stage, argc, argv);
}
