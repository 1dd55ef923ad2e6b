/* moe.c -- a mixture of experts (Shazeer et al. 2017, arXiv:1701.06538; Fedus et al. 2021,
 * arXiv:2101.03961; Jiang et al. 2024, arXiv:2401.04088). At each position, with n features:
 *
 *     r[e] = x . router[e],  p = softmax(r),  S = the k experts of the largest p
 *     c[e] = p[e], or over the sum of p in S where they are `normalized`
 *     a[e] = silu(first[e] x) up[e] x, or gelu(first[e] x)       f values
 *     y    = sum over S of c[e] down[e] a[e]
 *
 * Among equal p the expert of the lower number goes first. An expert takes at most `capacity`
 * positions of a sample, the earlier ones first (GShard's order, arXiv:2006.16668): what it
 * does not take adds nothing to y. Capacity is of a sample and not of a batch, so that n ranks
 * do what one does. Backward leaves S and who is taken as they are:
 *
 *     q[e] = down[e]^T dy,  dc[e] = q[e] . a[e],  da[e] = c[e] q[e],  ddown[e] += c[e] dy
 * a[e]^T dr[i] = p[i] (dc[i] - sum over S of p dc), i in all; normalized: c for p, i in S
 *
 * and so on through a to first, up and x. There is no loss that balances the experts.
 */
#include "kernels/moe/moe_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/moe/moe_route.h"
#include "kernels/op_cost.h"

/* Position `row` at its j-th expert. */
struct visit {
    const struct dts_moe *m;
    size_t row, expert;
    double share; // c
    const double *x;
    double *g, *u; // hidden values each; u of a gated one
};

static const double *matrix(const struct dts_arrays *a, int param, const struct visit *v)
{
    return (const double *)a->w[param] + v->expert * v->m->hidden * v->m->features;
}

static void find_hidden(const struct dts_arrays *a, struct visit *v)
{
    const size_t n = v->m->features;
    for (size_t f = 0; f < v->m->hidden; f++) {
        v->g[f] = v->u[f] = 0;
        for (size_t i = 0; i < n; i++) {
            v->g[f] += matrix(a, DTS_MOE_FIRST, v)[f * n + i] * v->x[i];
            if (v->m->gated)
                v->u[f] += matrix(a, DTS_MOE_UP, v)[f * n + i] * v->x[i];
        }
    }
}

/* The f-th of a, and its slopes. */
static double active(const struct visit *v, size_t f, double *by_g, double *by_u)
{
    const double g = v->g[f];
    if (v->m->gated) {
        const double s = 1 / (1 + exp(-g));
        *by_u = g * s;
        *by_g = v->u[f] * (s + g * s * (1 - s));
        return g * s * v->u[f];
    }
    const double scale = sqrt(2 / acos(-1)), cube = 0.044715;
    const double t = tanh(scale * (g + cube * g * g * g));
    *by_u = 0;
    *by_g = 0.5 * (1 + t) + 0.5 * g * (1 - t * t) * scale * (1 + 3 * cube * g * g);
    return 0.5 * g * (1 + t);
}

static void visit_forward(const struct dts_arrays *a, const struct visit *v)
{
    const size_t n = v->m->features, hidden = v->m->hidden;
    double *y = (double *)a->y + v->row * n, by_g, by_u;
    for (size_t f = 0; f < hidden; f++) {
        const double value = v->share * active(v, f, &by_g, &by_u);
        for (size_t o = 0; o < n; o++)
            y[o] += matrix(a, DTS_MOE_DOWN, v)[o * hidden + f] * value;
    }
}

static void add(const struct dts_arrays *a, int param, const struct visit *v, size_t at,
                double value)
{
    if (a->dw[param] != NULL)
        ((double *)a->dw[param])[v->expert * v->m->hidden * v->m->features + at] += value;
}

/* Returns dc. */
static double visit_backward(const struct dts_arrays *a, const struct visit *v)
{
    const size_t n = v->m->features, hidden = v->m->hidden;
    const double *dy = (const double *)a->dy + v->row * n;
    double *dx = a->dx[0] != NULL ? (double *)a->dx[0] + v->row * n : NULL, dc = 0;
    for (size_t f = 0; f < hidden; f++) {
        double by_g, by_u, q = 0;
        const double value = active(v, f, &by_g, &by_u);
        for (size_t o = 0; o < n; o++) {
            q += matrix(a, DTS_MOE_DOWN, v)[o * hidden + f] * dy[o];
            add(a, DTS_MOE_DOWN, v, o * hidden + f, v->share * dy[o] * value);
        }
        dc += q * value;
        const double dg = v->share * q * by_g, du = v->share * q * by_u;
        for (size_t i = 0; i < n; i++) {
            add(a, DTS_MOE_FIRST, v, f * n + i, dg * v->x[i]);
            if (v->m->gated)
                add(a, DTS_MOE_UP, v, f * n + i, du * v->x[i]);
            if (dx != NULL)
                dx[i] += matrix(a, DTS_MOE_FIRST, v)[f * n + i] * dg +
                         (v->m->gated ? matrix(a, DTS_MOE_UP, v)[f * n + i] * du : 0);
        }
    }
    return dc;
}

