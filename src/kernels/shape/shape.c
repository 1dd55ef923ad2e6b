/* shape.c -- operations that move values and change none:
 *
 *     concat    the inputs behind one another along the first size
 *     select    the first positions of the first size; dx of the others is 0
 *     sequence  [channels, ...] into [positions, channels]: transposed
 *
 * Copies are the same for the reference and on the host, but for the size of a value.
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/ranges.h"
#include "kernels/vector/transpose.h"

/* Piece i of a concatenation: input i % count of sample i / count. */
static void concat_pieces(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range, bool back, size_t real)
{
    const size_t inputs = (size_t)call->input_count, all = dts_dims_elements(&call->output);
    for (size_t i = range.first; i < range.first + range.count; i++) {
        const size_t k = i % inputs, n = dts_dims_elements(&call->inputs[k]);
        size_t at = i / inputs * all;
        for (size_t before = 0; before < k; before++)
            at += dts_dims_elements(&call->inputs[before]);
        if (!back)
            memcpy((char *)a->y + at * real, (const char *)a->x[k] + i / inputs * n * real,
                   n * real);
        else if (a->dx[k] != NULL)
            memcpy((char *)a->dx[k] + i / inputs * n * real, (const char *)a->dy + at * real,
                   n * real);
    }
}

static void select_samples(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range, bool back, size_t real)
{
    const size_t in = dts_dims_elements(&call->inputs[0]) * real;
    const size_t out = dts_dims_elements(&call->output) * real;
    for (size_t i = range.first; i < range.first + range.count; i++) {
        if (!back) {
            memcpy((char *)a->y + i * out, (const char *)a->x[0] + i * in, out);
            continue;
        }
        memcpy((char *)a->dx[0] + i * in, (const char *)a->dy + i * out, out);
        memset((char *)a->dx[0] + i * in + out, 0, in - out);
    }
}

/* What is moved: forward [channels, positions]. */
static struct dts_transpose matrices_of(const struct dts_op_call *call,
                                        const struct dts_arrays *a, bool back)
{
    const size_t channels = call->output.size[1], positions = call->output.size[0];
    const size_t count = (size_t)a->batch;
    return back ? (struct dts_transpose){a->dy, a->dx[0], positions, channels, count}
                : (struct dts_transpose){a->x[0], a->y, channels, positions, count};
}

static void transpose_all(const struct dts_op_call *call, const struct dts_arrays *a, bool back)
{
    const struct dts_transpose m = matrices_of(call, a, back);
    const double *from = back ? a->dy : a->x[0];
    double *to = back ? a->dx[0] : a->y;
    for (size_t b = 0; b < m.count; b++)
        for (size_t i = 0; i < m.rows; i++)
            for (size_t j = 0; j < m.columns; j++)
                to[(b * m.columns + j) * m.rows + i] = from[(b * m.rows + i) * m.columns + j];
}

static void transpose_range(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range, bool back)
{
    const struct dts_transpose m = matrices_of(call, a, back);
    dts_transpose_some(&m, range.first, range.count);
}

static void concat_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = (size_t)a->batch * (size_t)call->input_count};
    concat_pieces(call, a, all, false, sizeof(double));
}

static void concat_forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                 struct dts_range range)
{
    concat_pieces(call, a, range, false, sizeof(float));
}

static void concat_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    dts_ranges(concat_forward_range, (size_t)a->batch * (size_t)call->input_count, call, a,
               place);
}

static void concat_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = (size_t)a->batch * (size_t)call->input_count};
    concat_pieces(call, a, all, true, sizeof(double));
}

static void concat_backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                  struct dts_range range)
{
    concat_pieces(call, a, range, true, sizeof(float));
}

static void concat_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    dts_ranges(concat_backward_range, (size_t)a->batch * (size_t)call->input_count, call, a,
               place);
}

static void select_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = (size_t)a->batch};
    select_samples(call, a, all, false, sizeof(double));
}

static void select_forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                 struct dts_range range)
{
    select_samples(call, a, range, false, sizeof(float));
}

static void select_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    dts_ranges(select_forward_range, (size_t)a->batch, call, a, place);
}

static void select_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    (void)place;
    const struct dts_range all = {.count = (size_t)a->batch};
    if (a->dx[0] != NULL)
        select_samples(call, a, all, true, sizeof(double));
}

static void select_backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                  struct dts_range range)
{
    select_samples(call, a, range, true, sizeof(float));
}

static void select_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(select_backward_range, (size_t)a->batch, call, a, place);
}

static void sequence_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    (void)place;
    transpose_all(call, a, false);
}

static void sequence_forward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                   struct dts_range range)
{
    transpose_range(call, a, range, false);
}

static void sequence_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    const struct dts_transpose m = matrices_of(call, a, false);
    dts_ranges(sequence_forward_range, dts_transpose_parts(&m), call, a, place);
}

static void sequence_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    (void)place;
    if (a->dx[0] != NULL)
        transpose_all(call, a, true);
}

static void sequence_backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                                    struct dts_range range)
{
    transpose_range(call, a, range, true);
}

static void sequence_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                   const struct dts_place *place)
{
    const struct dts_transpose m = matrices_of(call, a, true);
    if (a->dx[0] != NULL)
        dts_ranges(sequence_backward_range, dts_transpose_parts(&m), call, a, place);
}

dts_op_fn dts_concat_forward_cuda, dts_concat_backward_cuda; // shape.cu
dts_op_fn dts_select_forward_cuda, dts_select_backward_cuda;
dts_op_fn dts_sequence_forward_cuda, dts_sequence_backward_cuda;

const struct dts_operation dts_op_concat = {
    .name = "concat",
    .summary = "its inputs behind one another, along the first size",
    .cost = dts_concat_cost,
    .reference = {concat_forward, concat_backward},
    .host = {concat_forward_host, concat_backward_host},
    .cuda = DTS_CUDA({dts_concat_forward_cuda, dts_concat_backward_cuda}),
};

const struct dts_operation dts_op_select = {
    .name = "select",
    .summary = "some of the positions",
    .cost = dts_part_cost,
    .reference = {select_forward, select_backward},
    .host = {select_forward_host, select_backward_host},
    .cuda = DTS_CUDA({dts_select_forward_cuda, dts_select_backward_cuda}),
};

const struct dts_operation dts_op_sequence = {
    .name = "sequence",
    .summary = "an image as a sequence: [channels, ...] into [positions, channels]",
    .cost = dts_part_cost,
    .reference = {sequence_forward, sequence_backward},
    .host = {sequence_forward_host, sequence_backward_host},
    .cuda = DTS_CUDA({dts_sequence_forward_cuda, dts_sequence_backward_cuda}),
};
