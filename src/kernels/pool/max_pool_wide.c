/* max_pool_wide.c -- the largest of usual windows, see pool_wide.h: of equals
 * the one whose place is lower; where all are minus infinity, or not numbers, the first place.
 * The largest along each line comes first, left before right, then the largest of these, upper
 * before lower, so that larger or not is all there is to ask. What is found along lines that
 * the next windows take in, too, is kept for these.
 */
#include "kernels/pool/max_pool_wide.h"

#include <math.h>

#include "kernels/pool/pool_wide.h"
#include "kernels/vector/lanes_part.h"

struct largest {
    dts_lanes value;
    dts_int_lanes where; // as many values behind the begin of its window, in its line
};

/* DTS_LANES windows beside one another. */
struct columns {
    bool inside;              // the last values of all that count, and the first
    dts_which within, behind; // which are, of the two vectors that hold the last values
    dts_int_lanes first;      // value of each window that is inside
    dts_int_lanes begin;      // of each window, in the line
};

enum { MOST_COLUMNS = DTS_MAX_POOL_WIDE_MOST / DTS_LANES };

/* What a worker has for all its planes. The two vectors with the last values of the first
 * windows begin `last` values behind the begin of a line; windows of 3 take in one value more
 * before those, or two. Of these `before` are inside. */
struct way {
    struct dts_pool pool;
    bool shares; // lines of windows with the next windows: as many as their values beside them
    struct columns columns[MOST_COLUMNS];
    int last;
    dts_which before;
    const float *end;                                     // of what may be read
    struct largest kept[DTS_POOL_MOST - 1][MOST_COLUMNS]; // along the last lines
};

DTS_LANES_FN struct largest of_both(struct largest a, dts_lanes value, dts_int_lanes where)
{
    const dts_which larger = dts_lanes_larger(value, a.value);
    return (struct largest){dts_lanes_max(value, a.value),
                            dts_int_lanes_select(larger, where, a.where)};
}

/* Values outside are less than all that count. */
DTS_LANES_FN dts_lanes load(const float *from, dts_which which, bool inside)
{
    return inside ? dts_lanes_load(from) : dts_lanes_load_which(from, which, -INFINITY);
}

/* Of windows whose last values begin at `last`. *earlier: the values before these. */
DTS_LANES_FN struct largest of_windows(const float *last, const struct columns *c, bool inside,
                                       dts_lanes *earlier, int kernel, int stride)
{
    const dts_lanes a = load(last, c->within, inside);
    dts_lanes value[DTS_POOL_MOST];
    if (stride == 1) {
        value[0] = dts_lanes_later(*earlier, a, 2);
        value[1] = dts_lanes_later(*earlier, a, 1);
        value[2] = *earlier = a;
    } else {
        const dts_lanes b = load(last + DTS_LANES, c->behind, inside);
        const dts_lanes odd = dts_lanes_in_order(dts_lanes_odd_mixed(a, b));
        if (kernel == 3)
            value[0] = dts_lanes_later(*earlier, odd, 1);
        value[kernel - 2] = dts_lanes_in_order(dts_lanes_even_mixed(a, b));
        value[kernel - 1] = *earlier = odd;
    }
    struct largest all = {dts_lanes_max(value[0], (dts_lanes){0} - INFINITY), c->first};
    for (int k = 1; k < kernel; k++)
        all = of_both(all, value[k], (dts_int_lanes){0} + k);
    return all;
}

/* The lines that windows take in, from line `first` of a plane on; has: the first of them are
 * kept. */
struct lines {
    const float *values;
    int first;
    bool has;
    float *y;
    int32_t *where;
};

/* Windows in column i. earlier: of each line. */
DTS_LANES_FN struct largest of_lines(struct way *way, const float *last, int i, bool inside,
                                     dts_lanes earlier[], bool has, int rows, int kernel,
                                     int stride)
{
    const int shared = kernel - stride, length = way->pool.in[2];
    const struct columns *c = &way->columns[i];
    struct largest one[DTS_POOL_MOST], all = {{0}, {0}};
    for (int r = 0; r < rows; r++) {
        if (has && r < shared)
            one[r] = way->kept[r][i];
        else
            one[r] = of_windows(last + r * length, c, inside, &earlier[r], kernel, stride);
        all = r == 0 ? one[0] : of_both(all, one[r].value, one[r].where + r * length);
    }
    for (int r = 0; r < shared && shared <= rows; r++)
        way->kept[r][i] = one[rows - shared + r];
    all.where += c->begin;
    return all;
}

