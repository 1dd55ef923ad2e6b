/* max_pool_host.c -- the largest value of each window on a CPU. Forward the largest across the
 * lines of a window comes first, with the place where it is, then the largest along that line;
 * of equals it is the one whose place is lower.
 */
#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "kernels/pool/max_pool_wide.h"
#include "kernels/pool/pool_lines.h"
#include "kernels/pool/pool_wide.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

/* The largest of each column, and where it is; `add`: beside those of earlier lines. Lines
 * begin at rows[..]. */
static inline void across(const float *restrict x, const int32_t *rows, int count, bool add,
                          size_t n, float *restrict best, int32_t *restrict where)
{
    const float *line[DTS_POOL_ROWS];
    for (int r = 0; r < count; r++)
        line[r] = x + rows[r];
    for (size_t i = 0; i < n; i++) {
        const int32_t column = (int32_t)i;
        float b = add ? best[i] : -INFINITY; // where all are, or not numbers: the first
        int32_t w = add ? where[i] : rows[0] + column;
        for (int r = 0; r < count; r++) {
            const float value = line[r][i];
            const bool larger = value > b;
            b = larger ? value : b;
            w = larger ? rows[r] + column : w;
        }
        best[i] = b;
        where[i] = w;
    }
}

static void across_any(const float *x, const int32_t *rows, int count, bool add, size_t n,
                       float *best, int32_t *where)
{
    if (!add && count == 3)
        across(x, rows, 3, false, n, best, where);
    else if (!add && count == 2)
        across(x, rows, 2, false, n, best, where);
    else if (!add)
        across(x, rows, 1, false, n, best, where);
    for (int r = 0; r < count && add; r++)
        across(x, rows + r, 1, true, n, best, where);
}

static inline void along(const float *restrict best, const int32_t *restrict where,
                         size_t windows, float *restrict y, int32_t *restrict largest,
                         int kernel, int stride)
{
    for (size_t i = 0; i < windows; i++) {
        const size_t at = i * (size_t)stride;
        float b = best[at];
        int32_t w = where[at];
        for (int k = 1; k < kernel; k++) {
            const float value = best[at + (size_t)k];
            const int32_t place = where[at + (size_t)k];
            const bool take = (value > b) | ((value == b) & (place < w));
            b = take ? value : b;
            w = take ? place : w;
        }
        y[i] = b;
        largest[i] = w;
    }
}

/* The window's lines into one. */
static void max_across(const struct dts_pool *pool, struct dts_pool_span i,
                       struct dts_pool_span j, const float *x, float *best, int32_t *where)
{
    int32_t rows[DTS_POOL_ROWS];
    int count = 0;
    bool add = false;
    for (int a = i.first; a < i.end; a++)
        for (int b = j.first; b < j.end; b++) {
            const bool last = a + 1 == i.end && b + 1 == j.end;
            rows[count++] = dts_pool_line_at(pool, a, b);
            if (count < DTS_POOL_ROWS && !last)
                continue;
            across_any(x, rows, count, add, (size_t)pool->in[2], best, where);
            add = true;
            count = 0;
        }
}

/* What a worker's next line goes to: places of its own, or memory, as long as whole vectors
 * write nothing behind `end` but what the lines that follow write again. */
struct target {
    float *y;
    int32_t *largest;
    size_t end; // of what the worker writes
};

static void max_line(const struct dts_pool *pool, const struct dts_pool_lines *l, size_t at,
                     const struct target *to)
{
    const float *best = l->array[0];
    const int32_t *where = (const int32_t *)(void *)l->array[1];
    const bool whole = at + l->windows <= to->end;
    float *y = whole ? to->y + at : l->array[2];
    int32_t *largest = whole ? to->largest + at : (int32_t *)(void *)l->array[3];
    DTS_POOL_USUAL(pool, along, best, where, l->windows, y, largest);
    if (whole)
        return;
    memcpy(to->y + at, y, (size_t)pool->out[2] * sizeof(*y));
    memcpy(to->largest + at, largest, (size_t)pool->out[2] * sizeof(*largest));
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const struct dts_pool_lines l = dts_pool_lines_of(&pool, a->scratch, range.worker);
    const struct target to = {a->y, a->saved, (range.first + range.count) * pool.out_pixels};
    float *best = l.array[0];
    int32_t *where = (int32_t *)(void *)l.array[1];
    size_t at = range.first * pool.out_pixels;
    for (size_t i = 0; i < l.values; i++) { // outside: behind all that are equal
        best[i] = -INFINITY;
        where[i] = INT32_MAX;
    }
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (int i = 0; i < pool.out[0]; i++)
            for (int j = 0; j < pool.out[1]; j++, at += (size_t)pool.out[2]) {
                max_across(&pool, dts_pool_window_along(&pool, 0, i),
                           dts_pool_window_along(&pool, 1, j),
                           (const float *)a->x[0] + plane * pool.in_pixels,
                           best + pool.before[2], where + pool.before[2]);
                max_line(&pool, &l, at, &to);
            }
}

