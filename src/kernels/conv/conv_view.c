/* conv_view.c -- forward and the gradient of x as views, and where pixels lie. */
#include "kernels/conv/conv_view.h"

static void finish(struct dts_conv_view *v)
{
    v->in_pixels = v->grid_pixels = v->out_pixels = v->tap_count = 1;
    v->dense = true;
    for (int i = 0; i < DTS_VIEW_AXES; i++) {
        v->in_pixels *= v->in[i];
        v->grid_pixels *= v->grid[i];
        v->out_pixels *= v->out[i];
        v->tap_count *= v->taps[i].count;
        v->dense = v->dense && v->grid[i] == v->out[i];
    }
}

static struct dts_conv_view empty_view(const struct dts_op_call *call)
{
    struct dts_conv_view v = {.groups = (size_t)call->groups};
    for (int i = 0; i < DTS_VIEW_AXES; i++) {
        v.in[i] = v.grid[i] = v.out[i] = 1;
        v.in_step[i] = v.out_step[i] = 1;
        v.taps[i] = (struct dts_view_taps){.count = 1, .step = 1, .kernel = 1};
    }
    return v;
}

struct dts_conv_view dts_view_forward(const struct dts_op_call *call)
{
    struct dts_conv_view v = empty_view(call);
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    v.channels = s.in_channels;
    v.outputs = s.out_channels;
    for (int i = 0; i < s.axes; i++) {
        const int to = DTS_VIEW_AXES - s.axes + i;
        v.in[to] = call->inputs[0].size[i + 1];
        v.grid[to] = v.out[to] = call->output.size[i + 1];
        v.in_step[to] = call->window.stride[i];
        const size_t kernel = (size_t)call->window.kernel[i];
        v.taps[to] = (struct dts_view_taps){
            kernel, 0, 1, kernel, -call->window.before[i], call->window.dilation[i]};
    }
    finish(&v);
    return v;
}

size_t dts_view_gradients(const struct dts_op_call *call)
{
    size_t count = 1;
    for (int i = 0; i < call->output.count - 1; i++)
        count *= (size_t)call->window.stride[i];
    return count;
}

/* The taps that pixels q with q % stride == first see: k with (first + before - k dilation) a
 * multiple of the stride. */
static struct dts_view_taps gradient_taps(const struct dts_op_call_window *window, int axis,
                                          long first)
{
    const long stride = window->stride[axis], dilation = window->dilation[axis];
    const size_t kernel = (size_t)window->kernel[axis];
    struct dts_view_taps taps = {.step = 1, .kernel = kernel};
    while ((long)taps.step * dilation % stride != 0)
        taps.step++;
    while (taps.first < taps.step &&
           (first + window->before[axis] - (long)taps.first * dilation) % stride != 0)
        taps.first++;
    if (taps.first == taps.step || taps.first >= kernel)
        return taps; // none
    taps.count = (kernel - taps.first - 1) / taps.step + 1;
    taps.at = (first + window->before[axis] - (long)taps.first * dilation) / stride;
    taps.slope = -(long)taps.step * dilation / stride;
    return taps;
}

struct dts_conv_view dts_view_gradient(const struct dts_op_call *call, size_t number)
{
    struct dts_conv_view v = empty_view(call);
    const struct dts_conv_sizes s = dts_conv_sizes(call);
    v.channels = s.out_channels;
    v.outputs = s.in_channels;
    for (int i = s.axes - 1; i >= 0; i--) {
        const int to = DTS_VIEW_AXES - s.axes + i;
        const size_t stride = (size_t)call->window.stride[i], first = number % stride;
        number /= stride;
        v.in[to] = call->output.size[i + 1];
        v.out[to] = call->inputs[0].size[i + 1];
        v.grid[to] = v.out[to] > first ? (v.out[to] - first - 1) / stride + 1 : 0;
        v.out_step[to] = (long)stride;
        v.out_first[to] = (long)first;
        v.taps[to] = gradient_taps(&call->window, i, (long)first);
    }
    finish(&v);
    return v;
}

