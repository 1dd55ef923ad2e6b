/* gru.h -- what the files of the gated recurrent unit tell one another. */
#ifndef DTS_KERNELS_LSTM_GRU_H
#define DTS_KERNELS_LSTM_GRU_H

#include "kernels/lstm/recurrent.h"

/* Gates in PyTorch's order: rows 0 .. outputs - 1 of the weights are the reset gate's, and so
 * on. What is kept of a step: the gates, then what the state brings to the new one. */
enum { DTS_GRU_RESET, DTS_GRU_UPDATE, DTS_GRU_NEW, DTS_GRU_GATES };
enum { DTS_GRU_STATE = DTS_GRU_GATES, DTS_GRU_KEPT };

static inline struct dts_recurrent dts_gru_sizes(const struct dts_op_call *call, int batch)
{
    return dts_recurrent_of(call, batch, DTS_GRU_GATES, DTS_GRU_KEPT);
}

dts_op_fn dts_gru_forward_host, dts_gru_backward_host;
dts_op_fn dts_gru_forward_cuda, dts_gru_backward_cuda;
size_t dts_gru_backward_scratch(const struct dts_op_call *call, int batch, int workers);

#endif
