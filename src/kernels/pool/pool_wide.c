/* pool_wide.c -- what a worker has for windows by vectors, and lines at the ends of an array.
 */
#include "kernels/pool/pool_wide.h"

#include "kernels/vector/made.h"

enum { TWO_LINES = 32 }; // floats: a cache line is fetched with its neighbour

static size_t longest(const struct dts_pool *pool, int axis)
{
    return (size_t)(pool->in[axis] > pool->out[axis] ? pool->in[axis] : pool->out[axis]);
}

/* Of a line with its sides; the arrays of a worker begin so far apart. */
static size_t line_values(const struct dts_pool *pool)
{
    return (longest(pool, DTS_POOL_LAST) + 2 * DTS_POOL_SIDE + TWO_LINES) / TWO_LINES *
           TWO_LINES;
}

/* inside, share, copies and the line of what is made. */
enum { ARRAYS = 2 + DTS_POOL_MOST + 1 };

size_t dts_pool_wide_room(const struct dts_pool *pool)
{
    const size_t floats = ARRAYS * line_values(pool) + DTS_MADE_SOME + TWO_LINES;
    const size_t rows = longest(pool, 1) * DTS_POOL_ROW_BYTES / sizeof(float);
    return (floats + rows / TWO_LINES * TWO_LINES + TWO_LINES) * sizeof(float);
}

struct dts_pool_wide dts_pool_wide_of(const struct dts_pool *pool, struct dts_pool_array array,
                                      void *scratch, int worker)
{
    float *floats = (float *)((char *)scratch + (size_t)worker * dts_pool_wide_room(pool));
    const size_t line = line_values(pool);
    int32_t *inside = (int32_t *)floats + DTS_POOL_SIDE;
    memset(floats, 0, 2 * line * sizeof(*floats));
    for (int i = 0; i < array.length; i++)
        inside[i] = -1;
    return (struct dts_pool_wide){
        .array = array,
        .inside = inside,
        .share = floats + line + DTS_POOL_SIDE,
        .copy = floats + 2 * line,
        .made = floats + (2 + DTS_POOL_MOST) * line,
        .rows = floats + ARRAYS * line + DTS_MADE_SOME,
    };
}

const float *dts_pool_copied(const struct dts_pool_wide *wide, size_t at, int count,
                             size_t *step)
{
    const size_t length = (size_t)wide->array.length;
    *step = length + 2 * DTS_POOL_SIDE;
    for (int r = 0; r < count; r++)
        memcpy(wide->copy + DTS_POOL_SIDE + (size_t)r * *step,
               wide->array.values + at + (size_t)r * length, length * sizeof(float));
    return wide->copy + DTS_POOL_SIDE;
}
