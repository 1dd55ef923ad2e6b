/* op_conv.h -- how far a convolution of random numbers in float may be from the one in double.
 *
 * A rounding is off by up to 2^-24 of the number, by 0.43 of that in the root mean square
 * (evenly spread between two floats, mantissas spread as 1 / m). Where n products are added one
 * behind another the parts have sizes of sqrt(k) times one product's for k up to n, and each
 * product has r roundings of its own behind it: the error of the sum is that of
 * n^2 / 2 + r n products, and of sqrt(n / 2 + r) roundings for a value of the sum itself.
 *
 * Winograd's way (conv_winograd.c, conv_winograd_weights.c) adds n products of transformed
 * numbers for each of 36, and a value is a sum of some of the 36 that mostly cancel: the
 * variance of what is added is above that of the value, by `gain`. With the matrices of the
 * transforms, rows i, that is along one axis
 *
 *     sum over i of to[value, i]^2 |left row i|^2 |right row i|^2 / products of a direct sum
 *
 * to = A', left = G, right = B', 3 products for y and dx; to = G', left = A, right = B', 4
 * products for dw; and of two axes the product of both. Its mean over the values (10.8^2) is
 * for the norm of an array, the largest (31.4^2 and 24.2^2) for each value. Patches with zeros
 * in them gain less. A pass of a transform rounds three times.
 *
 * Closer bounds than these would be luck; a constant of a transform that is off by 1e-4 of
 * itself makes the norm of the difference 4e-5 and more.
 */
#ifndef DTS_TESTS_OP_CONV_H
#define DTS_TESTS_OP_CONV_H

#include "kernels/conv/conv_winograd.h"
#include "kernels/conv/conv_winograd_weights.h"
#include "kernels/op_run.h"

enum { OP_CONV_PASSES = 2 * 3, OP_CONV_OUT = 4, OP_CONV_IN = 6, OP_CONV_TAPS = 3 };

/* Lavin and Gray 2016, arXiv:1509.09308, section 4.3. */
static const double op_conv_b[OP_CONV_IN][OP_CONV_IN] = {
    {4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0}, {0, 4, -4, -1, 1, 0},
    {0, -2, -1, 2, 1, 0}, {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
static const double op_conv_g[OP_CONV_IN][OP_CONV_TAPS] = {{1.0 / 4, 0, 0},
                                                           {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                                           {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                                           {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                                           {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                                           {0, 0, 1}};
static const double op_conv_a[OP_CONV_IN][OP_CONV_OUT] = {
    {1, 0, 0, 0}, {1, 1, 1, 1}, {1, -1, 1, -1}, {1, 2, 4, 8}, {1, -2, 4, -8}, {0, 0, 0, 1}};

/* Of the variance along one axis: the mean over the values, and the largest. */
struct op_conv_gain {
    double mean, most;
};

static double op_conv_square(const double *row, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += row[i] * row[i];
    return sum;
}

static struct op_conv_gain op_conv_gain(bool of_weights)
{
    const double *to = of_weights ? op_conv_g[0] : op_conv_a[0];
    const double *left = of_weights ? op_conv_a[0] : op_conv_g[0];
    const int values = of_weights ? OP_CONV_TAPS : OP_CONV_OUT;
    const int products = of_weights ? OP_CONV_OUT : OP_CONV_TAPS;
    struct op_conv_gain gain = {0, 0};
    for (int v = 0; v < values; v++) {
        double sum = 0;
        for (int i = 0; i < OP_CONV_IN; i++)
            sum += to[i * values + v] * to[i * values + v] *
                   op_conv_square(left + i * products, products) *
                   op_conv_square(op_conv_b[i], OP_CONV_IN);
        gain.mean += sum / products / values;
        gain.most = fmax(gain.most, sum / products);
    }
    return gain;
}

static const double op_conv_rounding = 0.43 * 0x1p-24;

/* n: products that are added one behind another. Four times the error in the norm, since
 * small arrays have few values to take a mean of. */
static struct op_bound op_conv_direct(double n)
{
    return (struct op_bound){.norm = 4 * op_conv_rounding * sqrt(n / 2 + 1)};
}

/* Eight times the error of a value, for the extreme of many; twice that of the norm. */
static struct op_bound op_conv_winograd(bool of_weights, double n)
{
    const struct op_conv_gain gain = op_conv_gain(of_weights);
    const double products = of_weights ? OP_CONV_OUT : OP_CONV_TAPS;
    const double roundings = sqrt(n / 2 + 3 * OP_CONV_PASSES + 1);
    return (struct op_bound){.each = 8 * op_conv_rounding * gain.most * products * sqrt(n) *
                                     roundings,
                             .norm = 2 * op_conv_rounding * gain.mean * roundings};
}

/* Which of y, dx and dw the host makes Winograd's way, for one worker. */
struct op_conv_ways {
    bool y, dx, dw;
};

static inline struct op_conv_ways op_conv_ways(const struct op_case *c)
{
    const struct dts_conv_view forward = dts_view_forward(&c->call);
    const struct dts_conv_view gradient = dts_view_gradient(&c->call, 0);
    return (struct op_conv_ways){dts_winograd_pays(&forward, c->batch, 1),
                                 dts_winograd_pays(&gradient, c->batch, 1),
                                 dts_winograd_weights_pay(&forward, c->batch)};
}

/* One pass of a call: n products behind one another by itself, `all` the direct way. */
static struct op_bound op_conv_pass(struct op_case *c, bool winograd, bool of_weights, double n,
                                    double all)
{
    const struct op_bound bound =
        winograd ? op_conv_winograd(of_weights, n) : op_conv_direct(all);
    const double each =
        winograd ? bound.each : 8 * op_conv_rounding * sqrt(all * all / 2 + all);
    c->sums = fmax(c->sums, pow(each / (8 * 0x1p-24), 2));
    return bound;
}

/* The bounds of a call that is otherwise complete. Its `sums`, by which single values of direct
 * sums are judged, and all in mixed precision, grow to hold them. */
static inline void op_conv_bound(struct op_case *c)
{
    const struct op_conv_ways ways = op_conv_ways(c);
    const struct dts_conv_view view = dts_view_forward(&c->call);
    const struct dts_conv_view patches = dts_winograd_patches_out(&view);
    const double channels = (double)view.channels, outputs = (double)view.outputs;
    const double taps = (double)view.tap_count, batch = (double)c->batch;
    c->y = op_conv_pass(c, ways.y, false, channels, channels * taps);
    c->dx = op_conv_pass(c, ways.dx, false, outputs, outputs * taps);
    c->dw = op_conv_pass(c, ways.dw, true, (double)patches.grid_pixels * batch,
                         (double)view.grid_pixels * batch);
}

#endif
