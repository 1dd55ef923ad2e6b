/* batch_norm_host_backward.c -- batch normalization on a CPU, backward, a few channels at a
 * time as forward takes them (batch_norm_host.c).
 */
#include <math.h>

#include "kernels/batch_norm/batch_norm_host.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/lanes.h"
#include "kernels/vector/past_caches.h"
#include "kernels/vector/sums.h"

/* A channel's way back: line: of forward. dx = line.scale g + by_x x + shift */
struct back {
    struct dts_batch_norm_line line;
    float least; // y below lets nothing pass
    float mean, by_x, shift;
    double g, gx; // sums of g and g (x - mean)
};

static struct back begin_back(struct dts_batch_norm_sizes s, const struct dts_arrays *a,
                              size_t c, bool relu)
{
    const float *saved = a->saved;
    return (struct back){.line = dts_batch_norm_line(a, c, saved[c], saved[s.channels + c]),
                         .least = relu ? 0 : -INFINITY,
                         .mean = saved[c]};
}

/* x and dy of a plane; those of the plane that is read next. */
struct plane {
    const float *x, *dy, *next_x, *next_dy;
};

/* `count` values from `first` on, two registers at a time: additions do not wait for one
 * another. */
static void add_piece_back(struct back *b, const struct plane *p, size_t first, size_t count,
                           size_t pixels)
{
    enum { TWO = 2 * DTS_LANES };
    const struct dts_batch_norm_line line = b->line;
    const dts_lanes nothing = {0}, least = nothing + b->least;
    const size_t whole = first + count / TWO * TWO;
    dts_lanes sum[2] = {{0}}, products[2] = {{0}};
    for (size_t i = first; i < whole; i += TWO) {
        dts_fetch(dts_batch_norm_later(p->x, p->next_x, i, pixels), TWO);
        dts_fetch(dts_batch_norm_later(p->dy, p->next_dy, i, pixels), TWO);
        for (size_t k = i; k < i + TWO; k += DTS_LANES) {
            const dts_lanes x = dts_lanes_load(p->x + k), dy = dts_lanes_load(p->dy + k);
            const dts_which passes = dts_lanes_larger(x * line.scale + line.shift, least);
            const dts_lanes g = dts_lanes_select(passes, dy, nothing);
            const size_t which = (k - i) / DTS_LANES;
            sum[which] += g;
            products[which] += g * (x - b->mean);
        }
    }
    float g = dts_lanes_sum(sum[0] + sum[1]), gx = dts_lanes_sum(products[0] + products[1]);
    for (size_t i = whole; i < first + count; i++) {
        const float d = line.scale * p->x[i] + line.shift > b->least ? p->dy[i] : 0;
        g += d;
        gx += d * (p->x[i] - b->mean);
    }
    b->g += g;
    b->gx += gx;
}

/* The sums of the samples at hand are what the gradients of the parameters grow by. */
static void add_gradients(struct dts_batch_norm_sizes s, const struct dts_arrays *a, size_t c,
                          const struct back *b)
{
    const double r = ((const float *)a->saved)[s.channels + c];
    if (a->dw[0] != NULL)
        ((float *)a->dw[0])[c] += (float)(b->gx * r);
    if (a->dw[1] != NULL)
        ((float *)a->dw[1])[c] += (float)b->g;
}

/* All sums are there: find the slope. */
static void find_slope(struct dts_batch_norm_sizes s, const struct dts_arrays *a, size_t c,
                       struct back *b)
{
    const double r = ((const float *)a->saved)[s.channels + c];
    const double by_x = -b->line.scale * r * r * b->gx / s.count;
    b->by_x = (float)by_x;
    b->shift = (float)(-b->line.scale * b->g / s.count - by_x * b->mean);
}

