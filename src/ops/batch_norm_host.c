/* batch_norm_host.c -- batch normalization on a CPU, channel by channel: a channel of a small
 * batch fits into the second cache, so that x is read from memory once forward, x and dy once
 * backward. Statistics are gathered in pieces that fit into the first cache, each with its own
 * mean, and merged (Chan, Golub and LeVeque 1983, doi:10.1080/00031305.1983.10483115, eq. 2.1),
 * so that large means cancel nothing.
 */
#include <math.h>

#include "ops/batch_norm.h"
#include "ops/ranges.h"

enum { PIECE = 4096 }; // values; 16 KiB

struct sizes {
    size_t batch, channels, pixels;
};

static struct sizes sizes_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const struct dts_dims *x = &call->inputs[0];
    return (struct sizes){(size_t)a->batch, x->size[0], dts_dims_elements(x) / x->size[0]};
}

struct moments {
    double count, mean, squares; // squares: sum of (x - mean)^2
};

static void merge(struct moments *m, double count, double mean, double squares)
{
    const double difference = mean - m->mean, all = m->count + count;
    m->mean += difference * count / all;
    m->squares += squares + difference * difference * m->count * count / all;
    m->count = all;
}

static void add_piece(struct moments *m, const float *x, size_t count)
{
    float sum = 0, differences = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    const float mean = sum / (float)count; // about
#pragma omp simd reduction(+ : differences, squares)
    for (size_t i = 0; i < count; i++) {
        differences += x[i] - mean;
        squares += (x[i] - mean) * (x[i] - mean);
    }
    const double n = (double)count, error = differences / n;
    merge(m, n, mean + error, squares - n * error * error);
}

static struct moments measure(struct sizes s, const float *x)
{
    struct moments m = {0};
    for (size_t n = 0; n < s.batch; n++)
        for (size_t i = 0; i < s.pixels; i += PIECE)
            add_piece(&m, x + n * s.channels * s.pixels + i,
                      s.pixels - i < PIECE ? s.pixels - i : PIECE);
    return m;
}

static void keep_running(struct sizes s, float *state, size_t c, const struct moments *m)
{
    float *mean = &state[c], *variance = &state[s.channels + c];
    const double old = state[2 * s.channels] > 0 ? *variance : 1;
    const double unbiased = m->count > 1 ? m->squares / (m->count - 1) : m->squares;
    *mean = (float)(*mean + DTS_BATCH_NORM_MOMENTUM * (m->mean - *mean));
    *variance = (float)(old + DTS_BATCH_NORM_MOMENTUM * (unbiased - old));
}

/* y = scale x + shift: what a channel comes down to. */
struct line {
    float scale, shift;
};

static struct line line_of(const struct dts_arrays *a, size_t c, float mean, float r)
{
    const float w = ((const float *)a->w[0])[c], b = ((const float *)a->w[1])[c];
    return (struct line){w * r, b - mean * w * r};
}

static void apply(struct line line, bool relu, const float *restrict x, float *restrict y,
                  size_t count)
{
    if (relu)
        for (size_t i = 0; i < count; i++) {
            const float value = line.scale * x[i] + line.shift;
            y[i] = value > 0 ? value : 0;
        }
    else
        for (size_t i = 0; i < count; i++)
            y[i] = line.scale * x[i] + line.shift;
}

