/* avg_pool_host.c -- means of windows on a CPU. Forward the lines of a window are added first,
 * then what stands along that line. Backward a line of the input adds the lines of dy whose
 * windows take it in, then each place the windows over it; so dx is written once.
 */
#include <string.h>

#include "kernels/pool/avg_pool_wide.h"
#include "kernels/pool/pool_lines.h"
#include "kernels/pool/pool_wide.h"
#include "kernels/ranges.h"

/* 1 / values that an average divides by, along the last axis; 0 behind the last window. */
static void set_factors(const struct dts_pool *pool, const struct dts_pool_lines *l,
                        float *factors)
{
    for (int i = 0; i < (int)l->windows; i++) {
        const struct dts_pool_span w = dts_pool_window_along(pool, DTS_POOL_LAST, i);
        factors[i] = i < pool->out[2] ? 1.0f / (float)w.values : 0;
    }
}

/* sum = the lines that begin at x + rows[..], or sum += them. */
static inline void across(const float *restrict x, const int32_t *rows, int count, bool add,
                          size_t n, float *restrict sum)
{
    const float *line[DTS_POOL_ROWS];
    for (int r = 0; r < count; r++)
        line[r] = x + rows[r];
    for (size_t i = 0; i < n; i++) {
        float s = add ? sum[i] : 0;
        for (int r = 0; r < count; r++)
            s += line[r][i];
        sum[i] = s;
    }
}

static void across_any(const float *x, const int32_t *rows, int count, bool add, size_t n,
                       float *sum)
{
    if (!add && count == 3)
        across(x, rows, 3, false, n, sum);
    else if (!add && count == 2)
        across(x, rows, 2, false, n, sum);
    else if (!add)
        across(x, rows, 1, false, n, sum);
    for (int r = 0; r < count && add; r++)
        across(x, rows + r, 1, true, n, sum);
}

/* The window's lines into one. */
static void sum_across(const struct dts_pool *pool, struct dts_pool_span i,
                       struct dts_pool_span j, const float *x, float *sum)
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
            across_any(x, rows, count, add, (size_t)pool->in[2], sum);
            add = true;
            count = 0;
        }
}

static inline void along(const float *restrict sum, const float *restrict factors, float others,
                         size_t windows, float *restrict y, int kernel, int stride)
{
    for (size_t i = 0; i < windows; i++) {
        float s = 0;
        for (int k = 0; k < kernel; k++)
            s += sum[i * (size_t)stride + (size_t)k];
        y[i] = s * (factors[i] * others);
    }
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const struct dts_pool_lines l = dts_pool_lines_of(&pool, a->scratch, range.worker);
    const size_t end = (range.first + range.count) * pool.out_pixels;
    float *sum = l.array[0], *factors = l.array[1];
    size_t at = range.first * pool.out_pixels;
    memset(sum, 0, l.values * sizeof(*sum));
    set_factors(&pool, &l, factors);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (int k = 0; k < pool.out[0] * pool.out[1]; k++, at += (size_t)pool.out[2]) {
            const struct dts_pool_span i = dts_pool_window_along(&pool, 0, k / pool.out[1]);
            const struct dts_pool_span j = dts_pool_window_along(&pool, 1, k % pool.out[1]);
            // whole vectors, unless they would write what another worker writes
            float *y = at + l.windows <= end ? (float *)a->y + at : l.array[2];
            sum_across(&pool, i, j, (const float *)a->x[0] + plane * pool.in_pixels,
                       sum + pool.before[2]);
            DTS_POOL_USUAL(&pool, along, sum, factors, 1.0f / dts_pool_values(i, j), l.windows,
                           y);
            if (y == l.array[2])
                memcpy((float *)a->y + at, y, (size_t)pool.out[2] * sizeof(*y));
        }
}

