/* softmax_cross_entropy.cu -- the GPU version of softmax_cross_entropy.c, which says what is
 * computed. A block takes one position, its threads the classes; then one block takes a sample,
 * its threads the positions. */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/loss/softmax_cross_entropy.h"
}

struct sizes {
    size_t positions, classes;
    int ignored;
    float weight;
    size_t first;       // of the classes that are here
    const double *sums; // of all ranks, or NULL: all classes are here
    int ranks;
    size_t count; // positions of the batch
};

static struct sizes sizes_of(const struct dts_op_call *call, const struct dts_arrays *a)
{
    const size_t positions = dts_dims_positions(&call->inputs[0]);
    return {positions,     dts_dims_features(&call->inputs[0]),
            call->ignored, (float)dts_op_weight(call),
            a->first,      a->part == DTS_OP_REST ? a->sums : NULL,
            a->ranks,      (size_t)a->batch * positions};
}

static __device__ bool counts(struct sizes s, int32_t target)
{
    return target >= 0 && (s.ignored == 0 || target != s.ignored);
}

static __global__ void log_sums(struct sizes s, const float *x, float *saved)
{
    x += blockIdx.x * s.classes;
    float most = -INFINITY, sum = 0;
    for (size_t c = threadIdx.x; c < s.classes; c += blockDim.x)
        most = fmaxf(most, x[c]);
    most = dts_largest_of_block(most);
    for (size_t c = threadIdx.x; c < s.classes; c += blockDim.x)
        sum += expf(x[c] - most);
    sum = dts_sum_over_block(sum);
    if (threadIdx.x == 0)
        saved[blockIdx.x] = most + logf(sum);
}

/* Where ranks have parts of the classes: the first half; the sums are zeros before. */
static __global__ void give_sums(struct sizes s, const float *x, const int32_t *target,
                                 int rank, double *sums)
{
    x += blockIdx.x * s.classes;
    float most = -INFINITY, sum = 0;
    for (size_t c = threadIdx.x; c < s.classes; c += blockDim.x)
        most = fmaxf(most, x[c]);
    most = dts_largest_of_block(most);
    for (size_t c = threadIdx.x; c < s.classes; c += blockDim.x)
        sum += expf(x[c] - most);
    sum = dts_sum_over_block(sum);
    if (threadIdx.x > 0)
        return;
    const int32_t class_ = target[blockIdx.x];
    sums += 3 * ((size_t)rank * s.count + blockIdx.x);
    sums[0] = most;
    sums[1] = sum;
    if ((size_t)class_ >= s.first && (size_t)class_ - s.first < s.classes)
        sums[2] = x[(size_t)class_ - s.first];
}

static __device__ double sums_at(struct sizes s, int rank, size_t i, int which)
{
    return s.sums[3 * ((size_t)rank * s.count + i) + (size_t)which];
}

static __device__ float log_sum_of_ranks(struct sizes s, size_t i)
{
    double most = sums_at(s, 0, i, 0), sum = 0;
    for (int r = 1; r < s.ranks; r++)
        most = fmax(most, sums_at(s, r, i, 0));
    for (int r = 0; r < s.ranks; r++)
        sum += sums_at(s, r, i, 1) * exp(sums_at(s, r, i, 0) - most);
    return (float)(most + log(sum));
}

static __device__ float target_at(struct sizes s, const float *x, int32_t target, size_t i)
{
    if (s.sums == NULL)
        return x[i * s.classes + (size_t)target];
    double value = 0;
    for (int r = 0; r < s.ranks; r++)
        value += sums_at(s, r, i, 2);
    return (float)value;
}

/* y: the loss of each sample; NULL: none. found: positions that count; NULL: none. */
static __global__ void samples(struct sizes s, const float *x, const float *saved,
                               const int32_t *target, float *y, float *found)
{
    const size_t begin = blockIdx.x * s.positions;
    float sum = 0, count = 0;
    for (size_t i = begin + threadIdx.x; i < begin + s.positions; i += blockDim.x) {
        if (!counts(s, target[i]))
            continue;
        count++;
        if (y != NULL)
            sum += saved[i] - target_at(s, x, target[i], i);
    }
    sum = dts_sum_over_block(sum);
    count = dts_sum_over_block(count);
    if (threadIdx.x > 0)
        return;
    if (y != NULL)
        y[blockIdx.x] = count > 0 ? s.weight * sum / count : 0;
    if (found != NULL)
        found[blockIdx.x] = count;
}

static __global__ void gradients(struct sizes s, const float *x, const float *saved,
                                 const int32_t *target, const float *found, unsigned batch,
                                 float *dx)
{
    const size_t i = blockIdx.x;
    const bool counted = counts(s, target[i]);
    const float scale = counted ? s.weight / (found[i / s.positions] * batch) : 0;
    const float l = saved[i];
    for (size_t c = threadIdx.x; c < s.classes; c += blockDim.x) {
        const float p = expf(x[i * s.classes + c] - l);
        dx[i * s.classes + c] =
            counted ? (p - (c + s.first == (size_t)target[i] ? 1.0f : 0.0f)) * scale : 0;
    }
}

extern "C" void dts_softmax_cross_entropy_forward_cuda(const struct dts_op_call *call,
                                                       const struct dts_arrays *a,
                                                       const struct dts_place *place)
{
    const struct sizes s = sizes_of(call, a);
    const float *x = (const float *)a->x[0];
    const unsigned batch = (unsigned)a->batch, rows = batch * (unsigned)s.positions;
    float *saved = (float *)a->saved;
    if (a->part == DTS_OP_SUMS) {
        double *sums = a->sums;
        dts_for_each(3 * s.count * (size_t)s.ranks, place,
                     [=] __device__(size_t i) { sums[i] = 0; });
        give_sums<<<rows, dts_threads_for(s.classes), 0, dts_stream(place)>>>(
            s, x, (const int32_t *)a->target, a->rank, sums);
        return;
    }
    if (a->part == DTS_OP_REST)
        dts_for_each(s.count, place,
                     [=] __device__(size_t i) { saved[i] = log_sum_of_ranks(s, i); });
    else
        log_sums<<<rows, dts_threads_for(s.classes), 0, dts_stream(place)>>>(s, x, saved);
    samples<<<batch, dts_threads_for(s.positions), 0, dts_stream(place)>>>(
        s, x, (const float *)a->saved, (const int32_t *)a->target, (float *)a->y, NULL);
}

extern "C" size_t dts_softmax_cross_entropy_scratch_cuda(const struct dts_op_call *call,
                                                         int batch, int workers)
{
    (void)call, (void)workers;
    return (size_t)batch * sizeof(float);
}

extern "C" void dts_softmax_cross_entropy_backward_cuda(const struct dts_op_call *call,
                                                        const struct dts_arrays *a,
                                                        const struct dts_place *place)
{
    const struct sizes s = sizes_of(call, a);
    const float *x = (const float *)a->x[0], *saved = (const float *)a->saved;
    const int32_t *target = (const int32_t *)a->target;
    const unsigned batch = (unsigned)a->batch, rows = batch * (unsigned)s.positions;
    float *found = (float *)a->scratch;
    if (a->dx[0] == NULL)
        return;
    samples<<<batch, dts_threads_for(s.positions), 0, dts_stream(place)>>>(s, x, saved, target,
                                                                           NULL, found);
    gradients<<<rows, dts_threads_for(s.classes), 0, dts_stream(place)>>>(
        s, x, saved, target, found, batch, (float *)a->dx[0]);
}
