/* attention_parts_host.c -- attention over positions that several ranks have parts of, in three
 * parts between which ranks exchange rows, all to all (op.h; Ulysses, Jacobs et al. 2023,
 * arXiv:2309.14509). Each rank has some positions with all heads, and works on all positions
 * with some heads:
 *
 *     forward    LEAVE  rows of q, k, v     WORK  attention    RETURN  y
 *     backward   LEAVE  rows of dy          WORK  backward     RETURN  dq, dk, dv
 *
 * A call has the shapes of its work, [all positions, features of the rank's heads]; its tensors
 * are as large, [the rank's positions, all features]. Rows of queries, of keys and of values
 * are one behind the other; of each for every rank: [ranks, batch, positions of a rank,
 * features].
 */
#include <assert.h>
#include <string.h>

#include "kernels/attention/attention.h"

enum { ALIGN = 16, SEGMENTS = 3 }; // floats; queries, keys, values

static size_t rounded(size_t floats)
{
    return (floats + ALIGN - 1) / ALIGN * ALIGN;
}

/* Features of the rank's heads that go together: where they are in a row of the work. */
struct segment {
    int input;
    size_t at, width, row;
    size_t first; // of the rows
};

struct parts {
    size_t ranks, batch, positions; // of a rank
    struct segment segments[SEGMENTS], output;
};

static struct parts parts_of(const struct dts_op_call *call, int batch)
{
    const bool one = call->input_count == 1;
    struct parts p = {.ranks = (size_t)call->context_ranks, .batch = (size_t)batch};
    const size_t features = call->output.size[1], all = call->output.size[0];
    size_t first = 0;
    p.positions = all / p.ranks;
    p.output = (struct segment){0, 0, features, features, 0};
    for (int i = 0; i < SEGMENTS; i++) {
        const size_t row = call->inputs[one ? 0 : i].size[1], width = one ? features : row;
        p.segments[i] =
            (struct segment){one ? 0 : i, one ? (size_t)i * features : 0, width, row, first};
        first += p.batch * all * width;
    }
    return p;
}

size_t dts_attention_row_values(const struct dts_op_call *call, int batch)
{
    if (call->context_ranks <= 1)
        return 0;
    if (call->gathered)
        return dts_attention_gathered_values(call, batch);
    const struct parts p = parts_of(call, batch);
    const struct segment *last = &p.segments[SEGMENTS - 1];
    return last->first + p.batch * p.ranks * p.positions * last->width;
}

/* Between rows and a tensor of the rank's positions, which has all heads. */
static void by_positions(const struct parts *p, const struct segment *s, float *tensor,
                         float *rows, bool leave)
{
    float *row = rows + s->first;
    for (size_t rank = 0; rank < p->ranks; rank++)
        for (size_t i = 0; i < p->batch * p->positions; i++, row += s->width) {
            float *here = tensor + (i * s->row + s->at) * p->ranks + rank * s->width;
            memcpy(leave ? row : here, leave ? here : row, s->width * sizeof(float));
        }
}

/* Between rows and a tensor of all positions, which has the rank's heads. */
static void by_heads(const struct parts *p, const struct segment *s, float *tensor, float *rows,
                     bool leave)
{
    const size_t all = p->ranks * p->positions;
    float *row = rows + s->first;
    for (size_t rank = 0; rank < p->ranks; rank++)
        for (size_t i = 0; i < p->batch * p->positions; i++, row += s->width) {
            const size_t position = rank * p->positions + i % p->positions;
            float *here = tensor + (i / p->positions * all + position) * s->row + s->at;
            memcpy(leave ? row : here, leave ? here : row, s->width * sizeof(float));
        }
}

/* What is kept, in floats: that of the work, its output and its inputs. */
struct kept {
    float *work, *y, *x[SEGMENTS];
};

static size_t tensor_of(int batch, const struct dts_dims *dims)
{
    return rounded((size_t)batch * dts_dims_elements(dims));
}

