/* upsample_nearest.c -- another resolution by repeating or leaving out values, channel by
 * channel: along an axis of size s that becomes n
 *
 *     y[o] = x[floor(o s / n)],  dx[i] = sum of dy[o] over floor(o s / n) = i
 *
 * (PyTorch's interpolate, mode "nearest"), in whole numbers, so that no rounding moves a place.
 * The fast version makes a line of the output once for each line of the input, and copies it;
 * backward it adds lines, then columns. Workers take planes.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/shape/upsample.h"

enum { LAST = DTS_UPSAMPLE_AXES - 1, ALIGNMENT = 16 /* values */ };

static size_t nearest(size_t output, size_t in, size_t out)
{
    return output * in / out;
}

/* The input that an output repeats. */
static size_t source_of(const struct dts_upsample *u, size_t pixel)
{
    size_t at[DTS_UPSAMPLE_AXES], place = 0;
    for (int i = LAST; i >= 0; i--) {
        at[i] = nearest(pixel % u->out[i], u->in[i], u->out[i]);
        pixel /= u->out[i];
    }
    for (int i = 0; i < DTS_UPSAMPLE_AXES; i++)
        place = place * u->in[i] + at[i];
    return place;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    for (size_t c = 0; c < u.planes; c++)
        for (size_t p = 0; p < u.out_pixels; p++)
            ((double *)a->y)[c * u.out_pixels + p] =
                ((const double *)a->x[0])[c * u.in_pixels + source_of(&u, p)];
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    double *dx = a->dx[0];
    if (dx == NULL)
        return;
    memset(dx, 0, u.planes * u.in_pixels * sizeof(*dx));
    for (size_t c = 0; c < u.planes; c++)
        for (size_t p = 0; p < u.out_pixels; p++)
            dx[c * u.in_pixels + source_of(&u, p)] +=
                ((const double *)a->dy)[c * u.out_pixels + p];
}

/* A worker's scratch: which column of the input each of the output repeats; a line. */
struct columns {
    int32_t *from;
    float *line;
};

static size_t rounded(const struct dts_upsample *u)
{
    return (u->out[LAST] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t scratch(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_upsample u = dts_upsample_of(call, batch);
    return (size_t)workers * 2 * rounded(&u) * sizeof(float);
}

static struct columns columns_of(const struct dts_upsample *u, const struct dts_arrays *a,
                                 int worker)
{
    float *base = (float *)a->scratch + (size_t)worker * 2 * rounded(u);
    const struct columns c = {.from = (int32_t *)base, .line = base + rounded(u)};
    for (size_t o = 0; o < u->out[LAST]; o++)
        c.from[o] = (int32_t)nearest(o, u->in[LAST], u->out[LAST]);
    return c;
}

/* The line of the input that a line of the output repeats. */
static size_t line_of(const struct dts_upsample *u, size_t row)
{
    return nearest(row / u->out[1], u->in[0], u->out[0]) * u->in[1] +
           nearest(row % u->out[1], u->in[1], u->out[1]);
}

static void forward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const struct columns c = columns_of(&u, a, range.worker);
    const size_t out = u.out[LAST];
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t row = 0; row < u.out[0] * u.out[1]; row++) {
            const size_t line = line_of(&u, row);
            const float *x = (const float *)a->x[0] + plane * u.in_pixels + line * u.in[LAST];
            float *y = (float *)a->y + plane * u.out_pixels + row * out;
            if (row > 0 && line_of(&u, row - 1) == line) {
                memcpy(y, y - out, out * sizeof(*y));
                continue;
            }
#pragma omp simd
            for (size_t o = 0; o < out; o++)
                y[o] = x[c.from[o]];
        }
}

static void add_line(const float *restrict from, float *restrict to, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void backward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const struct columns c = columns_of(&u, a, range.worker);
    const size_t out = u.out[LAST], rows = u.out[0] * u.out[1];
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        float *dx = (float *)a->dx[0] + plane * u.in_pixels;
        memset(dx, 0, u.in_pixels * sizeof(*dx));
        for (size_t row = 0; row < rows; row++) {
            const float *dy = (const float *)a->dy + plane * u.out_pixels + row * out;
            const size_t line = line_of(&u, row);
            if (row > 0 && line_of(&u, row - 1) == line)
                add_line(dy, c.line, out);
            else
                memcpy(c.line, dy, out * sizeof(*dy));
            if (row + 1 < rows && line_of(&u, row + 1) == line)
                continue;
            for (size_t o = 0; o < out; o++)
                dx[line * u.in[LAST] + (size_t)c.from[o]] += c.line[o];
        }
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_planes, dts_upsample_of(call, a->batch).planes, call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_planes, dts_upsample_of(call, a->batch).planes, call, a, place);
}

dts_op_fn dts_upsample_nearest_forward_cuda, dts_upsample_nearest_backward_cuda; // .cu

const struct dts_operation dts_op_upsample_nearest = {
    .name = "upsample_nearest",
    .summary = "another resolution by repeating values",
    .cost = dts_upsample_nearest_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host, scratch, scratch},
    .cuda = DTS_CUDA({dts_upsample_nearest_forward_cuda, dts_upsample_nearest_backward_cuda}),
};
