/* gru.h -- what the files of the gated recurrent unit tell one another. */
#ifndef DTS_KERNELS_LSTM_GRU_H
#define DTS_KERNELS_LSTM_GRU_H

#include "kernels/op.h"

/* Gates in PyTorch's order: rows 0 .. outputs - 1 of the weights are the reset gate's, and so
 * on. What is kept of a step: the gates, then what the state brings to the new one. */
enum { DTS_GRU_RESET, DTS_GRU_UPDATE, DTS_GRU_NEW, DTS_GRU_GATES };
enum { DTS_GRU_STATE = DTS_GRU_GATES, DTS_GRU_KEPT };
enum { DTS_GRU_BY_INPUT, DTS_GRU_BY_STATE, DTS_GRU_BIAS_INPUT, DTS_GRU_BIAS_STATE };

struct dts_gru_sizes {
    size_t batch, steps, features, outputs;
    size_t gates, kept; // 3 and 4 outputs
};

static inline struct dts_gru_sizes dts_gru_sizes(const struct dts_op_call *call, int batch)
{
    return (struct dts_gru_sizes){
        .batch = (size_t)batch,
        .steps = call->inputs[0].size[0],
        .features = call->inputs[0].size[1],
        .outputs = call->output.size[1],
        .gates = DTS_GRU_GATES * call->output.size[1],
        .kept = DTS_GRU_KEPT * call->output.size[1],
    };
}

dts_op_fn dts_gru_forward_host, dts_gru_backward_host;
dts_op_fn dts_gru_forward_cuda, dts_gru_backward_cuda;
size_t dts_gru_backward_scratch(const struct dts_op_call *call, int batch, int workers);

#endif
