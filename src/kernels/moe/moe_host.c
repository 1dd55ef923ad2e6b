/* moe_host.c -- moe.c on a CPU: expert by expert, its positions are gathered, go through its
 * matrices as products of many rows, and are added to where they came from, in the order of the
 * experts. */
#include <string.h>

#include "base/mem.h"
#include "kernels/moe/moe_act.h"
#include "kernels/moe/moe_product.h"
#include "kernels/moe/moe_route.h"
#include "kernels/product/gemm.h"

/* Of a call. `rows` and `places` list those of one expert: its positions, and which choice. */
struct job {
    const struct dts_op_call *call;
    struct dts_moe_rows of; // this expert's
    struct dts_moe m;
    float *p, *choices, *first, *up; // kept; the last two by expert
    size_t before;                   // rows of experts before this one
    size_t *rows;
    float *x, *wide, *wide2, *shares, *dc; // gathered rows; hidden values; of each row
};

static float *take(float **at, size_t floats)
{
    float *taken = *at;
    *at += dts_moe_rounded(floats);
    return taken;
}

/* An expert may have every row, each once. */
static size_t floats_of(const struct dts_moe *m, bool backward)
{
    const size_t lists = dts_moe_rounded(2 * m->rows) + dts_moe_rounded(m->rows) +
                         dts_moe_rounded(m->rows * m->chosen);
    return lists + dts_moe_rounded(m->rows * m->features) +
           (backward ? 2 : 1) * dts_moe_rounded(m->rows * m->hidden) +
           (backward
                ? dts_moe_rounded(m->rows * m->features) + dts_moe_rounded(m->rows * m->experts)
                : 0);
}

size_t dts_moe_forward_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_moe m = dts_moe_of(call, batch);
    if (m.ranks > 1)
        return dts_moe_parts_scratch_host(&m, false);
    return floats_of(&m, false) * sizeof(float);
}

size_t dts_moe_backward_scratch_host(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_moe m = dts_moe_of(call, batch);
    if (m.ranks > 1)
        return dts_moe_parts_scratch_host(&m, true);
    return floats_of(&m, true) * sizeof(float);
}

static struct job begin(const struct dts_op_call *call, const struct dts_arrays *a,
                        const struct dts_place *place, bool backward, float **rest)
{
    struct job j = {
        .call = call, .of = {a, place->workers, 0, 0}, .m = dts_moe_of(call, a->batch)};
    float *at = a->scratch;
    j.rows = (size_t *)(void *)take(&at, 2 * j.m.rows);
    j.shares = take(&at, j.m.rows);
    j.dc = take(&at, j.m.rows * j.m.chosen);
    j.x = take(&at, j.m.rows * j.m.features);
    j.wide = take(&at, j.m.rows * j.m.hidden);
    j.wide2 = backward ? take(&at, j.m.rows * j.m.hidden) : NULL;
    j.p = a->saved;
    j.choices = j.p + dts_moe_choices_at(&j.m);
    j.first = j.p + dts_moe_first_at(&j.m);
    j.up = j.p + dts_moe_up_at(&j.m);
    *rest = at;
    return j;
}

/* The next expert's rows, with their shares and values of `from`. */
static void gather(struct job *j, size_t expert, const float *from, float *to)
{
    const struct dts_moe *m = &j->m;
    j->of.expert = expert;
    j->before += j->of.count;
    j->of.count = 0;
    for (size_t i = 0; i < m->rows * m->chosen; i++) {
        const size_t row = i / m->chosen;
        if (j->choices[i] != (float)expert)
            continue;
        j->rows[j->of.count] = row;
        j->shares[j->of.count] = dts_moe_share_float(
            j->call, j->p + row * m->experts, j->choices + row * m->chosen, i % m->chosen);
        memcpy(to + j->of.count * m->features, from + row * m->features,
               m->features * sizeof(float));
        j->of.count++;
    }
}

static void scatter(const struct job *j, const float *from, float *to)
{
    for (size_t i = 0; i < j->of.count; i++)
#pragma omp simd
        for (size_t k = 0; k < j->m.features; k++)
            to[j->rows[i] * j->m.features + k] += from[i * j->m.features + k];
}

void dts_moe_route_host(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_workers *workers)
{
    const struct dts_moe m = dts_moe_of(call, a->batch);
    float *p = a->saved, *choices = p + dts_moe_choices_at(&m);
    const struct dts_gemm scores = {.transpose_b = true,
                                    .m = m.rows,
                                    .n = m.experts,
                                    .k = m.features,
                                    .a = a->x[0],
                                    .lda = m.features,
                                    .b = a->w[DTS_MOE_ROUTER],
                                    .ldb = m.features,
                                    .c = p,
                                    .ldc = m.experts};
    dts_gemm(&scores, workers);
    for (size_t row = 0; row < m.rows; row++)
        dts_moe_choose_float(call, p + row * m.experts, choices + row * m.chosen);
    for (size_t s = 0; s < m.rows * m.experts / m.positions; s++)
        dts_moe_limit_float(&m, choices, s / m.experts, s % m.experts);
}

