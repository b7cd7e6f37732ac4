// Stage 4: block > warp > thread: every level of the machine has its tile.
//
// A thread's 4x4 tile needs 8 shared reads for 16 multiply-adds; a 16x8 tile needs
// 24 for 128. So the thread tiles grow, the warp arranges its 32 threads so that
// their reads fall together, and the tile sizes become parameters: a table of
// shapes, of which one suits the matrix at hand.
// The price is registers, and a block so large that few of them fill the card.
//
//     make stage4 && ./stage4 [--tile=list|all|NAME] [S | M N K]
#include <cuda_runtime.h>
#include "stage.h"

constexpr int PAD = 4;   // added to a row, so that rows start in other banks; 16-byte reads stay aligned

// Four neighbours in one shared read.
static __device__ __forceinline__ void load4(float *r, const float *s)
{
    const float4 v = *(const float4 *)s;
    r[0] = v.x, r[1] = v.y, r[2] = v.z, r[3] = v.w;
}

// Registers a thread may use: all that it can have, where its sums alone take half of them.
constexpr int registers(int TM, int TN) { return TM * TN > 64 ? 255 : 128; }
constexpr int REGISTERS = 65536;   // of a multiprocessor

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
__global__ void __launch_bounds__(BM / TM * (BN / TN), REGISTERS / (BM / TM * (BN / TN) * registers(TM, TN)))
sgemm(int M, int N, int K, const float *__restrict__ A,
      const float *__restrict__ B, float *__restrict__ C)
{
    constexpr int THREADS_X = BN / TN, NTHREADS = BM / TM * THREADS_X;
    constexpr int LANES_M = WM / TM, LANES_N = WN / TN;   // how a warp's lanes tile it
    static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles must cover the block tile");
    static_assert(LANES_M * LANES_N == 32, "thread tiles must cover the warp tile");
    static_assert(LANES_N % 2 == 0, "lanes i and i^1 lie side by side");
    static_assert(TM % 4 == 0 && TN % 4 == 0, "a thread tile is made of 4x4 tiles");
    static_assert(NTHREADS % BK == 0 && BM * BK % NTHREADS == 0, "equal shares of A to copy");
    static_assert(NTHREADS % BN == 0 && BK * BN % NTHREADS == 0, "and of B");

    alignas(16) __shared__ float As[BK][BM + PAD];   // (BK, BM): a column of A is a row here
    alignas(16) __shared__ float Bs[BK][BN];         // (BK, BN)

    const int blocks_n = (N + BN - 1) / BN;
    const int m0 = blockIdx.x / blocks_n * BM;
    const int n0 = blockIdx.x % blocks_n * BN;
    const int tid = threadIdx.y * THREADS_X + threadIdx.x;

    // Lanes i and i^1 share their rows, lanes i and i^2 their columns: a read in
    // which neighbours want the same 16 bytes takes half the wavefronts.
    const int warp = tid / 32, lane = tid % 32;
    const int tm = warp / (BN / WN) * WM + lane / 2 % LANES_M * 4;
    const int tn = warp % (BN / WN) * WN + (lane / (2 * LANES_M) * 2 + lane % 2) * 4;

    // The thread tile is TM/4 x TN/4 tiles of 4x4, spread over the warp tile so
    // that in each the lanes' quads of floats are neighbours in shared memory.
    float acc[TM][TN] = {};

    // A thread loads the same place of every tile: rows ar + i * ROWS_A of column
    // ac of A, rows br + i * ROWS_B of column bc of B.
    constexpr int ROWS_A = NTHREADS / BK, ROWS_B = NTHREADS / BN;
    const int ar = tid / BK, ac = tid % BK, br = tid / BN, bc = tid % BN;
    const float *a_src = A + (size_t)(m0 + ar) * K + ac, *b_src = B + (size_t)br * N + n0 + bc;

    for (int k0 = 0; k0 < K; k0 += BK) {
        // Neighbouring threads load neighbouring elements, so that a warp's
        // loads fall into few sectors. Outside the matrix the tile holds zeros,
        // which add nothing: the loops below need no edge case.
#pragma unroll 8   // loads under way at a time, each in a register
        for (int i = 0; i < BM / ROWS_A; i++) {
            const bool inside = m0 + ar + i * ROWS_A < M && k0 + ac < K;
            As[ac][ar + i * ROWS_A] = inside ? a_src[(size_t)(i * ROWS_A) * K] : 0.0f;
        }
#pragma unroll 8
        for (int i = 0; i < BK / ROWS_B; i++) {
            const bool inside = k0 + br + i * ROWS_B < K && n0 + bc < N;
            Bs[br + i * ROWS_B][bc] = inside ? b_src[(size_t)(i * ROWS_B) * N] : 0.0f;
        }
        a_src += BK, b_src += (size_t)BK * N;
        __syncthreads();   // nobody reads before both tiles are whole

#pragma unroll
        for (int k = 0; k < BK; k++) {
            float a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i += 4)
                load4(&a[i], &As[k][tm + i * LANES_M]);
#pragma unroll
            for (int j = 0; j < TN; j += 4)
                load4(&b[j], &Bs[k][tn + j * LANES_N]);
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
        }
        __syncthreads();   // nobody refills before everyone has read
    }

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

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN>
static void launch(const struct gemm *g)
{
    const dim3 block(BN / TN, BM / TM);
    const unsigned blocks = (unsigned)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    sgemm<BM, BN, BK, WM, WN, TM, TN><<<blocks, block>>>(g->M, g->N, g->K, g->A, g->B, g->C);
}

