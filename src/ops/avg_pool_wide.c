/* avg_pool_wide.c -- means of usual windows over long lines, see pool_wide.h. Forward and back
 * are alike: a value of the result is a sum over some lines and some values along each.
 */
#include "ops/avg_pool_wide.h"

#include "ops/pool_wide.h"

/* What is added along an axis for one place of the result, and what a value of each counts. */
struct parts {
    int first, count;
    float scale[DTS_POOL_MOST];
};

/* The same of one plane; step: from a line to the next. */
struct lines {
    const float *begin;
    size_t step;
    const float *scale;
};

/* A value of the result at a side, and what it adds along each line. */
struct side {
    int at;
    struct parts parts;
};

enum { MOST_SIDES = 8 };

/* How lines are passed. */
struct way {
    struct dts_pool pool;
    struct dts_pool_middle middle;
    struct side sides[MOST_SIDES];
    int side_count;
    struct parts *rows; // which lines make each line of the result
};

DTS_LANES_FN void do_sides(const struct way *way, const struct lines *lines, float *to,
                           int rows)
{
    for (const struct side *s = way->sides; s < way->sides + way->side_count; s++) {
        float sum = 0;
        for (int k = 0; k < s->parts.count; k++) {
            const float *value = lines->begin + s->parts.first + k;
            float column = value[0] * lines->scale[0];
            for (int r = 1; r < rows; r++)
                column += value[(size_t)r * lines->step] * lines->scale[r];
            sum += column * s->parts.scale[k];
        }
        to[s->at] = sum;
    }
}

/* The lines' values from `at` on, all added. */
DTS_LANES_FN dts_lanes added(const struct lines *lines, int at, int rows)
{
    dts_lanes sum = dts_lanes_load(lines->begin + at) * lines->scale[0];
    for (int r = 1; r < rows; r++)
        sum += dts_lanes_load(lines->begin + (size_t)r * lines->step + at) * lines->scale[r];
    return sum;
}

/* DTS_LANES windows, the first of which begins at `at`. */
DTS_LANES_FN dts_lanes windows(const struct lines *lines, int at, int rows, int kernel,
                               int stride)
{
    const dts_lanes a = added(lines, at, rows);
    if (stride == 1)
        return a + added(lines, at + 1, rows) + added(lines, at + 2, rows);
    const dts_lanes b = added(lines, at + DTS_LANES, rows);
    dts_lanes sum = dts_lanes_even_mixed(a, b) + dts_lanes_odd_mixed(a, b);
    if (kernel == 3)
        sum += dts_lanes_odd_mixed(added(lines, at + 1, rows),
                                   added(lines, at + 1 + DTS_LANES, rows));
    return dts_lanes_in_order(sum);
}

/* A line; vectors may overlap at the end. */
DTS_LANES_FN void line_forward(const struct way *way, const struct lines *lines, float *y,
                               int rows, int kernel, int stride)
{
    const struct dts_pool_middle middle = way->middle;
    for (int i = middle.first; i < middle.end; i += DTS_LANES) {
        const int k = i + DTS_LANES <= middle.end ? i : middle.end - DTS_LANES;
        const int at = k * stride - way->pool.before[DTS_POOL_LAST];
        dts_lanes_store(y + k, windows(lines, at, rows, kernel, stride) * (1.0f / kernel));
    }
    do_sides(way, lines, y, rows);
}

static void forward_plane(const struct way *way, const float *x, float *y)
{
    const struct dts_pool *pool = &way->pool;
    const size_t n = (size_t)pool->out[2], line = (size_t)pool->in[2];
    for (int j = 0; j < pool->out[1]; j++, y += n) {
        const struct parts *rows = &way->rows[j];
        const struct lines lines = {x + (size_t)rows->first * line, line, rows->scale};
        const size_t next = (size_t)pool->stride[1] * line; // what the next window reads first
        dts_fetch(x + (size_t)j * next + DTS_POOL_AHEAD, next);
        dts_fetch_to_write(y + DTS_POOL_AHEAD / 4, n);
        DTS_POOL_WIDE(pool, rows->count, line_forward, way, &lines, y);
    }
}

/* The windows over places [2 first - before, ..) all divide by as much, see whole(). Place
 * i stride - before is where window i begins. */
DTS_LANES_FN void line_back(const struct way *way, const struct lines *lines, float *dx,
                            int rows, int kernel, int stride)
{
    const struct dts_pool_middle middle = way->middle;
    for (int i = middle.first; i < middle.end; i += DTS_LANES) {
        const int k = i + DTS_LANES <= middle.end ? i : middle.end - DTS_LANES;
        const dts_lanes late = added(lines, k, rows) * (1.0f / kernel);
        dts_lanes all = late;
        for (int earlier = 1; earlier * stride < kernel; earlier++)
            all += added(lines, k - earlier, rows) * (1.0f / kernel);
        float *to = dx + k * stride - way->pool.before[DTS_POOL_LAST];
        if (stride == 1)
            dts_lanes_store(to, all);
        else
            dts_lanes_store_by_turns(to, all, late);
    }
    do_sides(way, lines, dx, rows);
}

