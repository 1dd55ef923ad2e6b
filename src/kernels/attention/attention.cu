/* attention.cu -- the GPU version of attention.c, which says what is computed. Sample by
 * sample: scores of all heads by cuBLAS, softmax by a block for each query, outputs by cuBLAS.
 * Heads that share keys go one after another, so that sums have one order.
 */
#include "kernels/product/products.cuh"

extern "C" {
#include "kernels/attention/attention.h"
#include "kernels/dropout/dropout.h"
}

/* Sizes, arrays of one sample, and what dropout draws by, as a kernel takes them. */
struct attention {
    size_t queries, keys, heads, key_heads, head, query_row, key_row, y_row;
    bool causal, drops;
    float scale, factor; // 1 / sqrt(head); of a probability that is kept
    uint32_t threshold, step, sample;
    uint64_t seed;
    size_t before; // rows of heads that other ranks have
    const float *q, *k, *v, *y, *dy, *saved;
    float *dq, *dk, *dv;
    float *p, *dp; // [heads, queries, keys]
};

static float *at(void *array, size_t offset)
{
    return array != NULL ? (float *)array + offset : NULL;
}

static struct attention attention_of(const struct dts_op_call *call, const struct dts_arrays *a,
                                     size_t sample)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    const size_t q = dts_attention_query(&s, sample, 0), k = dts_attention_key(&s, sample, 0);
    const size_t v = dts_attention_value(&s, sample, 0);
    const size_t y = dts_attention_output(&s, sample, 0), heads = s.heads;
    struct attention t = {};
    t.queries = s.queries, t.keys = s.keys, t.heads = heads, t.key_heads = s.key_heads;
    t.head = s.head, t.query_row = s.query_row, t.key_row = s.key_row, t.y_row = heads * s.head;
    t.causal = call->causal, t.drops = a->training && call->rate > 0;
    t.scale = 1 / sqrtf((float)s.head), t.factor = (float)dts_dropout_scale(call);
    t.threshold = dts_dropout_threshold(call), t.step = (uint32_t)a->step;
    t.sample = (uint32_t)(a->first_sample + sample), t.seed = a->seed;
    t.before = a->first * s.queries;
    t.q = (const float *)a->x[0] + q, t.k = (const float *)a->x[s.key_input] + k;
    t.v = (const float *)a->x[s.value_input] + v;
    t.y = at(a->y, y), t.dy = at((void *)a->dy, y);
    t.saved = at(a->saved, sample * heads * s.queries);
    t.dq = at(a->dx[0], q), t.dk = at(a->dx[s.key_input], k);
    t.dv = at(a->dx[s.value_input], v);
    t.p = (float *)a->scratch, t.dp = t.p + heads * s.queries * s.keys;
    return t;
}

static size_t score_bytes(const struct dts_op_call *call)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    return s.heads * s.queries * s.keys * sizeof(float);
}

/* As base/philox.h: the 16 bits of one probability. */
static __device__ bool keeps(const struct attention &t, size_t row, size_t key)
{
    const size_t in_piece = key % DTS_ATTENTION_PIECE, part = in_piece / DTS_ATTENTION_BLOCKS;
    uint32_t x[4] = {(uint32_t)(key / DTS_ATTENTION_PIECE * DTS_ATTENTION_BLOCKS +
                                in_piece % DTS_ATTENTION_BLOCKS),
                     (uint32_t)(t.before + row), t.step, t.sample};
    uint32_t low = (uint32_t)t.seed, high = (uint32_t)(t.seed >> 32);
    for (int round = 0; round < 10; round++) {
        const uint32_t p0 = 0xD2511F53 * x[0], p1 = 0xCD9E8D57 * x[2];
        const uint32_t q0 = __umulhi(0xD2511F53, x[0]), q1 = __umulhi(0xCD9E8D57, x[2]);
        x[0] = q1 ^ x[1] ^ low, x[1] = p1, x[2] = q0 ^ x[3] ^ high, x[3] = p0;
        low += 0x9E3779B9, high += 0xBB67AE85;
    }
    return (x[part / 2] >> (16 * (part % 2)) & 0xffff) >= t.threshold;
}

static __device__ size_t seen_by(const struct attention &t, size_t query)
{
    return t.causal && query + 1 < t.keys ? query + 1 : t.keys;
}

/* Scores become probabilities, dropped or not; saved: l. A block takes a row. */
static __global__ void soften(struct attention t, float *saved)
{
    const size_t row = blockIdx.x, seen = seen_by(t, row % t.queries);
    float *p = t.p + row * t.keys, most = -INFINITY, sum = 0;
    for (size_t j = threadIdx.x; j < seen; j += blockDim.x)
        most = fmaxf(most, t.scale * p[j]);
    most = dts_largest_of_block(most);
    for (size_t j = threadIdx.x; j < seen; j += blockDim.x)
        sum += expf(t.scale * p[j] - most);
    sum = dts_sum_over_block(sum);
    const float l = most + logf(sum);
    for (size_t j = threadIdx.x; j < t.keys; j += blockDim.x) {
        const float c = !t.drops ? 1 : keeps(t, row, j) ? t.factor : 0;
        p[j] = j < seen ? c * expf(t.scale * p[j] - l) : 0;
    }
    if (threadIdx.x == 0)
        saved[row] = l;
}