void dts_moe_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    float *rest;
    if (call->expert_ranks > 1) {
        dts_moe_part_forward_host(call, a, place->workers);
        return;
    }
    struct job j = begin(call, a, place, false, &rest);
    const size_t n = j.m.features, hidden = j.m.hidden;
    dts_moe_route_host(call, a, place->workers);
    memset(a->y, 0, j.m.rows * n * sizeof(float));
    for (size_t e = 0; e < j.m.experts; e++) {
        gather(&j, e, a->x[0], j.x);
        if (j.of.count == 0)
            continue;
        float *g = j.first + j.before * hidden, *u = j.up + j.before * hidden;
        dts_moe_multiply(&j.of, j.x, DTS_MOE_FIRST, true, n, hidden, g, 0);
        if (j.m.gated)
            dts_moe_multiply(&j.of, j.x, DTS_MOE_UP, true, n, hidden, u, 0);
        for (size_t i = 0; i < j.of.count * hidden; i++)
            j.wide[i] = j.shares[i / hidden] *
                        dts_moe_active(g[i], j.m.gated ? u[i] : 0, j.m.gated).value;
        dts_moe_multiply(&j.of, j.wide, DTS_MOE_DOWN, true, hidden, n, j.x, 0);
        scatter(&j, j.x, a->y);
    }
}

/* dy times the share is in `dy`; wide is q times the share. Leaves a in wide2, then dg in wide
 * and du in wide2. */
static void hidden_backward(struct job *j, const float *dy)
{
    const size_t hidden = j->m.hidden, n = j->m.features;
    const float *g = j->first + j->before * hidden, *u = j->up + j->before * hidden;
    for (size_t i = 0; i < j->of.count * hidden; i++)
        j->wide2[i] = dts_moe_active(g[i], j->m.gated ? u[i] : 0, j->m.gated).value;
    dts_moe_add_weights(&j->of, DTS_MOE_DOWN, dy, n, j->wide2, hidden);
    for (size_t i = 0; i < j->of.count; i++) {
        double sum = 0;
        for (size_t f = 0; f < hidden; f++)
            sum += (double)(j->wide[i * hidden + f] * j->wide2[i * hidden + f]);
        const float *choices = j->choices + j->rows[i] * j->m.chosen;
        for (size_t k = 0; k < j->m.chosen; k++)
            if (choices[k] == (float)j->of.expert)
                j->dc[j->rows[i] * j->m.chosen + k] =
                    j->shares[i] > 0 ? (float)(sum / (double)j->shares[i]) : 0;
    }
    for (size_t i = 0; i < j->of.count * hidden; i++) {
        const struct dts_moe_active v = dts_moe_active(g[i], j->m.gated ? u[i] : 0, j->m.gated);
        j->wide2[i] = j->wide[i] * v.by_u;
        j->wide[i] *= v.by_g;
    }
}

static void expert_backward(struct job *j, float *dy)
{
    const size_t n = j->m.features, hidden = j->m.hidden;
    for (size_t i = 0; i < j->of.count * n; i++)
        dy[i] *= j->shares[i / n];
    dts_moe_multiply(&j->of, dy, DTS_MOE_DOWN, false, n, hidden, j->wide, 0);
    hidden_backward(j, dy);
    dts_moe_add_weights(&j->of, DTS_MOE_FIRST, j->wide, hidden, j->x, n);
    if (j->m.gated)
        dts_moe_add_weights(&j->of, DTS_MOE_UP, j->wide2, hidden, j->x, n);
    if (j->of.a->dx[0] == NULL)
        return;
    dts_moe_multiply(&j->of, j->wide, DTS_MOE_FIRST, false, hidden, n, j->x, 0);
    if (j->m.gated)
        dts_moe_multiply(&j->of, j->wide2, DTS_MOE_UP, false, hidden, n, j->x, 1);
    scatter(j, j->x, j->of.a->dx[0]);
}

void dts_moe_router_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const float *dc, float *dr, struct dts_workers *workers)
{
    const struct dts_moe m = dts_moe_of(call, a->batch);
    const float *p = a->saved, *choices = p + dts_moe_choices_at(&m);
    for (size_t i = 0; i < m.rows * m.experts; i++) {
        const size_t row = i / m.experts;
        dr[i] = dts_moe_slope_float(call, p + row * m.experts, choices + row * m.chosen,
                                    dc + row * m.chosen, i % m.experts);
    }
    // as of one expert, which has all positions
    const struct dts_moe_rows all = {.a = a, .workers = workers, .count = m.rows};
    dts_moe_add_weights(&all, DTS_MOE_ROUTER, dr, m.experts, a->x[0], m.features);
    if (a->dx[0] != NULL)
        dts_moe_multiply(&all, dr, DTS_MOE_ROUTER, false, m.experts, m.features, a->dx[0], 1);
}

void dts_moe_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    float *at;
    if (call->expert_ranks > 1) {
        dts_moe_part_backward_host(call, a, place->workers);
        return;
    }
    struct job j = begin(call, a, place, true, &at);
    float *dy = take(&at, j.m.rows * j.m.features), *dr = take(&at, j.m.rows * j.m.experts);
    memset(j.dc, 0, j.m.rows * j.m.chosen * sizeof(float));
    if (a->dx[0] != NULL)
        memset(a->dx[0], 0, j.m.rows * j.m.features * sizeof(float));
    for (size_t e = 0; e < j.m.experts; e++) {
        gather(&j, e, a->x[0], j.x);
        if (j.of.count == 0)
            continue;
        for (size_t i = 0; i < j.of.count; i++)
            memcpy(dy + i * j.m.features, (const float *)a->dy + j.rows[i] * j.m.features,
                   j.m.features * sizeof(float));
        expert_backward(&j, dy);
    }
    dts_moe_router_backward_host(call, a, j.dc, dr, place->workers);
}
