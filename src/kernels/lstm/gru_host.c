/* gru_host.c -- the gated recurrent unit on a CPU, in the steps of lstm_host.c: what inputs
 * bring is one product for all steps; the products with the state go step by step, all samples
 * at once.
 */
#include <string.h>

#include "kernels/lstm/gru.h"
#include "kernels/product/gemm.h"
#include "kernels/vector/vector_math.h"

/* One step of all samples; workers share samples. */
struct job {
    struct dts_recurrent sizes;
    const struct dts_arrays *a;
    size_t step;
    float *da, *ds, *dh; // backward: [batch, steps, gates] each; [batch, outputs]
};

static void start_from_biases(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const size_t n = s->outputs, both = DTS_GRU_NEW * n; // gates that add both biases
    const float *restrict one = job->a->w[DTS_RECURRENT_BIAS_INPUT];
    const float *restrict two = job->a->w[DTS_RECURRENT_BIAS_STATE];
    size_t first;
    const size_t count = dts_share_of(s->batch * s->steps, worker, workers, &first);
    for (size_t row = first; row < first + count; row++) {
        float *restrict kept = (float *)job->a->saved + row * s->kept;
        for (size_t i = 0; i < both; i++)
            kept[i] = one[i] + two[i];
        memcpy(kept + both, one + both, n * sizeof(*kept));
        memcpy(kept + DTS_GRU_STATE * n, two + both, n * sizeof(*kept));
    }
}

static void cells_forward(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const size_t n = s->outputs;
    size_t first;
    const size_t count = dts_share_of(s->batch, worker, workers, &first);
    for (size_t b = first; b < first + count; b++) {
        const size_t row = b * s->steps + job->step;
        float *restrict kept = (float *)job->a->saved + row * s->kept;
        float *y = (float *)job->a->y + row * n;
        const float *before = job->step > 0 ? y - n : NULL;
#pragma omp simd
        for (size_t o = 0; o < n; o++) {
            const float r = dts_sigmoid(kept[DTS_GRU_RESET * n + o]);
            const float z = dts_sigmoid(kept[DTS_GRU_UPDATE * n + o]);
            const float q = kept[DTS_GRU_STATE * n + o];
            const float new = dts_tanh(kept[DTS_GRU_NEW * n + o] + r * q);
            kept[DTS_GRU_RESET * n + o] = r;
            kept[DTS_GRU_UPDATE * n + o] = z;
            kept[DTS_GRU_NEW * n + o] = new;
            y[o] = (1 - z) * new + (before != NULL ? z * before[o] : 0);
        }
    }
}

/* kept[gates from .. on] += w_state h of the step before, of all samples. */
static void add_state(const struct job *job, size_t gate, size_t gates, size_t to,
                      struct dts_workers *workers)
{
    const struct dts_recurrent *s = &job->sizes;
    const struct dts_gemm by_state = {
        .transpose_b = true,
        .m = s->batch,
        .n = gates * s->outputs,
        .k = s->outputs,
        .a = (const float *)job->a->y + (job->step - 1) * s->outputs,
        .lda = s->steps * s->outputs,
        .b = (const float *)job->a->w[DTS_RECURRENT_BY_STATE] + gate * s->outputs * s->outputs,
        .ldb = s->outputs,
        .c = (float *)job->a->saved + job->step * s->kept + to * s->outputs,
        .ldc = s->steps * s->kept,
        .beta = 1,
    };
    dts_gemm(&by_state, workers);
}

void dts_gru_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    struct job job = {.sizes = dts_gru_sizes(call, a->batch), .a = a};
    const struct dts_recurrent *s = &job.sizes;
    dts_workers_run(place->workers, start_from_biases, &job);
    const struct dts_gemm by_input = {
        .transpose_b = true,
        .m = s->batch * s->steps,
        .n = s->gates,
        .k = s->features,
        .a = a->x[0],
        .lda = s->features,
        .b = a->w[DTS_RECURRENT_BY_INPUT],
        .ldb = s->features,
        .c = a->saved,
        .ldc = s->kept,
        .beta = 1,
    };
    dts_gemm(&by_input, place->workers);
    for (job.step = 0; job.step < s->steps; job.step++) {
        if (job.step > 0) {
            add_state(&job, DTS_GRU_RESET, 2, DTS_GRU_RESET, place->workers);
            add_state(&job, DTS_GRU_NEW, 1, DTS_GRU_STATE, place->workers);
        }
        dts_workers_run(place->workers, cells_forward, &job);
    }
}

size_t dts_gru_backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)workers;
    const struct dts_recurrent s = dts_gru_sizes(call, batch);
    return s.batch * (2 * s.steps * s.gates + s.outputs) * sizeof(float);
}

/* dh: what step + 1 sends back, without dy; it becomes z times all of it. */
static void cells_backward(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_recurrent *s = &job->sizes;
    const size_t n = s->outputs;
    size_t first;
    const size_t count = dts_share_of(s->batch, worker, workers, &first);
    for (size_t b = first; b < first + count; b++) {
        const size_t row = b * s->steps + job->step;
        const float *restrict kept = (const float *)job->a->saved + row * s->kept;
        const float *dy = (const float *)job->a->dy + row * n;
        const float *before = job->step > 0 ? (const float *)job->a->y + (row - 1) * n : NULL;
        float *restrict dh = job->dh + b * n;
        float *restrict da = job->da + row * s->gates, *restrict ds = job->ds + row * s->gates;
#pragma omp simd
        for (size_t o = 0; o < n; o++) {
            const float r = kept[DTS_GRU_RESET * n + o], z = kept[DTS_GRU_UPDATE * n + o];
            const float new = kept[DTS_GRU_NEW * n + o], q = kept[DTS_GRU_STATE * n + o];
            const float all = dh[o] + dy[o], dn = all * (1 - z) * (1 - new *new);
            const float dr = dn * q * r * (1 - r);
            const float dz = all * ((before != NULL ? before[o] : 0) - new) * z * (1 - z);
            da[DTS_GRU_RESET * n + o] = ds[DTS_GRU_RESET * n + o] = dr;
            da[DTS_GRU_UPDATE * n + o] = ds[DTS_GRU_UPDATE * n + o] = dz;
            da[DTS_GRU_NEW * n + o] = dn;
            ds[DTS_GRU_NEW * n + o] = dn * r;
            dh[o] = all * z;
        }
    }
}

static void steps_backward(struct job *job, struct dts_workers *workers)
{
    const struct dts_recurrent *s = &job->sizes;
    memset(job->dh, 0, s->batch * s->outputs * sizeof(float));
    for (job->step = s->steps; job->step-- > 0;) {
        dts_workers_run(workers, cells_backward, job);
        const struct dts_gemm to_state = {
            .m = s->batch,
            .n = s->outputs,
            .k = s->gates,
            .a = job->ds + job->step * s->gates,
            .lda = s->steps * s->gates,
            .b = job->a->w[DTS_RECURRENT_BY_STATE],
            .ldb = s->outputs,
            .c = job->dh,
            .ldc = s->outputs,
            .beta = 1,
        };
        if (job->step > 0)
            dts_gemm(&to_state, workers);
    }
}

void dts_gru_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    struct job job = {.sizes = dts_gru_sizes(call, a->batch), .a = a, .da = a->scratch};
    const struct dts_recurrent *s = &job.sizes;
    const size_t rows = s->batch * s->steps;
    job.ds = job.da + rows * s->gates;
    job.dh = job.ds + rows * s->gates;
    steps_backward(&job, place->workers);
    dts_recurrent_backward_host(s, a, job.da, job.ds, place);
}