/* Scores in p become probabilities; those that dropout leaves go to dp. */
static void soften_again(const struct attention &t, const struct dts_place *place)
{
    dts_for_each(t.heads * t.queries * t.keys, place, [=] __device__(size_t i) {
        const size_t row = i / t.keys, key = i % t.keys;
        const bool seen = key < seen_by(t, row % t.queries);
        t.p[i] = seen ? expf(t.scale * t.p[i] - t.saved[row]) : 0;
        if (t.drops)
            t.dp[i] = keeps(t, row, key) ? t.factor * t.p[i] : 0;
    });
}

/* p becomes ds. A block takes a row. */
static __global__ void score_gradients(struct attention t)
{
    const size_t row = blockIdx.x;
    const size_t begin = row % t.queries * t.y_row + row / t.queries * t.head;
    float mean = 0;
    for (size_t c = threadIdx.x; c < t.head; c += blockDim.x)
        mean += t.dy[begin + c] * t.y[begin + c];
    mean = dts_sum_over_block(mean);
    for (size_t j = threadIdx.x; j < t.keys; j += blockDim.x) {
        const size_t i = row * t.keys + j;
        const float c = !t.drops ? 1 : keeps(t, row, j) ? t.factor : 0;
        t.p[i] *= t.scale * (c * t.dp[i] - mean);
    }
}

/* out = a b^T, a [queries, head] and b [keys, head] of each head, out [queries, keys]: with q
 * and k, with dy and v. */
static void compare(const struct attention &t, const float *a, size_t a_row, const float *b,
                    float *out, const struct dts_place *place)
{
    const size_t share = t.heads / t.key_heads, scores = t.queries * t.keys;
    for (size_t i = 0; i < share; i++) {
        struct dts_gemm product = {};
        product.transpose_b = true;
        product.m = t.queries, product.n = t.keys, product.k = t.head;
        product.a = a + i * t.head, product.lda = a_row;
        product.b = b, product.ldb = t.key_row;
        product.c = out + i * scores, product.ldc = t.keys;
        dts_gemm_batch_cuda(product, {t.key_heads, share * t.head, t.head, share * scores},
                            place);
    }
}

/* out = of b, of [queries, keys] and b [keys, head]: y of p and v, dq of ds and k. */
static void gather(const struct attention &t, const float *of, const float *b, float *out,
                   size_t out_row, const struct dts_place *place)
{
    const size_t share = t.heads / t.key_heads, scores = t.queries * t.keys;
    for (size_t i = 0; i < share && out != NULL; i++) {
        struct dts_gemm product = {};
        product.m = t.queries, product.n = t.head, product.k = t.keys;
        product.a = of + i * scores, product.lda = t.keys;
        product.b = b, product.ldb = t.key_row;
        product.c = out + i * t.head, product.ldc = out_row;
        dts_gemm_batch_cuda(product, {t.key_heads, share * scores, t.head, share * t.head},
                            place);
    }
}

/* out = sum over heads that share of of^T b: dv of p and dy, dk of ds and q. */
static void scatter(const struct attention &t, const float *of, const float *b, size_t b_row,
                    float *out, const struct dts_place *place)
{
    const size_t share = t.heads / t.key_heads, scores = t.queries * t.keys;
    for (size_t i = 0; i < share && out != NULL; i++) {
        struct dts_gemm product = {};
        product.transpose_a = true;
        product.m = t.keys, product.n = t.head, product.k = t.queries;
        product.a = of + i * scores, product.lda = t.keys;
        product.b = b + i * t.head, product.ldb = b_row;
        product.c = out, product.ldc = t.key_row;
        product.beta = i > 0 ? 1 : 0;
        dts_gemm_batch_cuda(product, {t.key_heads, share * scores, share * t.head, t.head},
                            place);
    }
}

extern "C" size_t dts_attention_forward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                     int workers)
{
    (void)batch, (void)workers;
    return score_bytes(call);
}

extern "C" size_t dts_attention_backward_scratch_cuda(const struct dts_op_call *call, int batch,
                                                      int workers)
{
    (void)batch, (void)workers;
    return 2 * score_bytes(call);
}

extern "C" void dts_attention_forward_cuda(const struct dts_op_call *call,
                                           const struct dts_arrays *a,
                                           const struct dts_place *place)
{
    for (size_t sample = 0; sample < (size_t)a->batch; sample++) {
        const struct attention t = attention_of(call, a, sample);
        compare(t, t.q, t.query_row, t.k, t.p, place);
        soften<<<(unsigned)(t.heads * t.queries), dts_threads_for(t.keys), 0,
                 dts_stream(place)>>>(t, (float *)t.saved);
        gather(t, t.p, t.v, (float *)t.y, t.y_row, place);
    }
}

extern "C" void dts_attention_backward_cuda(const struct dts_op_call *call,
                                            const struct dts_arrays *a,
                                            const struct dts_place *place)
{
    for (size_t sample = 0; sample < (size_t)a->batch; sample++) {
        const struct attention t = attention_of(call, a, sample);
        compare(t, t.q, t.query_row, t.k, t.p, place);
        soften_again(t, place);
        scatter(t, t.drops ? t.dp : t.p, t.dy, t.y_row, t.dv, place);
        compare(t, t.dy, t.y_row, t.v, t.dp, place);
        score_gradients<<<(unsigned)(t.heads * t.queries), dts_threads_for(t.keys), 0,
                          dts_stream(place)>>>(t);
        gather(t, t.p, t.k, t.dq, t.query_row, place);
        scatter(t, t.p, t.q, t.query_row, t.dk, place);
    }
}