void dts_view_tap(const struct dts_conv_view *view, size_t t, long at[DTS_VIEW_AXES],
                  size_t *weight)
{
    size_t scale = 1;
    *weight = 0;
    for (int i = DTS_VIEW_AXES - 1; i >= 0; i--) {
        const struct dts_view_taps *taps = &view->taps[i];
        const size_t k = t % taps->count;
        t /= taps->count;
        at[i] = taps->at + (long)k * taps->slope;
        *weight += (taps->first + k * taps->step) * scale;
        scale *= taps->kernel;
    }
}

/* Groups neighbours of at[count]. */
static struct dts_view_runs runs_of(const long *at, size_t count)
{
    enum { MOST_RUNS = 4 }; // moves that cost less than one by an index for each lane
    struct dts_view_runs runs = {.origin = at[0]};
    int n = 0;
    for (size_t i = 0; i < count; i++) {
        runs.offset[i] = (int)(at[i] - at[0]);
        const size_t lane = i % DTS_TILE_LANES;
        if (lane == 0 || at[i] != at[i - 1] + 1) {
            runs.mask[n] = 0;
            runs.base[n++] = at[i] - (long)lane;
        }
        runs.mask[n - 1] |= 1u << lane;
        if (i < DTS_TILE_LANES)
            runs.end[0] = n;
    }
    runs.end[1] = n;
    runs.scattered[0] = runs.end[0] > MOST_RUNS;
    runs.scattered[1] = n - runs.end[0] > MOST_RUNS;
    return runs;
}

struct dts_view_lanes dts_view_lanes(const struct dts_conv_view *view, size_t first,
                                     size_t count)
{
    struct dts_view_lanes lanes = {.first = first, .count = count};
    long in[DTS_TILE_COLUMNS], out[DTS_TILE_COLUMNS];
    size_t p[DTS_VIEW_AXES], sample = first / view->grid_pixels,
                             rest = first % view->grid_pixels;
    for (int i = DTS_VIEW_AXES - 1; i >= 0; i--) {
        p[i] = rest % view->grid[i];
        rest /= view->grid[i];
    }
    lanes.straight = view->dense && count == DTS_TILE_COLUMNS &&
                     first % view->grid_pixels + count <= view->grid_pixels;
    for (size_t l = 0; l < count; l++) {
        in[l] = (long)(sample * view->groups * view->channels);
        out[l] = (long)(sample * view->groups * view->outputs);
        for (int i = 0; i < DTS_VIEW_AXES; i++) {
            lanes.at[i][l] = (int)((long)p[i] * view->in_step[i]);
            in[l] = in[l] * (long)view->in[i] + lanes.at[i][l];
            out[l] = out[l] * (long)view->out[i] + (long)p[i] * view->out_step[i] +
                     view->out_first[i];
        }
        for (int i = DTS_VIEW_AXES - 1; i >= 0 && ++p[i] == view->grid[i]; i--) {
            p[i] = 0;
            sample += i == 0;
        }
    }
    lanes.in = runs_of(in, count);
    lanes.out = runs_of(out, count);
    return lanes;
}

struct dts_view_seen dts_view_seen(const struct dts_conv_view *view,
                                   const struct dts_view_lanes *lanes, size_t t)
{
    struct dts_view_seen seen = {0, 0};
    long at[DTS_VIEW_AXES];
    size_t weight;
    dts_view_tap(view, t, at, &weight);
    for (int i = 0; i < DTS_VIEW_AXES; i++)
        seen.further = seen.further * (long)view->in[i] + at[i];
    const unsigned d = (unsigned)view->in[0], h = (unsigned)view->in[1],
                   w = (unsigned)view->in[2];
    const int at_d = (int)at[0], at_h = (int)at[1], at_w = (int)at[2];
    uint32_t inside = 0;
    for (uint32_t l = 0; l < DTS_TILE_COLUMNS; l++) {
        const uint32_t in = ((unsigned)(lanes->at[0][l] + at_d) < d) &
                            ((unsigned)(lanes->at[1][l] + at_h) < h) &
                            ((unsigned)(lanes->at[2][l] + at_w) < w);
        inside |= in << l;
    }
    seen.inside =
        lanes->count < 32 ? inside & ((1u << lanes->count) - 1) : inside; // no lane beyond
    return seen;
}
