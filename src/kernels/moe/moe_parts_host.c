/* moe_parts_host.c -- moe.c where experts are on several ranks, in three parts (op.h). The
 * ranks exchange rows of features between them:
 *
 *     forward    LEAVE    rows x            EXPERT   down a             RETURN   y += c row
 *     backward   LEAVE    rows c dy         EXPERT   their gradients    RETURN   dx += row
 *
 * So shares c stay on the rank that has the position; their gradient is dc = dy . row, of the
 * rows that came back forward. Rows that no position asks for are zeros, of which an expert
 * makes zeros: they are computed as all others.
 */
#include <assert.h>
#include <string.h>

#include "kernels/moe/moe_act.h"
#include "kernels/moe/moe_product.h"
#include "kernels/moe/moe_route.h"

/* Rows of one expert from one rank. */
static size_t block_of(const struct dts_moe *m)
{
    return m->rows / m->positions * m->capacity;
}

size_t dts_moe_parts_scratch_host(const struct dts_moe *m, bool backward)
{
    const size_t hidden = (backward ? 2 : 1) * dts_moe_rounded(block_of(m) * m->hidden);
    const size_t router =
        dts_moe_rounded(m->rows * m->chosen) + dts_moe_rounded(m->rows * m->experts);
    return (backward && router > hidden ? router : hidden) * sizeof(float);
}

/* A position on its way to one of its experts. */
struct visit {
    size_t sample, expert, taken; // of that sample, by that expert, so far
    size_t i;                     // the next choice of the sample to be looked at
    size_t position, choice, row;
};

/* The next one, sample by sample and expert by expert; false: there is none. Zeros before. */
static bool next(const struct dts_moe *m, const float *choices, struct visit *v)
{
    const size_t samples = m->rows / m->positions, each = m->positions * m->chosen;
    while (v->sample < samples) {
        for (; v->i < each; v->i++) {
            v->choice = v->sample * each + v->i;
            if (choices[v->choice] != (float)v->expert)
                continue;
            v->position = v->choice / m->chosen;
            v->row = (v->expert * samples + v->sample) * m->capacity + v->taken++;
            v->i++;
            return true;
        }
        v->i = v->taken = 0;
        if (++v->expert == m->experts) {
            v->expert = 0;
            v->sample++;
        }
    }
    return false;
}

static float share_of(const struct dts_op_call *call, const struct dts_moe *m, const float *p,
                      const struct visit *v)
{
    return dts_moe_share_float(call, p + v->position * m->experts,
                               p + dts_moe_choices_at(m) + v->position * m->chosen,
                               v->choice % m->chosen);
}

/* What one of the rank's experts does to the rows that one rank sent it. */
struct job {
    const struct dts_moe *m;
    struct dts_moe_rows of;  // expert: of the rank's
    float *rows, *x, *g, *u; // u: of a gated one
    float *wide, *wide2;
};

static struct job job_of(const struct dts_moe *m, const struct dts_arrays *a,
                         struct dts_workers *workers, size_t block)
{
    float *saved = a->saved;
    const size_t count = block_of(m), first = block * count;
    return (struct job){
        .m = m,
        .of = {a, workers, block % (m->experts / m->ranks), count},
        .rows = a->rows + first * m->features,
        .x = saved + dts_moe_arrived_at(m) + first * m->features,
        .g = saved + dts_moe_product_at(m, 0) + first * m->hidden,
        .u = m->gated ? saved + dts_moe_product_at(m, 1) + first * m->hidden : NULL,
        .wide = a->scratch,
        .wide2 = (float *)a->scratch + dts_moe_rounded(count * m->hidden),
    };
}

static void expert_forward(const struct job *j)
{
    const size_t n = j->m->features, hidden = j->m->hidden;
    memcpy(j->x, j->rows, j->of.count * n * sizeof(float));
    dts_moe_multiply(&j->of, j->x, DTS_MOE_FIRST, true, n, hidden, j->g, 0);
    if (j->u != NULL)
        dts_moe_multiply(&j->of, j->x, DTS_MOE_UP, true, n, hidden, j->u, 0);
    for (size_t i = 0; i < j->of.count * hidden; i++)
        j->wide[i] = dts_moe_active(j->g[i], j->u != NULL ? j->u[i] : 0, j->u != NULL).value;
    dts_moe_multiply(&j->of, j->wide, DTS_MOE_DOWN, true, hidden, n, j->rows, 0);
}

