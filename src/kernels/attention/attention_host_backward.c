/* attention_host_backward.c -- attention on a CPU, backward: workers take heads of keys, so
 * that what queries add to the gradients of a key is one worker's sum in their order. Within a
 * head, blocks of queries as forward. */
#include <math.h>
#include <string.h>

#include "kernels/attention/attention_host.h"
#include "kernels/dropout/dropout.h"
#include "kernels/vector/row_math.h"

/* Of a worker: probabilities, then their gradients, then what is kept of them. */
struct buffers {
    float *p, *dp;
    uint8_t *keep;
    size_t keep_row;
};

static size_t keep_row_of(const struct dts_attention_sizes *s)
{
    return (s->keys + DTS_ATTENTION_PIECE - 1) / DTS_ATTENTION_PIECE * DTS_ATTENTION_PIECE;
}

static size_t worker_bytes(const struct dts_op_call *call, const struct dts_attention_sizes *s)
{
    const size_t keep = call->rate > 0 ? keep_row_of(s) : 0;
    return DTS_ATTENTION_QUERIES * (2 * s->keys * sizeof(float) + keep);
}

size_t dts_attention_backward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const bool gathers = call->context_ranks > 1 && call->gathered;
    const struct dts_op_call work = gathers ? dts_attention_gathered_work(call, 0) : *call;
    const struct dts_attention_sizes s = dts_attention_sizes(&work);
    const size_t parts = gathers ? dts_attention_gathered_scratch(call, batch, true)
                         : call->context_ranks > 1 ? dts_attention_parts_scratch(call, batch)
                                                   : 0;
    return (size_t)workers * worker_bytes(call, &s) + parts;
}

static bool drops(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return a->training && call->rate > 0;
}

/* p: probabilities of a block; dp: the same with dropout, if there is. */
static void make_probabilities(const struct dts_op_call *call,
                               const struct dts_attention_sizes *s, const struct dts_arrays *a,
                               const struct dts_attention_block *b, const struct buffers *own)
{
    const float scale = 1 / sqrtf((float)s->head), factor = (float)dts_dropout_scale(call);
    dts_attention_scores(s, a, b, own->p);
    for (size_t i = 0; i < b->count; i++) {
        const size_t query = s->before + b->first + i;
        const size_t seen = dts_attention_seen(call, query, s->keys);
        float *restrict p = own->p + i * b->seen, *restrict dropped = own->dp + i * b->seen;
        uint8_t *restrict keep = own->keep + i * own->keep_row;
        dts_row_exp(p, scale, ((const float *)a->saved)[b->saved + i], seen);
        memset(p + seen, 0, (b->seen - seen) * sizeof(*p));
        if (!drops(call, a))
            continue;
        dts_attention_draw(a, b->sample, (a->first + b->head) * s->all + query, b->seen,
                           dts_dropout_threshold(call), keep);
#pragma omp simd
        for (size_t j = 0; j < b->seen; j++)
            dropped[j] = keep[j] ? factor * p[j] : 0;
    }
}

/* p becomes ds. */
static void make_score_gradients(const struct dts_op_call *call,
                                 const struct dts_attention_sizes *s,
                                 const struct dts_arrays *a,
                                 const struct dts_attention_block *b, const struct buffers *own)
{
    const float scale = 1 / sqrtf((float)s->head), factor = (float)dts_dropout_scale(call);
    const size_t y_row = s->heads * s->head;
    for (size_t i = 0; i < b->count; i++) {
        float *restrict p = own->p + i * b->seen;
        const float *restrict dp = own->dp + i * b->seen;
        const uint8_t *restrict keep = own->keep + i * own->keep_row;
        const float mean = dts_row_dot((const float *)a->dy + b->y + i * y_row,
                                       (const float *)a->y + b->y + i * y_row, s->head);
        if (drops(call, a)) {
#pragma omp simd
            for (size_t j = 0; j < b->seen; j++)
                p[j] *= scale * ((keep[j] ? factor * dp[j] : 0) - mean);
        } else {
#pragma omp simd
            for (size_t j = 0; j < b->seen; j++)
                p[j] *= scale * (dp[j] - mean);
        }
    }
}

