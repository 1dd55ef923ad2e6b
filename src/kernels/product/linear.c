/* linear.c -- a product with weights on the last size of the input, every position alike:
 *
 *     y[r, o]   = bias[o] + sum over f of w[o, f] x[r, f]
 *     dx[r, f]  = sum over o of w[o, f] dy[r, o]
 *     dw[o, f] += sum over r of dy[r, o] x[r, f]
 *     dbias[o] += sum over r of dy[r, o]
 *
 * The fast version is linear_host.c.
 */
#include "kernels/product/linear.h"
#include "kernels/op_cost.h"

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_linear_sizes s = dts_linear_sizes(call, a->batch);
    const double *x = a->x[0], *w = a->w[0], *bias = a->w[1];
    double *y = a->y;
    for (size_t r = 0; r < s.rows; r++)
        for (size_t o = 0; o < s.outputs; o++) {
            double sum = call->bias ? bias[o] : 0;
            for (size_t f = 0; f < s.features; f++)
                sum += w[o * s.features + f] * x[r * s.features + f];
            y[r * s.outputs + o] = sum;
        }
}

static void data_backward(const struct dts_linear_sizes *s, double *dx, const double *w,
                          const double *dy)
{
    for (size_t r = 0; r < s->rows; r++)
        for (size_t f = 0; f < s->features; f++) {
            double sum = 0;
            for (size_t o = 0; o < s->outputs; o++)
                sum += w[o * s->features + f] * dy[r * s->outputs + o];
            dx[r * s->features + f] = sum;
        }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_linear_sizes s = dts_linear_sizes(call, a->batch);
    const double *x = a->x[0], *dy = a->dy;
    double *dw = a->dw[0], *dbias = call->bias ? a->dw[1] : NULL;
    if (a->dx[0] != NULL)
        data_backward(&s, a->dx[0], a->w[0], dy);
    for (size_t r = 0; r < s.rows; r++)
        for (size_t o = 0; o < s.outputs; o++) {
            for (size_t f = 0; f < s.features && dw != NULL; f++)
                dw[o * s.features + f] += dy[r * s.outputs + o] * x[r * s.features + f];
            if (dbias != NULL)
                dbias[o] += dy[r * s.outputs + o];
        }
}

const struct dts_operation dts_op_linear = {
    .name = "linear",
    .summary = "matrix product with weights, on the last size of the input",
    .needs_x = true,
    .products = true,
    .cost = dts_linear_cost,
    .reference = {forward, backward},
    .host = {dts_linear_forward_host, dts_linear_backward_host},
    .cuda = DTS_CUDA({dts_linear_forward_cuda, dts_linear_backward_cuda}),
};
