/* upsample_host.c -- the fast version of upsample.c: workers take planes. A line of the output
 * is first made at the input's width, a sum of up to four lines of the input, then stretched;
 * backward is the same in the opposite order. Where the columns lie is found once for each
 * worker.
 */
#include <string.h>

#include "kernels/ranges.h"
#include "kernels/shape/upsample.h"

enum { LINES = 4, LAST = DTS_UPSAMPLE_AXES - 1, ALIGNMENT = 16 /* floats */ };

/* A worker's scratch. */
struct columns {
    int32_t *low, *high; // of each column of the output
    float *share;
    float *line; // of the input's width
};

static size_t rounded(size_t floats)
{
    return (floats + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t floats_of(const struct dts_upsample *u)
{
    return 3 * rounded(u->out[LAST]) + rounded(u->in[LAST]);
}

size_t dts_upsample_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_upsample u = dts_upsample_of(call, batch);
    return (size_t)workers * floats_of(&u) * sizeof(float);
}

static struct columns columns_of(const struct dts_upsample *u, const struct dts_arrays *a,
                                 int worker)
{
    float *base = (float *)a->scratch + (size_t)worker * floats_of(u);
    const size_t step = rounded(u->out[LAST]);
    struct columns c = {.low = (int32_t *)base,
                        .high = (int32_t *)(base + step),
                        .share = base + 2 * step,
                        .line = base + 3 * step};
    for (size_t o = 0; o < u->out[LAST]; o++) {
        const struct dts_interpolation b = dts_interpolation_of(o, u->in[LAST], u->out[LAST]);
        c.low[o] = (int32_t)b.low;
        c.high[o] = (int32_t)b.high;
        c.share[o] = (float)b.share;
    }
    return c;
}

/* The lines of the input that line `row` of the output is made of: their numbers, shares. */
static int find_lines(const struct dts_upsample *u, size_t row, size_t *lines, float *shares)
{
    const struct dts_interpolation i =
        dts_interpolation_of(row / u->out[1], u->in[0], u->out[0]);
    const struct dts_interpolation j =
        dts_interpolation_of(row % u->out[1], u->in[1], u->out[1]);
    int count = 0;
    for (int k = 0; k < LINES; k++) {
        const double share =
            (k / 2 != 0 ? i.share : 1 - i.share) * (k % 2 != 0 ? j.share : 1 - j.share);
        if (share == 0)
            continue;
        lines[count] = (k / 2 != 0 ? i.high : i.low) * u->in[1] + (k % 2 != 0 ? j.high : j.low);
        shares[count++] = (float)share;
    }
    return count;
}

static void scale(float share, const float *restrict x, float *restrict y, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        y[i] = share * x[i];
}

static void add_scaled(float share, const float *restrict x, float *restrict y, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        y[i] += share * x[i];
}

static void forward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const struct columns c = columns_of(&u, a, range.worker);
    const size_t in = u.in[LAST], out = u.out[LAST];
    for (size_t plane = range.first; plane < range.first + range.count; plane++)
        for (size_t row = 0; row < u.out[0] * u.out[1]; row++) {
            const float *x = (const float *)a->x[0] + plane * u.in_pixels;
            float *y = (float *)a->y + plane * u.out_pixels + row * out, shares[LINES];
            size_t lines[LINES];
            const int count = find_lines(&u, row, lines, shares);
            scale(shares[0], x + lines[0] * in, c.line, in);
            for (int k = 1; k < count; k++)
                add_scaled(shares[k], x + lines[k] * in, c.line, in);
#pragma omp simd
            for (size_t o = 0; o < out; o++) {
                const float low = c.line[c.low[o]];
                y[o] = low + c.share[o] * (c.line[c.high[o]] - low);
            }
        }
}

static void backward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    const struct columns c = columns_of(&u, a, range.worker);
    const size_t in = u.in[LAST], out = u.out[LAST];
    for (size_t plane = range.first; plane < range.first + range.count; plane++) {
        float *dx = (float *)a->dx[0] + plane * u.in_pixels, shares[LINES];
        memset(dx, 0, u.in_pixels * sizeof(*dx));
        for (size_t row = 0; row < u.out[0] * u.out[1]; row++) {
            const float *dy = (const float *)a->dy + plane * u.out_pixels + row * out;
            size_t lines[LINES];
            memset(c.line, 0, in * sizeof(*c.line));
            for (size_t o = 0; o < out; o++) {
                const float high = c.share[o] * dy[o];
                c.line[c.low[o]] += dy[o] - high;
                c.line[c.high[o]] += high;
            }
            const int count = find_lines(&u, row, lines, shares);
            for (int k = 0; k < count; k++)
                add_scaled(shares[k], c.line, dx + lines[k] * in, in);
        }
    }
}

void dts_upsample_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(forward_planes, dts_upsample_of(call, a->batch).planes, call, a, place);
}

void dts_upsample_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_planes, dts_upsample_of(call, a->batch).planes, call, a, place);
}