/* sum = the shares of each value of the windows along a line, or sum += them. */
static void add_line(float *restrict sum, const float *restrict dy,
                     const float *restrict factors, float others, bool add, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] = (add ? sum[i] : 0) + dy[i] * (factors[i] * others);
}

/* The shares of all windows over each place. Place i stride + c is `late` behind the beginning
 * of a window, and late - stride, ... behind those of the windows before it. */
static inline void spread(const float *restrict shares, size_t count, float *restrict line,
                          int kernel, int stride, int before)
{
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < stride; c++) {
            const float *begin = shares + i + (c + before) / stride;
            float sum = 0;
            for (int k = 0; (c + before) % stride + k * stride < kernel; k++)
                sum += *(begin - k);
            line[i * (size_t)stride + (size_t)c] = sum;
        }
}

static void spread_any(const struct dts_pool *pool, const float *shares, size_t count,
                       float *line)
{
    const int kernel = pool->kernel[2], stride = pool->stride[2], before = pool->before[2];
    if (kernel == 3 && stride == 2 && before == 1)
        spread(shares, count, line, 3, 2, 1);
    else if (kernel == 3 && stride == 2 && before == 0)
        spread(shares, count, line, 3, 2, 0);
    else if (kernel == 2 && stride == 2 && before == 0)
        spread(shares, count, line, 2, 2, 0);
    else if (kernel == 3 && stride == 1 && before == 1)
        spread(shares, count, line, 3, 1, 1);
    else
        spread(shares, count, line, kernel, stride, before);
}

/* What the windows over one line of the input give to it; whole vectors of them, unless they
 * would write what another worker writes: `room` for values is left. */
static void line_back(const struct dts_pool *pool, const struct dts_pool_lines *l,
                      struct dts_pool_span i, struct dts_pool_span j, const float *dy,
                      float *dx, size_t room)
{
    const int out = pool->out[2], earlier = (pool->kernel[2] - 1) / pool->stride[2];
    float *shares = l->array[0] + earlier;
    float *line = l->begins * (size_t)pool->stride[2] <= room ? dx : l->array[2];
    bool add = false;
    for (int a = i.first; a < i.end; a++)
        for (int b = j.first; b < j.end; b++, add = true) {
            const float values = dts_pool_values(dts_pool_window_along(pool, 0, a),
                                                 dts_pool_window_along(pool, 1, b));
            add_line(shares, dy + (a * pool->out[1] + b) * out, l->array[1], 1.0f / values, add,
                     (size_t)out);
        }
    if (!add) // between windows
        memset(shares, 0, (size_t)out * sizeof(*shares));
    spread_any(pool, shares, l->begins, line);
    if (line != dx)
        memcpy(dx, line, (size_t)pool->in[2] * sizeof(*dx));
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const struct dts_pool_lines l = dts_pool_lines_of(&pool, a->scratch, range.worker);
    float *dx = (float *)a->dx[0] + range.first * pool.in_pixels;
    size_t room = range.count * pool.in_pixels;
    set_factors(&pool, &l, l.array[1]);
    memset(l.array[0], 0, l.values * sizeof(float)); // beside the windows: nothing
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (int i = 0; i < pool.in[0]; i++)
            for (int j = 0; j < pool.in[1]; j++) {
                line_back(&pool, &l, dts_pool_windows_over(&pool, 0, i),
                          dts_pool_windows_over(&pool, 1, j),
                          (const float *)a->dy + plane * pool.out_pixels, dx, room);
                dx += pool.in[2];
                room -= (size_t)pool.in[2];
            }
}

void dts_avg_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    dts_range_fn *part = dts_pool_is_wide(&pool) ? dts_avg_pool_wide_forward : forward;
    dts_ranges(part, pool.planes, call, a, place);
}

void dts_avg_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    dts_range_fn *part = dts_pool_is_wide(&pool) ? dts_avg_pool_wide_backward : backward;
    if (a->dx[0] != NULL)
        dts_ranges(part, pool.planes, call, a, place);
}
