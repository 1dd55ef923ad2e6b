/* mean_pool.c -- the mean of each channel, over all of it (global_pool) or over a grid
 * (adaptive_pool). Window i of n along an axis of size s reaches from floor(i s / n) to
 * ceil((i + 1) s / n), as in PyTorch's AdaptiveAvgPool; of a global pool n is 1.
 *
 *     y[c, i] = sum over window i of x[c, p] / values in it
 *     dx[c, p] = sum over the windows i with p in them, of dy[c, i] / values in it
 */
#include <string.h>

#include "kernels/op_cost.h"
#include "kernels/pool/mean_pool.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/sums.h"

struct dts_grid dts_grid_of(const struct dts_op_call *call)
{
    struct dts_grid g = {.in_pixels = 1, .out_pixels = 1};
    for (int i = 0; i < DTS_GRID_AXES; i++) {
        g.in[i] = i + 1 < call->inputs[0].count ? call->inputs[0].size[i + 1] : 1;
        g.out[i] = i + 1 < call->output.count ? call->output.size[i + 1] : 1;
        g.in_pixels *= g.in[i];
        g.out_pixels *= g.out[i];
    }
    return g;
}

struct box {
    size_t first[DTS_GRID_AXES], end[DTS_GRID_AXES], values;
};

static struct box box_of(const struct dts_grid *g, size_t window)
{
    struct box box = {.values = 1};
    for (int i = DTS_GRID_AXES - 1; i >= 0; i--) {
        const size_t k = window % g->out[i];
        window /= g->out[i];
        box.first[i] = k * g->in[i] / g->out[i];
        box.end[i] = ((k + 1) * g->in[i] + g->out[i] - 1) / g->out[i];
        box.values *= box.end[i] - box.first[i];
    }
    return box;
}

static size_t planes(const struct dts_op_call *call, const struct dts_arrays *a)
{
    return (size_t)a->batch * call->inputs[0].size[0];
}

static void forward(const struct dts_op_call *call, const struct dts_arrays *a,
                    const struct dts_place *place)
{
    (void)place;
    const struct dts_grid g = dts_grid_of(call);
    for (size_t c = 0; c < planes(call, a); c++)
        for (size_t window = 0; window < g.out_pixels; window++) {
            const struct box box = box_of(&g, window);
            const double *x = (const double *)a->x[0] + c * g.in_pixels;
            double sum = 0;
            for (size_t i = box.first[0]; i < box.end[0]; i++)
                for (size_t j = box.first[1]; j < box.end[1]; j++)
                    for (size_t k = box.first[2]; k < box.end[2]; k++)
                        sum += x[(i * g.in[1] + j) * g.in[2] + k];
            ((double *)a->y)[c * g.out_pixels + window] = sum / (double)box.values;
        }
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place)
{
    (void)place;
    const struct dts_grid g = dts_grid_of(call);
    if (a->dx[0] == NULL)
        return;
    memset(a->dx[0], 0, planes(call, a) * g.in_pixels * sizeof(double));
    for (size_t c = 0; c < planes(call, a); c++)
        for (size_t window = 0; window < g.out_pixels; window++) {
            const struct box box = box_of(&g, window);
            double *dx = (double *)a->dx[0] + c * g.in_pixels;
            const double dy = ((const double *)a->dy)[c * g.out_pixels + window];
            for (size_t i = box.first[0]; i < box.end[0]; i++)
                for (size_t j = box.first[1]; j < box.end[1]; j++)
                    for (size_t k = box.first[2]; k < box.end[2]; k++)
                        dx[(i * g.in[1] + j) * g.in[2] + k] += dy / (double)box.values;
        }
}

static void forward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                           struct dts_range range)
{
    const struct dts_grid g = dts_grid_of(call);
    for (size_t window = 0; window < g.out_pixels; window++) {
        const struct box box = box_of(&g, window);
        // lines that lie behind one another are one line
        const bool whole = g.out_pixels == 1;
        const size_t begin = whole ? 0 : box.first[2], end = whole ? g.in_pixels : box.end[2];
        for (size_t c = range.first; c < range.first + range.count; c++) {
            const float *x = (const float *)a->x[0] + c * g.in_pixels;
            float sum = 0;
            for (size_t i = box.first[0]; i < (whole ? 1 : box.end[0]); i++)
                for (size_t j = box.first[1]; j < (whole ? 1 : box.end[1]); j++) {
                    const float *line = x + (i * g.in[1] + j) * g.in[2];
                    sum += dts_sum(line + begin, end - begin);
                }
            ((float *)a->y)[c * g.out_pixels + window] = sum / (float)box.values;
        }
    }
}

static void spread(const struct dts_grid *g, const struct box *box, float value, float *dx)
{
    for (size_t i = box->first[0]; i < box->end[0]; i++)
        for (size_t j = box->first[1]; j < box->end[1]; j++)
            for (size_t k = box->first[2]; k < box->end[2]; k++)
                dx[(i * g->in[1] + j) * g->in[2] + k] += value;
}

/* Nothing is read, but a processor reads what it writes to: asked for early, a store does not
 * wait for memory. */
static void fill(float *dx, float value, size_t count)
{
    enum { STEP = 4 * DTS_LINE_VALUES, AHEAD = 1024 };
    for (size_t i = 0; i < count; i += STEP) {
        const size_t end = i + STEP < count ? i + STEP : count;
        dts_fetch_to_write(dx + i + AHEAD, STEP);
#pragma omp simd
        for (size_t k = i; k < end; k++)
            dx[k] = value;
    }
}

static void backward_planes(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    const struct dts_grid g = dts_grid_of(call);
    for (size_t c = range.first; c < range.first + range.count; c++) {
        float *dx = (float *)a->dx[0] + c * g.in_pixels;
        const float *dy = (const float *)a->dy + c * g.out_pixels;
        if (g.out_pixels == 1) {
            fill(dx, dy[0] / (float)g.in_pixels, g.in_pixels);
            continue;
        }
        memset(dx, 0, g.in_pixels * sizeof(*dx));
        for (size_t window = 0; window < g.out_pixels; window++) {
            const struct box box = box_of(&g, window);
            spread(&g, &box, dy[window] / (float)box.values, dx);
        }
    }
}

static void forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                         const struct dts_place *place)
{
    dts_ranges(forward_planes, planes(call, a), call, a, place);
}

static void backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                          const struct dts_place *place)
{
    if (a->dx[0] != NULL)
        dts_ranges(backward_planes, planes(call, a), call, a, place);
}

const struct dts_operation dts_op_global_pool = {
    .name = "global_pool",
    .summary = "mean of each channel",
    .cost = dts_mean_pool_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_mean_pool_forward_cuda, dts_mean_pool_backward_cuda}),
};

const struct dts_operation dts_op_adaptive_pool = {
    .name = "adaptive_pool",
    .summary = "means over a grid of given size",
    .cost = dts_mean_pool_cost,
    .reference = {forward, backward},
    .host = {forward_host, backward_host},
    .cuda = DTS_CUDA({dts_mean_pool_forward_cuda, dts_mean_pool_backward_cuda}),
};