template <int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_>
static struct tile row(const char *name)
{
    return {.name = name, .BM = BM_, .BN = BN_, .BK = BK_, .WM = WM_, .WN = WN_, .TM = TM_, .TN = TN_,
            .threads_x = BN_ / TN_, .threads_y = BM_ / TM_, .slots = 1,
            .kernel = (const void *)sgemm<BM_, BN_, BK_, WM_, WN_, TM_, TN_>,
            .launch = launch<BM_, BN_, BK_, WM_, WN_, TM_, TN_>};
}

// The names: block tile, and thread tile.
static const struct tile tiles[] = {
    // BM BN BK  WM  WN  TM TN
    row<32, 32, 32, 16, 32, 4, 4>("32x32x32-4x4"),
    row<64, 64, 16, 16, 32, 4, 4>("64x64x16-4x4"),
    row<64, 64, 16, 32, 32, 8, 4>("64x64x16-8x4"),
    row<64, 64, 16, 32, 64, 16, 4>("64x64x16-16x4"),       // the notes' gemm_tiled_test
    row<128, 128, 16, 32, 64, 8, 8>("128x128x16-8x8"),
    row<128, 128, 32, 64, 64, 16, 8>("128x128x32-16x8"),   // the notes' 64x64 warp tiles
};

// The rows that choose takes, by place: a new one goes to the end.
enum { NARROW = 0, SMALL = 2, LARGE = 4 };

// A large tile does more multiply-adds for each byte and each read; but it must give
// every multiprocessor a block, or better two, that take turns at waiting, and not
// stick out far where C is narrow.
static int choose(const struct gemm *g)
{
    const struct tile *large = &tiles[LARGE];
    const double blocks = (double)((g->M + large->BM - 1) / large->BM) * ((g->N + large->BN - 1) / large->BN);
    const int narrow = g->M < g->N ? g->M : g->N;
    if (blocks < 1.5 * g->sms)
        return SMALL;
    return narrow <= 32 ? NARROW : narrow <= 64 ? SMALL : LARGE;
}

int main(int argc, char **argv)
{
    const struct stage stage = {.number = 4, .title = "block, warp and thread tiles",
                                .tiles = tiles, .ntiles = sizeof tiles / sizeof tiles[0],
                                .choose = choose};
    return stage_main(&stage, argc, argv);
}
