/* pool_lines.h -- what windowed pools on a CPU have in common: they go line after line, first
 * across the lines of a window, then along the one line that comes of it. That line has room on
 * both sides for what lies outside, as long as whole vectors of windows need, and the usual
 * windows have loops of their own, which a compiler can vectorize.
 */
#ifndef DTS_KERNELS_POOL_POOL_LINES_H
#define DTS_KERNELS_POOL_POOL_LINES_H

#include "kernels/pool/pool.h"

enum { DTS_POOL_LAST = DTS_POOL_AXES - 1 }; // the axis of a line
enum { DTS_POOL_ROWS = 3 };                 // lines that are passed together

/* What a worker needs for lines: arrays of `values`. windows: of a line, in whole vectors;
 * begins: places where a window could begin, from the first to the end of the input, too. */
struct dts_pool_lines {
    size_t windows, begins, values;
    float *array[4];
};

struct dts_pool_lines dts_pool_lines_of(const struct dts_pool *pool, void *scratch, int worker);

/* Along one axis [first, end); values: of a window, what an average divides by. */
struct dts_pool_span {
    int first, end, values;
};

/* What a window takes in. */
static inline struct dts_pool_span dts_pool_window_along(const struct dts_pool *pool, int axis,
                                                         int at)
{
    const int begin = at * pool->stride[axis] - pool->before[axis];
    const int end = begin + pool->kernel[axis], in = pool->in[axis];
    const int most = in + (pool->inside ? 0 : pool->before[axis]);
    const int least = pool->inside && begin < 0 ? 0 : begin;
    return (struct dts_pool_span){begin > 0 ? begin : 0, end < in ? end : in,
                                  (end < most ? end : most) - least};
}

/* What an average divides by along two axes: more than an int counts, where padding makes wide
 * windows of small images. */
static inline float dts_pool_values(struct dts_pool_span i, struct dts_pool_span j)
{
    return (float)i.values * (float)j.values;
}

/* The windows that take this in. */
static inline struct dts_pool_span dts_pool_windows_over(const struct dts_pool *pool, int axis,
                                                         int at)
{
    const int place = at + pool->before[axis];
    const int early = place - pool->kernel[axis]; // a window that begins here ends before it
    const int end = place / pool->stride[axis] + 1;
    return (struct dts_pool_span){early < 0 ? 0 : early / pool->stride[axis] + 1,
                                  end < pool->out[axis] ? end : pool->out[axis], 0};
}

/* Where a line of the input begins. */
static inline int32_t dts_pool_line_at(const struct dts_pool *pool, int i, int j)
{
    return (i * pool->in[1] + j) * pool->in[2];
}

/* FUNCTION(..., kernel, stride): with constants for the usual windows. */
#define DTS_POOL_USUAL(pool, FUNCTION, ...)                                                    \
    do {                                                                                       \
        const int kernel_ = (pool)->kernel[DTS_POOL_LAST];                                     \
        const int stride_ = (pool)->stride[DTS_POOL_LAST];                                     \
        if (kernel_ == 3 && stride_ == 2)                                                      \
            FUNCTION(__VA_ARGS__, 3, 2);                                                       \
        else if (kernel_ == 2 && stride_ == 2)                                                 \
            FUNCTION(__VA_ARGS__, 2, 2);                                                       \
        else if (kernel_ == 3 && stride_ == 1)                                                 \
            FUNCTION(__VA_ARGS__, 3, 1);                                                       \
        else                                                                                   \
            FUNCTION(__VA_ARGS__, kernel_, stride_);                                           \
    } while (0)

#endif
