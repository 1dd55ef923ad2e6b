/* batch_norm_host_backward.c -- batch normalization on a CPU, backward, a few channels at a
 * time as forward takes them (batch_norm_host.c).
 */
#include <math.h>

#include "ops/batch_norm_host.h"
#include "ops/fetch.h"
#include "ops/ranges.h"

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

static void add_piece_back(struct back *b, const float *x, const float *dy, size_t count)
{
    const struct dts_batch_norm_line line = b->line;
    const float least = b->least, mean = b->mean;
    const size_t half = count / 2; // two at a time: additions do not wait for one another
    float g = 0, gx = 0, g2 = 0, gx2 = 0;
#pragma omp simd reduction(+ : g, gx, g2, gx2)
    for (size_t i = 0; i < half; i++) {
        const size_t k = half + i;
        const float d = line.scale * x[i] + line.shift > least ? dy[i] : 0;
        const float d2 = line.scale * x[k] + line.shift > least ? dy[k] : 0;
        g += d;
        gx += d * (x[i] - mean);
        g2 += d2;
        gx2 += d2 * (x[k] - mean);
    }
    for (size_t i = 2 * half; i < count; i++) {
        const float d = line.scale * x[i] + line.shift > least ? dy[i] : 0;
        g += d;
        gx += d * (x[i] - mean);
    }
    b->g += g + g2;
    b->gx += gx + gx2;
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

/* One plane; meanwhile the x of the plane `ahead` is fetched, if that is not 0. Its dy waits
 * until it is read for the sums: so memory is busy both times. */
static void apply_back(const struct back *b, const float *restrict x, const float *restrict dy,
                       float *restrict dx, size_t count, size_t ahead)
{
    const struct dts_batch_norm_line line = b->line;
    const float least = b->least, by_x = b->by_x, shift = b->shift;
    for (size_t i = 0, end; i < count; i = end) {
        end = dts_batch_norm_least(count, i + DTS_BATCH_NORM_STEP);
        dts_fetch(x + i + ahead, ahead > 0 ? DTS_BATCH_NORM_STEP : 0);
        dts_fetch_to_write(dx + i + DTS_BATCH_NORM_WRITTEN_AHEAD, DTS_BATCH_NORM_STEP);
#pragma omp simd
        for (size_t k = i; k < end; k++) {
            const float g = line.scale * x[k] + line.shift > least ? dy[k] : 0;
            dx[k] = line.scale * g + (by_x * x[k] + shift);
        }
    }
}

/* Sums of the samples at hand. */
static void gather_back(struct dts_batch_norm_sizes s, const float *x, const float *dy,
                        size_t count, struct back *back)
{
    const size_t sample = s.channels * s.pixels;
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < count; c++)
            for (size_t i = 0; i < s.pixels; i += DTS_BATCH_NORM_PIECE) {
                const size_t at = n * sample + c * s.pixels + i;
                add_piece_back(&back[c], x + at, dy + at,
                               dts_batch_norm_least(s.pixels - i, DTS_BATCH_NORM_PIECE));
            }
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
    const float *x = (const float *)a->x[0] + first * s.pixels;
    const float *dy = (const float *)a->dy + first * s.pixels;
    const size_t sample = s.channels * s.pixels;
    struct back back[DTS_BATCH_NORM_MOST_TOGETHER];
    for (size_t c = 0; c < count; c++)
        back[c] = begin_back(s, a, first + c, call->relu);
    if (a->part != DTS_OP_REST) {
        gather_back(s, x, dy, count, back);
        for (size_t c = 0; c < count; c++)
            add_gradients(s, a, first + c, &back[c]);
    }
    if (a->part != DTS_OP_WHOLE)
        give_or_take(s, a, first, count, back);
    if (a->part == DTS_OP_SUMS || a->dx[0] == NULL)
        return;
    for (size_t c = 0; c < count; c++)
        find_slope(s, a, first + c, &back[c]);
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < count; c++) {
            const size_t at = n * sample + c * s.pixels;
            apply_back(&back[c], x + at, dy + at, (float *)a->dx[0] + first * s.pixels + at,
                       s.pixels, dts_batch_norm_ahead(s, count));
        }
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
