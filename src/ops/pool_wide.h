/* pool_wide.h -- windowed pools over images, many windows of a line at once: the usual ones are
 * computed in registers, straight from the lines of the image; the few at its sides one by one
 * (means, whose lines are so long that whole vectors lie inside) or by masks (largest, also on
 * lines of fewer windows than a vector holds). What memory gives next is fetched early: lines
 * are read by more than one window, and no processor looks ahead then.
 */
#ifndef DTS_OPS_POOL_WIDE_H
#define DTS_OPS_POOL_WIDE_H

#include "ops/fetch.h"
#include "ops/lanes.h"
#include "ops/pool_lines.h"

enum {
    DTS_POOL_MOST = 3,     // values of a usual window along an axis, and windows over a value
    DTS_POOL_AHEAD = 1024, // values of the image that are fetched ahead: 4 KiB
};

/* [first, end) of a line, that vectors do; those before and behind are done one by one. */
struct dts_pool_middle {
    int first, end;
};

/* The windows that lie inside. */
static inline struct dts_pool_middle dts_pool_inside(const struct dts_pool *pool)
{
    const int stride = pool->stride[DTS_POOL_LAST], before = pool->before[DTS_POOL_LAST];
    const int room = pool->in[DTS_POOL_LAST] + before - pool->kernel[DTS_POOL_LAST];
    const int end = room < 0 ? 0 : room / stride + 1, out = pool->out[DTS_POOL_LAST];
    return (struct dts_pool_middle){(before + stride - 1) / stride, end < out ? end : out};
}

/* An image, and a window that has loops of its own in DTS_POOL_WIDE. */
static inline bool dts_pool_is_usual(const struct dts_pool *pool)
{
    const int kernel = pool->kernel[DTS_POOL_LAST], stride = pool->stride[DTS_POOL_LAST];
    const bool image = pool->in[0] == 1 && pool->out[0] == 1 && pool->kernel[0] == 1;
    const bool few = pool->kernel[1] <= DTS_POOL_MOST * pool->stride[1];
    return image && few && pool->kernel[1] <= DTS_POOL_MOST &&
           ((kernel == 3 && stride <= 2) || (kernel == 2 && stride == 2));
}

/* FUNCTION(..., rows, kernel, stride) with constants: of a usual window of `rows` lines. */
#define DTS_POOL_ROWS_(FUNCTION, rows, kernel, stride, ...)                                    \
    ((rows) == 3   ? FUNCTION(__VA_ARGS__, 3, kernel, stride)                                  \
     : (rows) == 2 ? FUNCTION(__VA_ARGS__, 2, kernel, stride)                                  \
                   : FUNCTION(__VA_ARGS__, 1, kernel, stride))
#define DTS_POOL_WIDE(pool, rows, FUNCTION, ...)                                               \
    ((pool)->stride[DTS_POOL_LAST] == 1   ? DTS_POOL_ROWS_(FUNCTION, rows, 3, 1, __VA_ARGS__)  \
     : (pool)->kernel[DTS_POOL_LAST] == 3 ? DTS_POOL_ROWS_(FUNCTION, rows, 3, 2, __VA_ARGS__)  \
                                          : DTS_POOL_ROWS_(FUNCTION, rows, 2, 2, __VA_ARGS__))

#endif
