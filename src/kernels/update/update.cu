/* update.cu -- the GPU versions of <name>.c, which say what is computed. Rules that work
 * value by value are one kernel. Rules with norms add squares over blocks of values in double,
 * one thread then adds the blocks in their order and finds the factors, which stay on the
 * device: nothing waits for them.
 */
#include "kernels/space/device.cuh"

extern "C" {
#include "kernels/update/update.h"
}

enum { BLOCK = 4096 /* values whose squares one block of threads adds */ };

/* What a kernel takes. */
struct tensor {
    size_t count;
    float *w, *first, *second; // state arrays, as far as the rule has them
    const float *g;
};

static struct tensor tensor_of(const struct dts_update_arrays *a)
{
    float *state = (float *)a->state;
    return {a->count, (float *)a->w, state, state + a->count, (const float *)a->g};
}

/* Corrections of Adam's means: factor of the first, of the root of the second. */
struct corrections {
    float mean, root;
};

static struct corrections corrections_of(const struct dts_update_settings *s)
{
    return {(float)(1 / (1 - pow(s->beta1, (double)s->step))),
            (float)(1 / sqrt(1 - pow(s->beta2, (double)s->step)))};
}

extern "C" void dts_update_sgd_cuda(const struct dts_update_settings *s,
                                    const struct dts_update_arrays *a,
                                    const struct dts_place *place)
{
    const struct tensor t = tensor_of(a);
    const float rate = (float)s->rate, decay = (float)s->decay;
    dts_for_each(t.count, place,
                 [=] __device__(size_t i) { t.w[i] -= rate * (t.g[i] + decay * t.w[i]); });
}

static void momentum(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                     const struct dts_place *place, bool nesterov)
{
    const struct tensor t = tensor_of(a);
    const float rate = (float)s->rate, decay = (float)s->decay, m = (float)s->momentum;
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = t.g[i] + decay * t.w[i], v = m * t.first[i] + d;
        t.first[i] = v;
        t.w[i] -= rate * (nesterov ? d + m * v : v);
    });
}

extern "C" void dts_update_momentum_cuda(const struct dts_update_settings *s,
                                         const struct dts_update_arrays *a,
                                         const struct dts_place *place)
{
    momentum(s, a, place, false);
}

extern "C" void dts_update_nesterov_cuda(const struct dts_update_settings *s,
                                         const struct dts_update_arrays *a,
                                         const struct dts_place *place)
{
    momentum(s, a, place, true);
}

extern "C" void dts_update_rmsprop_cuda(const struct dts_update_settings *s,
                                        const struct dts_update_arrays *a,
                                        const struct dts_place *place)
{
    const struct tensor t = tensor_of(a);
    const float rate = (float)s->rate, decay = (float)s->decay, m = (float)s->momentum;
    const float keep = (float)s->beta2, take = (float)(1 - s->beta2);
    const float epsilon = (float)s->epsilon;
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = t.g[i] + decay * t.w[i], square = keep * t.first[i] + take * d * d;
        t.first[i] = square;
        t.second[i] = m * t.second[i] + d / (sqrtf(square) + epsilon);
        t.w[i] -= rate * t.second[i];
    });
}

/* Decay as part of the gradient, or apart from it. */
static void adam(const struct dts_update_settings *s, const struct dts_update_arrays *a,
                 const struct dts_place *place, double inside, double apart)
{
    const struct tensor t = tensor_of(a);
    const struct corrections correct = corrections_of(s);
    const float rate = (float)s->rate, epsilon = (float)s->epsilon, decay = (float)inside;
    const float keep = (float)(1 - s->rate * apart);
    const float keep1 = (float)s->beta1, take1 = (float)(1 - s->beta1);
    const float keep2 = (float)s->beta2, take2 = (float)(1 - s->beta2);
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = t.g[i] + decay * t.w[i];
        const float m = keep1 * t.first[i] + take1 * d;
        const float v = keep2 * t.second[i] + take2 * d * d;
        t.first[i] = m;
        t.second[i] = v;
        t.w[i] = keep * t.w[i] - rate * correct.mean * m / (sqrtf(v) * correct.root + epsilon);
    });
}

extern "C" void dts_update_adam_cuda(const struct dts_update_settings *s,
                                     const struct dts_update_arrays *a,
                                     const struct dts_place *place)
{
    adam(s, a, place, s->decay, 0);
}

extern "C" void dts_update_adamw_cuda(const struct dts_update_settings *s,
                                      const struct dts_update_arrays *a,
                                      const struct dts_place *place)
{
    adam(s, a, place, 0, s->decay);
}

static __device__ double sum_over_block(double value)
{
    __shared__ double sums[DTS_THREADS];
    __syncthreads(); // those of an earlier call have been read
    sums[threadIdx.x] = value;
    for (unsigned half = DTS_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    __syncthreads();
    return sums[0];
}

/* sums[2 block], sums[2 block + 1]: squares of weights and of what `second(i)` gives. */
template <typename Second>
static __global__ void add_squares(struct tensor t, Second second, double *sums)
{
    const size_t begin = (size_t)blockIdx.x * BLOCK;
    const size_t end = begin + BLOCK < t.count ? begin + BLOCK : t.count;
    double w = 0, u = 0;
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        const double value = second(i);
        w += (double)t.w[i] * t.w[i];
        u += value * value;
    }
    w = sum_over_block(w);
    u = sum_over_block(u);
    if (threadIdx.x == 0) {
        sums[2 * blockIdx.x] = w;
        sums[2 * blockIdx.x + 1] = u;
    }
}

