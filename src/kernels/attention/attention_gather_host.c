/* attention_gather_host.c -- attention over positions that several ranks have parts of, where
 * each gathers the keys and values of all (op.h; Grattafiori et al. 2024, arXiv:2407.21783,
 * section 3.3.2) and works on the queries of its own positions:
 *
 *     forward    LEAVE  own keys, values    WORK  y
 *     backward   LEAVE  own keys, values    WORK  dq; dk, dv of all    RETURN  own dk, dv
 *
 * A call has the shapes of the rank's positions. Rows of keys are before those of values; of
 * each [ranks, batch, positions of a rank, features], of which a rank fills its block. What
 * comes back are sums over all ranks' queries.
 */
#include <assert.h>
#include <string.h>

#include "kernels/attention/attention.h"

enum { ALIGN = 16, KEYS = 0, VALUES = 1, BOTH = 2 };

static size_t rounded(size_t floats)
{
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

struct shape {
    size_t ranks, batch, here; // positions of a rank
    size_t features, width;    // of a row of queries; of keys, and of values
    bool one;                  // tensor of queries, keys, values
};

static struct shape shape_of(const struct dts_op_call *call, int batch)
{
    const bool one = call->input_count == 1;
    return (struct shape){
        .ranks = (size_t)call->context_ranks,
        .batch = (size_t)batch,
        .here = call->output.size[0],
        .features = call->output.size[1],
        .width = one ? call->output.size[1] : call->inputs[1].size[1],
        .one = one,
    };
}

/* Values of the keys of all ranks, or of the values. */
static size_t all_of(const struct shape *s)
{
    return s->ranks * s->batch * s->here * s->width;
}

struct dts_op_call dts_attention_gathered_work(const struct dts_op_call *call, int rank)
{
    const struct shape s = shape_of(call, 1);
    struct dts_op_call work = *call;
    work.context_ranks = 0;
    work.before = (size_t)rank * s.here;
    work.input_count = 3;
    work.inputs[0] = call->output;
    work.inputs[1] = work.inputs[2] = (struct dts_dims){2, {s.ranks * s.here, s.width, 1, 1}};
    return work;
}

size_t dts_attention_gathered_values(const struct dts_op_call *call, int batch)
{
    const struct shape s = shape_of(call, batch);
    return BOTH * all_of(&s);
}

/* Keys and values of all, and queries; backward their gradients, too. */
size_t dts_attention_gathered_scratch(const struct dts_op_call *call, int batch, bool backward)
{
    const struct shape s = shape_of(call, batch);
    const size_t queries = s.one ? rounded(s.batch * s.here * s.features) : 0;
    const size_t floats = BOTH * rounded(all_of(&s)) + queries;
    return (backward ? 2 : 1) * floats * sizeof(float);
}

/* Where keys or values begin in the rank's tensors, and values from row to row; NULL: nobody
 * wants their gradients. */
static float *own_of(const struct shape *s, void *const *tensors, int which, size_t *row)
{
    float *tensor = tensors[s->one ? 0 : 1 + which];
    *row = s->one ? 3 * s->features : s->width;
    return s->one && tensor != NULL ? tensor + (size_t)(1 + which) * s->features : tensor;
}

/* Between the rank's tensors and its blocks of the rows. */
static void move_own(const struct shape *s, const struct dts_arrays *a, void *const *tensors,
                     bool leave)
{
    for (int which = 0; which < BOTH; which++) {
        size_t row;
        float *own = own_of(s, tensors, which, &row);
        const size_t count = s->batch * s->here;
        float *block =
            a->rows + ((size_t)which * s->ranks + (size_t)a->rank) * count * s->width;
        for (size_t i = 0; own != NULL && i < count; i++)
            memcpy(leave ? block + i * s->width : own + i * row,
                   leave ? own + i * row : block + i * s->width, s->width * sizeof(float));
    }
}

/* Between rows and a tensor of all positions. */
static void move_all(const struct shape *s, int which, float *rows, float *tensor, bool give)
{
    const size_t count = s->batch * s->here;
    float *row = rows + (size_t)which * all_of(s);
    for (size_t rank = 0; rank < s->ranks; rank++)
        for (size_t i = 0; i < count; i++, row += s->width) {
            float *at =
                tensor + ((i / s->here * s->ranks + rank) * s->here + i % s->here) * s->width;
            memcpy(give ? row : at, give ? at : row, s->width * sizeof(float));
        }
}

static void move_queries(const struct shape *s, float *rows, float *queries, bool give)
{
    for (size_t i = 0; i < s->batch * s->here; i++)
        memcpy(give ? rows + 3 * i * s->features : queries + i * s->features,
               give ? queries + i * s->features : rows + 3 * i * s->features,
               s->features * sizeof(float));
}

static float *take(float **at, size_t floats)
{
    float *taken = *at;
    *at += rounded(floats);
    return taken;
}

/* Keys, values and queries of the work, in scratch. */
static struct dts_arrays begin_work(const struct shape *s, const struct dts_arrays *a,
                                    float **rest)
{
    struct dts_arrays inner = *a;
    inner.part = DTS_OP_WHOLE;
    for (int which = 0; which < BOTH; which++) {
        float *all = take(rest, all_of(s));
        move_all(s, which, a->rows, all, false);
        inner.x[1 + which] = all;
    }
    if (s->one) {
        float *queries = take(rest, s->batch * s->here * s->features);
        move_queries(s, (float *)a->x[0], queries, false);
        inner.x[0] = queries;
    }
    return inner;
}

static void work_backward(const struct shape *s, const struct dts_op_call *call,
                          const struct dts_arrays *a, const struct dts_place *place)
{
    float *rest = a->scratch, *own = a->dx[0];
    struct dts_arrays inner = begin_work(s, a, &rest);
    for (int which = 0; which < BOTH; which++)
        inner.dx[1 + which] = take(&rest, all_of(s));
    if (s->one && own != NULL)
        inner.dx[0] = take(&rest, s->batch * s->here * s->features);
    inner.scratch = rest;
    dts_attention_backward_host(call, &inner, place);
    if (s->one && own != NULL)
        move_queries(s, own, inner.dx[0], true);
    for (int which = 0; which < BOTH; which++)
        move_all(s, which, a->rows, inner.dx[1 + which], true);
}

void dts_attention_gathered_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                                    const struct dts_place *place)
{
    const struct shape s = shape_of(call, a->batch);
    if (a->part == DTS_OP_LEAVE) {
        move_own(&s, a, (void *const *)a->x, true);
        return;
    }
    assert(a->part == DTS_OP_WORK);
    const struct dts_op_call work = dts_attention_gathered_work(call, a->rank);
    float *rest = a->scratch;
    struct dts_arrays inner = begin_work(&s, a, &rest);
    inner.scratch = rest;
    dts_attention_forward_host(&work, &inner, place);
}

void dts_attention_gathered_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                     const struct dts_place *place)
{
    const struct shape s = shape_of(call, a->batch);
    const struct dts_op_call work = dts_attention_gathered_work(call, a->rank);
    if (a->part == DTS_OP_LEAVE) {
        move_own(&s, a, (void *const *)a->x, true);
    } else if (a->part == DTS_OP_WORK) {
        work_backward(&s, &work, a, place);
    } else {
        assert(a->part == DTS_OP_RETURN);
        move_own(&s, a, a->dx, false);
    }
}
