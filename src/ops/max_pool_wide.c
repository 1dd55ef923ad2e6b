/* max_pool_wide.c -- the largest of usual windows, see pool_wide.h: of equals
 * the one whose place is lower; where all are minus infinity, or not numbers, the first place.
 * The largest along each line comes first, left before right, then the largest of these, upper
 * before lower, so that larger or not is all there is to ask.
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

/* DTS_LANES windows beside one another: where each begins in its line, and the first value of
 * it that is inside. Of stride 2 in the order of dts_lanes_even_mixed(). */
struct columns {
    int at;
    bool inside; // all of them
    dts_int_lanes begin, first;
};

/* Values outside are less than all that count. */
DTS_LANES_FN dts_lanes load(const struct columns *c, const float *line, int length, int more)
{
    return c->inside ? dts_lanes_load(line + c->at + more)
                     : dts_lanes_load_within(line, c->at + more, length, -INFINITY);
}

DTS_LANES_FN struct largest of_both(struct largest a, dts_lanes value, dts_int_lanes where)
{
    const dts_which larger = dts_lanes_larger(value, a.value);
    return (struct largest){dts_lanes_max(value, a.value),
                            dts_int_lanes_select(larger, where, a.where)};
}

/* Along a line; where: in it. */
DTS_LANES_FN struct largest of_line(const struct columns *c, const float *line, int length,
                                    int kernel, int stride)
{
    dts_lanes value[DTS_POOL_MOST];
    for (int k = 0; k < kernel; k++)
        value[k] = load(c, line, length, stride == 1 || k == 0 ? k : k == 1 ? DTS_LANES : 1);
    if (stride == 2) {
        const dts_lanes a = value[0], b = value[1];
        value[0] = dts_lanes_even_mixed(a, b);
        value[1] = dts_lanes_odd_mixed(a, b);
        if (kernel == 3)
            value[2] = dts_lanes_odd_mixed(value[2], load(c, line, length, DTS_LANES + 1));
    }
    struct largest all = {dts_lanes_max(value[0], (dts_lanes){0} - INFINITY), c->first};
    for (int k = 1; k < kernel; k++)
        all = of_both(all, value[k], c->begin + k);
    return all;
}

DTS_LANES_FN struct largest of_windows(const struct lines *lines, const struct columns *c,
                                       int rows, int kernel, int stride)
{
    int begin = lines->first * lines->length;
    struct largest all = {{0}, {0}};
    for (int r = 0; r < rows; r++, begin += lines->length) {
        struct largest one = of_line(c, lines->plane + begin, lines->length, kernel, stride);
        one.where += begin;
        all = r == 0 ? one : of_both(all, one.value, one.where);
    }
    return all;
}

/* What vectors write: where it belongs, or, of a line that is shorter than they are, its part.
 */
DTS_LANES_FN void put(struct largest largest, int windows, float *y, int32_t *where)
{
    float values[DTS_LANES];
    int32_t places[DTS_LANES];
    if (windows >= DTS_LANES) {
        dts_lanes_store(y, largest.value);
        dts_int_lanes_store(where, largest.where);
        return;
    }
    dts_lanes_store(values, largest.value);
    dts_int_lanes_store(places, largest.where);
    for (int i = 0; i < windows; i++) {
        y[i] = values[i];
        where[i] = places[i];
    }
}

/* The windows of a line; vectors may overlap at the end. */
DTS_LANES_FN void do_line(const struct lines *lines, int windows, int before, float *y,
                          int32_t *where, int rows, int kernel, int stride)
{
    const struct lines l = *lines;
    const int last = windows > DTS_LANES ? windows - DTS_LANES : 0;
    dts_int_lanes each;
    for (int i = 0; i < DTS_LANES; i++)
        each[i] = i * stride;
    if (stride == 2)
        each = dts_int_lanes_in_order(each);
    for (int i = 0; i < windows; i += DTS_LANES) {
        const int k = i < last ? i : last;
        const int at = k * stride - before;
        struct columns c = {at, true, each + at, each + at};
        struct largest largest;
        if (at >= 0 && at + (DTS_LANES - 1) * stride + kernel <= l.length) {
            largest = of_windows(&l, &c, rows, kernel, stride);
        } else {
            c.inside = false;
            c.first = dts_int_lanes_select(dts_int_lanes_less(c.begin, (dts_int_lanes){0}),
                                           (dts_int_lanes){0}, c.begin);
            largest = of_windows(&l, &c, rows, kernel, stride);
        }
        if (stride == 2) {
            largest.value = dts_lanes_in_order(largest.value);
            largest.where = dts_int_lanes_in_order(largest.where);
        }
        put(largest, windows, y + k, where + k);
    }
}

static void do_plane(const struct dts_pool *pool, const float *x, float *y, int32_t *where)
{
    const int n = pool->out[DTS_POOL_LAST], before = pool->before[DTS_POOL_LAST];
    const size_t next = (size_t)(pool->stride[1] * pool->in[2]); // what a window reads first
    for (int j = 0; j < pool->out[1]; j++, y += n, where += n) {
        const struct dts_pool_span rows = dts_pool_window_along(pool, 1, j);
        const struct lines lines = {x, rows.first, rows.end - rows.first, pool->in[2]};
        dts_fetch(x + (size_t)j * next + DTS_POOL_AHEAD, next);
        dts_fetch_to_write(y + DTS_POOL_AHEAD / 4, (size_t)n);
        dts_fetch_to_write((const float *)where + DTS_POOL_AHEAD / 4, (size_t)n);
        DTS_POOL_WIDE(pool, lines.count, do_line, &lines, n, before, y, where);
    }
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
