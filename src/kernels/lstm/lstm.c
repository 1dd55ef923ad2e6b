/* lstm.c -- long short-term memory (Hochreiter and Schmidhuber 1997,
 * doi:10.1162/neco.1997.9.8.1735), as PyTorch's LSTM of one layer. From h[-1] = c[-1] = 0, at
 * each step t:
 *
 *     i, f, o = sigmoid, g = tanh of a = w_input x[t] + b_input + w_state h[t - 1] + b_state
 *     c[t]    = f c[t - 1] + i g
 *     h[t]    = o tanh c[t], which is y[t]
 *
 * Backward from the last step, dh = dy[t] + what comes from step t + 1, dc likewise:
 *
 *     dc += dh o (1 - tanh(c)^2),  da = (dc g i (1 - i), dc c[t - 1] f (1 - f),
 *                                        dc i (1 - g^2), dh tanh(c) o (1 - o))
 *     to step t - 1: dh = w_state^T da, dc = dc f
 *     dx[t] = w_input^T da, dw_input += da x[t]^T, dw_state += da h[t - 1]^T, both db += da
 *
 * saved: the four gates of each step after sigmoid and tanh, [batch, steps, 4 outputs], then c.
 * The fast version is lstm_host.c.
 */
#include <math.h>
#include <string.h>

#include "kernels/lstm/lstm.h"
#include "kernels/op_cost.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* What goes into a gate of sample b at step t. */
static double arrives(const struct dts_recurrent *s, const struct dts_arrays *a, size_t b,
                      size_t t, size_t gate)
{
    const double *x = (const double *)a->x[0] + (b * s->steps + t) * s->features;
    const double *by_input = (const double *)a->w[DTS_RECURRENT_BY_INPUT] + gate * s->features;
    const double *by_state = (const double *)a->w[DTS_RECURRENT_BY_STATE] + gate * s->outputs;
    double sum = ((const double *)a->w[DTS_RECURRENT_BIAS_INPUT])[gate] +
                 ((const double *)a->w[DTS_RECURRENT_BIAS_STATE])[gate];
    for (size_t i = 0; i < s->features; i++)
        sum += by_input[i] * x[i];
    const size_t before = t > 0 ? (b * s->steps + t - 1) * s->outputs : 0;
    for (size_t i = 0; i < s->outputs && t > 0; i++)
        sum += by_state[i] * ((const double *)a->y)[before + i];
    return sum;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_recurrent s = dts_lstm_sizes(call, a->batch);
    const size_t n = s.outputs;
    double *cells = (double *)a->saved + s.batch * s.steps * s.gates;
    for (size_t i = 0; i < s.batch * s.steps * n; i++) {
        const size_t o = i % n, t = i / n % s.steps, b = i / n / s.steps;
        double *gates = (double *)a->saved + (b * s.steps + t) * s.gates + o;
        for (size_t k = 0; k < DTS_LSTM_GATES; k++) {
            const double sum = arrives(&s, a, b, t, k * n + o);
            gates[k * n] = k == DTS_LSTM_CELL ? tanh(sum) : sigmoid(sum);
        }
        cells[i] = gates[DTS_LSTM_FORGET * n] * (t > 0 ? cells[i - n] : 0) +
                   gates[DTS_LSTM_INPUT * n] * gates[DTS_LSTM_CELL * n];
        ((double *)a->y)[i] = gates[DTS_LSTM_OUTPUT * n] * tanh(cells[i]);
    }
}

/* da of one output at one step, from dh and dc of it; dc becomes that of the step before. */
static void cell_backward(const double *gates, size_t n, double c, double before, double dh,
                          double *dc, double *da)
{
    const double i = gates[DTS_LSTM_INPUT * n], f = gates[DTS_LSTM_FORGET * n];
    const double g = gates[DTS_LSTM_CELL * n], o = gates[DTS_LSTM_OUTPUT * n];
    *dc += dh * o * (1 - tanh(c) * tanh(c));
    da[DTS_LSTM_INPUT * n] = *dc * g * i * (1 - i);
    da[DTS_LSTM_FORGET * n] = *dc * before * f * (1 - f);
    da[DTS_LSTM_CELL * n] = *dc * i * (1 - g * g);
    da[DTS_LSTM_OUTPUT * n] = dh * tanh(c) * o * (1 - o);
    *dc *= f;
}

