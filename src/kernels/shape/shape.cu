/* shape.cu -- the GPU version of shape.c, which says what is computed. Parts of samples are
 * copied by the copy engine's 2D copies.
 */
#include "kernels/shape/transpose.cuh"

/* Copy `bytes` of each sample; pitches are the bytes of a whole sample. */
static void copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                 int batch, const struct dts_place *place)
{
    cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, (size_t)batch,
                      cudaMemcpyDeviceToDevice, dts_stream(place));
}

static size_t bytes_of(const struct dts_dims *dims)
{
    return dts_dims_elements(dims) * sizeof(float);
}

extern "C" void dts_concat_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    size_t at = 0;
    for (int k = 0; k < call->input_count; k++) {
        const size_t bytes = bytes_of(&call->inputs[k]);
        copy((char *)a->y + at, bytes_of(&call->output), a->x[k], bytes, bytes, a->batch,
             place);
        at += bytes;
    }
}

extern "C" void dts_concat_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    size_t at = 0;
    for (int k = 0; k < call->input_count; k++) {
        const size_t bytes = bytes_of(&call->inputs[k]);
        if (a->dx[k] != NULL)
            copy(a->dx[k], bytes, (const char *)a->dy + at, bytes_of(&call->output), bytes,
                 a->batch, place);
        at += bytes;
    }
}

extern "C" void dts_select_forward_cuda(const struct dts_op_call *call,
                                        const struct dts_arrays *a,
                                        const struct dts_place *place)
{
    const size_t out = bytes_of(&call->output);
    copy(a->y, out, a->x[0], bytes_of(&call->inputs[0]), out, a->batch, place);
}

extern "C" void dts_select_backward_cuda(const struct dts_op_call *call,
                                         const struct dts_arrays *a,
                                         const struct dts_place *place)
{
    const size_t in = bytes_of(&call->inputs[0]), out = bytes_of(&call->output);
    if (a->dx[0] == NULL)
        return;
    copy(a->dx[0], in, a->dy, out, out, a->batch, place);
    if (in > out)
        cudaMemset2DAsync((char *)a->dx[0] + out, in, 0, in - out, (size_t)a->batch,
                          dts_stream(place));
}

extern "C" void dts_sequence_forward_cuda(const struct dts_op_call *call,
                                          const struct dts_arrays *a,
                                          const struct dts_place *place)
{
    transpose_all((const float *)a->x[0], (float *)a->y, call->output.size[1],
                  call->output.size[0], (size_t)a->batch, place);
}

extern "C" void dts_sequence_backward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        transpose_all((const float *)a->dy, (float *)a->dx[0], call->output.size[0],
                      call->output.size[1], (size_t)a->batch, place);
}