/* The rows are c dy. */
static void expert_backward(const struct job *j)
{
    const size_t n = j->m->features, hidden = j->m->hidden;
    const bool gated = j->u != NULL;
    dts_moe_multiply(&j->of, j->rows, DTS_MOE_DOWN, false, n, hidden, j->wide, 0);
    for (size_t i = 0; i < j->of.count * hidden; i++)
        j->wide2[i] = dts_moe_active(j->g[i], gated ? j->u[i] : 0, gated).value;
    dts_moe_add_weights(&j->of, DTS_MOE_DOWN, j->rows, n, j->wide2, hidden);
    for (size_t i = 0; i < j->of.count * hidden; i++) {
        const struct dts_moe_active v = dts_moe_active(j->g[i], gated ? j->u[i] : 0, gated);
        j->wide2[i] = j->wide[i] * v.by_u;
        j->wide[i] *= v.by_g;
    }
    dts_moe_add_weights(&j->of, DTS_MOE_FIRST, j->wide, hidden, j->x, n);
    dts_moe_multiply(&j->of, j->wide, DTS_MOE_FIRST, false, hidden, n, j->rows, 0);
    if (!gated)
        return;
    dts_moe_add_weights(&j->of, DTS_MOE_UP, j->wide2, hidden, j->x, n);
    dts_moe_multiply(&j->of, j->wide2, DTS_MOE_UP, false, hidden, n, j->rows, 1);
}

/* Rows of each position at each of its experts: values of `from`, times the share if wanted. */
static void leave(const struct dts_op_call *call, const struct dts_moe *m,
                  const struct dts_arrays *a, const float *from, bool shared)
{
    const float *p = a->saved;
    struct visit v = {0};
    memset(a->rows, 0, dts_moe_sent(m) * m->features * sizeof(float));
    while (next(m, p + dts_moe_choices_at(m), &v)) {
        const float share = shared ? share_of(call, m, p, &v) : 1;
        for (size_t i = 0; i < m->features; i++)
            a->rows[v.row * m->features + i] = share * from[v.position * m->features + i];
    }
}

/* The rows that came back are added to where they left, times the share if wanted. */
static void collect(const struct dts_op_call *call, const struct dts_moe *m,
                    const struct dts_arrays *a, float *to, bool shared)
{
    const float *p = a->saved;
    struct visit v = {0};
    memset(to, 0, m->rows * m->features * sizeof(float));
    while (next(m, p + dts_moe_choices_at(m), &v)) {
        const float share = shared ? share_of(call, m, p, &v) : 1;
        for (size_t i = 0; i < m->features; i++)
            to[v.position * m->features + i] += share * a->rows[v.row * m->features + i];
    }
}

/* What an expert had no room for has no gradient of its share. */
static void find_slopes(const struct dts_moe *m, const struct dts_arrays *a, float *dc)
{
    const float *p = a->saved, *returned = p + dts_moe_returned_at(m), *dy = a->dy;
    struct visit v = {0};
    memset(dc, 0, m->rows * m->chosen * sizeof(float));
    while (next(m, p + dts_moe_choices_at(m), &v)) {
        double sum = 0;
        for (size_t i = 0; i < m->features; i++)
            sum += (double)dy[v.position * m->features + i] *
                   (double)returned[v.row * m->features + i];
        dc[v.choice] = (float)sum;
    }
}

void dts_moe_part_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_workers *workers)
{
    const struct dts_moe m = dts_moe_of(call, a->batch);
    if (a->part == DTS_OP_LEAVE) {
        dts_moe_route_host(call, a, workers);
        leave(call, &m, a, a->x[0], false);
    } else if (a->part == DTS_OP_WORK) {
        for (size_t b = 0; b < m.experts; b++) {
            const struct job j = job_of(&m, a, workers, b);
            expert_forward(&j);
        }
    } else {
        assert(a->part == DTS_OP_RETURN);
        memcpy((float *)a->saved + dts_moe_returned_at(&m), a->rows,
               dts_moe_sent(&m) * m.features * sizeof(float));
        collect(call, &m, a, a->y, true);
    }
}

void dts_moe_part_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_workers *workers)
{
    const struct dts_moe m = dts_moe_of(call, a->batch);
    if (a->part == DTS_OP_LEAVE) {
        leave(call, &m, a, a->dy, true);
    } else if (a->part == DTS_OP_WORK) {
        for (size_t b = 0; b < m.experts; b++) {
            const struct job j = job_of(&m, a, workers, b);
            expert_backward(&j);
        }
    } else {
        assert(a->part == DTS_OP_RETURN);
        float *dc = a->scratch, *dr = dc + dts_moe_rounded(m.rows * m.chosen);
        if (a->dx[0] != NULL)
            collect(call, &m, a, a->dx[0], false);
        find_slopes(&m, a, dc);
        dts_moe_router_backward_host(call, a, dc, dr, workers);
    }
}
