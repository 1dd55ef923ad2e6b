/* moe.cu -- the GPU version of moe.c, which says what is computed: a thread for each value,
 * with plain loops over what it sums. It is there to be right, not yet to be fast. Rows of
 * hidden values lie by position and choice. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/moe/moe_act.h"
#include "kernels/moe/moe_route.h"
}

/* What threads read. */
struct view {
    struct dts_op_call call;
    struct dts_moe m;
    const float *x, *router, *first, *down, *up;
    float *p, *choices, *g, *u;
};

static struct view view_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    struct view v;
    v.call = *call;
    v.m = dts_moe_of(call, a->batch);
    v.x = (const float *)a->x[0];
    v.router = (const float *)a->w[DTS_MOE_ROUTER];
    v.first = (const float *)a->w[DTS_MOE_FIRST];
    v.down = (const float *)a->w[DTS_MOE_DOWN];
    v.up = v.m.gated ? (const float *)a->w[DTS_MOE_UP] : NULL;
    v.p = (float *)a->saved;
    v.choices = v.p + dts_moe_choices_at(&v.m);
    v.g = v.p + dts_moe_first_at(&v.m);
    v.u = v.p + dts_moe_up_at(&v.m);
    return v;
}

/* c of choice k; the row is k / chosen. */
static __device__ float share_of(const struct view &v, size_t k)
{
    const size_t row = k / v.m.chosen;
    return dts_moe_share_float(&v.call, v.p + row * v.m.experts, v.choices + row * v.m.chosen,
                               k % v.m.chosen);
}

static __device__ struct dts_moe_active active_of(const struct view &v, size_t i)
{
    return dts_moe_active(v.g[i], v.m.gated ? v.u[i] : 0, v.m.gated);
}

static void route(const struct view &v, const struct dts_place *place)
{
    dts_for_each(v.m.rows * v.m.experts, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, row = i / v.m.experts, e = i % v.m.experts;
        float sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += v.x[row * n + k] * v.router[e * n + k];
        v.p[i] = sum;
    });
    dts_for_each(v.m.rows, place, [=] __device__(size_t row) {
        dts_moe_choose_float(&v.call, v.p + row * v.m.experts, v.choices + row * v.m.chosen);
    });
    dts_for_each(v.m.rows / v.m.positions * v.m.experts, place, [=] __device__(size_t s) {
        dts_moe_limit_float(&v.m, v.choices, s / v.m.experts, s % v.m.experts);
    });
}

extern "C" void dts_moe_forward_cuda(const struct dts_op_call *call, const struct dts_arrays *a,
                                     const struct dts_place *place)
{
    const struct view v = view_of(call, a);
    float *y = (float *)a->y;
    route(v, place);
    dts_for_each(v.m.rows * v.m.chosen * v.m.hidden, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, k = i / v.m.hidden, f = i % v.m.hidden;
        if (v.choices[k] < 0)
            return;
        const float *x = v.x + k / v.m.chosen * n;
        const size_t at = ((size_t)v.choices[k] * v.m.hidden + f) * n;
        float g = 0, u = 0;
        for (size_t c = 0; c < n; c++) {
            g += x[c] * v.first[at + c];
            u += v.m.gated ? x[c] * v.up[at + c] : 0;
        }
        v.g[i] = g;
        if (v.m.gated)
            v.u[i] = u;
    });
    dts_for_each(v.m.rows * v.m.features, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, row = i / n, o = i % n, hidden = v.m.hidden;
        float sum = 0;
        for (size_t k = row * v.m.chosen; k < (row + 1) * v.m.chosen; k++) {
            if (v.choices[k] < 0)
                continue;
            const float *w = v.down + ((size_t)v.choices[k] * n + o) * hidden;
            float part = 0;
            for (size_t f = 0; f < hidden; f++)
                part += w[f] * active_of(v, k * hidden + f).value;
            sum += share_of(v, k) * part;
        }
        y[i] = sum;
    });
}

/* q, then dg in its place; du; dc; dr. */
struct slopes {
    float *q, *du, *dc, *dr;
};

static struct slopes slopes_of(const struct dts_moe &m, void *scratch)
{
    const size_t hidden = m.rows * m.chosen * m.hidden;
    float *base = (float *)scratch;
    return {base, base + hidden, base + 2 * hidden, base + 2 * hidden + m.rows * m.chosen};
}

extern "C" size_t dts_moe_backward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                int workers)
{
    (void)workers;
    const struct dts_moe m = dts_moe_of(call, batch);
    return (2 * m.rows * m.chosen * m.hidden + m.rows * m.chosen + m.rows * m.experts) *
           sizeof(float);
}

