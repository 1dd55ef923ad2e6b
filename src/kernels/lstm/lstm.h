/* lstm.h -- what the files of the LSTM tell one another. */
#ifndef DTS_KERNELS_LSTM_LSTM_H
#define DTS_KERNELS_LSTM_LSTM_H

#include "kernels/op.h"

/* Gates in PyTorch's order: rows 0 .. outputs - 1 of the weights are the input gate's, and so
 * on. */
enum { DTS_LSTM_INPUT, DTS_LSTM_FORGET, DTS_LSTM_CELL, DTS_LSTM_OUTPUT, DTS_LSTM_GATES };
enum { DTS_LSTM_BY_INPUT, DTS_LSTM_BY_STATE, DTS_LSTM_BIAS_INPUT, DTS_LSTM_BIAS_STATE };

struct dts_lstm_sizes {
    size_t batch, steps, features, outputs;
    size_t gates; // 4 outputs
};

static inline struct dts_lstm_sizes dts_lstm_sizes(const struct dts_op_call *call, int batch)
{
    return (struct dts_lstm_sizes){
        .batch = (size_t)batch,
        .steps = call->inputs[0].size[0],
        .features = call->inputs[0].size[1],
        .outputs = call->output.size[1],
        .gates = DTS_LSTM_GATES * call->output.size[1],
    };
}

dts_op_fn dts_lstm_forward_host, dts_lstm_backward_host;
dts_op_fn dts_lstm_forward_cuda, dts_lstm_backward_cuda;
size_t dts_lstm_backward_scratch(const struct dts_op_call *call, int batch, int workers);

#endif
