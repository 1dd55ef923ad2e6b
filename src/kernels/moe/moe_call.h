/* moe_call.h -- what the files of mixtures of experts tell one another. */
#ifndef DTS_KERNELS_MOE_MOE_CALL_H
#define DTS_KERNELS_MOE_MOE_CALL_H

#include "kernels/op.h"

enum { DTS_MOE_ROUTER, DTS_MOE_FIRST, DTS_MOE_DOWN, DTS_MOE_UP }; // parameters

/* Of a call: rows are the positions of all samples. */
struct dts_moe {
    size_t positions, rows, features, experts, chosen, hidden;
    size_t capacity; // positions of a sample that an expert takes at the most
    bool gated;
};

static inline struct dts_moe dts_moe_of(const struct dts_op_call *call, int batch)
{
    const size_t t = dts_dims_positions(&call->output), n = dts_dims_features(&call->output);
    const size_t experts = (size_t)call->experts;
    struct dts_moe m = {.positions = t,
                        .rows = (size_t)batch * t,
                        .features = n,
                        .experts = experts,
                        .chosen = (size_t)call->chosen,
                        .hidden = call->params[DTS_MOE_FIRST] / experts / n,
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

size_t dts_moe_forward_scratch_host(const struct dts_op_call *call, int batch, int workers);
size_t dts_moe_backward_scratch_host(const struct dts_op_call *call, int batch, int workers);
dts_op_fn dts_moe_forward_host, dts_moe_backward_host; // moe_host.c
size_t dts_moe_backward_scratch_cuda(const struct dts_op_call *call, int batch, int workers);
dts_op_fn dts_moe_forward_cuda, dts_moe_backward_cuda; // moe.cu

#endif
