/* avg_pool_wide.c -- means of usual windows, see pool_wide.h. Forward and back are alike: a
 * value of the result is a sum over some lines and some values along each. What a window's
 * values count is a product of one number for its lines and one for its columns.
 */
#include "kernels/pool/avg_pool_wide.h"

#include "kernels/pool/pool_wide.h"
#include "kernels/vector/made.h"

/* The lines that make one line of the result, and what a value of each counts. */
struct rows {
    int first, count;
    float share[DTS_POOL_MOST];
};
_Static_assert(sizeof(struct rows) <= DTS_POOL_ROW_BYTES, "rows fit into the scratch");

/* How planes are passed; the lines of a plane are alike. wide.share: of the windows of a line,
 * what their values count. */
struct way {
    struct dts_pool pool;
    struct dts_pool_wide wide;
};

/* Lines, their shares in registers, and what else is read for each vector and would be looked
 * for again behind each store; `by_window` is wide.share. */
struct lines {
    const float *line[DTS_POOL_MOST], *by_window;
    dts_lanes share[DTS_POOL_MOST];
    const int32_t *inside;
};

DTS_LANES_FN struct lines lines_of(const struct way *way, const struct rows *rows, size_t plane,
                                   int count)
{
    struct lines lines = {.by_window = way->wide.share, .inside = way->wide.inside};
    const size_t length = (size_t)way->wide.array.length;
    size_t step;
    const float *first =
        dts_pool_lines_from(&way->wide, plane + (size_t)rows->first * length, count, &step);
    for (int r = 0; r < count; r++) {
        lines.line[r] = first + (size_t)r * step;
        lines.share[r] = (dts_lanes){0} + rows->share[r];
    }
    return lines;
}

/* The lines' values from `at` on, added; nothing beside the lines. */
DTS_LANES_FN dts_lanes added(const struct lines *l, int at, int rows)
{
    dts_lanes sum = dts_lanes_load(l->line[0] + at) * l->share[0];
    for (int r = 1; r < rows; r++)
        sum += dts_lanes_load(l->line[r] + at) * l->share[r];
    return (dts_lanes)((dts_int_lanes)sum & dts_int_lanes_load(l->inside + at));
}

/* DTS_LANES windows, whose last values begin at `at`, by 1 or 2; *earlier: the values before
 * that windows end with, or those right before `at`. */
DTS_LANES_FN dts_lanes windows(const struct lines *l, int at, dts_lanes *earlier, int rows,
                               int kernel, int stride)
{
    const dts_lanes before = *earlier, a = added(l, at, rows);
    if (stride == 1) {
        *earlier = a;
        return a + dts_lanes_later(before, a, 1) + dts_lanes_later(before, a, 2);
    }
    const dts_lanes b = added(l, at + DTS_LANES, rows);
    const dts_lanes even = dts_lanes_even_mixed(a, b), odd = dts_lanes_odd_mixed(a, b);
    if (kernel == 2)
        return dts_lanes_in_order(even + odd);
    *earlier = dts_lanes_in_order(odd);
    return dts_lanes_in_order(even + odd) + dts_lanes_later(before, *earlier, 1);
}

/* A line; y has room for whole vectors. */
DTS_LANES_FN void line_forward(const struct way *way, const struct rows *of, size_t plane,
                               float *y, int rows, int kernel, int stride)
{
    const struct lines l = lines_of(way, of, plane, rows);
    const int all = way->pool.out[DTS_POOL_LAST];
    int at = kernel - stride - way->pool.before[DTS_POOL_LAST];
    dts_lanes earlier = {0}; // beside the line, mostly
    if (at > 0)
        earlier = added(&l, at - DTS_LANES, rows);
    for (int k = 0; k < all; k += DTS_LANES, at += DTS_LANES * stride) {
        const dts_lanes sum = windows(&l, at, &earlier, rows, kernel, stride);
        dts_lanes_store(y + k, sum * dts_lanes_load(l.by_window + k));
    }
}

/* What the windows from `at` on give to each of their places. */
DTS_LANES_FN dts_lanes given(const struct lines *l, int at, int rows)
{
    return added(l, at, rows) * dts_lanes_load(l->by_window + at);
}

/* Windows of stride 2. Two places for each of a vector's windows: those where they begin and
 * those behind; or, late, those behind and those where the next ones begin. */
DTS_LANES_FN void line_back_by_two(const struct way *way, const struct lines *l, float *dx,
                                   bool late, int rows, int kernel)
{
    const int all = way->pool.in[DTS_POOL_LAST];
    int at = way->pool.before[DTS_POOL_LAST] / 2 + late;
    dts_lanes earlier = {0};
    if (late || kernel == 3)
        earlier = given(l, at - DTS_LANES, rows);
    for (int k = 0; k < all; k += 2 * DTS_LANES, at += DTS_LANES) {
        const dts_lanes here = given(l, at, rows), before = dts_lanes_later(earlier, here, 1);
        const dts_lanes begin = kernel == 3 ? before + here : here;
        dts_lanes_store_by_turns(dx + k, late ? before : begin, late ? begin : here);
        earlier = here;
    }
}

