/* activation_host.c -- functions of one value on a CPU: vectorized loops. */
#include "ops/activation_values.h"
#include "ops/fetch.h"
#include "ops/past_caches.h"
#include "ops/ranges.h"

static size_t values(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * dts_dims_elements(&call->output);
}

/* y of x, and dx of x or y and dy: loops over lines of memory, which ask for those that come
 * 2 KiB later. What is computed of a value takes as long as its memory; a processor alone looks
 * ahead so little that the one waits for the other. */
enum { BLOCK = 4 * DTS_LINE_VALUES, AHEAD = 512 };

typedef float value_fn(float x, float slope);
typedef float slope_fn(float x_or_y, float dy, float slope);

/* Values up to where a line of y begins, then blocks that go past the caches; how many. */
static inline __attribute__((always_inline)) size_t
map_past_caches(const float *x, float *y, size_t count, float slope, value_fn *function)
{
    size_t i = 0;
    for (; i < count && (uintptr_t)(y + i) % sizeof(dts_lanes) != 0; i++)
        y[i] = function(x[i], slope);
    for (; i + BLOCK <= count; i += BLOCK) {
        float block[BLOCK];
        dts_fetch(x + i + AHEAD, BLOCK);
#pragma omp simd
        for (size_t k = 0; k < BLOCK; k++)
            block[k] = function(x[i + k], slope);
        dts_store_past_caches(y + i, block, BLOCK);
    }
    dts_lanes_streamed();
    return i;
}

static inline __attribute__((always_inline)) void map(const struct dts_op_call *call,
                                                      const struct dts_arrays *a,
                                                      struct dts_range range,
                                                      value_fn *function)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)a->x[0] + range.first;
    float *y = (float *)a->y + range.first;
    size_t i = 0;
    if (dts_goes_past_caches(a->y, values(call, a) * sizeof(*y)))
        i = map_past_caches(x, y, range.count, slope, function);
    for (; i + BLOCK <= range.count; i += BLOCK) {
        dts_fetch(x + i + AHEAD, BLOCK);
        dts_fetch_to_write(y + i + AHEAD, BLOCK);
#pragma omp simd
        for (size_t k = i; k < i + BLOCK; k++)
            y[k] = function(x[k], slope);
    }
#pragma omp simd
    for (size_t k = i; k < range.count; k++)
        y[k] = function(x[k], slope);
}

static inline __attribute__((always_inline)) void
map_back(const struct dts_op_call *call, const struct dts_arrays *a, const void *x_or_y,
         struct dts_range range, slope_fn *function)
{
    const float slope = (float)call->slope;
    const float *x = (const float *)x_or_y + range.first;
    const float *dy = (const float *)a->dy + range.first;
    float *dx = (float *)a->dx[0] + range.first;
    size_t i = 0;
    for (; i + BLOCK <= range.count; i += BLOCK) {
        dts_fetch(x + i + AHEAD, BLOCK);
        dts_fetch(dy + i + AHEAD, BLOCK);
        dts_fetch_to_write(dx + i + AHEAD, BLOCK);
#pragma omp simd
        for (size_t k = i; k < i + BLOCK; k++)
            dx[k] = function(x[k], dy[k], slope);
    }
#pragma omp simd
    for (size_t k = i; k < range.count; k++)
        dx[k] = function(x[k], dy[k], slope);
}

static void relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, relu);
}

static void relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->y, range, relu_back);
}

static void leaky_relu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                               struct dts_range range)
{
    map(call, a, range, leaky_relu);
}

static void leaky_relu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                                struct dts_range range)
{
    map_back(call, a, a->x[0], range, leaky_relu_back);
}

static void gelu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, gelu);
}

static void gelu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->x[0], range, gelu_back);
}

static void silu_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, silu);
}

static void silu_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->x[0], range, silu_back);
}

static void sigmoid_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    map(call, a, range, sigmoid);
}

static void sigmoid_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                             struct dts_range range)
{
    map_back(call, a, a->y, range, sigmoid_back);
}

static void tanh_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                         struct dts_range range)
{
    map(call, a, range, tanh_of);
}

static void tanh_backward(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    map_back(call, a, a->y, range, tanh_back);
}

void dts_relu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(relu_forward, values(call, a), call, a, place);
}

void dts_relu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(relu_backward, values(call, a), call, a, place);
}

void dts_leaky_relu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    dts_ranges(leaky_relu_forward, values(call, a), call, a, place);
}

void dts_leaky_relu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(leaky_relu_backward, values(call, a), call, a, place);
}

void dts_gelu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(gelu_forward, values(call, a), call, a, place);
}

void dts_gelu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(gelu_backward, values(call, a), call, a, place);
}

void dts_silu_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(silu_forward, values(call, a), call, a, place);
}

void dts_silu_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(silu_backward, values(call, a), call, a, place);
}

void dts_sigmoid_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                              const struct dts_place *place)
{
    dts_ranges(sigmoid_forward, values(call, a), call, a, place);
}

void dts_sigmoid_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(sigmoid_backward, values(call, a), call, a, place);
}

void dts_tanh_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                           const struct dts_place *place)
{
    dts_ranges(tanh_forward, values(call, a), call, a, place);
}

void dts_tanh_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(tanh_backward, values(call, a), call, a, place);
}
