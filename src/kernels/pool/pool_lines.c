/* pool_lines.c -- the lines of windowed pools: how long, and where. */
#include "kernels/pool/pool_lines.h"

#include "kernels/pool/pool_wide.h"

enum { LANES = 16, ARRAYS = 4 };

static size_t round_up(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* Of a worker, and two cache lines between workers: one is fetched with its neighbour. */
static size_t room_of(const struct dts_pool_lines *l)
{
    return ARRAYS * l->values + 2 * LANES;
}

struct dts_pool_lines dts_pool_lines_of(const struct dts_pool *pool, void *scratch, int worker)
{
    const size_t stride = (size_t)pool->stride[DTS_POOL_LAST];
    const size_t inside = (size_t)(pool->before[DTS_POOL_LAST] + pool->in[DTS_POOL_LAST]);
    struct dts_pool_lines l = {.windows = round_up((size_t)pool->out[DTS_POOL_LAST]),
                               .begins = round_up((inside + stride - 1) / stride)};
    const size_t most = (l.begins > l.windows ? l.begins : l.windows) + 1;
    l.values = round_up(most * stride + (size_t)pool->kernel[DTS_POOL_LAST]);
    for (int i = 0; i < ARRAYS && scratch != NULL; i++)
        l.array[i] = (float *)scratch + (size_t)worker * room_of(&l) + (size_t)i * l.values;
    return l;
}

size_t dts_pool_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_pool pool = dts_pool_of(call, batch);
    const struct dts_pool_lines l = dts_pool_lines_of(&pool, NULL, 0);
    return (size_t)workers *
           (dts_pool_is_wide(&pool) ? dts_pool_wide_room(&pool) : room_of(&l) * sizeof(float));
}
