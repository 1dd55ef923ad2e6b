/* moe_call.h -- what the files of mixtures of experts tell one another. */
#ifndef DTS_KERNELS_MOE_MOE_CALL_H
#define DTS_KERNELS_MOE_MOE_CALL_H

#include "kernels/op.h"

enum { DTS_MOE_ROUTER, DTS_MOE_FIRST, DTS_MOE_DOWN, DTS_MOE_UP }; // parameters

/* Of a call: rows are the positions of all samples. */
struct dts_moe {
    size_t positions, rows, features, experts, chosen, hidden;
    size_t capacity; // positions of a sample that an expert takes at the most
    size_t ranks;    // that have parts of the experts
    bool gated;
};

static inline struct dts_moe dts_moe_of(const struct dts_op_call *call, int batch)
{
    const size_t t = dts_dims_positions(&call->output), n = dts_dims_features(&call->output);
    const size_t experts = (size_t)call->experts;
    const size_t ranks = call->expert_ranks > 1 ? (size_t)call->expert_ranks : 1;
    struct dts_moe m = {.positions = t,
                        .rows = (size_t)batch * t,
                        .features = n,
                        .experts = experts,
                        .chosen = (size_t)call->chosen,
                        .hidden = call->params[DTS_MOE_FIRST] / (experts / ranks) / n,
                        .ranks = ranks,
                        .gated = call->param_count > DTS_MOE_UP};
    m.capacity = dts_op_capacity(call, t);
    return m;
}

/* What is kept, in reals: probabilities [rows, experts]; choices [rows, chosen], an expert, or
 * -1 - expert where it takes no more; then both products of x [rows x chosen, hidden], the
 * second one where it is gated. */
static inline size_t dts_moe_choices_at(const struct dts_moe *m)
{
    return m->rows * m->experts;
}

static inline size_t dts_moe_first_at(const struct dts_moe *m)
{
    return dts_moe_choices_at(m) + m->rows * m->chosen;
}

static inline size_t dts_moe_up_at(const struct dts_moe *m)
{
    return dts_moe_first_at(m) + m->rows * m->chosen * m->hidden;
}

/* Experts on several ranks (op.h): rows that go to all of them. Row (e batch + s) capacity + i
 * is the i-th that expert e takes of sample s. Kept: probabilities and choices as above; the
 * rows that arrived, both products of them, and the rows that came back. */
static inline size_t dts_moe_sent(const struct dts_moe *m)
{
    return m->experts * (m->rows / m->positions) * m->capacity;
}

static inline size_t dts_moe_arrived_at(const struct dts_moe *m)
{
    return dts_moe_first_at(m);
}

static inline size_t dts_moe_product_at(const struct dts_moe *m, size_t number)
{
    return dts_moe_arrived_at(m) + dts_moe_sent(m) * (m->features + number * m->hidden);
}

static inline size_t dts_moe_returned_at(const struct dts_moe *m)
{
    return dts_moe_product_at(m, m->gated ? 2 : 1);
}

/* Values of the rows of a call; 0: its experts are on one rank. */
size_t dts_moe_row_values(const struct dts_op_call *call, int batch);

/* Scores, probabilities and choices of all positions, which are kept. */
void dts_moe_route_host(const struct dts_op_call *call, const struct dts_arrays *a,
                        struct dts_workers *workers);

/* The router's gradient, and its part of dx, which is added; dr: room for the slopes of all
 * scores. dc is the gradient of each choice's share. */
void dts_moe_router_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const float *dc, float *dr, struct dts_workers *workers);

/* moe_parts_host.c: the parts of a mixture whose experts are on several ranks. */
size_t dts_moe_parts_scratch_host(const struct dts_moe *m, bool backward);
void dts_moe_part_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_workers *workers);
void dts_moe_part_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_workers *workers);

size_t dts_moe_forward_scratch_host(const struct dts_op_call *call, int batch, int workers);
size_t dts_moe_backward_scratch_host(const struct dts_op_call *call, int batch, int workers);
dts_op_fn dts_moe_forward_host, dts_moe_backward_host; // moe_host.c
size_t dts_moe_backward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
dts_op_fn dts_moe_forward_cuda, dts_moe_backward_cuda; // moe.cu

#endif