/* One plane; `next` is written next; NULL: they go past the caches. */
static void apply_back(const struct back *b, const float *restrict x, const float *restrict dy,
                       float *restrict dx, const float *next, size_t count)
{
    const struct dts_batch_norm_line line = b->line;
    const float least = b->least, by_x = b->by_x, shift = b->shift;
    const bool past = next == NULL;
    float block[DTS_BATCH_NORM_STEP];
    for (size_t i = 0, end; i < count; i = end) {
        end = dts_least(count, i + DTS_BATCH_NORM_STEP);
        float *to = dts_begin_block(dx, i, block, past);
        if (!past)
            dts_fetch_to_write(dts_batch_norm_later(dx, next, i, count), DTS_BATCH_NORM_STEP);
#pragma omp simd
        for (size_t k = i; k < end; k++) {
            const float g = line.scale * x[k] + line.shift > least ? dy[k] : 0;
            to[k - i] = line.scale * g + (by_x * x[k] + shift);
        }
        dts_end_block(dx, i, end, block, past);
    }
}

/* Few channels: where their first planes begin. */
struct few {
    size_t count;
    const float *x, *dy;
    float *dx; // NULL: not wanted
};

/* Sums of the samples at hand. */
static void gather_back(struct dts_batch_norm_sizes s, const struct few *few, struct back *back)
{
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < few->count; c++) {
            const size_t at = (n * s.channels + c) * s.pixels;
            const size_t next = dts_batch_norm_next(s, few->count, n, c);
            const struct plane plane = {few->x + at, few->dy + at, few->x + next,
                                        few->dy + next};
            for (size_t i = 0; i < s.pixels; i += DTS_BATCH_NORM_PIECE)
                add_piece_back(&back[c], &plane, i,
                               dts_least(s.pixels - i, DTS_BATCH_NORM_PIECE), s.pixels);
        }
}

static void apply_few(struct dts_batch_norm_sizes s, const struct few *few,
                      const struct back *back)
{
    const bool past = dts_rows_go_past_caches(few->dx, s.batch * s.channels, s.pixels);
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < few->count; c++) {
            const size_t at = (n * s.channels + c) * s.pixels;
            const float *next =
                past ? NULL : few->dx + dts_batch_norm_next(s, few->count, n, c);
            apply_back(&back[c], few->x + at, few->dy + at, few->dx + at, next, s.pixels);
        }
    dts_lanes_streamed();
}

/* The sums of the channels from `first` on: to all ranks, or from them. */
static void give_or_take(struct dts_batch_norm_sizes s, const struct dts_arrays *a,
                         size_t first, size_t count, struct back *back)
{
    double *g = a->sums + first, *gx = g + s.channels;
    for (size_t c = 0; c < count; c++)
        if (a->part == DTS_OP_SUMS) {
            g[c] = back[c].g;
            gx[c] = back[c].gx;
        } else {
            back[c].g = g[c];
            back[c].gx = gx[c];
        }
}

static void backward_few(const struct dts_op_call *call, const struct dts_arrays *a,
                         size_t first, size_t count)
{
    const struct dts_batch_norm_sizes s = dts_batch_norm_sizes(call, a);
    const size_t at = first * s.pixels;
    const struct few few = {
        .count = count,
        .x = (const float *)a->x[0] + at,
        .dy = (const float *)a->dy + at,
        .dx = a->dx[0] == NULL ? NULL : (float *)a->dx[0] + at,
    };
    struct back back[DTS_BATCH_NORM_MOST_TOGETHER];
    for (size_t c = 0; c < count; c++)
        back[c] = begin_back(s, a, first + c, call->relu);
    if (a->part != DTS_OP_REST) {
        gather_back(s, &few, back);
        for (size_t c = 0; c < count; c++)
            add_gradients(s, a, first + c, &back[c]);
    }
    if (a->part != DTS_OP_WHOLE)
        give_or_take(s, a, first, count, back);
    if (a->part == DTS_OP_SUMS || few.dx == NULL)
        return;
    for (size_t c = 0; c < count; c++)
        find_slope(s, a, first + c, &back[c]);
    apply_few(s, &few, back);
}

static void backward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                              struct dts_range range)
{
    const struct dts_batch_norm_sizes s = dts_batch_norm_sizes(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = dts_batch_norm_together(s, range.count - i);
        backward_few(call, a, range.first + i, count);
    }
}

void dts_batch_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    dts_ranges(backward_channels, call->inputs[0].size[0], call, a, place);
}
