/* pool_host.c -- windowed pools on a CPU, line after line of the output. A line of the input is
 * copied into one with room on both sides for what lies outside, as long as whole vectors of
 * windows need; then all windows along it take their values at once, in vectorized loops for
 * the usual windows.
 */
#include <math.h>
#include <string.h>

#include "ops/pool.h"
#include "ops/ranges.h"

enum { LANES = 16 };

/* What a worker needs for lines. */
struct lines {
    size_t windows, values; // of a line, in whole vectors
    float *input, *shares;  // values long
    float *y;               // windows long, and all below, too
    float *factors;         // 1 / values of each window along the line
    int32_t *largest;
};

static size_t round_up(size_t count)
{
    return (count + LANES - 1) / LANES * LANES;
}

/* Of a worker, and two cache lines between workers: one is fetched with its neighbour. */
static size_t room_of(const struct lines *l)
{
    return 2 * l->values + 3 * l->windows + 2 * LANES;
}

static struct lines lines_of(const struct dts_pool *pool, void *scratch, int worker)
{
    const int last = DTS_POOL_AXES - 1;
    const size_t windows = round_up((size_t)pool->out[last]);
    const size_t reach =
        (windows - 1) * (size_t)pool->stride[last] + (size_t)pool->kernel[last];
    const size_t inside = (size_t)(pool->before[last] + pool->in[last]);
    struct lines l = {.windows = windows, .values = round_up(reach > inside ? reach : inside)};
    if (scratch == NULL)
        return l;
    l.input = (float *)scratch + (size_t)worker * room_of(&l);
    l.shares = l.input + l.values;
    l.y = l.shares + l.values;
    l.factors = l.y + windows;
    l.largest = (int32_t *)(void *)(l.factors + windows);
    return l;
}

size_t dts_pool_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_pool pool = dts_pool_of(call, batch);
    const struct lines l = lines_of(&pool, NULL, 0);
    return (size_t)workers * room_of(&l) * sizeof(float);
}

/* Where a line of the input begins, of those that a window takes in. */
static int line_at(const struct dts_pool *pool, int i, int j)
{
    return (i * pool->in[1] + j) * pool->in[2];
}

/* Keep the larger values and where they are; of equals the earlier. at: of line[0]. */
static inline void keep_largest(const float *restrict line, int32_t at, int kernel, int stride,
                                int count, float *restrict y, int32_t *restrict largest)
{
    for (int i = 0; i < count; i++) {
        float best = y[i];
        int32_t where = largest[i];
        for (int k = 0; k < kernel; k++) {
            const float value = line[i * stride + k];
            const bool larger = value > best;
            best = larger ? value : best;
            where = larger ? at + i * stride + k : where;
        }
        y[i] = best;
        largest[i] = where;
    }
}

/* A kernel and a stride that the compiler knows are vectorized. */
static void keep_largest_of_any(const struct dts_pool *pool, const struct lines *l, int32_t at)
{
    const int kernel = pool->kernel[2], stride = pool->stride[2], count = (int)l->windows;
    if (kernel == 3 && stride == 2)
        keep_largest(l->input, at, 3, 2, count, l->y, l->largest);
    else if (kernel == 2 && stride == 2)
        keep_largest(l->input, at, 2, 2, count, l->y, l->largest);
    else if (kernel == 3 && stride == 1)
        keep_largest(l->input, at, 3, 1, count, l->y, l->largest);
    else
        keep_largest(l->input, at, kernel, stride, count, l->y, l->largest);
}

/* w: of the first window of the line. */
static void max_line(const struct dts_pool *pool, const struct dts_pool_window *w,
                     const float *x, struct lines *l, float *y, int32_t *largest)
{
    const int before = pool->before[2];
    for (int i = 0; i < (int)l->windows; i++) { // where all is -inf or not a number: the first
        const int first = i * pool->stride[2] - before;
        l->y[i] = -INFINITY;
        l->largest[i] = line_at(pool, w->first[0], w->first[1]) + (first > 0 ? first : 0);
    }
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++) {
            const int at = line_at(pool, i, j);
            memcpy(l->input + before, x + at, (size_t)pool->in[2] * sizeof(*x));
            keep_largest_of_any(pool, l, at - before);
        }
    memcpy(y, l->y, (size_t)pool->out[2] * sizeof(*y));
    memcpy(largest, l->largest, (size_t)pool->out[2] * sizeof(*largest));
}

static void max_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    struct lines l = lines_of(&pool, a->scratch, range.worker);
    for (size_t i = 0; i < l.values; i++)
        l.input[i] = -INFINITY; // outside
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t p = 0; p < pool.out_pixels; p += (size_t)pool.out[2]) {
            const struct dts_pool_window w = dts_pool_window_at(&pool, p);
            const size_t at = plane * pool.out_pixels + p;
            max_line(&pool, &w, (const float *)a->x[0] + plane * pool.in_pixels, &l,
                     (float *)a->y + at, (int32_t *)a->saved + at);
        }
}

