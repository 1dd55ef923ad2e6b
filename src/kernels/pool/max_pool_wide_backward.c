/* max_pool_wide_backward.c -- gradients of usual windows, see pool_wide.h, without a single
 * store to where a largest value was: each value of dx is a sum over the windows that take it
 * in, of dy where it was the largest. Whoever reads beside a line of windows finds places that
 * no window of the line has, for it has more windows than one of them has values; so masks are
 * left for the ends of the arrays.
 */
#include "base/sizes.h"
#include "kernels/pool/max_pool_wide.h"
#include "kernels/pool/pool_wide.h"
#include "kernels/vector/lanes_part.h"
#include "kernels/vector/made.h"

/* The lines of windows over a line of the input: `rows` from the plane's window `at` on. */
struct over {
    size_t at;
    int rows;
};

/* What a worker has for all its planes. */
struct way {
    struct dts_pool pool;
    const float *dy;
    const int32_t *saved;
    size_t beside; // windows that vectors may read before a plane or behind
    struct over *over;
    int32_t apart[DTS_LANES]; // places of values that are stored beside one another
};

/* Windows over a line, in lines of their own. */
struct lines {
    const float *dy;
    const int32_t *where;
    int length;
    int32_t place; // of the line's first value
};

/* Windows beside one another. */
struct windows {
    dts_int_lanes where;
    dts_lanes dy;
};

/* Those of line r from `at` on. */
DTS_LANES_FN struct windows windows_at(const struct lines *l, int r, int at, bool inside)
{
    const int from = r * l->length + at;
    if (inside)
        return (struct windows){dts_int_lanes_load(l->where + from),
                                dts_lanes_load(l->dy + from)};
    // any place will do outside, where dy is 0
    const dts_which which = dts_lanes_within(at, l->length);
    const float *bits = (const float *)(const void *)(l->where + from);
    return (struct windows){(dts_int_lanes)dts_lanes_load_which(bits, which, 0),
                            dts_lanes_load_which(l->dy + from, which, 0)};
}

/* Those that are `by` before `w`, behind those before. */
DTS_LANES_FN struct windows before_by(struct windows before, struct windows w, int by)
{
    const dts_lanes where = dts_lanes_later((dts_lanes)before.where, (dts_lanes)w.where, by);
    return (struct windows){(dts_int_lanes)where, dts_lanes_later(before.dy, w.dy, by)};
}

/* sum and dy of the windows whose largest are at `place` */
DTS_LANES_FN dts_lanes add(dts_lanes sum, struct windows w, dts_int_lanes place)
{
    return dts_lanes_add_which(sum, dts_int_lanes_equal(w.where, place), w.dy);
}

/* What windows of stride 2 give to two values: where they begin, which with a kernel of 3 is
 * where those before end, and one behind. */
struct two {
    dts_lanes first, second;
};

DTS_LANES_FN struct two add_two(struct two sum, struct windows before, struct windows here,
                                dts_int_lanes place, bool late, int kernel)
{
    if (!late && kernel == 3)
        sum.first = add(sum.first, before, place);
    sum.first = add(sum.first, late ? before : here, place);
    if (late && kernel == 3)
        sum.second = add(sum.second, before, place + 1);
    sum.second = add(sum.second, here, place + 1);
    return sum;
}

/* late: a line's first value is the second of a window. also: lines of windows over the next
 * line, which is made, too; the first one is that of this line. */
