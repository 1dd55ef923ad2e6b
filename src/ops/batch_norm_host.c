/* batch_norm_host.c -- batch normalization on a CPU. Channels are taken by few at a time, as
 * many as make a run of memory of some pages in each sample; all samples of them are read for
 * the sums, then again, now from a cache if the batch is small, for the result. So x is read
 * from memory once forward, x and dy once backward.
 *
 * Sums of the statistics are of x - origin, where the origin is the mean of the channel's first
 * piece: one pass, and a large mean cancels nothing.
 */
#include <math.h>

#include "ops/batch_norm.h"
#include "ops/fetch.h"
#include "ops/ranges.h"
#include "ops/sums.h"

enum {
    PIECE = 4096,       // values that are summed in float
    RUN = 4096,         // values of a run of channels
    MOST_TOGETHER = 64, // channels
    STEP = 256,         // values between which the next are fetched
    MOST_AHEAD = 65536  // values of few channels: they and the next fit into the second cache
};

struct sizes {
    size_t batch, channels, pixels;
};

static struct sizes sizes_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const struct dts_dims *x = &call->inputs[0];
    return (struct sizes){(size_t)a->batch, x->size[0], dts_dims_elements(x) / x->size[0]};
}

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

/* Channels to take together, of those that are left. */
static size_t together(struct sizes s, size_t left)
{
    const size_t run = s.pixels < RUN ? RUN / s.pixels : 1;
    return at_most(at_most(run, MOST_TOGETHER), left);
}

/* How far ahead the values of the next channels lie; 0: too many to fetch, or too few. */
static size_t ahead_of(struct sizes s, size_t count)
{
    const bool fits = s.batch * count * s.pixels <= MOST_AHEAD;
    return fits && s.pixels >= STEP ? count * s.pixels : 0;
}

/* What the values of a channel are multiplied by, and what is added. */
struct line {
    float scale, shift;
};

static struct line line_of(const struct dts_arrays *a, size_t c, float mean, float r)
{
    const float w = ((const float *)a->w[0])[c], b = ((const float *)a->w[1])[c];
    return (struct line){w * r, b - mean * w * r};
}

/* Sums of x - origin and of its square. */
struct moments {
    float origin;
    double sum, squares;
};

static void add_plane(struct moments *m, const float *x, size_t pixels)
{
    for (size_t i = 0; i < pixels; i += PIECE) {
        const struct dts_moments piece =
            dts_moments_about(x + i, m->origin, at_most(pixels - i, PIECE));
        m->sum += piece.sum;
        m->squares += piece.squares;
    }
}

/* Mean and variance of a channel, and their trace in the running ones. */
static void find_statistics(struct sizes s, const struct dts_arrays *a, size_t c,
                            const struct moments *m, double *mean, double *variance)
{
    const double n = (double)s.batch * (double)s.pixels;
    const double squares = fmax(0, m->squares - m->sum * m->sum / n);
    *mean = m->origin + m->sum / n;
    *variance = squares / n;

    float *state = a->state, *running = &state[c], *running_variance = &state[s.channels + c];
    const double old = state[2 * s.channels] > 0 ? *running_variance : 1;
    const double unbiased = n > 1 ? squares / (n - 1) : squares;
    *running = (float)(*running + DTS_BATCH_NORM_MOMENTUM * (*mean - *running));
    *running_variance = (float)(old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old));
}

static struct line finish(const struct dts_op_call *call, const struct dts_arrays *a, size_t c,
                          const struct moments *m)
{
    const struct sizes s = sizes_of(call, a);
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
    return line_of(a, c, (float)mean, r);
}

static void apply(struct line line, bool relu, const float *restrict x, float *restrict y,
                  size_t count)
{
    const float least = relu ? 0 : -INFINITY;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const float value = line.scale * x[i] + line.shift;
        y[i] = value < least ? least : value;
    }
}

