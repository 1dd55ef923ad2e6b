/* layer_norm.c -- normalization of each position over its n features, the last size: by mean
 * and variance (Ba, Kiros and Hinton 2016, arXiv:1607.06450), or by the root of the mean square
 * alone (Zhang and Sennrich 2019, arXiv:1910.07467):
 *
 *     layer_norm  r = 1 / sqrt(sum (x - mean)^2 / n + epsilon), h = (x - mean) r, y = w h + b
 *     rms_norm    r = 1 / sqrt(sum x^2 / n + epsilon),          h = x r,          y = w h
 *     g = w dy,   dw += sum over positions of dy h,  db += sum of dy
 *     dx = r (g - sum g / n - h sum (g h) / n), without the second part for rms_norm
 *
 * saved: r of each position, then for layer_norm the mean of each.
 */
#include <math.h>

#include "kernels/layer_norm/layer_norm.h"
#include "kernels/op_cost.h"

static size_t rows_of(const struct dts_op_call *call, int batch)
{
    return (size_t)batch * dts_dims_positions(&call->output);
}

static void normalize(const struct dts_op_call *call, const struct dts_arrays *a, bool centred)
{
    const size_t rows = rows_of(call, a->batch), n = dts_dims_features(&call->output);
    const double *w = a->w[0], *b = a->w[1];
    double *saved = a->saved;
    for (size_t row = 0; row < rows; row++) {
        const double *x = (const double *)a->x[0] + row * n;
        double *y = (double *)a->y + row * n, mean = 0, squares = 0;
        for (size_t i = 0; i < n && centred; i++)
            mean += x[i] / (double)n;
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        const double r = 1 / sqrt(squares / (double)n + dts_op_epsilon(call));
        for (size_t i = 0; i < n; i++)
            y[i] = w[i] * (x[i] - mean) * r + (centred ? b[i] : 0);
        saved[row] = r;
        if (centred)
            saved[rows + row] = mean;
    }
}

static void normalize_back(const struct dts_op_call *call, const struct dts_arrays *a,
                           bool centred)
{
    const size_t rows = rows_of(call, a->batch), n = dts_dims_features(&call->output);
    const double *w = a->w[0], *saved = a->saved;
    double *dw = a->dw[0], *db = a->dw[1];
    for (size_t row = 0; row < rows; row++) {
        const double *x = (const double *)a->x[0] + row * n;
        const double *dy = (const double *)a->dy + row * n;
        double sum = 0, products = 0;
        const double r = saved[row], mean = centred ? saved[rows + row] : 0;
        for (size_t i = 0; i < n; i++) {
            const double h = (x[i] - mean) * r;
            sum += centred ? w[i] * dy[i] : 0;
            products += w[i] * dy[i] * h;
            if (dw != NULL)
                dw[i] += dy[i] * h;
            if (centred && db != NULL)
                db[i] += dy[i];
        }
        for (size_t i = 0; i < n && a->dx[0] != NULL; i++)
            ((double *)a->dx[0])[row * n + i] =
                r * (w[i] * dy[i] - sum / (double)n - (x[i] - mean) * r * products / (double)n);
    }
}

static void layer_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    (void)place;
    normalize(call, a, true);
}

static void layer_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    (void)place;
    normalize_back(call, a, true);
}

static void rms_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                        const struct dts_place *place)
{
    (void)place;
    normalize(call, a, false);
}

static void rms_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    (void)place;
    normalize_back(call, a, false);
}

static size_t layer_saved(const struct dts_op_call *call, int batch, size_t real)
{
    return 2 * rows_of(call, batch) * real;
}

static size_t rms_saved(const struct dts_op_call *call, int batch, size_t real)
{
    return rows_of(call, batch) * real;
}

const struct dts_operation dts_op_layer_norm = {
    .name = "layer_norm",
    .summary = "normalize each position over its features, then scale and shift them",
    .needs_x = true,
    .saved_bytes = layer_saved,
    .cost = dts_layer_norm_cost,
    .reference = {layer_forward, layer_backward},
    .host = {dts_layer_norm_forward_host, dts_layer_norm_backward_host, NULL,
             dts_layer_norm_scratch},
    .cuda = DTS_CUDA({dts_layer_norm_forward_cuda, dts_layer_norm_backward_cuda, NULL,
                      dts_layer_norm_scratch_cuda}),
};

const struct dts_operation dts_op_rms_norm = {
    .name = "rms_norm",
    .summary = "divide each position by the root mean square of its features, then scale them",
    .needs_x = true,
    .saved_bytes = rms_saved,
    .cost = dts_rms_norm_cost,
    .reference = {rms_forward, rms_backward},
    .host = {dts_rms_norm_forward_host, dts_rms_norm_backward_host, NULL,
             dts_layer_norm_scratch},
    .cuda = DTS_CUDA({dts_rms_norm_forward_cuda, dts_rms_norm_backward_cuda, NULL,
                      dts_layer_norm_scratch_cuda}),
};
