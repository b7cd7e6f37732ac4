// Stage 5: cp.async fills the next tiles while this one is computed.
//
// In stage 4 a block waits for its tiles, computes, and waits again. Here shared
// memory is a ring of slots, a tile of A and one of B in each: copies run SLOTS - 1
// tiles ahead of the computation, past the registers. The fragments run ahead too:
// those of the next k are read while this k is computed, and one barrier a tile is
// left. And no multiprocessor idles at the end: the last tiles of C are shared out
// evenly, by K.
// The price is the ring, care for when a slot may be refilled, and scratch memory.
//
//     make stage5 && ./stage5 [--tile=list|all|NAME] [S | M N K]
#include <cuda_runtime.h>
#include "cp_async.h"
#include "stage.h"

constexpr int PAD = 4;   // added to a row, so that rows start in other banks; 16-byte reads stay aligned
constexpr int GROUP = 8;   // rows of blocks that go side by side through the columns
constexpr int MAX_SHARES = 4096, MIN_SHARE = 20;   // sharing blocks; k-tiles for each of them
constexpr double SLOWER = 0.1, MIN_GAIN = 4e5;   // MIN_GAIN: multiply-adds, some 2 us of a multiprocessor

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

// Starts this thread's copies into a slot: of A one column, of B VEC floats of a row
// at a time. The first `pad` of K, or where !more everything, is filled with zeros,
// which add nothing.
template <int BM, int BN, int BK, int NTHREADS, int VEC>
static __device__ __forceinline__ void copy(slot<BM, BN, BK> *s, const float *const *a_src, int ahead,
                                            const float *b_src, int N, bool more, unsigned pad, unsigned tid)
{
    const unsigned ar = tid / BK, ac = tid % BK, br = tid * VEC / BN, bc = tid * VEC % BN;
#pragma unroll
    for (int i = 0; i < BM * BK / NTHREADS; i++)
        cp_async4(&s->As[ac][ar + i * NTHREADS / BK], a_src[i] + ahead, more && ac >= pad);
#pragma unroll
    for (int r = 0; r < BK; r += NTHREADS * VEC / BN)
        if (VEC == 4)
            cp_async16(&s->Bs[br + r][bc], b_src + (size_t)r * N, more && br + r >= pad);
        else
            cp_async4(&s->Bs[br + r][bc], b_src + (size_t)r * N, more && br + r >= pad);
    cp_async_commit();
}

