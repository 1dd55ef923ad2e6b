/* conv_host.c -- convolution on a CPU: which way a call goes, and the gradient of the bias. */
#include "kernels/conv/conv.h"
#include "kernels/conv/conv_tiles.h"

size_t dts_conv_forward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    return dts_conv_tiles_forward_scratch(call, batch, workers);
}

size_t dts_conv_backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const size_t gradient = dts_conv_tiles_gradient_scratch(call, batch, workers);
    const size_t weights = dts_conv_tiles_weights_scratch(call, batch, workers);
    return gradient > weights ? gradient : weights;
}

void dts_conv_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_conv_tiles_forward(call, a, place);
}

struct bias {
    const float *dy;
    float *db;
    size_t batch, channels, pixels;
};

/* Workers take channels; a channel's sum goes sample by sample. */
static void bias_part(void *argument, int worker, int workers)
{
    const struct bias *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->channels, worker, workers, &first);
    for (size_t b = 0; b < job->batch; b++)
        for (size_t o = first; o < first + count; o++) {
            const float *dy = job->dy + (b * job->channels + o) * job->pixels;
            float lanes[16] = {0}, sum = 0;
            size_t p = 0;
            for (; p + 16 <= job->pixels; p += 16)
                for (size_t i = 0; i < 16; i++)
                    lanes[i] += dy[p + i];
            for (; p < job->pixels; p++)
                sum += dy[p];
            for (size_t i = 0; i < 16; i++)
                sum += lanes[i];
            job->db[o] += sum;
        }
}

void dts_conv_bias_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    if (!call->bias || a->dw[1] == NULL)
        return;
    const size_t channels = call->output.size[0];
    struct bias job = {.dy = a->dy,
                       .db = a->dw[1],
                       .batch = (size_t)a->batch,
                       .channels = channels,
                       .pixels = dts_dims_elements(&call->output) / channels};
    dts_workers_run(place->workers, bias_part, &job);
}

void dts_conv_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_conv_tiles_gradient(call, a, place);
    if (a->dw[0] != NULL)
        dts_conv_tiles_weights(call, a, place);
    dts_conv_bias_backward_host(call, a, place);
}