static void backward_plane(const struct way *way, const float *dy, float *dx)
{
    const struct dts_pool *pool = &way->pool;
    const size_t n = (size_t)pool->in[2], line = (size_t)pool->out[2];
    for (int j = 0; j < pool->in[1]; j++, dx += n) {
        const struct parts *rows = &way->rows[j];
        const struct lines lines = {dy + (size_t)rows->first * line, line, rows->scale};
        dts_fetch_to_write(dx + DTS_POOL_AHEAD, n);
        if (rows->count == 0) // beside windows
            memset(dx, 0, n * sizeof(*dx));
        else
            DTS_POOL_WIDE(pool, rows->count, line_back, way, &lines, dx);
    }
}

/* Where windows begin such that this place and those up to the next one are within whole
 * windows alone: [first, end). */
static struct dts_pool_middle whole(const struct dts_pool *pool)
{
    const int kernel = pool->kernel[DTS_POOL_LAST], stride = pool->stride[DTS_POOL_LAST];
    const int before = pool->before[DTS_POOL_LAST], most = pool->in[DTS_POOL_LAST] + before;
    struct dts_pool_middle whole = {(kernel - 1) / stride, pool->out[DTS_POOL_LAST]};
    if (whole.first * stride < before)
        whole.first = (before + stride - 1) / stride;
    if (whole.end > (most + before - kernel) / stride + 1)
        whole.end = (most + before - kernel) / stride + 1;
    if (whole.end > most / stride)
        whole.end = most / stride;
    return whole;
}

/* What value `at` of the result adds along an axis, and what each counts. */
static struct parts sum_of(const struct dts_pool *pool, bool back, int axis, int at)
{
    const struct dts_pool_span span =
        back ? dts_pool_windows_over(pool, axis, at) : dts_pool_window_along(pool, axis, at);
    struct parts sum = {span.first, span.end > span.first ? span.end - span.first : 0, {0}};
    for (int k = 0; k < sum.count; k++) {
        const int window = back ? span.first + k : at;
        sum.scale[k] = 1.0f / (float)dts_pool_window_along(pool, axis, window).values;
    }
    return sum;
}

static struct way way_of(const struct dts_pool *pool, bool back)
{
    struct way way = {.pool = *pool, .middle = back ? whole(pool) : dts_pool_inside(pool)};
    const int stride = pool->stride[DTS_POOL_LAST], before = pool->before[DTS_POOL_LAST];
    const int begin = back ? way.middle.first * stride - before : way.middle.first;
    const int end = back ? way.middle.end * stride - before : way.middle.end;
    const int all = back ? pool->in[DTS_POOL_LAST] : pool->out[DTS_POOL_LAST];
    for (int at = 0; at < all && way.side_count < MOST_SIDES; at++)
        if (at < begin || at >= end)
            way.sides[way.side_count++] = (struct side){at, sum_of(pool, back, 2, at)};
    return way;
}

static size_t room_of(const struct dts_pool *pool)
{
    const int lines = pool->in[1] > pool->out[1] ? pool->in[1] : pool->out[1];
    return (size_t)lines * sizeof(struct parts) / 128 * 128 +
           256; // no line of a cache is shared
}

size_t dts_avg_pool_wide_scratch(const struct dts_pool *pool, int workers)
{
    return (size_t)workers * room_of(pool);
}

static void *scratch_of(const struct dts_pool *pool, const struct dts_arrays *a, int worker)
{
    return (char *)a->scratch + (size_t)worker * room_of(pool);
}

/* In the scratch of a worker: the lines of its planes all the same. */
static void find_rows(struct way *way, bool back, void *scratch)
{
    const int lines = back ? way->pool.in[1] : way->pool.out[1];
    way->rows = scratch;
    for (int j = 0; j < lines; j++)
        way->rows[j] = sum_of(&way->pool, back, 1, j);
}

static bool enough(const struct way *way)
{
    return way->middle.end - way->middle.first >= DTS_LANES && way->side_count < MOST_SIDES;
}

bool dts_avg_pool_is_wide(const struct dts_pool *pool)
{
    if (!dts_pool_is_usual(pool))
        return false;
    const struct way forward = way_of(pool, false), back = way_of(pool, true);
    return enough(&forward) && enough(&back);
}

void dts_avg_pool_wide_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    struct way way = way_of(&pool, false);
    find_rows(&way, false, scratch_of(&pool, a, range.worker));
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        forward_plane(&way, (const float *)a->x[0] + plane * pool.in_pixels,
                      (float *)a->y + plane * pool.out_pixels);
}

void dts_avg_pool_wide_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    struct way way = way_of(&pool, true);
    find_rows(&way, true, scratch_of(&pool, a, range.worker));
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        backward_plane(&way, (const float *)a->dy + plane * pool.out_pixels,
                       (float *)a->dx[0] + plane * pool.in_pixels);
}
