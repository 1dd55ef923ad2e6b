/* conv_layer.c -- bench/conv's door to the convolution: one layer, forward and backward. */
#include <stdlib.h>

#include "base/mem.h"
#include "kernels/op.h"
#include "kernels/workers.h"

extern const struct dts_operation dts_op_conv;

struct layer {
    struct dts_op_call call;
    struct dts_arrays arrays;
    struct dts_workers *workers;
};

/* A square image and window; `first`: without the gradient of x. */
struct layer *layer_new(int batch, int in, int size, int out, int kernel, int stride,
                        int before, int threads);
struct layer *layer_new(int batch, int in, int size, int out, int kernel, int stride,
                        int before, int threads)
{
    struct layer *l = calloc(1, sizeof(*l));
    const size_t to = (size_t)((size + 2 * before - kernel) / stride + 1);
    if (l == NULL)
        abort();
    l->call = (struct dts_op_call){.op = "conv", .input_count = 1, .groups = 1};
    l->call.inputs[0] = (struct dts_dims){3, {(size_t)in, (size_t)size, (size_t)size}};
    l->call.output = (struct dts_dims){3, {(size_t)out, to, to}};
    l->call.params[0] = (size_t)(in * out * kernel * kernel);
    l->call.param_count = 1;
    for (int i = 0; i < DTS_OP_AXES; i++) {
        l->call.window.kernel[i] = i < 2 ? kernel : 1;
        l->call.window.stride[i] = i < 2 ? stride : 1;
        l->call.window.dilation[i] = 1;
        l->call.window.before[i] = i < 2 ? before : 0;
    }
    l->workers = dts_workers_new(threads);
    l->arrays.batch = batch;
    const size_t forward = dts_op_conv.host.forward_scratch(&l->call, batch, threads);
    const size_t backward = dts_op_conv.host.backward_scratch(&l->call, batch, threads);
    if (posix_memalign(&l->arrays.scratch, 64, forward > backward ? forward : backward) != 0)
        abort();
    return l;
}

void layer_forward(struct layer *l, const float *x, const float *w, float *y);
void layer_forward(struct layer *l, const float *x, const float *w, float *y)
{
    l->arrays.x[0] = x;
    l->arrays.w[0] = w;
    l->arrays.y = y;
    const struct dts_place place = {.workers = l->workers};
    dts_op_conv.host.forward(&l->call, &l->arrays, &place);
}

/* dx, dw: NULL where not wanted. */
void layer_backward(struct layer *l, const float *dy, float *dx, float *dw);
void layer_backward(struct layer *l, const float *dy, float *dx, float *dw)
{
    l->arrays.dy = dy;
    l->arrays.dx[0] = dx;
    l->arrays.dw[0] = dw;
    const struct dts_place place = {.workers = l->workers};
    dts_op_conv.host.backward(&l->call, &l->arrays, &place);
}