DTS_LANES_FN void do_line(struct way *way, const struct lines *lines, bool has, int rows,
                          int kernel, int stride)
{
    const struct lines l = *lines;
    const int windows = way->pool.out[2], length = way->pool.in[2];
    const bool whole = way->end - l.values >= rows * length + 2 * DTS_LANES;
    const float *last = l.values + way->last;
    dts_lanes earlier[DTS_POOL_MOST];
    for (int r = has ? kernel - stride : 0; r < rows; r++)
        earlier[r] =
            dts_lanes_load_which(last + r * length - DTS_LANES, way->before, -INFINITY);
    for (int k = 0, i = 0; k < windows; k += DTS_LANES, i++, last += stride * DTS_LANES) {
        struct largest all;
        if (whole && way->columns[i].inside)
            all = of_lines(way, last, i, true, earlier, has, rows, kernel, stride);
        else
            all = of_lines(way, last, i, false, earlier, has, rows, kernel, stride);
        dts_lanes_store_first(l.y + k, all.value, windows - k);
        dts_int_lanes_store_first(l.where + k, all.where + l.first * length, windows - k);
    }
}

DTS_LANES_FN void do_line_with(struct way *way, const struct lines *lines, int rows, int kernel,
                               int stride)
{
    if (lines->has)
        do_line(way, lines, true, rows, kernel, stride);
    else
        do_line(way, lines, false, rows, kernel, stride);
}

/* A function of its own: in a larger one registers would not do for its loops. */
static __attribute__((noinline)) void do_line_any(struct way *way, const struct lines *lines,
                                                  int rows)
{
    DTS_POOL_WIDE_ROWS(&way->pool, rows, do_line_with, way, lines);
}

static void do_plane(struct way *way, const float *x, float *y, int32_t *where)
{
    const struct dts_pool *pool = &way->pool;
    const int length = pool->in[2], n = pool->out[2];
    const int shared = way->shares ? pool->kernel[1] - pool->stride[1] : 0;
    const size_t next = (size_t)(pool->stride[1] * length); // what a window reads first
    int kept = -1; // the first line that is; none where windows took in fewer than they share
    for (int j = 0; j < pool->out[1]; j++, y += n, where += n) {
        const struct dts_pool_span span = dts_pool_window_along(pool, 1, j);
        const int rows = span.end - span.first;
        const struct lines lines = {x + span.first * length, span.first, span.first == kept, y,
                                    where};
        dts_fetch(x + (size_t)j * next + DTS_POOL_AHEAD, next);
        dts_fetch_to_write(y + DTS_POOL_AHEAD / 4, (size_t)n);
        dts_fetch_to_write((const float *)where + DTS_POOL_AHEAD / 4, (size_t)n);
        do_line_any(way, &lines, rows);
        kept = shared > 0 ? span.end - shared : -1;
    }
}

static void set_columns(struct way *way)
{
    const struct dts_pool *pool = &way->pool;
    const int length = pool->in[2], windows = pool->out[2], stride = pool->stride[2];
    const int end = (windows - 1) * stride - pool->before[2] + pool->kernel[2];
    int begin = -pool->before[2], last = way->last;
    for (int k = 0, i = 0; k < windows; k += DTS_LANES, i++, last += stride * DTS_LANES) {
        struct columns *c = &way->columns[i];
        for (int lane = 0; lane < DTS_LANES; lane++, begin += stride) {
            c->begin[lane] = begin;
            c->first[lane] = begin < 0 ? -begin : 0;
        }
        c->inside = last >= 0 && (end <= length || last + stride * DTS_LANES <= length);
        c->within = dts_lanes_within(last, length);
        c->behind = dts_lanes_within(last + DTS_LANES, length);
    }
}

void dts_max_pool_wide_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    struct way way;
    way.pool = dts_pool_of(call, a->batch);
    const struct dts_pool *pool = &way.pool;
    way.shares = pool->kernel[1] == pool->kernel[2] && pool->stride[1] == pool->stride[2];
    way.last = pool->kernel[2] - pool->stride[2] - pool->before[2];
    way.before = dts_lanes_within(way.last - DTS_LANES, pool->in[2]);
    way.end = (const float *)a->x[0] + pool->planes * pool->in_pixels;
    set_columns(&way);
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        do_plane(&way, (const float *)a->x[0] + plane * pool->in_pixels,
                 (float *)a->y + plane * pool->out_pixels,
                 (int32_t *)a->saved + plane * pool->out_pixels);
}
