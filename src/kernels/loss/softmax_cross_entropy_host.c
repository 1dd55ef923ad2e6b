/* softmax_cross_entropy_host.c -- softmax cross entropy on a CPU: workers share the positions;
 * the losses of a sample's positions are added in their order. */
#include <math.h>
#include <string.h>

#include "kernels/loss/softmax_cross_entropy.h"
#include "kernels/vector/row_math.h"

struct job {
    const struct dts_op_call *call;
    const struct dts_arrays *a;
    size_t positions, classes;
};

static struct job job_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (struct job){.call = call,
                        .a = a,
                        .positions = dts_dims_positions(&call->inputs[0]),
                        .classes = dts_dims_features(&call->inputs[0])};
}

static float log_sum(const float *x, size_t count)
{
    const float most = dts_row_largest(x, count);
    return most + logf(dts_row_exp_sum(x, 1, most, count));
}

static void forward_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count =
        dts_share_of((size_t)job->a->batch * job->positions, worker, workers, &first);
    for (size_t i = first; i < first + count; i++)
        ((float *)job->a->saved)[i] =
            log_sum((const float *)job->a->x[0] + i * job->classes, job->classes);
}

/* Where ranks have parts of the classes: the first half. */
static void sums_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_arrays *a = job->a;
    const size_t all = (size_t)a->batch * job->positions;
    size_t first, class;
    const size_t count = dts_share_of(all, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        const float *x = (const float *)a->x[0] + i * job->classes;
        const float most = dts_row_largest(x, job->classes);
        for (int r = 0; r < a->ranks; r++)
            memset(dts_class_sums(a, r, all, i), 0, 3 * sizeof(double));
        double *sums = dts_class_sums(a, a->rank, all, i);
        sums[0] = (double)most;
        sums[1] = (double)dts_row_exp_sum(x, 1, most, job->classes);
        if (dts_class_here(a, job->classes, ((const int32_t *)a->target)[i], &class))
            sums[2] = (double)x[class];
    }
}

static void rest_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t all = (size_t)job->a->batch * job->positions;
    size_t first;
    const size_t count = dts_share_of(all, worker, workers, &first);
    for (size_t i = first; i < first + count; i++)
        ((float *)job->a->saved)[i] = (float)dts_class_log_sum(job->a, all, i);
}

/* The target's value at position i. */
static double target_at(const struct job *job, size_t i)
{
    const struct dts_arrays *a = job->a;
    if (a->part == DTS_OP_REST)
        return dts_class_target(a, (size_t)a->batch * job->positions, i);
    const int32_t target = ((const int32_t *)a->target)[i];
    return (double)((const float *)a->x[0])[i * job->classes + (size_t)target];
}

void dts_softmax_cross_entropy_forward_host(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    struct job job = job_of(call, a);
    dts_workers_run(place->workers,
                    a->part == DTS_OP_SUMS   ? sums_part
                    : a->part == DTS_OP_REST ? rest_part
                                             : forward_part,
                    &job);
    const int32_t *target = a->target;
    for (size_t b = 0; b < (size_t)a->batch && a->part != DTS_OP_SUMS; b++) {
        const size_t begin = b * job.positions;
        const size_t count = dts_classes_count(call, target + begin);
        double sum = 0;
        for (size_t i = begin; i < begin + job.positions; i++)
            if (dts_class_counts(call, target[i]))
                sum += (double)((const float *)a->saved)[i] - target_at(&job, i);
        ((float *)a->y)[b] = count > 0 ? (float)(dts_op_weight(call) * sum / (double)count) : 0;
    }
}

static void backward_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_arrays *a = job->a;
    const size_t classes = job->classes;
    const float weight = (float)dts_op_weight(job->call);
    const int32_t *target = a->target;
    size_t first, class, sample = SIZE_MAX;
    const size_t count =
        dts_share_of((size_t)a->batch * job->positions, worker, workers, &first);
    float scale = 0;
    for (size_t i = first; i < first + count; i++) {
        const float *restrict x = (const float *)a->x[0] + i * classes;
        float *restrict dx = (float *)a->dx[0] + i * classes;
        const float l = ((const float *)a->saved)[i];
        if (i / job->positions != sample) {
            sample = i / job->positions;
            const size_t n = dts_classes_count(job->call, target + sample * job->positions);
            scale = n > 0 ? weight / ((float)n * (float)a->batch) : 0;
        }
        if (!dts_class_counts(job->call, target[i])) {
            memset(dx, 0, classes * sizeof(*dx));
            continue;
        }
#pragma omp simd
        for (size_t c = 0; c < classes; c++)
            dx[c] = dts_row_exp_of(x[c] - l) * scale;
        if (dts_class_here(a, classes, target[i], &class))
            dx[class] -= scale;
    }
}

void dts_softmax_cross_entropy_backward_host(const struct dts_op_call *call,
                                             const struct dts_arrays *a,
                                             const struct dts_place *place)
{
    struct job job = job_of(call, a);
    if (a->dx[0] != NULL)
        dts_workers_run(place->workers, backward_part, &job);
}
