#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct loop {
    atomic_long next;
    long n;
    void (*body)(void *arg, long i);
    void *arg;
};

static void *work(void *p)
{
    struct loop *loop = p;
    for (long i; (i = atomic_fetch_add(&loop->next, 1)) < loop->n;)
        loop->body(loop->arg, i);
    return NULL;
}

void parallel_for(long n, void (*body)(void *arg, long i), void *arg)
{
    struct loop loop = {.n = n, .body = body, .arg = arg};
    pthread_t threads[MAX_THREADS];
    long want = sysconf(_SC_NPROCESSORS_ONLN);
    if (want > MAX_THREADS)
        want = MAX_THREADS;
    if (want > n)
        want = n;

    // The caller works too, so a thread that cannot start only costs time.
    int started = 0;
    while (started < want - 1 && pthread_create(&threads[started], NULL, work, &loop) == 0)
        started++;
    work(&loop);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
