/* guard.c -- a mutex for rooms that have no threads of their own. */
#include "live/guard.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct dts_guard {
    pthread_mutex_t lock;
};

struct dts_guard *dts_guard_new(void)
{
    struct dts_guard *guard = dts_alloc(1, sizeof(*guard));
    pthread_mutex_init(&guard->lock, NULL);
    return guard;
}

void dts_guard_free(struct dts_guard *guard)
{
    if (guard == NULL)
        return;
    pthread_mutex_destroy(&guard->lock);
    free(guard);
}

void dts_guard_enter(struct dts_guard *guard)
{
    pthread_mutex_lock(&guard->lock);
}

void dts_guard_leave(struct dts_guard *guard)
{
    pthread_mutex_unlock(&guard->lock);
}
