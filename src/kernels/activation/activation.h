/* activation.h -- what the files of the functions of one value tell one another. */
#ifndef DTS_KERNELS_ACTIVATION_ACTIVATION_H
#define DTS_KERNELS_ACTIVATION_ACTIVATION_H

#include "kernels/op.h"

/* GELU by tanh: x / 2 (1 + tanh u), u = DTS_GELU_SCALE (x + DTS_GELU_CUBE x^3); Hendrycks and
 * Gimpel, arXiv:1606.08415. As (1 + tanh u) / 2 = 1 / (1 + e^-2u), it is x sigmoid(2 u). */
#define DTS_GELU_SCALE 0.79788456080286535588 // sqrt(2 / pi)
#define DTS_GELU_CUBE  0.044715

dts_op_fn dts_relu_forward_host, dts_relu_backward_host;
dts_op_fn dts_leaky_relu_forward_host, dts_leaky_relu_backward_host;
dts_op_fn dts_gelu_forward_host, dts_gelu_backward_host;
dts_op_fn dts_silu_forward_host, dts_silu_backward_host;
dts_op_fn dts_sigmoid_forward_host, dts_sigmoid_backward_host;
dts_op_fn dts_tanh_forward_host, dts_tanh_backward_host;
dts_op_fn dts_relu6_forward_host, dts_relu6_backward_host;
dts_op_fn dts_hardsigmoid_forward_host, dts_hardsigmoid_backward_host;
dts_op_fn dts_hardswish_forward_host, dts_hardswish_backward_host;

dts_op_fn dts_relu_forward_cuda, dts_relu_backward_cuda;
dts_op_fn dts_leaky_relu_forward_cuda, dts_leaky_relu_backward_cuda;
dts_op_fn dts_gelu_forward_cuda, dts_gelu_backward_cuda;
dts_op_fn dts_silu_forward_cuda, dts_silu_backward_cuda;
dts_op_fn dts_sigmoid_forward_cuda, dts_sigmoid_backward_cuda;
dts_op_fn dts_tanh_forward_cuda, dts_tanh_backward_cuda;
dts_op_fn dts_relu6_forward_cuda, dts_relu6_backward_cuda;
dts_op_fn dts_hardsigmoid_forward_cuda, dts_hardsigmoid_backward_cuda;
dts_op_fn dts_hardswish_forward_cuda, dts_hardswish_backward_cuda;

#endif