// Reads the fragments of one k. The thread tile is TM/4 x TN/4 tiles of 4x4, spread over
// the warp tile so that in each the lanes' quads of floats are neighbours.
template <int BM, int BN, int BK, int TM, int TN, int LANES_M, int LANES_N>
static __device__ __forceinline__ void read(float *a, float *b, const slot<BM, BN, BK> *s, int k, int tm, int tn)
{
#pragma unroll
    for (int i = 0; i < TM; i += 4)
        load4(&a[i], &s->As[k][tm + i * LANES_M]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
        load4(&b[j], &s->Bs[k][tn + j * LANES_N]);
}

// A thread's sums, to memory where another block finds them, and from it; threads
// side by side.
template <int TM, int TN, int NTHREADS>
static __device__ __forceinline__ void leave(float *part, const float (*acc)[TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            part[(i * TN + j) * NTHREADS] = acc[i][j];
}

template <int TM, int TN, int NTHREADS>
static __device__ __forceinline__ void add(float (*acc)[TN], const float *part)
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            acc[i][j] += part[(i * TN + j) * NTHREADS];
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLOTS, int BLOCKS, int VEC>
__global__ void __launch_bounds__(BM / TM * (BN / TN), BLOCKS)
sgemm(int M, int N, int K, const float *__restrict__ A,
      const float *__restrict__ B, float *__restrict__ C,
      float *__restrict__ work, int number, int whole, int share)
{
    constexpr int THREADS_X = BN / TN, NTHREADS = BM / TM * THREADS_X;
    constexpr int LANES_M = WM / TM, LANES_N = WN / TN;   // how a warp's lanes tile it
    static_assert(BM % WM == 0 && BN % WN == 0, "warp tiles must cover the block tile");
    static_assert(LANES_M * LANES_N == 32, "thread tiles must cover the warp tile");
    static_assert(LANES_N % 2 == 0, "lanes i and i^1 lie side by side");
    static_assert(TM % 4 == 0 && TN % 4 == 0, "a thread tile is made of 4x4 tiles");
    static_assert(NTHREADS % BK == 0 && BM * BK % NTHREADS == 0, "equal shares of A to copy");
    static_assert(NTHREADS * VEC % BN == 0 && BK * BN % (NTHREADS * VEC) == 0, "and of B");
    static_assert(BK % 2 == 0, "the fragments of k and k + 1 take turns");
    static_assert(SLOTS >= 2, "one slot is read while another is filled");

    extern __shared__ float4 shared[];   // float4: on 16 bytes
    slot<BM, BN, BK> *const ring = (slot<BM, BN, BK> *)shared;   // [SLOTS]

    const int tid = threadIdx.y * THREADS_X + threadIdx.x;
    // Lanes i and i^1 share their rows, lanes i and i^2 their columns: a read in
    // which neighbours want the same 16 bytes takes half the wavefronts.
    const int warp = tid / 32, lane = tid % 32;
    const int tm = warp / (BN / WN) * WM + lane / 2 % LANES_M * 4;
    const int tn = warp % (BN / WN) * WN + (lane / (2 * LANES_M) * 2 + lane % 2) * 4;

    // All k-tiles of all tiles of C, one after another: a block computes from `at` to
    // `end`. That is one tile of C in the first `whole` blocks, and `share` k-tiles in
    // the others, the last block first: so nobody waits for a block that comes later.
    const int blocks_m = (M + BM - 1) / BM, blocks_n = (N + BN - 1) / BN;
    const int ktiles = (K - 1) / BK + 1;   // of a tile of C; one of zeros where K = 0
    const int turn = gridDim.x - 1 - blockIdx.x;
    const bool sharing = (int)blockIdx.x >= whole;
    long long at = sharing ? (long long)whole * ktiles + (long long)turn * share : (long long)blockIdx.x * ktiles;
    const long long end = min(at + (sharing ? share : ktiles), (long long)blocks_m * blocks_n * ktiles);

    while (at < end) {
        // This block's k-tiles of the tile t of C: from `first` to `last` - 1.
        const int t = at / ktiles, first = at % ktiles, last = min((long long)ktiles, first + end - at);
        at += last - first;

        // Blocks go down GROUP rows, then to the next column: those that run together
        // then want the same few tiles of A and B, which L2 holds.
        const int group = t / (GROUP * blocks_n), place = t % (GROUP * blocks_n);
        const int rows = min(GROUP, blocks_m - group * GROUP);
        const int m0 = (group * GROUP + place % rows) * BM;
        const int n0 = place / rows * BN;

        // Rows of A and columns of B outside the matrix are moved back into it: what
        // is computed from them is never stored. To one place, but 4-byte copies of B:
        // of one address they would take turns, a wavefront each; they go round instead.
        // Only the first k-tile may be short, by `pad`, so that the loop needs no edge
        // case; its k0 is then negative, and the copies from before the matrix only
        // fill in zeros.
        const int pad = ktiles * BK - K, k0 = first * BK - pad;
        const float *a_src[BM * BK / NTHREADS];
#pragma unroll
        for (int i = 0; i < BM * BK / NTHREADS; i++)
            a_src[i] = A + (size_t)min(m0 + tid / BK + i * NTHREADS / BK, M - 1) * K + k0 + tid % BK;
        const int n = n0 + tid * VEC % BN;
        const float *b_src = B + (ptrdiff_t)(k0 + tid * VEC / BN) * N
                             + (VEC == 4 ? min(n, N - VEC) : n % N);
        int ahead = 0;   // from k0 to the k-tile to copy next

#pragma unroll
        for (int i = 0; i < SLOTS - 1; i++, ahead += BK, b_src += (size_t)BK * N)
            copy<BM, BN, BK, NTHREADS, VEC>(&ring[i], a_src, ahead, b_src, N, first + i < last,
                                            first + i == 0 ? pad : 0, tid);
        int fill = SLOTS - 1, use = 0;

        float acc[TM][TN] = {};
        float a[2][TM], b[2][TN];   // fragments of this k and of the next
        cp_async_wait(SLOTS - 2);
        __syncthreads();   // everyone's copies of the first tile have landed
        read<BM, BN, BK, TM, TN, LANES_M, LANES_N>(a[0], b[0], &ring[use], 0, tm, tn);

        for (int s = first; s < last; s++) {
            // Past the last tile too, but zeros: a branch here would split the loop
            // into pieces that the compiler cannot overlap.
            copy<BM, BN, BK, NTHREADS, VEC>(&ring[fill], a_src, ahead, b_src, N, s + SLOTS - 1 < last, 0, tid);
            ahead += BK, b_src += (size_t)BK * N;
            fill = fill == SLOTS - 1 ? 0 : fill + 1;

#pragma unroll
            for (int k = 0; k < BK; k++) {
                const int next = (k + 1) % BK;
                if (next == 0) {
                    cp_async_wait(SLOTS - 2);
                    __syncthreads();   // the next tile has landed, and nobody reads this one any more
                    use = use == SLOTS - 1 ? 0 : use + 1;
                }
                read<BM, BN, BK, TM, TN, LANES_M, LANES_N>(a[next % 2], b[next % 2], &ring[use], next, tm, tn);
                // Every second row backwards: the first multiply-add of a row has its
                // b from the last one, and reads a register less.
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
        __syncthreads();   // the ring is free for the next tile of C

        // Of a tile of C that blocks share, all but the one that began it leave their
        // sums in `work` and raise a flag; that one adds them to its own, in order: the
        // next turn goes on where this one ends. A whole tile passes by both.
        volatile int *const flag = (volatile int *)work;   // [MAX_SHARES]
        float *part = work + MAX_SHARES + (size_t)turn * BM * BN + tid;
        if (first > 0) {
            leave<TM, TN, NTHREADS>(part, acc);
            __threadfence();   // the sums are seen before the flag is
            __syncthreads();
            if (tid == 0)
                flag[turn] = number;
            continue;
        }
        for (int done = last, from = turn + 1; done < ktiles; done += share, from++) {
            if (tid == 0)
                while (flag[from] != number) {
                }
            __threadfence();
            __syncthreads();
            part += BM * BN;
            add<TM, TN, NTHREADS>(acc, part);
        }

        // Four bytes at a time: a 16-byte store wants its sums in neighbouring
        // registers, all through the loop above, whatever banks these are in.
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
}

// ---- the last wave

// `whole` blocks get a tile of C each, `shares` blocks `share` k-tiles each.
struct deal {
    int whole, shares, share;
};

template <int BM, int BN, int BK, int SLOTS, int BLOCKS>
static struct deal deal(const struct gemm *g)
{
    // Blocks of a multiprocessor at a time: BLOCKS, or fewer where shared memory is small.
    // 1 KiB of it is kept for each block, so there is 1 KiB more than a block may ask for.
    const int fit = min(BLOCKS, (int)((g->shared + 1024) / (SLOTS * sizeof(slot<BM, BN, BK>) + 1024)));
    const long long tiles = (long long)((g->M + BM - 1) / BM) * ((g->N + BN - 1) / BN);
    const long long ktiles = (g->K - 1) / BK + 1;
    // Rounds of as many tiles as the card computes at once stay whole, all but the last
    // full one: its tiles and those left over are shared out evenly among as many
    // blocks as it computes at once. Or fewer, where the shares would get too small.
    for (int n = fit; n > 0 && n * g->sms <= MAX_SHARES; n--) {   // blocks of a multiprocessor
        const int at_once = n * g->sms;
        const long long shared = tiles < at_once ? tiles : at_once + tiles % at_once;
        const long long share = (shared * ktiles + at_once - 1) / at_once;
        // The k-tiles of the busiest multiprocessor, if nothing is shared, less those if
        // it is. With fewer blocks at a time it computes slower, by SLOWER for each.
        const int most = (shared + g->sms - 1) / g->sms;
        const double gain = most * ktiles * (1 + SLOWER * (n - min(most, fit))) - n * share;
        if (share >= MIN_SHARE && gain * BM * BN * BK >= MIN_GAIN)
            return {.whole = (int)(tiles - shared), .shares = (int)((shared * ktiles + share - 1) / share),
                    .share = (int)share};
    }
    return {.whole = (int)tiles, .shares = 0, .share = 0};
}

// The flags have their place also where nothing is shared: the next tile may share,
// and must not find there what another has left.
template <int BM, int BN, int BK, int SLOTS, int BLOCKS>
static size_t share_floats(const struct gemm *g)
{
    return MAX_SHARES + (size_t)deal<BM, BN, BK, SLOTS, BLOCKS>(g).shares * BM * BN;
}

// ---- rows that start anywhere

// A block copies a row of n floats; `to` and `from` lie between two starts of rows.
static __global__ void move_rows(int n, float *__restrict__ dst, int to, const float *__restrict__ src, int from)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        dst[(size_t)blockIdx.x * to + i] = src[(size_t)blockIdx.x * from + i];
}

static int rounded_up(int N) { return (N + 31) / 32 * 32; }   // to 128 bytes

// Whether B and C are moved to where 16-byte copies are possible, and cheapest: rows
// that start at multiples of 128 bytes. It costs a read and a write of each element,
// so each must be used often: M and K times. It brings what it costs where both are
// about 1800.
static bool moves(const struct gemm *g)
{
    return g->N % 4 != 0 && (double)g->M * g->K >= 900.0 * ((double)g->M + g->K);
}

// The product with the rows of B and C that it is computed with.
static struct gemm moved(const struct gemm *g)
{
    struct gemm wide = *g;
    if (moves(g))
        wide.N = rounded_up(g->N);
    return wide;
}

// ---- launching

// A flag is up when it holds the number of this launch, so that nobody need take it down.
static int launches;

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLOTS, int BLOCKS, int VEC>
static void launch_by(const struct gemm *g)
{
    const int bytes = SLOTS * sizeof(slot<BM, BN, BK>);
    const struct deal d = deal<BM, BN, BK, SLOTS, BLOCKS>(g);
    const dim3 block(BN / TN, BM / TM);
    cudaFuncSetAttribute((const void *)sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, BLOCKS, VEC>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    sgemm<BM, BN, BK, WM, WN, TM, TN, SLOTS, BLOCKS, VEC><<<d.whole + d.shares, block, bytes>>>(
        g->M, g->N, g->K, g->A, g->B, g->C, g->work, ++launches, d.whole, d.share);
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int SLOTS, int BLOCKS>
static void launch(const struct gemm *g)
{
    if (g->N % 4 == 0) {
        launch_by<BM, BN, BK, WM, WN, TM, TN, SLOTS, BLOCKS, 4>(g);
    } else if (!moves(g)) {
        launch_by<BM, BN, BK, WM, WN, TM, TN, SLOTS, BLOCKS, 1>(g);
    } else {
        struct gemm wide = moved(g);
        float *const B = g->work + share_floats<BM, BN, BK, SLOTS, BLOCKS>(&wide);
        wide.B = B, wide.C = B + (size_t)g->K * wide.N;
        move_rows<<<g->K, 256>>>(g->N, B, wide.N, g->B, g->N);
        launch_by<BM, BN, BK, WM, WN, TM, TN, SLOTS, BLOCKS, 4>(&wide);
        move_rows<<<g->M, 256>>>(g->N, g->C, g->N, wide.C, wide.N);
    }
}

template <int BM, int BN, int BK, int SLOTS, int BLOCKS>
static size_t work_floats(const struct gemm *g)
{
    const struct gemm wide = moved(g);
    return share_floats<BM, BN, BK, SLOTS, BLOCKS>(&wide) + (moves(g) ? ((size_t)g->K + g->M) * wide.N : 0);
}

template <int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int SLOTS, int BLOCKS>
static struct tile row(const char *name)
{
    return {.name = name, .BM = BM_, .BN = BN_, .BK = BK_, .WM = WM_, .WN = WN_, .TM = TM_, .TN = TN_,
            .threads_x = BN_ / TN_, .threads_y = BM_ / TM_, .slots = SLOTS,
            .kernel = (const void *)sgemm<BM_, BN_, BK_, WM_, WN_, TM_, TN_, SLOTS, BLOCKS, 4>,
            .shared_bytes = SLOTS * sizeof(slot<BM_, BN_, BK_>),
            .launch = launch<BM_, BN_, BK_, WM_, WN_, TM_, TN_, SLOTS, BLOCKS>,
            .work_floats = work_floats<BM_, BN_, BK_, SLOTS, BLOCKS>};
}

// The names: block tile, and thread tile. BLOCKS, the last number, is how many are to run
// on a multiprocessor at a time, and the compiler leaves each of them registers for that:
// 8 to 12 warps hide the latencies, more would have too few. (Where it takes fewer than
// it may, more blocks fit than that.)
static const struct tile tiles[] = {
    // BM BN BK  WM  WN  TM TN  SLOTS BLOCKS
    row<16, 128, 32, 16, 32, 4, 4, 3, 3>("16x128x32-4x4"),
    row<32, 64, 16, 16, 32, 4, 4, 4, 3>("32x64x16-4x4"),
    row<32, 128, 16, 32, 32, 8, 4, 4, 3>("32x128x16-8x4"),
    row<64, 64, 16, 32, 64, 16, 4, 4, 4>("64x64x16-16x4"),      // the notes' gemm_tiled_test
    row<64, 64, 16, 32, 64, 8, 8, 3, 4>("64x64x16-8x8"),
    row<64, 128, 16, 32, 64, 8, 8, 4, 3>("64x128x16-8x8"),
    row<128, 128, 32, 64, 64, 16, 8, 2, 2>("128x128x32-16x8"),  // the notes' 64x64 warp tiles
    row<128, 256, 16, 64, 64, 16, 8, 3, 1>("128x256x16-16x8"),
};

// The rows that choose takes, by place: a new one goes to the end.
enum { FLAT = 0, SMALL = 1, NARROW = 4, MEDIUM = 5, LARGE = 7 };

// Elements that a tile's blocks cover, outside C too.
static double covered(const struct gemm *g, const struct tile *t)
{
    return (double)((g->M + t->BM - 1) / t->BM * t->BM) * ((g->N + t->BN - 1) / t->BN * t->BN);
}

// The larger the tile, the fewer bytes and reads a multiply-add. But where C is small,
// it would have few tiles, and many parts to add up for each. The largest leaves a
// multiprocessor a single block, so it must fill most of the card, and its edges must
// not cover much that is outside C; as nobody computes while that block starts and
// stores, K must be long if there are several, one after the other; and rows of B must
// start where lines of 128 bytes do, as its few warps hide less of slower copies. And
// where a multiprocessor's part is a few million multiply-adds, a block's start and end
// weigh more.
static int choose(const struct gemm *g)
{
    const struct tile *large = &tiles[LARGE];
    const double blocks = covered(g, large) / (large->BM * large->BN);
    if (g->M <= 16)
        return FLAT;
    if ((double)g->M * g->N <= 1e5)
        return SMALL;
    if (g->N <= 64)
        return NARROW;
    if (blocks >= 0.75 * g->sms && (blocks <= g->sms || g->K >= 768) &&
        covered(g, large) <= 1.025 * covered(g, &tiles[MEDIUM]) && moved(g).N % 32 == 0 &&
        large->shared_bytes <= g->shared)
        return LARGE;
    return (double)g->M * g->N * g->K >= 2e6 * g->sms ? MEDIUM : SMALL;
}

int main(int argc, char **argv)
{
    const struct stage stage = {.number = 5, .title = "cp.async fills a ring of tiles ahead",
                                .tiles = tiles, .ntiles = sizeof tiles / sizeof tiles[0],
                                .choose = choose, .wants_sm = 80,
                                .below = "no cp.async below sm_80: tiles are copied synchronously"};
    return stage_main(&stage, argc, argv);
}
