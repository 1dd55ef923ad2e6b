/* update.c -- the table of updates, and what their host versions share. */
#include <string.h>

#include "ops/update.h"
#include "ops/update_host.h"

extern const struct dts_update dts_update_sgd;
extern const struct dts_update dts_update_momentum;
extern const struct dts_update dts_update_nesterov;

const struct dts_update *const dts_updates[] = {
    &dts_update_sgd,
    &dts_update_momentum,
    &dts_update_nesterov,
    NULL,
};

const struct dts_update *dts_update_find(const char *name)
{
    for (int i = 0; dts_updates[i] != NULL; i++)
        if (strcmp(dts_updates[i]->name, name) == 0)
            return dts_updates[i];
    return NULL;
}

size_t dts_update_state_values(const struct dts_update *update, size_t count)
{
    return (size_t)update->states * count + (size_t)update->scalars;
}

/* A block of the tensor, whose squares one worker adds. */
enum { BLOCK = 4096, LANES = 16 };

static size_t blocks_of(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

size_t dts_update_scratch_bytes(const struct dts_update *update, size_t count)
{
    return update->norms ? 2 * blocks_of(count) * sizeof(double) : 0;
}

struct each {
    dts_update_part *part;
    const struct dts_update_settings *settings;
    const struct dts_update_arrays *arrays;
    const double *factors;
};

static void run_share(void *argument, int worker, int workers)
{
    const struct each *each = argument;
    size_t first;
    const size_t bands = dts_share_of(blocks_of(each->arrays->count), worker, workers, &first);
    const size_t begin = first * BLOCK, end = (first + bands) * BLOCK;
    const size_t count = each->arrays->count;
    if (begin < count)
        each->part(each->settings, each->arrays, each->factors, begin,
                   end < count ? end : count);
}

void dts_update_each(dts_update_part *part, const struct dts_update_settings *settings,
                     const struct dts_update_arrays *arrays, const double *factors,
                     struct dts_workers *workers)
{
    struct each each = {part, settings, arrays, factors};
    dts_workers_run(workers, run_share, &each);
}
