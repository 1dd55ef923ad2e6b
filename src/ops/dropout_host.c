/* dropout_host.c -- dropout on a CPU: random bits by whole pieces, vectorized. */
#include <string.h>

#include "ops/dropout.h"
#include "ops/dropout_bits.h"
#include "ops/ranges.h"

enum { BLOCKS = DTS_DROPOUT_BLOCKS, PIECE = DTS_DROPOUT_PIECE };

static size_t pieces_of(const struct dts_op_call *call)
{
    return (dts_dims_elements(&call->output) + PIECE - 1) / PIECE;
}

/* keep: of all values of a piece of a sample. */
static void draw(const struct dts_arrays *a, size_t sample, size_t piece, uint32_t threshold,
                 uint8_t *restrict keep)
{
    const uint64_t number = a->first_sample + sample;
    const uint32_t counter[] = {(uint32_t)a->step, (uint32_t)number, (uint32_t)(number >> 32)};
    dts_dropout_draw(a->seed, (uint32_t)(piece * BLOCKS), counter, BLOCKS, threshold, keep);
}

static void forward_pieces(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const size_t pieces = pieces_of(call), n = dts_dims_elements(&call->output);
    const uint32_t threshold = dts_dropout_threshold(call);
    const float scale = (float)dts_dropout_scale(call);
    uint8_t keep[PIECE];
    for (size_t k = range.first; k < range.first + range.count; k++) {
        const size_t piece = k % pieces, at = k / pieces * n + piece * PIECE;
        const size_t count = n - piece * PIECE < PIECE ? n - piece * PIECE : PIECE;
        const float *x = (const float *)a->x[0] + at;
        float *y = (float *)a->y + at;
        draw(a, k / pieces, piece, threshold, keep);
        memcpy((uint8_t *)a->saved + at, keep, count);
#pragma omp simd
        for (size_t i = 0; i < count; i++)
            y[i] = keep[i] ? scale * x[i] : 0;
    }
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const float scale = (float)dts_dropout_scale(call);
    const uint8_t *keep = (const uint8_t *)a->saved + range.first;
    const float *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
#pragma omp simd
    for (size_t i = 0; i < range.count; i++)
        dx[i] = keep[i] ? scale * dy[i] : 0;
}

void dts_dropout_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    if (a->training)
        dts_ranges(forward_pieces, (size_t)a->batch * pieces_of(call), call, a, place);
    else if (a->y != a->x[0])
        memcpy(a->y, a->x[0], n * sizeof(float));
}

void dts_dropout_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    if (a->dx[0] != NULL)
        dts_ranges(backward_range, n, call, a, place);
}
