/* pool_host.c -- windowed pools on a CPU. The lines of a window are joined first, column by
 * column, into one line with room on both sides for what lies outside; then each window along
 * that line. Both loops run over neighbours and are vectorized.
 */
#include <math.h>
#include <string.h>

#include "ops/pool.h"
#include "ops/ranges.h"

/* Values of the joined line: from `before` the first pixel to the end of the last window. */
static size_t line_values(const struct dts_pool *pool)
{
    const int last = DTS_POOL_AXES - 1;
    const int reach = (pool->out[last] - 1) * pool->stride[last] + pool->kernel[last];
    const int inside = pool->before[last] + pool->in[last];
    const size_t values = (size_t)(reach > inside ? reach : inside);
    return (values + 15) / 16 * 16; // 64 bytes: workers share no cache line
}

static size_t scratch_of(const struct dts_op_call *call, int workers, size_t lines)
{
    const struct dts_pool pool = dts_pool(call, 1);
    return (size_t)workers * lines * line_values(&pool) * sizeof(float);
}

size_t dts_max_pool_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch;
    return scratch_of(call, workers, 2); // values, and where they come from
}

size_t dts_avg_pool_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch;
    return scratch_of(call, workers, 1);
}

/* Keep the larger value of each column and where it is; of equals the earlier line's. */
static void join_largest(const float *restrict line, int32_t offset, int count,
                         float *restrict values, int32_t *restrict from)
{
    for (int i = 0; i < count; i++) {
        const bool larger = line[i] > values[i];
        values[i] = larger ? line[i] : values[i];
        from[i] = larger ? offset + i : from[i];
    }
}

/* The largest of each window of the line: of equals the earlier in the plane. */
static inline void largest_along(const float *restrict values, const int32_t *restrict from,
                                 int kernel, int stride, int count, float *restrict y,
                                 int32_t *restrict largest)
{
    for (int i = 0; i < count; i++) {
        y[i] = values[i * stride];
        largest[i] = from[i * stride];
    }
    for (int k = 1; k < kernel; k++)
        for (int i = 0; i < count; i++) {
            const float value = values[i * stride + k];
            const int32_t at = from[i * stride + k];
            const bool larger = (value > y[i]) | ((value == y[i]) & (at < largest[i]));
            y[i] = larger ? value : y[i];
            largest[i] = larger ? at : largest[i];
        }
}

/* One line of y: the windows that begin at axis 0 in [first[0], end[0]), and so on. */
static void max_line(const struct dts_pool *pool, const struct dts_pool_window *w,
                     const float *x, float *values, int32_t *from, float *y, int32_t *largest)
{
    const int before = pool->before[2], count = pool->out[2], kernel = pool->kernel[2];
    const size_t room = line_values(pool);
    for (size_t i = 0; i < room; i++) {
        values[i] = -INFINITY;
        from[i] = INT32_MAX;
    }
    const int32_t top = (w->first[0] * pool->in[1] + w->first[1]) * pool->in[2];
    for (int i = 0; i < pool->in[2]; i++) // also where all is -inf or not a number
        from[before + i] = top + i;
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++) {
            const int32_t offset = (i * pool->in[1] + j) * pool->in[2];
            join_largest(x + offset, offset, pool->in[2], values + before, from + before);
        }
    switch (pool->stride[2]) { // a step that is known is vectorized
    case 1:
        largest_along(values, from, kernel, 1, count, y, largest);
        break;
    case 2:
        largest_along(values, from, kernel, 2, count, y, largest);
        break;
    default:
        largest_along(values, from, kernel, pool->stride[2], count, y, largest);
    }
}

static void max_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const struct dts_pool pool = dts_pool(call, a->batch);
    const size_t room = line_values(&pool), width = (size_t)pool.out[2];
    float *values = (float *)a->scratch + (size_t)range.worker * 2 * room;
    int32_t *from = (int32_t *)(void *)(values + room);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t p = 0; p < pool.out_pixels; p += width) {
            const struct dts_pool_window w = dts_pool_window(&pool, p);
            const size_t at = plane * pool.out_pixels + p;
            max_line(&pool, &w, (const float *)a->x[0] + plane * pool.in_pixels, values, from,
                     (float *)a->y + at, (int32_t *)a->saved + at);
        }
}