enum { STEP = 64 }; // windows between which lines are fetched or go to memory

/* Windows p .. end - 1 of a plane. */
static inline void scatter(float *dx, const int32_t *largest, const float *dy, size_t p,
                           size_t end)
{
    for (size_t i = p; i < end; i++)
        dx[largest[i]] += dy[i];
}

/* Planes of at most so many values are made in a cache, two of them in turns. */
enum { MOST_MADE = 16384 };

/* While a plane is made, the one before it goes to memory past the caches, and is 0 again. */
static void backward_past(const struct dts_pool *pool, const struct dts_arrays *a,
                          struct dts_range range)
{
    const size_t n = pool->in_pixels, windows = pool->out_pixels;
    float *made = (float *)a->scratch + (size_t)range.worker * 2 * n, *last = made + n;
    memset(made, 0, 2 * n * sizeof(*made));
    for (size_t k = 0; k <= range.count; k++) {
        const size_t plane = range.first + k;
        const float *dy = (const float *)a->dy + plane * windows;
        const int32_t *largest = (const int32_t *)a->saved + plane * windows;
        size_t moved = 0;
        for (size_t p = 0, end, until; p < windows; p = end, moved = until) {
            end = dts_least(p + STEP, windows);
            until =
                end == windows ? n : end * (n / windows) / DTS_LINE_VALUES * DTS_LINE_VALUES;
            if (k < range.count)
                scatter(made, largest, dy, p, end);
            if (k == 0)
                continue;
            dts_store_past_caches((float *)a->dx[0] + (plane - 1) * n + moved, last + moved,
                                  until - moved);
            memset(last + moved, 0, (until - moved) * sizeof(*last));
        }
        float *const swapped = made;
        made = last;
        last = swapped;
    }
    dts_lanes_streamed();
}

static void backward_near(const struct dts_pool *pool, const struct dts_arrays *a,
                          struct dts_range range)
{
    const size_t by_window = pool->in_pixels / pool->out_pixels; // values, about
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        const float *dy = (const float *)a->dy + plane * pool->out_pixels;
        const int32_t *largest = (const int32_t *)a->saved + plane * pool->out_pixels;
        float *dx = (float *)a->dx[0] + plane * pool->in_pixels;
        memset(dx, 0, pool->in_pixels * sizeof(*dx));
        for (size_t p = 0, end; p < pool->out_pixels; p = end) {
            end = dts_least(p + STEP, pool->out_pixels);
            dts_fetch_to_write(dx + pool->in_pixels + p * by_window, (end - p) * by_window);
            scatter(dx, largest, dy, p, end);
        }
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const bool past = dts_rows_go_past_caches(a->dx[0], pool.planes, pool.in_pixels);
    if (past && pool.in_pixels <= MOST_MADE)
        backward_past(&pool, a, range);
    else
        backward_near(&pool, a, range);
}

/* Whether vectors of windows are faster than single values: on lines of as many windows as one
 * holds; with 8 values a vector if not every second value is of two windows. Measured,
 * docs/log/2026-11-ops.md, "`max_pool` back". */
static bool backward_is_wide(const struct dts_pool *pool)
{
    const bool by_turns = pool->kernel[DTS_POOL_LAST] == 3 && pool->stride[DTS_POOL_LAST] == 2;
    return DTS_LANES >= (by_turns ? 16 : 8) && dts_pool_is_wide(pool) &&
           pool->out[DTS_POOL_LAST] >= DTS_LANES;
}

size_t dts_max_pool_backward_scratch_host(const struct dts_op_call *call, int batch,
                                          int workers)
{
    const struct dts_pool pool = dts_pool_of(call, batch);
    if (backward_is_wide(&pool))
        return (size_t)workers * dts_max_pool_wide_room(&pool);
    const size_t values = pool.in_pixels <= MOST_MADE ? 2 * pool.in_pixels : 0;
    return (size_t)workers * values * sizeof(float);
}

void dts_max_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const bool wide = dts_pool_is_wide(&pool) && pool.out[2] <= DTS_MAX_POOL_WIDE_MOST;
    dts_range_fn *part = wide ? dts_max_pool_wide_forward : forward;
    dts_ranges(part, pool.planes, call, a, place);
}

void dts_max_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] == NULL)
        return;
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    dts_range_fn *part = backward_is_wide(&pool) ? dts_max_pool_wide_backward : backward;
    dts_ranges(part, pool.planes, call, a, place);
}