static void max_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        const float *dy = (const float *)a->dy + plane * pool.out_pixels;
        const int32_t *largest = (const int32_t *)a->saved + plane * pool.out_pixels;
        float *dx = (float *)a->dx[0] + plane * pool.in_pixels;
        memset(dx, 0, pool.in_pixels * sizeof(*dx));
        for (size_t p = 0; p < pool.out_pixels; p++)
            dx[largest[p]] += dy[p];
    }
}

/* 1 / values that an average divides by, along the last axis. */
static void set_factors(const struct dts_pool *pool, struct lines *l)
{
    const int most = pool->in[2] + pool->before[2];
    for (int i = 0; i < pool->out[2]; i++) {
        const int begin = i * pool->stride[2] - pool->before[2];
        const int end = begin + pool->kernel[2];
        l->factors[i] = 1.0f / (float)((end < most ? end : most) - begin);
    }
}

/* 1 / values along the other axes; w: of the first window of the line. */
static float factor_of(const struct dts_pool_window *w, const struct lines *l)
{
    return 1.0f / ((float)w->values * l->factors[0]);
}

static inline void add_windows(const float *restrict line, int kernel, int stride, int count,
                               float *restrict y)
{
    for (int i = 0; i < count; i++) {
        float sum = 0;
        for (int k = 0; k < kernel; k++)
            sum += line[i * stride + k];
        y[i] = sum;
    }
}

static void add_any_windows(const struct dts_pool *pool, const struct lines *l)
{
    const int kernel = pool->kernel[2], stride = pool->stride[2], count = (int)l->windows;
    if (kernel == 3 && stride == 2)
        add_windows(l->input, 3, 2, count, l->y);
    else if (kernel == 2 && stride == 2)
        add_windows(l->input, 2, 2, count, l->y);
    else if (kernel == 3 && stride == 1)
        add_windows(l->input, 3, 1, count, l->y);
    else
        add_windows(l->input, kernel, stride, count, l->y);
}

static void add_to(float *restrict sum, const float *restrict more, int count)
{
    for (int i = 0; i < count; i++)
        sum[i] += more[i];
}

static void avg_line(const struct dts_pool *pool, const struct dts_pool_window *w,
                     const float *x, struct lines *l, float *y)
{
    memset(l->input, 0, l->values * sizeof(*l->input));
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++)
            add_to(l->input + pool->before[2], x + line_at(pool, i, j), pool->in[2]);
    add_any_windows(pool, l);
    const float others = factor_of(w, l);
    for (int i = 0; i < pool->out[2]; i++)
        y[i] = l->y[i] * l->factors[i] * others;
}

/* Each window's share stands where the window begins; then it goes to all in the window. */
static void avg_line_back(const struct dts_pool *pool, const struct dts_pool_window *w,
                          const float *dy, struct lines *l, float *dx)
{
    float *begins = l->input;
    const float others = factor_of(w, l);
    memset(begins, 0, l->values * sizeof(*begins));
    memset(l->shares, 0, l->values * sizeof(*l->shares));
    for (int i = 0; i < pool->out[2]; i++)
        begins[i * pool->stride[2]] = dy[i] * l->factors[i] * others;
    for (int k = 0; k < pool->kernel[2]; k++)
        add_to(l->shares + k, begins, (int)l->values - k);
    for (int i = w->first[0]; i < w->end[0]; i++)
        for (int j = w->first[1]; j < w->end[1]; j++)
            add_to(dx + line_at(pool, i, j), l->shares + pool->before[2], pool->in[2]);
}

static void avg_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    struct lines l = lines_of(&pool, a->scratch, range.worker);
    set_factors(&pool, &l);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t p = 0; p < pool.out_pixels; p += (size_t)pool.out[2]) {
            const struct dts_pool_window w = dts_pool_window_at(&pool, p);
            avg_line(&pool, &w, (const float *)a->x[0] + plane * pool.in_pixels, &l,
                     (float *)a->y + plane * pool.out_pixels + p);
        }
}

static void avg_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    struct lines l = lines_of(&pool, a->scratch, range.worker);
    set_factors(&pool, &l);
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        float *dx = (float *)a->dx[0] + plane * pool.in_pixels;
        memset(dx, 0, pool.in_pixels * sizeof(*dx));
        for (size_t p = 0; p < pool.out_pixels; p += (size_t)pool.out[2]) {
            const struct dts_pool_window w = dts_pool_window_at(&pool, p);
            avg_line_back(&pool, &w, (const float *)a->dy + plane * pool.out_pixels + p, &l,
                          dx);
        }
    }
}

void dts_max_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(max_forward, dts_pool_of(call, a->batch).planes, call, a, place);
}

void dts_max_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(max_backward, dts_pool_of(call, a->batch).planes, call, a, place);
}

void dts_avg_pool_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(avg_forward, dts_pool_of(call, a->batch).planes, call, a, place);
}

void dts_avg_pool_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(avg_backward, dts_pool_of(call, a->batch).planes, call, a, place);
}