/* What one gate at one step adds to gradients; dh: of the step before. */
static void gate_backward(const struct dts_recurrent *s, const struct dts_arrays *a, size_t row,
                          size_t gate, bool first, double da, double *dh)
{
    const double *x = (const double *)a->x[0] + row * s->features;
    const size_t before = first ? 0 : (row - 1) * s->outputs;
    const double *by_input = (const double *)a->w[DTS_RECURRENT_BY_INPUT] + gate * s->features;
    const double *by_state = (const double *)a->w[DTS_RECURRENT_BY_STATE] + gate * s->outputs;
    double *dw_input = a->dw[DTS_RECURRENT_BY_INPUT], *dw_state = a->dw[DTS_RECURRENT_BY_STATE];
    for (size_t i = 0; i < s->features; i++) {
        if (a->dx[0] != NULL)
            ((double *)a->dx[0])[row * s->features + i] += by_input[i] * da;
        if (dw_input != NULL)
            dw_input[gate * s->features + i] += da * x[i];
    }
    for (size_t i = 0; i < s->outputs && !first; i++) {
        dh[i] += by_state[i] * da;
        if (dw_state != NULL)
            dw_state[gate * s->outputs + i] += da * ((const double *)a->y)[before + i];
    }
    for (int bias = DTS_RECURRENT_BIAS_INPUT; bias <= DTS_RECURRENT_BIAS_STATE; bias++)
        if (a->dw[bias] != NULL)
            ((double *)a->dw[bias])[gate] += da;
}

/* scratch: da of one step, dh of a step and of the one before it, dc. */
static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_recurrent s = dts_lstm_sizes(call, a->batch);
    const size_t n = s.outputs;
    const double *cells = (const double *)a->saved + s.batch * s.steps * s.gates;
    double *da = a->scratch, *dh = da + s.gates, *dh_before = dh + n, *dc = dh_before + n;
    if (a->dx[0] != NULL)
        memset(a->dx[0], 0, s.batch * s.steps * s.features * sizeof(double));
    for (size_t b = 0; b < s.batch; b++) {
        memset(dh_before, 0, 2 * n * sizeof(*dh));
        for (size_t t = s.steps; t-- > 0;) {
            const size_t row = b * s.steps + t;
            for (size_t o = 0; o < n; o++) {
                dh[o] = dh_before[o] + ((const double *)a->dy)[row * n + o];
                cell_backward((const double *)a->saved + row * s.gates + o, n,
                              cells[row * n + o], t > 0 ? cells[(row - 1) * n + o] : 0, dh[o],
                              &dc[o], da + o);
            }
            memset(dh_before, 0, n * sizeof(*dh));
            for (size_t gate = 0; gate < s.gates; gate++)
                gate_backward(&s, a, row, gate, t == 0, da[gate], dh_before);
        }
    }
}

static size_t reference_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_recurrent s = dts_lstm_sizes(call, batch);
    return (s.gates + 3 * s.outputs) * sizeof(double);
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    const struct dts_recurrent s = dts_lstm_sizes(call, batch);
    return s.batch * s.steps * (s.gates + s.outputs) * real;
}

const struct dts_operation dts_op_lstm = {
    .name = "lstm",
    .summary = "recurrent layer with four gates",
    .needs_x = true,
    .products = true,
    .needs_y = true,
    .saved_bytes = saved_bytes,
    .cost = dts_lstm_cost,
    .reference = {forward, backward, NULL, reference_scratch},
    .host = {dts_lstm_forward_host, dts_lstm_backward_host, NULL, dts_lstm_backward_scratch},
    .cuda = DTS_CUDA(
        {dts_lstm_forward_cuda, dts_lstm_backward_cuda, NULL, dts_lstm_backward_scratch}),
};