static void router_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_moe *m, size_t row, const double *dc)
{
    const double *p = (const double *)a->saved + row * m->experts;
    const double *choices = (const double *)a->saved + dts_moe_choices_at(m) + row * m->chosen;
    const double *x = (const double *)a->x[0] + row * m->features;
    for (size_t e = 0; e < m->experts; e++) {
        const double dr = dts_moe_slope_double(call, p, choices, dc, e);
        for (size_t i = 0; i < m->features; i++) {
            if (a->dw[0] != NULL)
                ((double *)a->dw[0])[e * m->features + i] += dr * x[i];
            if (a->dx[0] != NULL)
                ((double *)a->dx[0])[row * m->features + i] +=
                    dr * ((const double *)a->w[0])[e * m->features + i];
        }
    }
}

static void route(const struct dts_op_call *call, const struct dts_arrays *a,
                  const struct dts_moe *m)
{
    double *p = a->saved, *choices = p + dts_moe_choices_at(m);
    for (size_t i = 0; i < m->rows * m->experts; i++) {
        const double *x = (const double *)a->x[0] + i / m->experts * m->features;
        const double *w = (const double *)a->w[0] + i % m->experts * m->features;
        p[i] = 0;
        for (size_t k = 0; k < m->features; k++)
            p[i] += x[k] * w[k];
    }
    for (size_t row = 0; row < m->rows; row++)
        dts_moe_choose_double(call, p + row * m->experts, choices + row * m->chosen);
    for (size_t s = 0; s < m->rows * m->experts / m->positions; s++)
        dts_moe_limit_double(m, choices, s / m->experts, s % m->experts);
}

static void go(const struct dts_op_call *call, const struct dts_arrays *a, bool backward)
{
    const struct dts_moe m = dts_moe_of(call, a->batch);
    const double *p = a->saved, *choices = p + dts_moe_choices_at(&m);
    double *hidden = dts_alloc(2 * m.hidden + m.chosen, sizeof(*hidden));
    double *dc = hidden + 2 * m.hidden;
    for (size_t row = 0; row < m.rows; row++) {
        for (size_t j = 0; j < m.chosen; j++) {
            const double expert = choices[row * m.chosen + j];
            dc[j] = 0;
            if (expert < 0)
                continue;
            struct visit v = {.m = &m, .row = row, .expert = (size_t)expert};
            v.share =
                dts_moe_share_double(call, p + row * m.experts, choices + row * m.chosen, j);
            v.x = (const double *)a->x[0] + row * m.features;
            v.g = hidden;
            v.u = hidden + m.hidden;
            find_hidden(a, &v);
            if (backward)
                dc[j] = visit_backward(a, &v);
            else
                visit_forward(a, &v);
        }
        if (backward)
            router_backward(call, a, &m, row, dc);
    }
    free(hidden);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_moe m = dts_moe_of(call, a->batch);
    route(call, a, &m);
    memset(a->y, 0, m.rows * m.features * sizeof(double));
    go(call, a, false);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_moe m = dts_moe_of(call, a->batch);
    if (a->dx[0] != NULL)
        memset(a->dx[0], 0, m.rows * m.features * sizeof(double));
    go(call, a, true);
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    const struct dts_moe m = dts_moe_of(call, batch);
    if (m.ranks > 1)
        return (dts_moe_returned_at(&m) + dts_moe_sent(&m) * m.features) * real;
    return (dts_moe_up_at(&m) + (m.gated ? m.rows * m.chosen * m.hidden : 0)) * real;
}

size_t dts_moe_row_values(const struct dts_op_call *call, int batch)
{
    if (call->expert_ranks <= 1)
        return 0;
    const struct dts_moe m = dts_moe_of(call, batch);
    return dts_moe_sent(&m) * m.features;
}

const struct dts_operation dts_op_moe = {
    .name = "moe",
    .summary = "each position goes to a few of many experts, small networks of their own",
    .needs_x = true,
    .products = true,
    .row_values = dts_moe_row_values,
    .saved_bytes = saved_bytes,
    .cost = dts_moe_cost,
    .reference = {forward, backward},
    .host = {dts_moe_forward_host, dts_moe_backward_host, dts_moe_forward_scratch_host,
             dts_moe_backward_scratch_host},
    .cuda = DTS_CUDA(
        {dts_moe_forward_cuda, dts_moe_backward_cuda, NULL, dts_moe_backward_scratch_cuda}),
};
