/* square_sum.c -- workers that share the blocks of an array. */
#include "kernels/update/square_sum.h"

#include <stdlib.h>

#include "base/mem.h"
#include "kernels/update/update_host.h"

struct squares {
    const float *values;
    size_t count;
    double *blocks; // the sum of each
};

static size_t blocks_of(size_t count)
{
    return (count + DTS_UPDATE_BLOCK - 1) / DTS_UPDATE_BLOCK;
}

static void run_share(void *argument, int worker, int workers)
{
    const struct squares *s = argument;
    size_t first;
    const size_t blocks = dts_share_of(blocks_of(s->count), worker, workers, &first);
    for (size_t b = first; b < first + blocks; b++) {
        const size_t begin = b * DTS_UPDATE_BLOCK, left = s->count - begin;
        s->blocks[b] = dts_update_square(s->values + begin,
                                         left < DTS_UPDATE_BLOCK ? left : DTS_UPDATE_BLOCK);
    }
}

double dts_square_sum(const float *values, size_t count, struct dts_workers *workers)
{
    struct squares s = {values, count, dts_alloc(blocks_of(count) + 1, sizeof(double))};
    double sum = 0;
    dts_workers_run(workers, run_share, &s);
    for (size_t b = 0; b < blocks_of(count); b++)
        sum += s.blocks[b];
    free(s.blocks);
    return sum;
}
