/* activation_map.h -- loops of functions of one value on a CPU, which a compiler makes into
 * vectors. */
#ifndef DTS_KERNELS_ACTIVATION_ACTIVATION_MAP_H
#define DTS_KERNELS_ACTIVATION_ACTIVATION_MAP_H

#include <string.h>

#include "kernels/activation/activation_values.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

static inline size_t values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

/* y of x, and dx of x or y and dy: loops over lines of memory, which ask for those that come
 * 2 KiB later. What is computed of a value takes as long as its memory; a processor alone looks
 * ahead so little that the one waits for the other. */
enum { BLOCK = 4 * DTS_LINE_VALUES, AHEAD = 512 };

/* The exponent made of x; NULL where there is no exponential. */
typedef struct dts_reduced exponent_fn(float x);
typedef float value_fn(float x, struct dts_reduced a, float slope);
typedef float slope_fn(float x_or_y, float dy, struct dts_reduced a, float slope);

/* Exponents of a block. A loop of its own: all in one, a value waits for a chain
 * of operations so long that a processor has too few values under way to be busy. */
struct block {
    float power[BLOCK], r[BLOCK];
};

static inline __attribute__((always_inline)) void reduce(const float *x, exponent_fn *exponent,
                                                         struct block *b)
{
    if (exponent == NULL)
        return;
#pragma omp simd
    for (int k = 0; k < BLOCK; k++) {
        const struct dts_reduced a = exponent(x[k]);
        b->power[k] = a.power;
        b->r[k] = a.r;
    }
}

static inline __attribute__((always_inline)) struct dts_reduced
reduced(const struct block *b, int k, exponent_fn *exponent)
{
    return exponent == NULL ? (struct dts_reduced){0, 0}
                            : (struct dts_reduced){b->power[k], b->r[k]};
}

static inline __attribute__((always_inline)) void
map_block(const float *x, float *y, float slope, exponent_fn *exponent, value_fn *function)
{
    struct block b;
    reduce(x, exponent, &b);
#pragma omp simd
    for (int k = 0; k < BLOCK; k++)
        y[k] = function(x[k], reduced(&b, k, exponent), slope);
}

/* Fewer: as a block, so that they come out the same wherever a worker's share ends. */
static inline __attribute__((always_inline)) void map_few(const float *x, float *y,
                                                          size_t count, float slope,
                                                          exponent_fn *exponent,
                                                          value_fn *function)
{
    float from[BLOCK] = {0}, to[BLOCK];
    if (count == 0)
        return;
    memcpy(from, x, count * sizeof(*x));
    map_block(from, to, slope, exponent, function);
    memcpy(y, to, count * sizeof(*y));
}

static inline __attribute__((always_inline)) void map(const struct dts_op_call *call,
                                                      const struct dts_arrays *a,
                                                      struct dts_range range,
                                                      exponent_fn *exponent, value_fn *function)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
    const bool past = dts_goes_past_caches(a->y, values(call, a) * sizeof(*y));
    size_t i = past ? dts_before_a_line(y, range.count) : 0;
    map_few(x, y, i, slope, exponent, function);
    for (; i + BLOCK <= range.count; i += BLOCK) {
        float block[BLOCK];
        dts_fetch(x + i + AHEAD, BLOCK);
        if (!past)
            dts_fetch_to_write(y + i + AHEAD, BLOCK);
        map_block(x + i, dts_begin_block(y, i, block, past), slope, exponent, function);
        dts_end_block(y, i, i + BLOCK, block, past);
    }
    dts_lanes_streamed();
    map_few(x + i, y + i, range.count - i, slope, exponent, function);
}

static inline __attribute__((always_inline)) void
map_block_back(const float *x, const float *dy, float *dx, float slope, exponent_fn *exponent,
               slope_fn *function)
{
    struct block b;
    reduce(x, exponent, &b);
#pragma omp simd
    for (int k = 0; k < BLOCK; k++)
        dx[k] = function(x[k], dy[k], reduced(&b, k, exponent), slope);
}

static inline __attribute__((always_inline)) void
map_few_back(const float *x, const float *dy, float *dx, size_t count, float slope,
             exponent_fn *exponent, slope_fn *function)
{
    float from[BLOCK] = {0}, dy_from[BLOCK] = {0}, to[BLOCK];
    if (count == 0)
        return;
    memcpy(from, x, count * sizeof(*x));
    memcpy(dy_from, dy, count * sizeof(*dy));
    map_block_back(from, dy_from, to, slope, exponent, function);
    memcpy(dx, to, count * sizeof(*dx));
}

static inline __attribute__((always_inline)) void
map_back(const struct dts_op_call *call, const struct dts_arrays *a, const void *x_or_y,
         struct dts_range range, exponent_fn *exponent, slope_fn *function)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)x_or_y + range.first;
    const float *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
    const bool past = dts_goes_past_caches(a->dx[0], values(call, a) * sizeof(*dx));
    size_t i = past ? dts_before_a_line(dx, range.count) : 0;
    map_few_back(x, dy, dx, i, slope, exponent, function);
    for (; i + BLOCK <= range.count; i += BLOCK) {
        float block[BLOCK];
        dts_fetch(x + i + AHEAD, BLOCK);
        dts_fetch(dy + i + AHEAD, BLOCK);
        if (!past)
            dts_fetch_to_write(dx + i + AHEAD, BLOCK);
        map_block_back(x + i, dy + i, dts_begin_block(dx, i, block, past), slope, exponent,
                       function);
        dts_end_block(dx, i, i + BLOCK, block, past);
    }
    dts_lanes_streamed();
    map_few_back(x + i, dy + i, dx + i, range.count - i, slope, exponent, function);
}

#endif
