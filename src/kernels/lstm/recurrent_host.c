/* recurrent_host.c -- the gradients of a recurrent layer's weights on a CPU: products over all
 * steps at once.
 */
#include <string.h>

#include "kernels/lstm/recurrent.h"
#include "kernels/product/gemm.h"

/* dw[gate] += sum over rows of da[row, gate] of[row] */
static void weights_backward(const struct dts_recurrent *s, const float *da, const float *of,
                             size_t rows, size_t columns, float *dw,
                             struct dts_workers *workers)
{
    const struct dts_gemm product = {
        .transpose_a = true,
        .m = s->gates,
        .n = columns,
        .k = rows,
        .a = da,
        .lda = s->gates,
        .b = of,
        .ldb = columns,
        .c = dw,
        .ldc = columns,
        .beta = 1,
    };
    if (dw != NULL && rows > 0)
        dts_gemm(&product, workers);
}

struct biases {
    const struct dts_recurrent *sizes;
    const float *da, *ds;
    float *db_input, *db_state;
};

static void biases_backward(void *argument, int worker, int workers)
{
    const struct biases *job = argument;
    const struct dts_recurrent *s = job->sizes;
    const float *const from[] = {job->da, job->ds};
    float *const to[] = {job->db_input, job->db_state};
    size_t first;
    const size_t count = dts_share_of(s->gates, worker, workers, &first);
    for (int bias = 0; bias < 2; bias++)
        for (size_t row = 0; row < s->batch * s->steps && to[bias] != NULL; row++)
#pragma omp simd
            for (size_t i = first; i < first + count; i++)
                to[bias][i] += from[bias][row * s->gates + i];
}

void dts_recurrent_backward_host(const struct dts_recurrent *s, const struct dts_arrays *a,
                                 const float *da, float *ds, const struct dts_place *place)
{
    const size_t rows = s->batch * s->steps;
    const struct dts_gemm to_input = {
        .m = rows,
        .n = s->features,
        .k = s->gates,
        .a = da,
        .lda = s->gates,
        .b = a->w[DTS_RECURRENT_BY_INPUT],
        .ldb = s->features,
        .c = a->dx[0],
        .ldc = s->features,
    };
    if (a->dx[0] != NULL)
        dts_gemm(&to_input, place->workers);
    weights_backward(s, da, a->x[0], rows, s->features, a->dw[DTS_RECURRENT_BY_INPUT],
                     place->workers);
    struct biases biases = {s, da, ds, a->dw[DTS_RECURRENT_BIAS_INPUT],
                            a->dw[DTS_RECURRENT_BIAS_STATE]};
    dts_workers_run(place->workers, biases_backward, &biases);
    // y of the row before, but for the first steps: the row before is another sample's
    for (size_t b = 0; b < s->batch; b++)
        memset(ds + b * s->steps * s->gates, 0, s->gates * sizeof(float));
    weights_backward(s, ds + s->gates, a->y, rows - 1, s->outputs,
                     a->dw[DTS_RECURRENT_BY_STATE], place->workers);
}
