/* dropout_host.c -- dropout on a CPU: random bits by whole pieces, vectorized. */
#include <string.h>

#include "kernels/dropout/dropout.h"
#include "kernels/dropout/dropout_bits.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

enum { BLOCKS = DTS_DROPOUT_BLOCKS, PIECE = DTS_DROPOUT_PIECE };
enum { FEW = 16, STEP = 4 * DTS_LINE_VALUES }; // blocks, and values, between which to fetch

static size_t pieces_of(const struct dts_op_call *call)
{
    return (dts_dims_elements(&call->output) + PIECE - 1) / PIECE;
}

/* keep: of all values of a piece of a sample. Meanwhile x of the next piece is fetched. */
static void draw(const struct dts_dropout_keys *keys, const struct dts_arrays *a, size_t sample,
                 size_t piece, uint32_t threshold, const float *next, uint8_t *restrict keep)
{
    const uint64_t number = a->first_sample + sample;
    const uint32_t counter[] = {(uint32_t)a->step, (uint32_t)number, (uint32_t)(number >> 32)};
    for (int i = 0; i < BLOCKS; i += FEW) {
        dts_fetch(next + i * PIECE / BLOCKS, FEW * PIECE / BLOCKS);
        dts_dropout_draw(keys, (uint32_t)(piece * BLOCKS) + (uint32_t)i, counter, FEW, BLOCKS,
                         threshold, keep + i);
    }
}

static inline void scale_kept(const float *x, const uint8_t *keep, float scale, size_t count,
                              float *y)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        y[i] = keep[i] ? scale * x[i] : 0;
}

static void forward_pieces(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const size_t pieces = pieces_of(call), n = dts_dims_elements(&call->output);
    const uint32_t threshold = dts_dropout_threshold(call);
    const float scale = (float)dts_dropout_scale(call);
    const bool large = dts_rows_go_past_caches(a->y, (size_t)a->batch, n);
    const struct dts_dropout_keys keys = dts_dropout_keys(a->seed);
    uint8_t keep[PIECE];
    for (size_t k = range.first; k < range.first + range.count; k++) {
        const size_t piece = k % pieces, at = k / pieces * n + piece * PIECE;
        const size_t count = n - piece * PIECE < PIECE ? n - piece * PIECE : PIECE;
        const float *x = (const float *)a->x[0] + at;
        float *y = (float *)a->y + at;
        draw(&keys, a, k / pieces, piece, threshold, x + PIECE, keep);
        memcpy((uint8_t *)a->saved + at, keep, count);
        for (size_t first = 0; first < count; first += STEP) {
            const size_t end = count - first < STEP ? count : first + STEP;
            const bool past = large && end - first == STEP;
            float block[STEP];
            if (!past)
                dts_fetch_to_write(y + first + PIECE, STEP);
            __builtin_prefetch((uint8_t *)a->saved + at + first + PIECE, 1);
            scale_kept(x + first, keep + first, scale, end - first,
                       dts_begin_block(y, first, block, past));
            dts_end_block(y, first, end, block, past);
        }
    }
    dts_lanes_streamed();
}

/* A run of values that are neighbours in the whole sample, too, from `place` on there. Pieces
 * are drawn once where the next run needs the same. */
struct drawn {
    uint8_t keep[PIECE];
    size_t sample, piece;
    bool any;
};

static void drop_run(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct drawn *drawn, size_t sample, size_t value, size_t place,
                     size_t count)
{
    const struct dts_dropout_keys keys = dts_dropout_keys(a->seed);
    const float scale = (float)dts_dropout_scale(call);
    const size_t at = sample * dts_dims_elements(&call->output) + value;
    for (size_t i = 0, some; i < count; i += some) {
        const size_t piece = (place + i) / PIECE, in_piece = (place + i) % PIECE;
        const float *x = (const float *)a->x[0] + at + i;
        some = PIECE - in_piece < count - i ? PIECE - in_piece : count - i;
        if (!drawn->any || drawn->sample != sample || drawn->piece != piece)
            draw(&keys, a, sample, piece, dts_dropout_threshold(call), x, drawn->keep);
        drawn->any = true, drawn->sample = sample, drawn->piece = piece;
        memcpy((uint8_t *)a->saved + at + i, drawn->keep + in_piece, some);
        scale_kept(x, drawn->keep + in_piece, scale, some, (float *)a->y + at + i);
    }
}

/* Where ranks have parts of a sample. */
static void forward_runs(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    const size_t row = a->places.row, runs = dts_dims_elements(&call->output) / row;
    struct drawn drawn = {.any = false};
    for (size_t k = range.first; k < range.first + range.count; k++)
        drop_run(call, a, &drawn, k / runs, k % runs * row,
                 dts_op_place(&a->places, k % runs * row), row);
}

static void backward_range(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const float scale = (float)dts_dropout_scale(call);
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    const bool large = dts_goes_past_caches(a->dx[0], n * sizeof(float));
    const uint8_t *keep = (const uint8_t *)a->saved + range.first;
    const float *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
    for (size_t first = 0, count; first < range.count; first += count) {
        count = dts_turn(dx + first, range.count - first, STEP);
        const bool past = large && dts_turn_goes_past(dx + first, count);
        float block[STEP];
        dts_fetch(dy + first + PIECE, STEP);
        if (!past)
            dts_fetch_to_write(dx + first + PIECE, STEP);
        __builtin_prefetch(keep + first + PIECE);
        scale_kept(dy + first, keep + first, scale, count,
                   dts_begin_block(dx, first, block, past));
        dts_end_block(dx, first, first + count, block, past);
    }
    dts_lanes_streamed();
}

void dts_dropout_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    const size_t n = (size_t)a->batch * dts_dims_elements(&call->output);
    const size_t row = a->places.row;
    if (a->training && row > 0)
        dts_ranges(forward_runs, n / row, call, a, place);
    else if (a->training)
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
