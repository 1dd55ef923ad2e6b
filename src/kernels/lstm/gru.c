/* gru.c -- gated recurrent unit (Cho et al. 2014, arXiv:1406.1078), as PyTorch's GRU of one
 * layer. From h[-1] = 0, at each step t, with u = w_input x[t] + b_input of each gate:
 *
 *     r, z = sigmoid of u + w_state h[t - 1] + b_state,  q = w_state h[t - 1] + b_state of n
 *     n    = tanh(u + r q)
 *     h[t] = (1 - z) n + z h[t - 1], which is y[t]
 *
 * Backward from the last step, dh = dy[t] + what comes from step t + 1:
 *
 *     dn = dh (1 - z) (1 - n^2), dz = dh (h[t - 1] - n) z (1 - z), dr = dn q r (1 - r)
 *     da = (dr, dz, dn),  ds = (dr, dz, dn r)
 *     to step t - 1: dh = dh z + w_state^T ds
 *     dx[t] = w_input^T da, dw_input += da x[t]^T, db_input += da
 *     dw_state += ds h[t - 1]^T, db_state += ds
 *
 * saved: r, z, n, q of each step, [batch, steps, 4 outputs]. The fast version is gru_host.c.
 */
#include <math.h>
#include <string.h>

#include "kernels/lstm/gru.h"
#include "kernels/op_cost.h"

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double by_input(const struct dts_recurrent *s, const struct dts_arrays *a, size_t row,
                       size_t gate)
{
    const double *x = (const double *)a->x[0] + row * s->features;
    const double *w = (const double *)a->w[DTS_RECURRENT_BY_INPUT] + gate * s->features;
    double sum = ((const double *)a->w[DTS_RECURRENT_BIAS_INPUT])[gate];
    for (size_t i = 0; i < s->features; i++)
        sum += w[i] * x[i];
    return sum;
}

/* before: the state that step t begins with; NULL: zeros. */
static double by_state(const struct dts_recurrent *s, const struct dts_arrays *a,
                       const double *before, size_t gate)
{
    const double *w = (const double *)a->w[DTS_RECURRENT_BY_STATE] + gate * s->outputs;
    double sum = ((const double *)a->w[DTS_RECURRENT_BIAS_STATE])[gate];
    for (size_t i = 0; i < s->outputs && before != NULL; i++)
        sum += w[i] * before[i];
    return sum;
}

static const double *state_before(const struct dts_recurrent *s, const struct dts_arrays *a,
                                  size_t row)
{
    return row % s->steps > 0 ? (const double *)a->y + (row - 1) * s->outputs : NULL;
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_recurrent s = dts_gru_sizes(call, a->batch);
    const size_t n = s.outputs;
    for (size_t i = 0; i < s.batch * s.steps * n; i++) {
        const size_t row = i / n, o = i % n;
        const double *before = state_before(&s, a, row);
        double *kept = (double *)a->saved + row * s.kept + o;
        for (size_t k = DTS_GRU_RESET; k <= DTS_GRU_UPDATE; k++)
            kept[k * n] =
                sigmoid(by_input(&s, a, row, k * n + o) + by_state(&s, a, before, k * n + o));
        const double q = by_state(&s, a, before, DTS_GRU_NEW * n + o);
        const double z = kept[DTS_GRU_UPDATE * n];
        kept[DTS_GRU_STATE * n] = q;
        kept[DTS_GRU_NEW * n] =
            tanh(by_input(&s, a, row, DTS_GRU_NEW * n + o) + kept[DTS_GRU_RESET * n] * q);
        ((double *)a->y)[i] =
            (1 - z) * kept[DTS_GRU_NEW * n] + z * (before != NULL ? before[o] : 0);
    }
}

/* da and ds of one output at one step, from its dh, which becomes what goes to the step before
 * without w_state. */