static struct kept kept_of(const struct dts_op_call *call, int batch, float *saved,
                           size_t *count)
{
    struct kept k = {.work = saved};
    float *at = saved + rounded((size_t)batch * (size_t)call->heads * call->output.size[0]);
    k.y = at;
    at += tensor_of(batch, &call->output);
    for (int i = 0; i < call->input_count; i++) {
        k.x[i] = at;
        at += tensor_of(batch, &call->inputs[i]);
    }
    *count = (size_t)(at - saved);
    return k;
}

size_t dts_attention_parts_saved(const struct dts_op_call *call, int batch)
{
    static float none[1];
    size_t count;
    kept_of(call, batch, none, &count);
    return count;
}

/* Behind the work's own: dy and the gradients of its inputs. */
size_t dts_attention_parts_scratch(const struct dts_op_call *call, int batch)
{
    size_t count = tensor_of(batch, &call->output);
    for (int i = 0; i < call->input_count; i++)
        count += tensor_of(batch, &call->inputs[i]);
    return count * sizeof(float);
}

static struct dts_op_call work_of(const struct dts_op_call *call)
{
    struct dts_op_call work = *call;
    work.context_ranks = 0;
    return work;
}

static void work_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    const struct parts p = parts_of(call, a->batch);
    const struct dts_op_call work = work_of(call);
    struct dts_arrays inner = *a;
    size_t ignored;
    const struct kept kept = kept_of(call, a->batch, a->saved, &ignored);
    for (int i = 0; i < SEGMENTS; i++)
        by_heads(&p, &p.segments[i], kept.x[p.segments[i].input], a->rows, false);
    for (int i = 0; i < call->input_count; i++)
        inner.x[i] = kept.x[i];
    inner.y = kept.y;
    inner.part = DTS_OP_WHOLE;
    dts_attention_forward_host(&work, &inner, place);
    by_heads(&p, &p.output, kept.y, a->rows, true);
}

static void work_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    const struct parts p = parts_of(call, a->batch);
    const struct dts_op_call work = work_of(call);
    struct dts_arrays inner = *a;
    float *at = a->scratch, *dx[SEGMENTS] = {NULL};
    size_t ignored;
    const struct kept kept = kept_of(call, a->batch, a->saved, &ignored);
    by_heads(&p, &p.output, at, a->rows, false);
    inner.dy = at;
    at += tensor_of(a->batch, &call->output);
    for (int i = 0; i < call->input_count; i++) {
        inner.x[i] = kept.x[i];
        inner.dx[i] = dx[i] = at;
        at += tensor_of(a->batch, &call->inputs[i]);
    }
    inner.y = kept.y;
    inner.scratch = at;
    inner.part = DTS_OP_WHOLE;
    dts_attention_backward_host(&work, &inner, place);
    for (int i = 0; i < SEGMENTS; i++)
        by_heads(&p, &p.segments[i], dx[p.segments[i].input], a->rows, true);
}

void dts_attention_part_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    if (call->gathered) {
        dts_attention_gathered_forward(call, a, place);
        return;
    }
    const struct parts p = parts_of(call, a->batch);
    if (a->part == DTS_OP_LEAVE) {
        for (int i = 0; i < SEGMENTS; i++)
            by_positions(&p, &p.segments[i], (float *)a->x[p.segments[i].input], a->rows, true);
    } else if (a->part == DTS_OP_WORK) {
        work_forward(call, a, place);
    } else {
        assert(a->part == DTS_OP_RETURN);
        by_positions(&p, &p.output, a->y, a->rows, false);
    }
}

void dts_attention_part_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    if (call->gathered) {
        dts_attention_gathered_backward(call, a, place);
        return;
    }
    const struct parts p = parts_of(call, a->batch);
    if (a->part == DTS_OP_LEAVE) {
        by_positions(&p, &p.output, (float *)a->dy, a->rows, true);
    } else if (a->part == DTS_OP_WORK) {
        work_backward(call, a, place);
    } else {
        assert(a->part == DTS_OP_RETURN);
        for (int i = 0; i < SEGMENTS; i++)
            if (a->dx[p.segments[i].input] != NULL)
                by_positions(&p, &p.segments[i], a->dx[p.segments[i].input], a->rows, false);
    }
}