/* Channels first .. first + count - 1, which are taken together. */
static void forward_few(const struct dts_op_call *call, const struct dts_arrays *a,
                        size_t first, size_t count)
{
    const struct sizes s = sizes_of(call, a);
    const float *x = (const float *)a->x[0] + first * s.pixels;
    float *y = (float *)a->y + first * s.pixels;
    const size_t sample = s.channels * s.pixels;
    struct moments moments[MOST_TOGETHER] = {{0}};
    struct line lines[MOST_TOGETHER];
    for (size_t c = 0; c < count && a->training; c++) {
        const size_t piece = at_most(s.pixels, PIECE);
        moments[c].origin = dts_sum(x + c * s.pixels, piece) / (float)piece;
    }
    for (size_t n = 0; n < s.batch && a->training; n++)
        for (size_t c = 0; c < count; c++)
            add_plane(&moments[c], x + n * sample + c * s.pixels, s.pixels);
    for (size_t c = 0; c < count; c++)
        lines[c] = finish(call, a, first + c, &moments[c]);
    const size_t ahead = ahead_of(s, count);
    for (size_t n = 0; n < s.batch; n++)
        for (size_t i = 0, step; i < count * s.pixels; i += step) {
            const size_t c = i / s.pixels, at = n * sample + i;
            step = at_most((c + 1) * s.pixels - i, STEP);
            dts_fetch(x + at + ahead, ahead > 0 ? step : 0);
            apply(lines[c], call->relu, x + at, y + at, step);
        }
}

static void forward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    const struct sizes s = sizes_of(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = together(s, range.count - i);
        forward_few(call, a, range.first + i, count);
    }
}

void dts_batch_norm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    const size_t channels = call->inputs[0].size[0];
    dts_ranges(forward_channels, channels, call, a, place);
    if (a->training)
        ((float *)a->state)[2 * channels]++;
}

/* A channel's way back: line: of forward. dx = line.scale g + by_x x + shift */
struct back {
    struct line line;
    float least; // y below lets nothing pass
    float mean, by_x, shift;
    double g, gx; // sums of g and g (x - mean)
};

static struct back begin_back(struct sizes s, const struct dts_arrays *a, size_t c, bool relu)
{
    const float *saved = a->saved;
    return (struct back){.line = line_of(a, c, saved[c], saved[s.channels + c]),
                         .least = relu ? 0 : -INFINITY,
                         .mean = saved[c]};
}

static void add_piece_back(struct back *b, const float *x, const float *dy, size_t count)
{
    const struct line line = b->line;
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

/* The sums are there: add to the gradients of the parameters, find the slope. */
static void finish_back(struct sizes s, const struct dts_arrays *a, size_t c, struct back *b)
{
    const double n = (double)s.batch * (double)s.pixels;
    const double r = ((const float *)a->saved)[s.channels + c];
    const double by_x = -b->line.scale * r * r * b->gx / n;
    if (a->dw[0] != NULL)
        ((float *)a->dw[0])[c] += (float)(b->gx * r);
    if (a->dw[1] != NULL)
        ((float *)a->dw[1])[c] += (float)b->g;
    b->by_x = (float)by_x;
    b->shift = (float)(-b->line.scale * b->g / n - by_x * b->mean);
}

static void apply_back(const struct back *b, const float *restrict x, const float *restrict dy,
                       float *restrict dx, size_t count)
{
    const struct line line = b->line;
    const float least = b->least, by_x = b->by_x, shift = b->shift;
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        const float g = line.scale * x[i] + line.shift > least ? dy[i] : 0;
        dx[i] = line.scale * g + (by_x * x[i] + shift);
    }
}

static void backward_few(const struct dts_op_call *call, const struct dts_arrays *a,
                         size_t first, size_t count)
{
    const struct sizes s = sizes_of(call, a);
    const float *x = (const float *)a->x[0] + first * s.pixels;
    const float *dy = (const float *)a->dy + first * s.pixels;
    const size_t sample = s.channels * s.pixels;
    struct back back[MOST_TOGETHER];
    for (size_t c = 0; c < count; c++)
        back[c] = begin_back(s, a, first + c, call->relu);
    for (size_t n = 0; n < s.batch; n++)
        for (size_t c = 0; c < count; c++)
            for (size_t i = 0; i < s.pixels; i += PIECE) {
                const size_t at = n * sample + c * s.pixels + i;
                add_piece_back(&back[c], x + at, dy + at, at_most(s.pixels - i, PIECE));
            }
    for (size_t c = 0; c < count; c++)
        finish_back(s, a, first + c, &back[c]);
    for (size_t n = 0; n < s.batch && a->dx[0] != NULL; n++)
        for (size_t c = 0; c < count; c++) {
            const size_t at = n * sample + c * s.pixels;
            apply_back(&back[c], x + at, dy + at, (float *)a->dx[0] + first * s.pixels + at,
                       s.pixels);
        }
}

static void backward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                              struct dts_range range)
{
    const struct sizes s = sizes_of(call, a);
    for (size_t i = 0, count; i < range.count; i += count) {
        count = together(s, range.count - i);
        backward_few(call, a, range.first + i, count);
    }
}

void dts_batch_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    dts_ranges(backward_channels, call->inputs[0].size[0], call, a, place);
}