/* out[j] += sum over the block's queries i of of[i, j] rows[i], for the keys that it sees. */
static void add_to_keys(const struct dts_attention_sizes *s,
                        const struct dts_attention_block *b, const float *of, const float *rows,
                        size_t row, float *out)
{
    const struct dts_gemm product = {
        .transpose_a = true,
        .m = b->seen,
        .n = s->head,
        .k = b->count,
        .a = of,
        .lda = b->seen,
        .b = rows,
        .ldb = row,
        .c = out,
        .ldc = s->key_row,
        .beta = 1,
    };
    dts_gemm(&product, NULL);
}

/* dp = dy v */
static void make_probability_gradients(const struct dts_attention_sizes *s,
                                       const struct dts_arrays *a,
                                       const struct dts_attention_block *b, float *dp)
{
    const struct dts_gemm product = {
        .transpose_b = true,
        .m = b->count,
        .n = b->seen,
        .k = s->head,
        .a = (const float *)a->dy + b->y,
        .lda = s->heads * s->head,
        .b = (const float *)a->x[s->value_input] + b->v,
        .ldb = s->key_row,
        .c = dp,
        .ldc = b->seen,
    };
    dts_gemm(&product, NULL);
}

static void make_query_gradients(const struct dts_attention_sizes *s,
                                 const struct dts_arrays *a,
                                 const struct dts_attention_block *b, const float *ds)
{
    const struct dts_gemm product = {
        .m = b->count,
        .n = s->head,
        .k = b->seen,
        .a = ds,
        .lda = b->seen,
        .b = (const float *)a->x[s->key_input] + b->k,
        .ldb = s->key_row,
        .c = (float *)a->dx[0] + b->q,
        .ldc = s->query_row,
    };
    dts_gemm(&product, NULL);
}

static void backward_block(const struct dts_op_call *call, const struct dts_attention_sizes *s,
                           const struct dts_arrays *a, const struct dts_attention_block *b,
                           const struct buffers *own)
{
    float *dk = a->dx[s->key_input], *dv = a->dx[s->value_input];
    make_probabilities(call, s, a, b, own);
    if (dv != NULL)
        add_to_keys(s, b, drops(call, a) ? own->dp : own->p, (const float *)a->dy + b->y,
                    s->heads * s->head, dv + b->v);
    make_probability_gradients(s, a, b, own->dp);
    make_score_gradients(call, s, a, b, own);
    if (a->dx[0] != NULL)
        make_query_gradients(s, a, b, own->p);
    if (dk != NULL)
        add_to_keys(s, b, own->p, (const float *)a->x[0] + b->q, s->query_row, dk + b->k);
}

/* Gradients of the keys and values of a head begin as zeros. */
static void clear(const struct dts_attention_sizes *s, float *dx, size_t first)
{
    for (size_t j = 0; j < s->keys && dx != NULL; j++)
        memset(dx + first + j * s->key_row, 0, s->head * sizeof(*dx));
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    const size_t blocks = s.heads / s.key_heads * dts_attention_blocks(&s);
    struct buffers own = {
        .p = (float *)((char *)a->scratch + (size_t)range.worker * worker_bytes(call, &s)),
        .keep_row = keep_row_of(&s)};
    own.dp = own.p + DTS_ATTENTION_QUERIES * s.keys;
    own.keep = (uint8_t *)(own.dp + DTS_ATTENTION_QUERIES * s.keys);
    for (size_t i = range.first; i < range.first + range.count; i++)
        for (size_t number = i * blocks; number < (i + 1) * blocks; number++) {
            const struct dts_attention_block b = dts_attention_block(call, &s, number);
            if (number == i * blocks) {
                clear(&s, a->dx[s.key_input], b.k);
                clear(&s, a->dx[s.value_input], b.v);
            }
            backward_block(call, &s, a, &b, &own);
        }
}

void dts_attention_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    if (call->context_ranks > 1) {
        dts_attention_part_backward(call, a, place);
        return;
    }
    dts_ranges(backward_range, (size_t)a->batch * s.key_heads, call, a, place);
}
