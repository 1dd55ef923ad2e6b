/* attention.c -- scaled dot-product attention (Vaswani et al. 2017, arXiv:1706.03762). For each
 * head, with queries q[i], keys k[j] and values v[j] of n values each:
 *
 *     s[i, j] = q[i] . k[j] / sqrt(n)       j <= i where it is causal
 *     l[i]    = log of sum over j of exp s[i, j]
 *     p[i, j] = exp(s[i, j] - l[i])
 *     y[i]    = sum over j of c[i, j] p[i, j] v[j]
 *
 * c is 1; with dropout 0 or 1 / (1 - rate), drawn by counters (attention.h), when it trains.
 * Backward makes s and p again from what was kept, l (Dao et al. 2022, arXiv:2205.14135):
 *
 *     dv[j]    = sum over i of c[i, j] p[i, j] dy[i]
 *     ds[i, j] = p[i, j] (c[i, j] dy[i] . v[j] - dy[i] . y[i]) / sqrt(n)
 *     dq[i]    = sum over j of ds[i, j] k[j],  dk[j] = sum over i of ds[i, j] q[i]
 *
 * Inputs are one tensor of rows q k v, or three: queries, keys, values, where neighbouring
 * heads may share keys and values. The fast version is attention_host.c.
 */
#include <math.h>
#include <string.h>

#include "base/philox.h"
#include "kernels/attention/attention.h"
#include "kernels/dropout/dropout.h"
#include "kernels/op_cost.h"

struct dts_attention_sizes dts_attention_sizes(const struct dts_op_call *call)
{
    const bool one = call->input_count == 1;
    const size_t features = call->output.size[1];
    struct dts_attention_sizes s = {.heads = (size_t)call->heads,
                                    .head = features / (size_t)call->heads,
                                    .queries = call->output.size[0],
                                    .query_row = call->inputs[0].size[1]};
    s.keys = one ? s.queries : call->inputs[1].size[0];
    s.before = call->before;
    s.all = call->gathered ? s.keys : s.queries;
    s.key_row = one ? s.query_row : call->inputs[1].size[1];
    s.key_heads = one ? s.heads : s.key_row / s.head;
    s.key_at = one ? features : 0;
    s.value_at = one ? 2 * features : 0;
    s.key_input = one ? 0 : 1;
    s.value_input = one ? 0 : 2;
    return s;
}

static size_t shared_head(const struct dts_attention_sizes *s, size_t head)
{
    return head / (s->heads / s->key_heads);
}

size_t dts_attention_query(const struct dts_attention_sizes *s, size_t sample, size_t head)
{
    return sample * s->queries * s->query_row + head * s->head;
}

size_t dts_attention_key(const struct dts_attention_sizes *s, size_t sample, size_t head)
{
    return sample * s->keys * s->key_row + s->key_at + shared_head(s, head) * s->head;
}

size_t dts_attention_value(const struct dts_attention_sizes *s, size_t sample, size_t head)
{
    return sample * s->keys * s->key_row + s->value_at + shared_head(s, head) * s->head;
}

size_t dts_attention_output(const struct dts_attention_sizes *s, size_t sample, size_t head)
{
    return (sample * s->queries * s->heads + head) * s->head;
}

