/* attention_host.c -- attention on a CPU, forward: workers take blocks of queries of a head, so
 * that a block's scores stay in the second cache. Scores and outputs are products of matrices;
 * keys that no query of the block sees are left out. */
#include <math.h>
#include <string.h>

#include "kernels/attention/attention_host.h"
#include "kernels/dropout/dropout.h"
#include "kernels/dropout/dropout_bits.h"
#include "kernels/vector/row_math.h"

enum { BLOCKS = DTS_ATTENTION_BLOCKS, PIECE = DTS_ATTENTION_PIECE };

void dts_attention_draw(const struct dts_arrays *a, size_t sample, size_t row, size_t keys,
                        uint32_t threshold, uint8_t *keep)
{
    const uint32_t counter[] = {(uint32_t)row, (uint32_t)a->step,
                                (uint32_t)(a->first_sample + sample)};
    const struct dts_dropout_keys of_rounds = dts_dropout_keys(a->seed);
    for (size_t piece = 0; piece * PIECE < keys; piece++)
        dts_dropout_draw(&of_rounds, (uint32_t)(piece * BLOCKS), counter, BLOCKS, BLOCKS,
                         threshold, keep + piece * PIECE);
}

struct dts_attention_block dts_attention_block(const struct dts_op_call *call,
                                               const struct dts_attention_sizes *s,
                                               size_t number)
{
    const size_t blocks = dts_attention_blocks(s);
    struct dts_attention_block b = {.head = number / blocks % s->heads,
                                    .sample = number / blocks / s->heads,
                                    .first = number % blocks * DTS_ATTENTION_QUERIES};
    b.count = s->queries - b.first;
    if (b.count > DTS_ATTENTION_QUERIES)
        b.count = DTS_ATTENTION_QUERIES;
    b.seen = dts_attention_seen(call, s->before + b.first + b.count - 1, s->keys);
    b.q = dts_attention_query(s, b.sample, b.head) + b.first * s->query_row;
    b.k = dts_attention_key(s, b.sample, b.head);
    b.v = dts_attention_value(s, b.sample, b.head);
    b.y = dts_attention_output(s, b.sample, b.head) + b.first * s->heads * s->head;
    b.saved = (b.sample * s->heads + b.head) * s->queries + b.first;
    return b;
}

void dts_attention_scores(const struct dts_attention_sizes *s, const struct dts_arrays *a,
                          const struct dts_attention_block *b, float *scores)
{
    const struct dts_gemm product = {
        .transpose_b = true,
        .m = b->count,
        .n = b->seen,
        .k = s->head,
        .a = (const float *)a->x[0] + b->q,
        .lda = s->query_row,
        .b = (const float *)a->x[s->key_input] + b->k,
        .ldb = s->key_row,
        .c = scores,
        .ldc = b->seen,
    };
    dts_gemm(&product, NULL);
}

static size_t worker_bytes(const struct dts_attention_sizes *s)
{
    const size_t scores = DTS_ATTENTION_QUERIES * s->keys * sizeof(float);
    return (scores + s->keys + PIECE + 63) / 64 * 64;
}

size_t dts_attention_forward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const bool gathers = call->context_ranks > 1 && call->gathered;
    const struct dts_op_call work = gathers ? dts_attention_gathered_work(call, 0) : *call;
    const struct dts_attention_sizes s = dts_attention_sizes(&work);
    return (size_t)workers * worker_bytes(&s) +
           (gathers ? dts_attention_gathered_scratch(call, batch, false) : 0);
}

/* Scores of row i of a block become exp(s - largest), dropped or not, zeros where nothing is
 * seen; returns what makes probabilities of them. */
static float finish_row(const struct dts_op_call *call, const struct dts_attention_sizes *s,
                        const struct dts_arrays *a, const struct dts_attention_block *b,
                        size_t i, float *restrict row, uint8_t *restrict keep)
{
    const float scale = 1 / sqrtf((float)s->head);
    const size_t query = s->before + b->first + i;
    const size_t seen = dts_attention_seen(call, query, s->keys);
    const float most = scale * dts_row_largest(row, seen);
    const float sum = dts_row_exp(row, scale, most, seen);
    ((float *)a->saved)[b->saved + i] = most + logf(sum);
    memset(row + seen, 0, (b->seen - seen) * sizeof(*row));
    if (!a->training || call->rate == 0)
        return 1 / sum;
    dts_attention_draw(a, b->sample, (a->first + b->head) * s->all + query, seen,
                       dts_dropout_threshold(call), keep);
#pragma omp simd
    for (size_t j = 0; j < seen; j++)
        row[j] = keep[j] ? row[j] : 0;
    return (float)dts_dropout_scale(call) / sum;
}

static void forward_block(const struct dts_op_call *call, const struct dts_attention_sizes *s,
                          const struct dts_arrays *a, const struct dts_attention_block *b,
                          char *scratch)
{
    float *scores = (float *)scratch, factors[DTS_ATTENTION_QUERIES];
    uint8_t *keep = (uint8_t *)(scores + DTS_ATTENTION_QUERIES * s->keys);
    const size_t y_row = s->heads * s->head;
    float *y = (float *)a->y + b->y;
    dts_attention_scores(s, a, b, scores);
    for (size_t i = 0; i < b->count; i++)
        factors[i] = finish_row(call, s, a, b, i, scores + i * b->seen, keep);
    const struct dts_gemm product = {
        .m = b->count,
        .n = s->head,
        .k = b->seen,
        .a = scores,
        .lda = b->seen,
        .b = (const float *)a->x[s->value_input] + b->v,
        .ldb = s->key_row,
        .c = y,
        .ldc = y_row,
    };
    dts_gemm(&product, NULL);
    for (size_t i = 0; i < b->count; i++)
#pragma omp simd
        for (size_t c = 0; c < s->head; c++)
            y[i * y_row + c] *= factors[i];
}

static void forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    char *scratch = (char *)a->scratch + (size_t)range.worker * worker_bytes(&s);
    for (size_t i = range.first; i < range.first + range.count; i++) {
        const struct dts_attention_block b = dts_attention_block(call, &s, i);
        forward_block(call, &s, a, &b, scratch);
    }
}

void dts_attention_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    if (call->context_ranks > 1) {
        dts_attention_part_forward(call, a, place);
        return;
    }
    dts_ranges(forward_range, (size_t)a->batch * s.heads * dts_attention_blocks(&s), call, a,
               place);
}
