/* group_norm_host.c -- normalization over groups of channels on a CPU. Workers take groups of
 * samples; what dw and db are made of is kept for each channel of each sample and then added
 * over the batch in its order, so that the number of workers makes no difference.
 */
#include <math.h>

#include "kernels/layer_norm/group_norm.h"
#include "kernels/ranges.h"
#include "kernels/vector/sums.h"

static void normalize(const float *x, float mean, float scale, float shift, float *y, size_t n)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale + shift;
}

static void forward_groups(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    const float *w = a->w[0], *b = a->w[1], n = (float)s.values;
    float *saved = a->saved;
    for (size_t k = range.first; k < range.first + range.count; k++) {
        const float *x = (const float *)a->x[0] + k * s.values;
        float *y = (float *)a->y + k * s.values;
        const float mean = dts_sum(x, s.values) / n;
        const float squares = dts_moments_about(x, mean, s.values).squares;
        const float r = 1 / sqrtf(squares / n + (float)dts_op_epsilon(call));
        for (size_t i = 0; i < s.of_group; i++) {
            const size_t c = (k * s.of_group + i) % s.channels;
            normalize(x + i * s.pixels, mean, w != NULL ? w[c] * r : r, b != NULL ? b[c] : 0,
                      y + i * s.pixels, s.pixels);
        }
        saved[k] = r;
        saved[s.count + k] = mean;
    }
}

/* Of a channel of a sample: sum of dy, and of dy h. */
struct sums {
    float dy, products;
};

static struct sums gather(const float *x, const float *dy, float mean, float r, size_t n)
{
    float sum = 0, products = 0;
#pragma omp simd reduction(+ : sum, products)
    for (size_t i = 0; i < n; i++) {
        sum += dy[i];
        products += dy[i] * ((x[i] - mean) * r);
    }
    return (struct sums){sum, products};
}

/* dx = dy by_dy - (x - mean) by_x - shift */
static void apply(const float *x, const float *dy, float mean, const float by[3], float *dx,
                  size_t n)
{
    const float by_dy = by[0], by_x = by[1], shift = by[2];
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * by_dy - (x[i] - mean) * by_x - shift;
}

static void backward_groups(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    const struct dts_group_norm s = dts_group_norm_of(call, a->batch);
    const float *w = a->w[0], *saved = a->saved, n = (float)s.values;
    struct sums *sums = a->scratch;
    for (size_t k = range.first; k < range.first + range.count; k++) {
        const float *x = (const float *)a->x[0] + k * s.values;
        const float *dy = (const float *)a->dy + k * s.values;
        const float r = saved[k], mean = saved[s.count + k];
        float sum = 0, products = 0;
        for (size_t i = 0; i < s.of_group; i++) {
            const size_t at = k * s.of_group + i;
            const float by = w != NULL ? w[at % s.channels] : 1;
            sums[at] = gather(x + i * s.pixels, dy + i * s.pixels, mean, r, s.pixels);
            sum += by * sums[at].dy;
            products += by * sums[at].products;
        }
        for (size_t i = 0; i < s.of_group && a->dx[0] != NULL; i++) {
            const float g = w != NULL ? w[(k * s.of_group + i) % s.channels] : 1;
            const float by[] = {g * r, r * r * products / n, r * sum / n};
            apply(x + i * s.pixels, dy + i * s.pixels, mean, by,
                  (float *)a->dx[0] + k * s.values + i * s.pixels, s.pixels);
        }
    }
}

static void add_channels(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const size_t channels = call->output.size[0];
    const struct sums *sums = a->scratch;
    float *dw = a->dw[0], *db = a->dw[1];
    for (size_t b = 0; b < (size_t)a->batch; b++)
        for (size_t c = range.first; c < range.first + range.count; c++) {
            if (dw != NULL)
                dw[c] += sums[b * channels + c].products;
            if (db != NULL)
                db[c] += sums[b * channels + c].dy;
        }
}

void dts_group_norm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    dts_ranges(forward_groups, dts_group_norm_of(call, a->batch).count, call, a, place);
}

void dts_group_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    dts_ranges(backward_groups, dts_group_norm_of(call, a->batch).count, call, a, place);
    dts_ranges(add_channels, call->output.size[0], call, a, place);
}
