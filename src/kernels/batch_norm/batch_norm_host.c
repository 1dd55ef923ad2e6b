/* batch_norm_host.c -- batch normalization on a CPU, forward. Channels are taken by few at a
 * time, as many as make a run of memory of some pages in each sample; all samples of them are
 * read for the sums, then again, now from a cache if the batch is small, for the result. So x
 * is read from memory once forward, x and dy once backward; in two halves twice.
 *
 * Sums of the statistics are of x - origin, where the origin is the mean of the channel's first
 * piece: one pass, and a large mean cancels nothing. What ranks add up is about 0, which all of
 * them know, in double.
 */
#include <math.h>

#include "kernels/batch_norm/batch_norm_host.h"
#include "kernels/ranges.h"
#include "kernels/vector/past_caches.h"
#include "kernels/vector/sums.h"

/* Sums of x - origin and of its square. */
struct moments {
    float origin;
    double sum, squares;
};

static void add_plane(struct moments *m, const float *x, size_t pixels)
{
    for (size_t i = 0; i < pixels; i += DTS_BATCH_NORM_PIECE) {
        const struct dts_moments piece =
            dts_moments_about(x + i, m->origin, dts_least(pixels - i, DTS_BATCH_NORM_PIECE));
        m->sum += piece.sum;
        m->squares += piece.squares;
    }
}

/* Mean and variance of a channel, and their trace in the running ones. */
static void find_statistics(struct dts_batch_norm_sizes s, const struct dts_arrays *a, size_t c,
                            const struct moments *m, double *mean, double *variance)
{
    const double n = s.count;
    const double squares = fmax(0, m->squares - m->sum * m->sum / n);
    *mean = m->origin + m->sum / n;
    *variance = squares / n;

    float *state = a->state, *running = &state[c], *running_variance = &state[s.channels + c];
    const double old = state[2 * s.channels] > 0 ? *running_variance : 1;
    const double unbiased = n > 1 ? squares / (n - 1) : squares;
    *running = (float)(*running + DTS_BATCH_NORM_MOMENTUM * (*mean - *running));
    *running_variance = (float)(old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old));
}

static struct dts_batch_norm_line finish(const struct dts_op_call *call,
                                         const struct dts_arrays *a, size_t c,
                                         const struct moments *m)
{
    const struct dts_batch_norm_sizes s = dts_batch_norm_sizes(call, a);
    const float *state = a->state;
    float *saved = a->saved;
    double mean = state[c], variance = state[2 * s.channels] > 0 ? state[s.channels + c] : 1;
    if (a->training)
        find_statistics(s, a, c, m, &mean, &variance);
    const float r = (float)(1 / sqrt(variance + dts_op_epsilon(call)));
    if (a->training) {
        saved[c] = (float)mean;
        saved[s.channels + c] = r;
    }
    return dts_batch_norm_line(a, c, (float)mean, r);
}

/* One plane; meanwhile the plane `ahead` is fetched, if that is not 0. `next` is written next;
 * NULL: they go past the caches. */
static void apply(struct dts_batch_norm_line line, bool relu, const float *restrict x,
                  float *restrict y, const float *next, size_t count, size_t ahead)
{
    const float least = relu ? 0 : -INFINITY;
    const bool past = next == NULL;
    float block[DTS_BATCH_NORM_STEP];
    for (size_t i = 0, end; i < count; i = end) {
        end = dts_least(count, i + DTS_BATCH_NORM_STEP);
        float *to = dts_begin_block(y, i, block, past);
        dts_fetch_near(x + i + ahead, ahead > 0 ? DTS_BATCH_NORM_STEP : 0);
        if (!past)
            dts_fetch_to_write(dts_batch_norm_later(y, next, i, count), DTS_BATCH_NORM_STEP);
#pragma omp simd
        for (size_t k = i; k < end; k++) {
            const float value = line.scale * x[k] + line.shift;
            to[k - i] = value < least ? least : value;
        }
        dts_end_block(y, i, end, block, past);
    }
}

/* What the samples at hand say of channels first .. first + count - 1. */
static void gather(struct dts_batch_norm_sizes s, const float *x, size_t count,
                   struct moments *moments)
{
    const size_t sample = s.channels * s.pixels;
    const size_t piece = dts_least(s.pixels, DTS_BATCH_NORM_PIECE);
    for (size_t c = 0; c < count; c++)
        moments[c].origin = dts_sum(x + c * s.pixels, piece) / (float)piece;
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < count; c++)
            add_plane(&moments[c], x + n * sample + c * s.pixels, s.pixels);
}

/* The sums about 0 of the channels from `first` on: to all ranks, or from them. */
static void give_or_take(struct dts_batch_norm_sizes s, const struct dts_arrays *a,
                         size_t first, size_t count, struct moments *moments)
{
    double *sum = a->sums + first, *squares = sum + s.channels;
    for (size_t c = 0; c < count; c++) {
        struct moments *m = &moments[c];
        const double origin = m->origin;
        if (a->part == DTS_OP_REST) {
            *m = (struct moments){0, sum[c], squares[c]};
            continue;
        }
        sum[c] = m->sum + s.count * origin;
        squares[c] = m->squares + 2 * origin * m->sum + s.count * origin * origin;
    }
}

static void apply_few(struct dts_batch_norm_sizes s, const struct dts_batch_norm_line *lines,
                      bool relu, const float *x, float *y, size_t count)
{
    const size_t ahead = dts_batch_norm_ahead(s, count);
    const bool past = dts_rows_go_past_caches(y, s.batch * s.channels, s.pixels);
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < count; c++) {
            const size_t at = (n * s.channels + c) * s.pixels;
            const float *next = past ? NULL : y + dts_batch_norm_next(s, count, n, c);
            apply(lines[c], relu, x + at, y + at, next, s.pixels, ahead);
        }
    dts_lanes_streamed();
}

/* Channels first .. first + count - 1, which are taken together. */
static void forward_few(const struct dts_op_call *call, const struct dts_arrays *a,
                        size_t first, size_t count)
{
    const struct dts_batch_norm_sizes s = dts_batch_norm_sizes(call, a);
    const float *x = (const float *)a->x[0] + first * s.pixels;
    struct moments moments[DTS_BATCH_NORM_MOST_TOGETHER] = {{0}};
    struct dts_batch_norm_line lines[DTS_BATCH_NORM_MOST_TOGETHER];
    if (a->training && a->part != DTS_OP_REST)
        gather(s, x, count, moments);
    if (a->part != DTS_OP_WHOLE)
        give_or_take(s, a, first, count, moments);
    if (a->part == DTS_OP_SUMS)
        return;
    for (size_t c = 0; c < count; c++)
        lines[c] = finish(call, a, first + c, &moments[c]);
    apply_few(s, lines, call->relu, x, (float *)a->y + first * s.pixels, count);
}

static void forward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    const struct dts_batch_norm_sizes s = dts_batch_norm_sizes(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = dts_batch_norm_together(s, range.count - i);
        forward_few(call, a, range.first + i, count);
    }
}

void dts_batch_norm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    const size_t channels = call->inputs[0].size[0];
    dts_ranges(forward_channels, channels, call, a, place);
    if (a->training && a->part != DTS_OP_SUMS)
        ((float *)a->state)[2 * channels]++;
}