static void forward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    const struct sizes s = sizes_of(call, a);
    float *state = a->state, *saved = a->saved;
    for (size_t c = range.first; c < range.first + range.count; c++) {
        const float *x = (const float *)a->x[0] + c * s.pixels;
        float *y = (float *)a->y + c * s.pixels;
        double mean = state[c],
               variance = state[2 * s.channels] > 0 ? state[s.channels + c] : 1;
        if (a->training) {
            const struct moments m = measure(s, x);
            keep_running(s, state, c, &m);
            mean = m.mean;
            variance = m.squares / m.count;
        }
        const float r = (float)(1 / sqrt(variance + DTS_BATCH_NORM_EPSILON));
        if (a->training) {
            saved[c] = (float)mean;
            saved[s.channels + c] = r;
        }
        const struct line line = line_of(a, c, (float)mean, r);
        for (size_t n = 0; n < s.batch; n++)
            apply(line, call->relu, x + n * s.channels * s.pixels,
                  y + n * s.channels * s.pixels, s.pixels);
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

struct sums {
    double g, gx; // of g and g (x - mean)
};

static void add_sums(struct sums *sums, struct line line, bool relu, float mean, const float *x,
                     const float *dy, size_t count)
{
    float g = 0, gx = 0;
    if (relu) {
#pragma omp simd reduction(+ : g, gx)
        for (size_t i = 0; i < count; i++) {
            const float d = line.scale * x[i] + line.shift > 0 ? dy[i] : 0;
            g += d;
            gx += d * (x[i] - mean);
        }
    } else {
#pragma omp simd reduction(+ : g, gx)
        for (size_t i = 0; i < count; i++) {
            g += dy[i];
            gx += dy[i] * (x[i] - mean);
        }
    }
    sums->g += g;
    sums->gx += gx;
}

/* dx = scale g + by_x x + shift */
struct slope {
    float scale, by_x, shift;
};

static void apply_slope(struct slope slope, struct line line, bool relu,
                        const float *restrict x, const float *restrict dy, float *restrict dx,
                        size_t count)
{
    if (relu)
        for (size_t i = 0; i < count; i++) {
            const float g = line.scale * x[i] + line.shift > 0 ? dy[i] : 0;
            dx[i] = slope.scale * g + (slope.by_x * x[i] + slope.shift);
        }
    else
        for (size_t i = 0; i < count; i++)
            dx[i] = slope.scale * dy[i] + (slope.by_x * x[i] + slope.shift);
}

static struct sums sum_channel(struct sizes s, struct line line, bool relu, float mean,
                               const float *x, const float *dy)
{
    struct sums sums = {0};
    for (size_t n = 0; n < s.batch; n++)
        for (size_t i = 0; i < s.pixels; i += PIECE) {
            const size_t at = n * s.channels * s.pixels + i;
            add_sums(&sums, line, relu, mean, x + at, dy + at,
                     s.pixels - i < PIECE ? s.pixels - i : PIECE);
        }
    return sums;
}

static void backward_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                              struct dts_range range)
{
    const struct sizes s = sizes_of(call, a);
    const float *saved = a->saved;
    const double n = (double)(s.batch * s.pixels);
    for (size_t c = range.first; c < range.first + range.count; c++) {
        const float *x = (const float *)a->x[0] + c * s.pixels;
        const float *dy = (const float *)a->dy + c * s.pixels;
        const float mean = saved[c], r = saved[s.channels + c];
        const struct line line = line_of(a, c, mean, r);
        const struct sums sums = sum_channel(s, line, call->relu, mean, x, dy);
        if (a->dw[0] != NULL)
            ((float *)a->dw[0])[c] += (float)(sums.gx * r);
        if (a->dw[1] != NULL)
            ((float *)a->dw[1])[c] += (float)sums.g;
        if (a->dx[0] == NULL)
            continue;
        const double by_x = -(double)line.scale * r * r * sums.gx / n;
        const struct slope slope = {line.scale, (float)by_x,
                                    (float)(-line.scale * sums.g / n - by_x * mean)};
        for (size_t k = 0; k < s.batch; k++) {
            const size_t at = k * s.channels * s.pixels;
            apply_slope(slope, line, call->relu, x + at, dy + at,
                        (float *)a->dx[0] + c * s.pixels + at, s.pixels);
        }
    }
}

void dts_batch_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    dts_ranges(backward_channels, call->inputs[0].size[0], call, a, place);
}