/* Windows of 3 and stride 1. */
DTS_LANES_FN void line_back_by_one(const struct way *way, const struct lines *l, float *dx,
                                   int rows)
{
    const int all = way->pool.in[DTS_POOL_LAST];
    int at = way->pool.before[DTS_POOL_LAST];
    dts_lanes earlier = given(l, at - DTS_LANES, rows);
    for (int k = 0; k < all; k += DTS_LANES, at += DTS_LANES) {
        const dts_lanes here = given(l, at, rows);
        dts_lanes_store(dx + k, here + dts_lanes_later(earlier, here, 1) +
                                    dts_lanes_later(earlier, here, 2));
        earlier = here;
    }
}

DTS_LANES_FN void line_back(const struct way *way, const struct rows *of, size_t plane,
                            float *dx, int rows, int kernel, int stride)
{
    const struct lines l = lines_of(way, of, plane, rows);
    if (stride == 1)
        line_back_by_one(way, &l, dx, rows);
    else if (way->pool.before[DTS_POOL_LAST] % 2 != 0)
        line_back_by_two(way, &l, dx, true, rows, kernel);
    else
        line_back_by_two(way, &l, dx, false, rows, kernel);
}

/* What is read behind `values`: a moment later, and, into the second cache, 12 KiB later. */
static void fetch(const float *values, size_t count)
{
    enum { FAR = 3072 };
    dts_fetch_near(values + FAR, count);
    dts_fetch(values + DTS_POOL_AHEAD, count);
}

/* A line of the result. */
static void do_line(const struct way *way, bool back, size_t plane, int j, float *to)
{
    const struct dts_pool *pool = &way->pool;
    const struct rows *rows = (const struct rows *)way->wide.rows + j;
    if (rows->count == 0) // beside windows
        memset(to, 0, (size_t)(back ? pool->in[2] : pool->out[2]) * sizeof(*to));
    else if (back)
        DTS_POOL_WIDE_ROWS(pool, rows->count, line_back, way, rows, plane, to);
    else
        DTS_POOL_WIDE_ROWS(pool, rows->count, line_forward, way, rows, plane, to);
}

/* All planes of a worker. */
static void do_forward(const struct way *way, struct dts_range range, float *y, bool past)
{
    const struct dts_pool *pool = &way->pool;
    const size_t next = (size_t)(pool->stride[1] * pool->in[2]); // what a window reads first
    struct dts_made made = {way->wide.made, y, 0, past};
    for (size_t p = range.first; p < range.first + range.count; p++)
        for (int j = 0; j < pool->out[1]; j++) {
            fetch(way->wide.array.values + p * pool->in_pixels + (size_t)j * next, next);
            do_line(way, false, p * pool->in_pixels, j, made.values + made.count);
            dts_made_more(&made, (size_t)pool->out[2]);
        }
    dts_made_end(&made);
}

/* The same back, where values are not made faster than memory takes them, so that one more pass
 * would cost. What vectors write behind the end of a line is written again by the next, but for
 * the last ones. */
static void do_back(const struct way *way, struct dts_range range, float *dx)
{
    const struct dts_pool *pool = &way->pool;
    const size_t n = (size_t)pool->in[2], whole = n + 2 * DTS_LANES;
    size_t room = range.count * pool->in_pixels;
    for (size_t p = range.first; p < range.first + range.count; p++)
        for (int j = 0; j < pool->in[1]; j++, dx += n, room -= n) {
            float *line = room >= whole ? dx : way->wide.made;
            dts_fetch_to_write(dx + DTS_POOL_AHEAD, n);
            do_line(way, true, p * pool->out_pixels, j, line);
            if (line != dx)
                memcpy(dx, line, n * sizeof(*dx));
        }
}

/* Which lines make line `at` of the result. */
static struct rows rows_of(const struct dts_pool *pool, bool back, int at)
{
    const struct dts_pool_span span =
        back ? dts_pool_windows_over(pool, 1, at) : dts_pool_window_along(pool, 1, at);
    struct rows rows = {span.first, span.end > span.first ? span.end - span.first : 0, {0}};
    for (int k = 0; k < rows.count; k++) {
        const int window = back ? span.first + k : at;
        rows.share[k] = 1.0f / (float)dts_pool_window_along(pool, 1, window).values;
    }
    return rows;
}

static struct way way_of(const struct dts_pool *pool, bool back, const struct dts_arrays *a,
                         int worker)
{
    const size_t pixels = back ? pool->out_pixels : pool->in_pixels;
    const struct dts_pool_array array = {back ? a->dy : a->x[0], pool->planes * pixels,
                                         back ? pool->out[2] : pool->in[2]};
    const struct way way = {*pool, dts_pool_wide_of(pool, array, a->scratch, worker)};
    for (int j = 0; j < (back ? pool->in[1] : pool->out[1]); j++)
        ((struct rows *)way.wide.rows)[j] = rows_of(pool, back, j);
    for (int i = 0; i < pool->out[2]; i++)
        way.wide.share[i] = 1.0f / (float)dts_pool_window_along(pool, 2, i).values;
    return way;
}

void dts_avg_pool_wide_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const struct way way = way_of(&pool, false, a, range.worker);
    const bool past = dts_goes_past_caches(a->y, pool.planes * pool.out_pixels * sizeof(float));
    do_forward(&way, range, (float *)a->y + range.first * pool.out_pixels, past);
}

void dts_avg_pool_wide_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    const struct way way = way_of(&pool, true, a, range.worker);
    do_back(&way, range, (float *)a->dx[0] + range.first * pool.in_pixels);
}
