/* workers.c -- a pool of threads that waits for runs. */
#include <cblas.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/workers.h"

struct dts_workers {
    int count;
    pthread_t *threads; // owned; count - 1
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    unsigned long round; // of the run that goes on
    int busy;            // threads that still work at it
    int started;         // threads that have taken their number
    bool stop;
    void (*part)(void *argument, int worker, int workers);
    void *argument;
};

static void *serve(void *handle)
{
    struct dts_workers *w = handle;
    pthread_mutex_lock(&w->lock);
    const int self = ++w->started;
    unsigned long seen = 0;
    for (;;) {
        while (w->round == seen && !w->stop)
            pthread_cond_wait(&w->begin, &w->lock);
        if (w->stop)
            break;
        seen = w->round;
        pthread_mutex_unlock(&w->lock);
        w->part(w->argument, self, w->count);
        pthread_mutex_lock(&w->lock);
        if (--w->busy == 0)
            pthread_cond_signal(&w->end);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct dts_workers *dts_workers_new(int threads)
{
    struct dts_workers *w = dts_alloc(1, sizeof(*w));
    openblas_set_num_threads(1);
    w->threads = dts_alloc((size_t)threads, sizeof(*w->threads));
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->begin, NULL);
    pthread_cond_init(&w->end, NULL);
    for (w->count = 1; w->count < threads; w->count++)
        if (pthread_create(&w->threads[w->count - 1], NULL, serve, w) != 0)
            break; // fewer threads: slower, not wrong
    return w;
}

void dts_workers_free(struct dts_workers *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->begin);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->count - 1; i++)
        pthread_join(w->threads[i], NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->begin);
    pthread_cond_destroy(&w->end);
    free(w->threads);
    free(w);
}

int dts_workers_count(const struct dts_workers *w)
{
    return w != NULL ? w->count : 1;
}

void dts_workers_run(struct dts_workers *w,
                     void (*part)(void *argument, int worker, int workers), void *argument)
{
    if (w == NULL || w->count == 1) {
        part(argument, 0, 1);
        return;
    }
    pthread_mutex_lock(&w->lock);
    w->part = part;
    w->argument = argument;
    w->busy = w->count - 1;
    w->round++;
    pthread_cond_broadcast(&w->begin);
    pthread_mutex_unlock(&w->lock);
    part(argument, 0, w->count);
    pthread_mutex_lock(&w->lock);
    while (w->busy > 0)
        pthread_cond_wait(&w->end, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

size_t dts_share_of(size_t count, int worker, int workers, size_t *first)
{
    const size_t n = (size_t)workers, i = (size_t)worker;
    const size_t each = count / n, rest = count % n;
    *first = i * each + (i < rest ? i : rest);
    return each + (i < rest ? 1 : 0);
}
