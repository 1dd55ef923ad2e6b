/* recurrent.h -- what recurrent layers of all cells have alike. */
#ifndef DTS_KERNELS_LSTM_RECURRENT_H
#define DTS_KERNELS_LSTM_RECURRENT_H

#include "kernels/op.h"

/* The weights of a layer: [gates, features], [gates, outputs], and two of [gates]. */
enum {
    DTS_RECURRENT_BY_INPUT,
    DTS_RECURRENT_BY_STATE,
    DTS_RECURRENT_BIAS_INPUT,
    DTS_RECURRENT_BIAS_STATE
};

struct dts_recurrent {
    size_t batch, steps, features, outputs;
    size_t gates, kept; // values of all gates of a step, and what is kept of them
};

/* gates, kept: so many times the outputs. */
static inline struct dts_recurrent dts_recurrent_of(const struct dts_op_call *call, int batch,
                                                    size_t gates, size_t kept)
{
    return (struct dts_recurrent){
        .batch = (size_t)batch,
        .steps = call->inputs[0].size[0],
        .features = call->inputs[0].size[1],
        .outputs = call->output.size[1],
        .gates = gates * call->output.size[1],
        .kept = kept * call->output.size[1],
    };
}

/* The gradients of input, weights and biases, when those of the gates are there, of what the
 * input brings (da) and of what the state brings (ds; it may be da), [batch, steps, gates]:
 *
 *     dx = w_input^T da, dw_input += da x^T, dw_state += ds h[t - 1]^T, db_input += da,
 *     db_state += ds
 *
 * ds of the first steps becomes 0.
 */
void dts_recurrent_backward_host(const struct dts_recurrent *sizes, const struct dts_arrays *a,
                                 const float *da, float *ds, const struct dts_place *place);
void dts_recurrent_backward_cuda(const struct dts_recurrent *sizes, const struct dts_arrays *a,
                                 const float *da, float *ds, const struct dts_place *place);

#endif