static void cell_backward(const double *kept, size_t n, double before, double *dh, double *da,
                          double *ds)
{
    const double r = kept[DTS_GRU_RESET * n], z = kept[DTS_GRU_UPDATE * n];
    const double new = kept[DTS_GRU_NEW * n], q = kept[DTS_GRU_STATE * n];
    const double dn = *dh * (1 - z) * (1 - new *new);
    da[DTS_GRU_RESET * n] = ds[DTS_GRU_RESET * n] = dn * q * r * (1 - r);
    da[DTS_GRU_UPDATE * n] = ds[DTS_GRU_UPDATE * n] = *dh * (before - new) * z * (1 - z);
    da[DTS_GRU_NEW * n] = dn;
    ds[DTS_GRU_NEW * n] = dn * r;
    *dh *= z;
}

/* What one gate at one step adds to gradients; dh: of the step before. */
static void gate_backward(const struct dts_recurrent *s, const struct dts_arrays *a, size_t row,
                          size_t gate, double da, double ds, double *dh)
{
    const double *x = (const double *)a->x[0] + row * s->features;
    const double *before = state_before(s, a, row);
    const double *w_input = (const double *)a->w[DTS_RECURRENT_BY_INPUT] + gate * s->features;
    const double *w_state = (const double *)a->w[DTS_RECURRENT_BY_STATE] + gate * s->outputs;
    double *dw_input = a->dw[DTS_RECURRENT_BY_INPUT], *dw_state = a->dw[DTS_RECURRENT_BY_STATE];
    for (size_t i = 0; i < s->features; i++) {
        if (a->dx[0] != NULL)
            ((double *)a->dx[0])[row * s->features + i] += w_input[i] * da;
        if (dw_input != NULL)
            dw_input[gate * s->features + i] += da * x[i];
    }
    for (size_t i = 0; i < s->outputs && before != NULL; i++) {
        dh[i] += w_state[i] * ds;
        if (dw_state != NULL)
            dw_state[gate * s->outputs + i] += ds * before[i];
    }
    if (a->dw[DTS_RECURRENT_BIAS_INPUT] != NULL)
        ((double *)a->dw[DTS_RECURRENT_BIAS_INPUT])[gate] += da;
    if (a->dw[DTS_RECURRENT_BIAS_STATE] != NULL)
        ((double *)a->dw[DTS_RECURRENT_BIAS_STATE])[gate] += ds;
}

/* scratch: da and ds of one step, dh. */
static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_recurrent s = dts_gru_sizes(call, a->batch);
    const size_t n = s.outputs;
    double *da = a->scratch, *ds = da + s.gates, *dh = ds + s.gates;
    if (a->dx[0] != NULL)
        memset(a->dx[0], 0, s.batch * s.steps * s.features * sizeof(double));
    for (size_t b = 0; b < s.batch; b++) {
        memset(dh, 0, n * sizeof(*dh));
        for (size_t t = s.steps; t-- > 0;) {
            const size_t row = b * s.steps + t;
            const double *before = state_before(&s, a, row);
            for (size_t o = 0; o < n; o++) {
                dh[o] += ((const double *)a->dy)[row * n + o];
                cell_backward((const double *)a->saved + row * s.kept + o, n,
                              before != NULL ? before[o] : 0, &dh[o], da + o, ds + o);
            }
            for (size_t gate = 0; gate < s.gates; gate++)
                gate_backward(&s, a, row, gate, da[gate], ds[gate], dh);
        }
    }
}

static size_t reference_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_recurrent s = dts_gru_sizes(call, batch);
    return (2 * s.gates + s.outputs) * sizeof(double);
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    const struct dts_recurrent s = dts_gru_sizes(call, batch);
    return s.batch * s.steps * s.kept * real;
}

const struct dts_operation dts_op_gru = {
    .name = "gru",
    .summary = "recurrent layer with three gates",
    .needs_x = true,
    .products = true,
    .needs_y = true,
    .saved_bytes = saved_bytes,
    .cost = dts_gru_cost,
    .reference = {forward, backward, NULL, reference_scratch},
    .host = {dts_gru_forward_host, dts_gru_backward_host, NULL, dts_gru_backward_scratch},
    .cuda =
        DTS_CUDA({dts_gru_forward_cuda, dts_gru_backward_cuda, NULL, dts_gru_backward_scratch}),
};