static void find_slopes(const struct view &v, const struct slopes &s, const float *dy,
                        const struct dts_place *place)
{
    dts_for_each(v.m.rows * v.m.chosen * v.m.hidden, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, k = i / v.m.hidden, f = i % v.m.hidden;
        float sum = 0;
        for (size_t o = 0; o < n && v.choices[k] >= 0; o++)
            sum += dy[k / v.m.chosen * n + o] *
                   v.down[((size_t)v.choices[k] * n + o) * v.m.hidden + f];
        s.q[i] = sum;
    });
    dts_for_each(v.m.rows * v.m.chosen, place, [=] __device__(size_t k) {
        float sum = 0;
        for (size_t f = 0; f < v.m.hidden && v.choices[k] >= 0; f++)
            sum += s.q[k * v.m.hidden + f] * active_of(v, k * v.m.hidden + f).value;
        s.dc[k] = sum;
    });
    dts_for_each(v.m.rows * v.m.experts, place, [=] __device__(size_t i) {
        const size_t row = i / v.m.experts;
        s.dr[i] =
            dts_moe_slope_float(&v.call, v.p + row * v.m.experts, v.choices + row * v.m.chosen,
                                s.dc + row * v.m.chosen, i % v.m.experts);
    });
    dts_for_each(v.m.rows * v.m.chosen * v.m.hidden, place, [=] __device__(size_t i) {
        if (v.choices[i / v.m.hidden] < 0)
            return;
        const struct dts_moe_active at = active_of(v, i);
        const float q = s.q[i] * share_of(v, i / v.m.hidden);
        s.q[i] = q * at.by_g;
        s.du[i] = q * at.by_u;
    });
}

/* Adds to a matrix of all experts, [hidden, features], by slopes of hidden values. */
static void add_inner(const struct view &v, const float *slope, void *dw,
                      const struct dts_place *place)
{
    float *to = (float *)dw;
    if (to == NULL)
        return;
    dts_for_each(v.m.experts * v.m.hidden * v.m.features, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, f = i / n % v.m.hidden, e = i / n / v.m.hidden;
        float sum = 0;
        for (size_t k = 0; k < v.m.rows * v.m.chosen; k++)
            if (v.choices[k] == (float)e)
                sum += slope[k * v.m.hidden + f] * v.x[k / v.m.chosen * n + i % n];
        to[i] += sum;
    });
}

static void add_down(const struct view &v, const float *dy, void *dw,
                     const struct dts_place *place)
{
    float *to = (float *)dw;
    if (to == NULL)
        return;
    dts_for_each(v.m.experts * v.m.features * v.m.hidden, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, hidden = v.m.hidden, f = i % hidden;
        const size_t o = i / hidden % n, e = i / hidden / n;
        float sum = 0;
        for (size_t k = 0; k < v.m.rows * v.m.chosen; k++)
            if (v.choices[k] == (float)e)
                sum += share_of(v, k) * dy[k / v.m.chosen * n + o] *
                       active_of(v, k * hidden + f).value;
        to[i] += sum;
    });
}

static void add_router(const struct view &v, const float *dr, void *dw,
                       const struct dts_place *place)
{
    float *to = (float *)dw;
    if (to == NULL)
        return;
    dts_for_each(v.m.experts * v.m.features, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, e = i / n;
        float sum = 0;
        for (size_t row = 0; row < v.m.rows; row++)
            sum += dr[row * v.m.experts + e] * v.x[row * n + i % n];
        to[i] += sum;
    });
}

static void find_dx(const struct view &v, const struct slopes &s, void *out,
                    const struct dts_place *place)
{
    float *dx = (float *)out;
    if (dx == NULL)
        return;
    dts_for_each(v.m.rows * v.m.features, place, [=] __device__(size_t i) {
        const size_t n = v.m.features, row = i / n, hidden = v.m.hidden;
        float sum = 0;
        for (size_t e = 0; e < v.m.experts; e++)
            sum += s.dr[row * v.m.experts + e] * v.router[e * n + i % n];
        for (size_t k = row * v.m.chosen; k < (row + 1) * v.m.chosen; k++)
            for (size_t f = 0; f < hidden && v.choices[k] >= 0; f++) {
                const size_t at = ((size_t)v.choices[k] * hidden + f) * n + i % n;
                sum += s.q[k * hidden + f] * v.first[at];
                sum += v.m.gated ? s.du[k * hidden + f] * v.up[at] : 0;
            }
        dx[i] = sum;
    });
}

extern "C" void dts_moe_backward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    const struct view v = view_of(call, a);
    const struct slopes s = slopes_of(v.m, a->scratch);
    const float *dy = (const float *)a->dy;
    find_slopes(v, s, dy, place);
    add_down(v, dy, a->dw[DTS_MOE_DOWN], place);
    add_inner(v, s.q, a->dw[DTS_MOE_FIRST], place);
    if (v.m.gated)
        add_inner(v, s.du, a->dw[DTS_MOE_UP], place);
    add_router(v, s.dr, a->dw[DTS_MOE_ROUTER], place);
    find_dx(v, s, a->dx[0], place);
}
