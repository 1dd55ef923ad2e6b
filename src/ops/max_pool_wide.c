/* max_pool_wide.c -- the largest of usual windows over long lines, see pool_wide.h: of equals
 * the one whose place is lower; where all are minus infinity, or not numbers, the first place.
 */
#include "ops/max_pool_wide.h"

#include <math.h>

#include "ops/pool_wide.h"

/* Lines of a plane that windows take in, from line `first` on. */
struct lines {
    const float *plane;
    int first, count, length;
};

struct largest {
    dts_lanes value;
    dts_int_lanes where;
};

/* Of each column, from column `at` on. */
DTS_LANES_FN struct largest of_columns(const struct lines *lines, int at, int rows)
{
    dts_int_lanes where;
    for (int i = 0; i < DTS_LANES; i++)
        where[i] = i;
    const int begin = lines->first * lines->length + at;
    where += begin;
    struct largest all = {(dts_lanes){0} - INFINITY, where};
    for (int r = 0; r < rows; r++) {
        const dts_lanes value = dts_lanes_load(lines->plane + begin + r * lines->length);
        const dts_which larger = dts_lanes_larger(value, all.value);
        all.value = dts_lanes_select(larger, value, all.value);
        all.where = dts_int_lanes_select(larger, where + r * lines->length, all.where);
    }
    return all;
}

DTS_LANES_FN struct largest of_both(struct largest a, struct largest b)
{
    const dts_which equal = dts_lanes_equal(a.value, b.value);
    const dts_which take =
        dts_lanes_larger(b.value, a.value) | (equal & dts_int_lanes_less(b.where, a.where));
    return (struct largest){dts_lanes_select(take, b.value, a.value),
                            dts_int_lanes_select(take, b.where, a.where)};
}

DTS_LANES_FN struct largest odd(struct largest a, struct largest b)
{
    return (struct largest){dts_lanes_odd(a.value, b.value),
                            dts_int_lanes_odd(a.where, b.where)};
}

/* Of DTS_LANES windows, the first of which begins at `at`. */
DTS_LANES_FN struct largest of_windows(const struct lines *lines, int at, int rows, int kernel,
                                       int stride)
{
    const struct largest a = of_columns(lines, at, rows);
    if (stride == 1)
        return of_both(of_both(a, of_columns(lines, at + 1, rows)),
                       of_columns(lines, at + 2, rows));
    const struct largest b = of_columns(lines, at + DTS_LANES, rows);
    const struct largest even = {dts_lanes_even(a.value, b.value),
                                 dts_int_lanes_even(a.where, b.where)};
    const struct largest two = of_both(even, odd(a, b));
    if (kernel == 2)
        return two;
    return of_both(
        two, odd(of_columns(lines, at + 1, rows), of_columns(lines, at + 1 + DTS_LANES, rows)));
}

/* The windows inside of a line; vectors may overlap at the end. */
DTS_LANES_FN void do_inside(const struct lines *lines, struct dts_pool_middle inside,
                            int before, float *y, int32_t *where, int rows, int kernel,
                            int stride)
{
    for (int i = inside.first; i < inside.end; i += DTS_LANES) {
        const int k = i + DTS_LANES <= inside.end ? i : inside.end - DTS_LANES;
        const struct largest largest =
            of_windows(lines, k * stride - before, rows, kernel, stride);
        dts_lanes_store(y + k, largest.value);
        dts_int_lanes_store(where + k, largest.where);
    }
}

/* Windows [first, end) of a line, one by one. */
static void do_sides(const struct dts_pool *pool, const struct lines *lines, int first, int end,
                     float *y, int32_t *where)
{
    for (int i = first; i < end; i++) {
        const struct dts_pool_span columns = dts_pool_window_along(pool, DTS_POOL_LAST, i);
        float most = -INFINITY;
        int32_t place = lines->first * lines->length + columns.first;
        for (int r = lines->first; r < lines->first + lines->count; r++)
            for (int k = columns.first; k < columns.end; k++) {
                const int32_t at = r * lines->length + k;
                const bool larger = lines->plane[at] > most;
                const int32_t take = -(int32_t)larger; // no branch: it would be guessed wrong
                most = larger ? lines->plane[at] : most;
                place = (at & take) | (place & ~take);
            }
        y[i] = most;
        where[i] = place;
    }
}

static void do_plane(const struct dts_pool *pool, const float *x, float *y, int32_t *where)
{
    const struct dts_pool_middle inside = dts_pool_inside(pool);
    const int n = pool->out[DTS_POOL_LAST], before = pool->before[DTS_POOL_LAST];
    const size_t next = (size_t)(pool->stride[1] * pool->in[2]); // what a window reads first
    for (int j = 0; j < pool->out[1]; j++, y += n, where += n) {
        const struct dts_pool_span rows = dts_pool_window_along(pool, 1, j);
        const struct lines lines = {x, rows.first, rows.end - rows.first, pool->in[2]};
        dts_fetch(x + (size_t)j * next + DTS_POOL_AHEAD, next);
        dts_fetch_to_write(y + DTS_POOL_AHEAD / 4, (size_t)n);
        dts_fetch_to_write((const float *)where + DTS_POOL_AHEAD / 4, (size_t)n);
        DTS_POOL_WIDE(pool, lines.count, do_inside, &lines, inside, before, y, where);
        do_sides(pool, &lines, 0, inside.first, y, where);
        do_sides(pool, &lines, inside.end, n, y, where);
    }
}

bool dts_max_pool_is_wide(const struct dts_pool *pool)
{
    const struct dts_pool_middle inside = dts_pool_inside(pool);
    return dts_pool_is_usual(pool) && inside.end - inside.first >= DTS_LANES;
}

void dts_max_pool_wide_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        do_plane(&pool, (const float *)a->x[0] + plane * pool.in_pixels,
                 (float *)a->y + plane * pool.out_pixels,
                 (int32_t *)a->saved + plane * pool.out_pixels);
}
