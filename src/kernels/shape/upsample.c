/* upsample.c -- another resolution by interpolation along each axis, channel by channel:
 * linear, bilinear, trilinear. Pixels are areas, not points: output o of n along an axis of
 * size s lies at
 *
 *     at = max((o + 1/2) s / n - 1/2, 0),  low = floor(at),  high = min(low + 1, s - 1)
 *     y[o] = (1 - share) x[low] + share x[high],  share = at - low
 *
 * (PyTorch's interpolate without align_corners). Over several axes the shares multiply; dx is
 * the transpose: each x gets from every y what it gave to it. Places are found in whole
 * numbers, so that no rounding moves them. The fast version is upsample_host.c.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/shape/upsample.h"

struct dts_upsample dts_upsample_of(const struct dts_op_call *call, int batch)
{
    const struct dts_dims *in = &call->inputs[0], *out = &call->output;
    struct dts_upsample u = {
        .planes = (size_t)batch * in->size[0], .in_pixels = 1, .out_pixels = 1};
    const int missing = DTS_UPSAMPLE_AXES - (in->count - 1);
    for (int i = 0; i < DTS_UPSAMPLE_AXES; i++) {
        u.in[i] = i < missing ? 1 : in->size[i - missing + 1];
        u.out[i] = i < missing ? 1 : out->size[i - missing + 1];
        u.in_pixels *= u.in[i];
        u.out_pixels *= u.out[i];
    }
    return u;
}

struct dts_interpolation dts_interpolation_of(size_t output, size_t in, size_t out)
{
    const size_t whole = (2 * output + 1) * in;
    const size_t at = whole > out ? whole - out : 0; // in parts of 1 / (2 out)
    struct dts_interpolation b = {.low = at / (2 * out)};
    b.high = b.low + 1 < in ? b.low + 1 : b.low;
    b.share = (double)(at % (2 * out)) / (double)(2 * out);
    return b;
}

enum { CORNERS = 1 << DTS_UPSAMPLE_AXES };

/* The inputs that an output lies between, and what each counts. */
static void find_corners(const struct dts_upsample *u, size_t pixel, size_t *places,
                         double *shares)
{
    struct dts_interpolation b[DTS_UPSAMPLE_AXES];
    for (int i = DTS_UPSAMPLE_AXES - 1; i >= 0; i--) {
        b[i] = dts_interpolation_of(pixel % u->out[i], u->in[i], u->out[i]);
        pixel /= u->out[i];
    }
    for (int k = 0; k < CORNERS; k++) {
        places[k] = 0;
        shares[k] = 1;
        for (int i = 0; i < DTS_UPSAMPLE_AXES; i++) {
            const bool high = (k >> i & 1) != 0;
            places[k] = places[k] * u->in[i] + (high ? b[i].high : b[i].low);
            shares[k] *= high ? b[i].share : 1 - b[i].share;
        }
    }
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    size_t places[CORNERS];
    double shares[CORNERS];
    for (size_t c = 0; c < u.planes; c++)
        for (size_t p = 0; p < u.out_pixels; p++) {
            double sum = 0;
            find_corners(&u, p, places, shares);
            for (int k = 0; k < CORNERS; k++)
                sum += shares[k] * ((const double *)a->x[0])[c * u.in_pixels + places[k]];
            ((double *)a->y)[c * u.out_pixels + p] = sum;
        }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_upsample u = dts_upsample_of(call, a->batch);
    size_t places[CORNERS];
    double shares[CORNERS], *dx = a->dx[0];
    if (dx == NULL)
        return;
    memset(dx, 0, u.planes * u.in_pixels * sizeof(*dx));
    for (size_t c = 0; c < u.planes; c++)
        for (size_t p = 0; p < u.out_pixels; p++) {
            find_corners(&u, p, places, shares);
            for (int k = 0; k < CORNERS; k++)
                dx[c * u.in_pixels + places[k]] +=
                    shares[k] * ((const double *)a->dy)[c * u.out_pixels + p];
        }
}

const struct dts_operation dts_op_upsample = {
    .name = "upsample",
    .summary = "another resolution by interpolation",
    .cost = dts_upsample_cost,
    .reference = {forward, backward},
    .host = {dts_upsample_forward_host, dts_upsample_backward_host, dts_upsample_scratch_host,
             dts_upsample_scratch_host},
    .cuda = DTS_CUDA({dts_upsample_forward_cuda, dts_upsample_backward_cuda}),
};