DTS_LANES_FN void lines_by_two(const struct way *way, const struct lines *l, float *dx,
                               bool late, int rows, int also, int kernel, bool inside)
{
    const int all = way->pool.in[DTS_POOL_LAST];
    int at = way->pool.before[DTS_POOL_LAST] / 2 + late;
    dts_int_lanes place = dts_int_lanes_load(way->apart) + l->place;
    struct windows earlier[DTS_POOL_MOST];
    for (int r = 0; r < rows || r < also; r++)
        earlier[r] = windows_at(l, r, at - DTS_LANES, inside);
    for (int k = 0; k < all; k += 2 * DTS_LANES, at += DTS_LANES, place += 2 * DTS_LANES) {
        struct two sum = {{0}, {0}}, next = {{0}, {0}};
        for (int r = 0; r < rows || r < also; r++) {
            const struct windows here = windows_at(l, r, at, inside);
            const struct windows before = before_by(earlier[r], here, 1);
            if (r < rows)
                sum = add_two(sum, before, here, place, late, kernel);
            if (r < also)
                next = add_two(next, before, here, place + all, late, kernel);
            earlier[r] = here;
        }
        if (also == 0 || all - k >= 2 * DTS_LANES)
            dts_lanes_store_by_turns(dx + k, sum.first, sum.second);
        else // not over the begin of the next
            dts_lanes_store_first_by_turns(dx + k, sum.first, sum.second, all - k);
        if (also > 0)
            dts_lanes_store_by_turns(dx + all + k, next.first, next.second);
    }
}

/* Windows of 3 and stride 1. */
DTS_LANES_FN void line_by_one(const struct way *way, const struct lines *l, float *dx, int rows,
                              bool inside)
{
    const int all = way->pool.in[DTS_POOL_LAST];
    int at = way->pool.before[DTS_POOL_LAST];
    dts_int_lanes place = dts_int_lanes_load(way->apart) + l->place;
    struct windows earlier[DTS_POOL_MOST];
    for (int r = 0; r < rows; r++)
        earlier[r] = windows_at(l, r, at - DTS_LANES, inside);
    for (int k = 0; k < all; k += DTS_LANES, at += DTS_LANES, place += DTS_LANES) {
        dts_lanes sum = {0};
        for (int r = 0; r < rows; r++) {
            const struct windows here = windows_at(l, r, at, inside);
            sum = add(sum, before_by(earlier[r], here, 2), place);
            sum = add(sum, before_by(earlier[r], here, 1), place);
            sum = add(sum, here, place);
            earlier[r] = here;
        }
        dts_lanes_store(dx + k, sum);
    }
}

/* Line j of a plane and, if `also` is more than 0, the next. */
DTS_LANES_FN void do_line(const struct way *way, size_t plane, int j, float *dx, bool late,
                          bool inside, int rows, int also, int kernel, int stride)
{
    const size_t at = plane * way->pool.out_pixels + way->over[j].at;
    const struct lines l = {way->dy + at, way->saved + at, way->pool.out[DTS_POOL_LAST],
                            j * way->pool.in[DTS_POOL_LAST]};
    if (stride == 1)
        line_by_one(way, &l, dx, rows, inside);
    else
        lines_by_two(way, &l, dx, late, rows, also, kernel, inside);
}

/* Lines j .. end - 1 of a plane, to where there is room for whole vectors. */
DTS_LANES_FN void do_lines(const struct way *way, size_t plane, int j, int end, float *dx,
                           bool late, bool inside, int kernel, int stride)
{
    const int n = way->pool.in[DTS_POOL_LAST];
    for (int done; j < end; j += done, dx += done * n) {
        const struct over *over = &way->over[j];
        const bool two = stride == 2 && over[0].rows == 1 && j + 1 < end && over[1].rows > 0 &&
                         over[1].rows < 3 && over[1].at == over[0].at;
        done = 1 + two;
        if (two && over[1].rows == 2)
            do_line(way, plane, j, dx, late, inside, 1, 2, kernel, stride);
        else if (two && over[1].rows == 1)
            do_line(way, plane, j, dx, late, inside, 1, 1, kernel, stride);
        else if (over->rows == 1)
            do_line(way, plane, j, dx, late, inside, 1, 0, kernel, stride);
        else if (over->rows == 2)
            do_line(way, plane, j, dx, late, inside, 2, 0, kernel, stride);
        else if (over->rows == 3)
            do_line(way, plane, j, dx, late, inside, 3, 0, kernel, stride);
        else // beside all windows
            memset(dx, 0, (size_t)n * sizeof(*dx));
    }
}