/* Both norms, then factors[0], factors[1] by what `find` makes of them. */
template <typename Find>
static __global__ void find_factors(const double *sums, size_t blocks, Find find,
                                    double *factors)
{
    double w = 0, u = 0;
    for (size_t i = 0; i < blocks; i++) {
        w += sums[2 * i];
        u += sums[2 * i + 1];
    }
    find(sqrt(w), sqrt(u), factors);
}

/* Returns the two factors, in device memory. */
template <typename Second, typename Find>
static const double *by_norms(const struct dts_update_arrays *a, const struct dts_place *place,
                              Second second, Find find)
{
    const size_t blocks = (a->count + BLOCK - 1) / BLOCK;
    double *sums = (double *)a->scratch, *factors = sums + 2 * blocks;
    add_squares<<<(unsigned)blocks, DTS_THREADS, 0, dts_stream(place)>>>(tensor_of(a), second,
                                                                         sums);
    find_factors<<<1, 1, 0, dts_stream(place)>>>(sums, blocks, find, factors);
    return factors;
}

extern "C" void dts_update_lars_cuda(const struct dts_update_settings *settings,
                                     const struct dts_update_arrays *a,
                                     const struct dts_place *place)
{
    const struct tensor t = tensor_of(a);
    const struct dts_update_settings s = *settings;
    const double *factors = by_norms(
        a, place, [=] __device__(size_t i) { return t.g[i]; },
        [=] __device__(double w, double g, double *out) {
            out[0] =
                s.rate * (s.trust > 0 && w > 0 && g > 0 ? s.trust * w / (g + s.decay * w) : 1);
        });
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = t.g[i] + (float)s.decay * t.w[i];
        t.first[i] = (float)s.momentum * t.first[i] + (float)factors[0] * d;
        t.w[i] -= t.first[i];
    });
}

extern "C" void dts_update_larc_cuda(const struct dts_update_settings *settings,
                                     const struct dts_update_arrays *a,
                                     const struct dts_place *place)
{
    const struct tensor t = tensor_of(a);
    const struct dts_update_settings s = *settings;
    const double *factors = by_norms(
        a, place, [=] __device__(size_t i) { return t.g[i]; },
        [=] __device__(double w, double g, double *out) {
            const bool zero = w <= 0 || g <= 0;
            const double local = zero ? s.rate : s.trust * w / (g + s.decay * w + s.epsilon);
            out[0] = s.trust > 0 && local < s.rate ? local / s.rate : 1;
            out[1] = s.trust > 0 && zero ? 0 : out[0] * s.decay;
        });
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = (float)factors[0] * t.g[i] + (float)factors[1] * t.w[i];
        t.first[i] = (float)s.momentum * t.first[i] + d;
        t.w[i] -= (float)s.rate * t.first[i];
    });
}

extern "C" void dts_update_lamb_cuda(const struct dts_update_settings *settings,
                                     const struct dts_update_arrays *a,
                                     const struct dts_place *place)
{
    const struct tensor t = tensor_of(a);
    const struct dts_update_settings s = *settings;
    const struct corrections correct = corrections_of(settings);
    const auto change = [=] __device__(size_t i) {
        return correct.mean * t.first[i] /
                   (sqrtf(t.second[i]) * correct.root + (float)s.epsilon) +
               (float)s.decay * t.w[i];
    };
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        t.first[i] = (float)s.beta1 * t.first[i] + (float)(1 - s.beta1) * t.g[i];
        t.second[i] = (float)s.beta2 * t.second[i] + (float)(1 - s.beta2) * t.g[i] * t.g[i];
    });
    const double *factors =
        by_norms(a, place, change, [=] __device__(double w, double u, double *out) {
            out[0] = s.rate * (s.trust > 0 && w > 0 && u > 0 ? s.trust * w / u : 1);
        });
    dts_for_each(t.count, place,
                 [=] __device__(size_t i) { t.w[i] -= (float)factors[0] * change(i); });
}

extern "C" void dts_update_novograd_cuda(const struct dts_update_settings *settings,
                                         const struct dts_update_arrays *a,
                                         const struct dts_place *place)
{
    const struct tensor t = tensor_of(a); // second: the one square
    const struct dts_update_settings s = *settings;
    const double *factors = by_norms(
        a, place, [=] __device__(size_t i) { return t.g[i]; },
        [=] __device__(double, double g, double *out) {
            const double square =
                s.step <= 1 ? g * g : s.beta2 * *t.second + (1 - s.beta2) * g * g;
            *t.second = (float)square;
            out[0] = 1 / (sqrt(square) + s.epsilon);
        });
    dts_for_each(t.count, place, [=] __device__(size_t i) {
        const float d = (float)factors[0] * t.g[i] + (float)s.decay * t.w[i];
        t.first[i] = (float)s.beta1 * t.first[i] + d;
        t.w[i] -= (float)s.rate * t.first[i];
    });
}
