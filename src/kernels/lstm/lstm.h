/* lstm.h -- what the files of the LSTM tell one another. */
#ifndef DTS_KERNELS_LSTM_LSTM_H
#define DTS_KERNELS_LSTM_LSTM_H

#include "kernels/lstm/recurrent.h"

/* Gates in PyTorch's order: rows 0 .. outputs - 1 of the weights are the input gate's, and so
 * on. */
enum { DTS_LSTM_INPUT, DTS_LSTM_FORGET, DTS_LSTM_CELL, DTS_LSTM_OUTPUT, DTS_LSTM_GATES };

static inline struct dts_recurrent dts_lstm_sizes(const struct dts_op_call *call, int batch)
{
    return dts_recurrent_of(call, batch, DTS_LSTM_GATES, DTS_LSTM_GATES);
}

dts_op_fn dts_lstm_forward_host, dts_lstm_backward_host;
dts_op_fn dts_lstm_forward_cuda, dts_lstm_backward_cuda;
size_t dts_lstm_backward_scratch(const struct dts_op_call *call, int batch, int workers);

#endif
