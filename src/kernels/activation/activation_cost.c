/* activation_cost.c -- what functions of one value cost. Each either keeps its output for the
 * backward pass, which is the next layer's input and kept anyway, or its input.
 */
#include "kernels/op_cost.h"

/* Flops are for each value. */
static struct dts_op_cost cost_of(const struct dts_op_call *call, double forward,
                                  double backward, bool saves_output)
{
    const double n = (double)dts_dims_elements(&call->output);
    return (struct dts_op_cost){
        .class = DTS_WORK_MEMORY,
        .forward_flops = forward * n,
        .backward_flops = backward * n,
        .input_flops = backward * n,
        .forward_values = 2 * n,  // read x, write y
        .backward_values = 3 * n, // read x or y, dy, write dx
        .input_values = 3 * n,
        .saves_input = !saves_output,
        .saves_output = saves_output,
    };
}

struct dts_op_cost dts_relu_cost(const struct dts_op_call *call)
{
    return cost_of(call, 1, 1, true); // max(x, 0); dy or 0
}

struct dts_op_cost dts_leaky_relu_cost(const struct dts_op_call *call)
{
    return cost_of(call, 2, 2, false); // x > 0 ? x : a x
}

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))): Hendrycks and Gimpel, arXiv:1606.08415. */
struct dts_op_cost dts_gelu_cost(const struct dts_op_call *call)
{
    return cost_of(call, 9, 16, false);
}

struct dts_op_cost dts_silu_cost(const struct dts_op_call *call)
{
    return cost_of(call, 5, 8, false); // x s, s = 1 / (1 + exp(-x)); dy s (1 + x (1 - s))
}

struct dts_op_cost dts_sigmoid_cost(const struct dts_op_call *call)
{
    return cost_of(call, 4, 3, true); // 1 / (1 + exp(-x)); dy y (1 - y)
}

struct dts_op_cost dts_tanh_cost(const struct dts_op_call *call)
{
    return cost_of(call, 1, 3, true); // dy (1 - y y)
}

/* Its output is kept, as torchvision's nets have it in its input's place. */
struct dts_op_cost dts_relu6_cost(const struct dts_op_call *call)
{
    return cost_of(call, 2, 2, true); // two comparisons each way
}

struct dts_op_cost dts_hardsigmoid_cost(const struct dts_op_call *call)
{
    return cost_of(call, 4, 3, false); // min(max(x + 3, 0), 6) / 6; two comparisons, dy / 6
}

struct dts_op_cost dts_hardswish_cost(const struct dts_op_call *call)
{
    return cost_of(call, 5, 5, false); // x times that; two comparisons, dy (x / 3 + 1/2)
}