static void max_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const struct dts_pool pool = dts_pool(call, a->batch);
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        const float *dy = (const float *)a->dy + plane * pool.out_pixels;
        const int32_t *largest = (const int32_t *)a->saved + plane * pool.out_pixels;
        float *dx = (float *)a->dx[0] + plane * pool.in_pixels;
        memset(dx, 0, pool.in_pixels * sizeof(*dx));
        for (size_t p = 0; p < pool.out_pixels; p++)
            dx[largest[p]] += dy[p];
    }
}

void dts_max_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(max_forward, dts_pool(call, a->batch).planes, call, a, place);
}

void dts_max_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(max_backward, dts_pool(call, a->batch).planes, call, a, place);
}

static inline void sum_along(const float *restrict values, int kernel, int stride, int count,
                             float *restrict y)
{
    for (int i = 0; i < count; i++)
        y[i] = values[i * stride];
    for (int k = 1; k < kernel; k++)
        for (int i = 0; i < count; i++)
            y[i] += values[i * stride + k];
}

/* Values that an average divides by, of window i along the last axis. */
static int values_along(const struct dts_pool *pool, int i)
{
    const int begin = i * pool->stride[2] - pool->before[2];
    const int end = begin + pool->kernel[2], most = pool->in[2] + pool->before[2];
    return (end < most ? end : most) - begin;
}

/* w: of the first window of the line, so that values / values_along(0) are those of the other
 * axes. */
static void avg_line(const struct dts_pool *pool, const struct dts_pool_window *w,
                     const float *x, float *values, float *y)
{
    memset(values, 0, line_values(pool) * sizeof(*values));
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++) {
            const float *line = x + (i * pool->in[1] + j) * pool->in[2];
            for (int k = 0; k < pool->in[2]; k++)
                values[pool->before[2] + k] += line[k];
        }
    if (pool->stride[2] == 1)
        sum_along(values, pool->kernel[2], 1, pool->out[2], y);
    else
        sum_along(values, pool->kernel[2], pool->stride[2], pool->out[2], y);
    const int others = w->values / values_along(pool, 0);
    for (int i = 0; i < pool->out[2]; i++)
        y[i] /= (float)(others * values_along(pool, i));
}

static void avg_line_back(const struct dts_pool *pool, const struct dts_pool_window *w,
                          const float *dy, float *values, float *dx)
{
    memset(values, 0, line_values(pool) * sizeof(*values));
    const int others = w->values / values_along(pool, 0);
    for (int i = 0; i < pool->out[2]; i++) {
        const float share = dy[i] / (float)(others * values_along(pool, i));
        for (int k = 0; k < pool->kernel[2]; k++)
            values[i * pool->stride[2] + k] += share;
    }
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++) {
            float *line = dx + (i * pool->in[1] + j) * pool->in[2];
            for (int k = 0; k < pool->in[2]; k++)
                line[k] += values[pool->before[2] + k];
        }
}

static void avg_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const struct dts_pool pool = dts_pool(call, a->batch);
    float *values = (float *)a->scratch + (size_t)range.worker * line_values(&pool);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t p = 0; p < pool.out_pixels; p += (size_t)pool.out[2]) {
            const struct dts_pool_window w = dts_pool_window(&pool, p);
            avg_line(&pool, &w, (const float *)a->x[0] + plane * pool.in_pixels, values,
                     (float *)a->y + plane * pool.out_pixels + p);
        }
}

static void avg_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const struct dts_pool pool = dts_pool(call, a->batch);
    float *values = (float *)a->scratch + (size_t)range.worker * line_values(&pool);
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        float *dx = (float *)a->dx[0] + plane * pool.in_pixels;
        memset(dx, 0, pool.in_pixels * sizeof(*dx));
        for (size_t p = 0; p < pool.out_pixels; p += (size_t)pool.out[2]) {
            const struct dts_pool_window w = dts_pool_window(&pool, p);
            avg_line_back(&pool, &w, (const float *)a->dy + plane * pool.out_pixels + p, values,
                          dx);
        }
    }
}

void dts_avg_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(avg_forward, dts_pool(call, a->batch).planes, call, a, place);
}

void dts_avg_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(avg_backward, dts_pool(call, a->batch).planes, call, a, place);
}
