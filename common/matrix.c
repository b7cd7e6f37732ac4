#include "matrix.h"

#include <math.h>
#include <string.h>
#include "parallel.h"

const char *const fill_names[FILLS] = {"random", "integer", "notes", "special"};

enum { CHUNK = 1 << 16 };

struct job {
    float *X;
    size_t n;
    enum fill fill;
    uint64_t key;     // differs between A and B
    int limit;        // integers lie in [-limit, limit], none is 0
    int modulus;      // the notes' sequence: (i % modulus) * step
    float step;
};

// splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
// 2014): the i-th output without the ones before, so threads need no order.
static uint64_t random_bits(uint64_t key, uint64_t i)
{
    uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static float element(const struct job *job, size_t i)
{
    const uint64_t bits = random_bits(job->key, i);
    switch (job->fill) {
    case FILL_NOTES:
        return (float)(i % job->modulus) * job->step;
    case FILL_INTEGER:
        // no zero: it would hide that its term is lost
        return (float)((int)(bits >> 32) % job->limit + (bits >> 63 ? -1 : 1));
    case FILL_SPECIAL:
        if (bits % 16 == 0)
            return bits & 16 ? -0.0f : 1e-41f;
        break;
    case FILL_RANDOM:
    case FILLS:
        break;
    }
    return (float)((int)(bits >> 40) - (1 << 23)) * 0x1p-23f;
}

static void fill_chunk(void *arg, long chunk)
{
    const struct job *job = arg;
    const size_t end = (size_t)(chunk + 1) * CHUNK;
    for (size_t i = (size_t)chunk * CHUNK; i < end && i < job->n; i++)
        job->X[i] = element(job, i);
}

static void fill(struct job *job)
{
    parallel_for((long)((job->n + CHUNK - 1) / CHUNK), fill_chunk, job);
}

// One of each at places that move with the seed: the last element, beside the
// zero padding of every tile, gets its turn. Where two meet, the later one stays.
static void sprinkle(float *X, size_t n, const float *values, int count, uint64_t key)
{
    for (int v = 0; v < count && n > 0; v++) {
        const uint64_t bits = random_bits(~key, (uint64_t)v);
        X[bits % 4 == 0 ? n - 1 : (bits >> 8) % n] = values[v];
    }
}

void matrix_fill(float *A, float *B, int M, int N, int K, enum fill how, uint64_t seed)
{
    // limit^2 * K <= 2^24: then every partial sum is an integer fp32 holds.
    int limit = K > 0 ? (int)sqrt(0x1p24 / K) : 8;
    limit = limit > 8 ? 8 : limit < 1 ? 1 : limit;
    struct job a = {A, (size_t)M * K, how, random_bits(seed, 0), limit, 7, 0.1f};
    struct job b = {B, (size_t)K * N, how, random_bits(seed, 1), limit, 5, 0.2f};
    fill(&a);
    fill(&b);
    if (how == FILL_SPECIAL) {
        // 1e38 in A alone: two of them would meet in a product beyond fp32.
        const float values[] = {NAN, INFINITY, -INFINITY, 1e38f};
        sprinkle(A, a.n, values, 4, a.key);
        sprinkle(B, b.n, values, 3, b.key);
    }
}

uint64_t matrix_checksum(const float *X, size_t n)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = 0x7fc00000;   // any NaN: its payload is nobody's promise
        if (!isnan(X[i]))
            memcpy(&bits, &X[i], sizeof bits);
        sum = (sum ^ bits) * 0x100000001b3u;
    }
    return sum;
}