/* c of one probability. */
static double factor(const struct dts_op_call *call, const struct dts_arrays *a, size_t sample,
                     size_t row, size_t key)
{
    if (!a->training || call->rate == 0)
        return 1;
    const size_t in_piece = key % DTS_ATTENTION_PIECE, part = in_piece / DTS_ATTENTION_BLOCKS;
    const size_t block =
        key / DTS_ATTENTION_PIECE * DTS_ATTENTION_BLOCKS + in_piece % DTS_ATTENTION_BLOCKS;
    const size_t before = a->first * dts_attention_sizes(call).all; // of other ranks' heads
    uint32_t x[4] = {(uint32_t)block, (uint32_t)(before + row), (uint32_t)a->step,
                     (uint32_t)(a->first_sample + sample)};
    dts_philox(x, a->seed);
    const bool keep =
        (x[part / 2] >> (16 * (part % 2)) & 0xffff) >= dts_dropout_threshold(call);
    return keep ? dts_dropout_scale(call) : 0;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* One query of one head: where its vectors and those of the keys begin. */
struct row {
    size_t sample, query, number; // number: head x all queries + query
    size_t q, k, v, y;
    size_t seen; // keys
};

static struct row row_of(const struct dts_op_call *call, const struct dts_attention_sizes *s,
                         size_t i)
{
    const size_t query = i % s->queries, head = i / s->queries % s->heads;
    const size_t sample = i / s->queries / s->heads;
    return (struct row){
        .sample = sample,
        .query = query,
        .number = head * s->all + s->before + query,
        .q = dts_attention_query(s, sample, head) + query * s->query_row,
        .k = dts_attention_key(s, sample, head),
        .v = dts_attention_value(s, sample, head),
        .y = dts_attention_output(s, sample, head) + query * s->heads * s->head,
        .seen = dts_attention_seen(call, s->before + query, s->keys),
    };
}

static double score(const struct dts_attention_sizes *s, const struct dts_arrays *a,
                    const struct row *row, size_t key)
{
    const double *k = (const double *)a->x[s->key_input] + row->k + key * s->key_row;
    return dot((const double *)a->x[0] + row->q, k, s->head) / sqrt((double)s->head);
}

static double log_sum(const struct dts_attention_sizes *s, const struct dts_arrays *a,
                      const struct row *row)
{
    double most = score(s, a, row, 0), sum = 0;
    for (size_t j = 1; j < row->seen; j++)
        most = fmax(most, score(s, a, row, j));
    for (size_t j = 0; j < row->seen; j++)
        sum += exp(score(s, a, row, j) - most);
    return most + log(sum);
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    for (size_t i = 0; i < (size_t)a->batch * s.heads * s.queries; i++) {
        const struct row row = row_of(call, &s, i);
        const double l = log_sum(&s, a, &row);
        double *y = (double *)a->y + row.y;
        ((double *)a->saved)[i] = l;
        memset(y, 0, s.head * sizeof(*y));
        for (size_t j = 0; j < row.seen; j++) {
            const double *v = (const double *)a->x[s.value_input] + row.v + j * s.key_row;
            const double p =
                exp(score(&s, a, &row, j) - l) * factor(call, a, row.sample, row.number, j);
            for (size_t c = 0; c < s.head; c++)
                y[c] += p * v[c];
        }
    }
}

/* What one pair of a query and a key adds to the gradients. */
static void pair_backward(const struct dts_op_call *call, const struct dts_attention_sizes *s,
                          const struct dts_arrays *a, const struct row *row, size_t j, double l)
{
    const size_t k = row->k + j * s->key_row, v = row->v + j * s->key_row, n = s->head;
    const double *dy = (const double *)a->dy + row->y;
    const double p = exp(score(s, a, row, j) - l);
    const double c = factor(call, a, row->sample, row->number, j);
    const double dp = c * dot(dy, (const double *)a->x[s->value_input] + v, n) -
                      dot(dy, (const double *)a->y + row->y, n);
    const double ds = p * dp / sqrt((double)n);
    double *dq = a->dx[0], *dk = a->dx[s->key_input], *dv = a->dx[s->value_input];
    for (size_t i = 0; i < n; i++) {
        if (dv != NULL)
            dv[v + i] += c * p * dy[i];
        if (dq != NULL)
            dq[row->q + i] += ds * ((const double *)a->x[s->key_input])[k + i];
        if (dk != NULL)
            dk[k + i] += ds * ((const double *)a->x[0])[row->q + i];
    }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_attention_sizes s = dts_attention_sizes(call);
    for (int i = 0; i < call->input_count; i++)
        if (a->dx[i] != NULL)
            memset(a->dx[i], 0,
                   (size_t)a->batch * dts_dims_elements(&call->inputs[i]) * sizeof(double));
    for (size_t i = 0; i < (size_t)a->batch * s.heads * s.queries; i++) {
        const struct row row = row_of(call, &s, i);
        for (size_t j = 0; j < row.seen; j++)
            pair_backward(call, &s, a, &row, j, ((const double *)a->saved)[i]);
    }
}

static size_t saved_bytes(const struct dts_op_call *call, int batch, size_t real)
{
    if (call->context_ranks > 1 && !call->gathered)
        return dts_attention_parts_saved(call, batch) * real;
    return (size_t)batch * (size_t)call->heads * call->output.size[0] * real;
}

const struct dts_operation dts_op_attention = {
    .name = "attention",
    .summary = "each position takes from others what its query asks for",
    .needs_x = true,
    .products = true,
    .needs_y = true,
    .row_values = dts_attention_row_values,
    .saved_bytes = saved_bytes,
    .cost = dts_attention_cost,
    .reference = {forward, backward},
    .host = {dts_attention_forward_host, dts_attention_backward_host,
             dts_attention_forward_scratch, dts_attention_backward_scratch},
    .cuda = DTS_CUDA({dts_attention_forward_cuda, dts_attention_backward_cuda,
                      dts_attention_forward_scratch_cuda, dts_attention_backward_scratch_cuda}),
};