/* Functions of their own: in a larger one registers would not do for their loops. */
static __attribute__((noinline)) void lines_late(const struct way *way, size_t plane, int j,
                                                 int end, float *dx)
{
    DTS_POOL_WIDE(&way->pool, do_lines, way, plane, j, end, dx, true, true);
}

static __attribute__((noinline)) void lines_early(const struct way *way, size_t plane, int j,
                                                  int end, float *dx)
{
    DTS_POOL_WIDE(&way->pool, do_lines, way, plane, j, end, dx, false, true);
}

static __attribute__((noinline)) void lines_at_ends(const struct way *way, size_t plane, int j,
                                                    int end, float *dx)
{
    const bool late = way->pool.before[DTS_POOL_LAST] % 2 != 0;
    DTS_POOL_WIDE(&way->pool, do_lines, way, plane, j, end, dx, late, false);
}

static void some_lines(const struct way *way, size_t plane, int j, int end, float *dx)
{
    const struct dts_pool *pool = &way->pool;
    const size_t before = plane * pool->out_pixels;
    const size_t behind = (pool->planes - plane - 1) * pool->out_pixels;
    if (before < way->beside || behind < way->beside)
        lines_at_ends(way, plane, j, end, dx);
    else if (pool->before[2] % 2 != 0)
        lines_late(way, plane, j, end, dx);
    else
        lines_early(way, plane, j, end, dx);
}

static void set_way(struct way *way)
{
    const struct dts_pool *pool = &way->pool;
    way->beside = (size_t)(pool->before[2] + pool->in[2] / pool->stride[2]) + 3 * DTS_LANES;
    for (int i = 0; i < DTS_LANES; i++)
        way->apart[i] = i * pool->stride[2];
    for (int j = 0; j < pool->in[1]; j++) {
        const struct dts_pool_span span = dts_pool_windows_over(pool, 1, j);
        way->over[j] =
            (struct over){(size_t)span.first * (size_t)pool->out[2], span.end - span.first};
    }
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + 2 * DTS_LINE_BYTES - 1) / (2 * DTS_LINE_BYTES) * (2 * DTS_LINE_BYTES);
}

static size_t over_bytes(const struct dts_pool *pool)
{
    return whole_lines((size_t)pool->in[1] * sizeof(struct over));
}

void dts_max_pool_wide_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    const struct dts_pool pool = dts_pool_of(call, a->batch);
    char *room = (char *)a->scratch + (size_t)range.worker * dts_max_pool_wide_room(&pool);
    struct way way = {pool, a->dy, a->saved, 0, (struct over *)(void *)room, {0}};
    const int n = pool.in[2], some = n < DTS_MADE_SOME ? DTS_MADE_SOME / n : 1;
    set_way(&way);
    struct dts_made made = {
        (float *)(void *)(room + over_bytes(&pool)),
        (float *)a->dx[0] + range.first * pool.in_pixels, 0,
        dts_goes_past_caches(a->dx[0], pool.planes * pool.in_pixels * sizeof(float))};
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (int j = 0, end; j < pool.in[1]; j = end) {
            end = j + some < pool.in[1] ? j + some : pool.in[1];
            some_lines(&way, plane, j, end, made.values + made.count);
            made.count += (size_t)(end - j) * (size_t)n;
            dts_made_move(&made);
        }
    dts_made_end(&made);
}

size_t dts_max_pool_wide_room(const struct dts_pool *pool)
{
    const size_t left = DTS_LINE_VALUES, vectors = 2 * DTS_LANES; // before, and behind an end
    const size_t most = left + DTS_MADE_SOME + (size_t)pool->in[2] + vectors;
    return over_bytes(pool) + whole_lines(most * sizeof(float));
}
