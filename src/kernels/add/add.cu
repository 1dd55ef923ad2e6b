/* add.cu -- the GPU version of add.c, which says what is computed. All inputs are read in one
 * pass, each by neighbours side by side. */
#include "kernels/space/device.cuh"

struct arrays {
    float *item[DTS_OP_INPUTS];
    int count;
};

extern "C" void dts_add_forward_cuda(const struct dts_op_call *call, const struct dts_arrays *a,
                                     const struct dts_place *place)
{
    struct arrays x = {{}, call->input_count};
    for (int k = 0; k < x.count; k++)
        x.item[k] = (float *)a->x[k];
    float *y = (float *)a->y;
    const bool relu = call->relu;
    dts_for_each(dts_values(call, a), place, [=] __device__(size_t i) {
        float sum = x.item[0][i];
        for (int k = 1; k < x.count; k++)
            sum += x.item[k][i];
        y[i] = relu && sum < 0 ? 0 : sum;
    });
}

extern "C" void dts_add_backward_cuda(const struct dts_op_call *call,
                                      const struct dts_arrays *a, const struct dts_place *place)
{
    struct arrays dx = {{}, 0};
    for (int k = 0; k < call->input_count; k++)
        if (a->dx[k] != NULL)
            dx.item[dx.count++] = (float *)a->dx[k];
    const float *y = call->relu ? (const float *)a->y : NULL, *dy = (const float *)a->dy;
    dts_for_each(dts_values(call, a), place, [=] __device__(size_t i) {
        const float g = y != NULL && y[i] <= 0 ? 0 : dy[i];
        for (int k = 0; k < dx.count; k++)
            dx.item[k][i] = g;
    });
}
