/* conv_tiles.c -- forward, and the gradient of x, as views (conv_view.h):
 *
 *     to[m, p] = sum over k = (t c) of a[m, k] columns[k, p]
 *
 * The columns (Chellapilla et al. 2006) are never in memory: blocks of DEPTH values of 8 tiles'
 * pixels, counted through all samples, are packed from the tensor straight into what the tile
 * reads (tile.h), and stay in the second cache while all rows of a go over them. The weights
 * are packed once a call. Workers take tiles of pixels; a value's sum is one worker's, in the
 * order of k, whatever their number.
 */
#include "kernels/conv/conv_tiles.h"

#include <string.h>

#include "base/sizes.h"
#include "kernels/conv/conv_view.h"
#include "kernels/conv/conv_winograd.h"

enum { BLOCK_TILES = 8, MOST_TEMPORARY = 1 << 18, LINE = 16 };

struct job {
    struct dts_conv_view view;
    size_t batch;
    const float *x, *w, *bias; // bias: NULL for none
    float *y;
    size_t output_step, channel_step, window; // in w
    size_t sums, depth, depths;               // of a value; of a block; blocks
    size_t row_blocks, tiles;                 // of the outputs; of pixels in a block
    float *packed;                            // all weights
    size_t packed_floats, share;              // of scratch, for all and for each worker
};

static struct job job_of(const struct dts_conv_view *view, int batch)
{
    struct job job = {.view = *view, .batch = (size_t)batch};
    job.window = view->taps[0].kernel * view->taps[1].kernel * view->taps[2].kernel;
    job.sums = view->channels * view->tap_count;
    job.depths = dts_ceil_div(job.sums, DTS_TILE_DEPTH);
    job.depth = job.depths > 0 ? dts_ceil_div(job.sums, job.depths) : 0;
    job.row_blocks = dts_ceil_div(view->outputs, DTS_TILE_ROWS);
    job.tiles = BLOCK_TILES;
    while (job.tiles > 1 && job.tiles * DTS_TILE_COLUMNS * view->outputs > MOST_TEMPORARY)
        job.tiles /= 2;
    job.packed_floats = view->groups * job.depths * job.row_blocks * DTS_TILE_BLOCK;
    job.share = job.tiles * DTS_TILE_COLUMNS * (DTS_TILE_DEPTH + view->outputs);
    return job;
}

static size_t scratch_of(const struct dts_conv_view *view, int batch, int workers)
{
    if (dts_winograd_pays(view, batch, workers))
        return dts_winograd_scratch(view, batch, workers);
    const struct job job = job_of(view, batch);
    return (job.packed_floats + (size_t)workers * job.share) * sizeof(float);
}

/* Workers take blocks of rows of a. */
static void pack_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const struct dts_conv_view *view = &job->view;
    size_t first;
    const size_t all = view->groups * job->row_blocks;
    const size_t count = dts_share_of(all, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        const size_t group = i / job->row_blocks, block = i % job->row_blocks;
        const size_t row = block * DTS_TILE_ROWS, left = view->outputs - row;
        const size_t rows = left < DTS_TILE_ROWS ? left : DTS_TILE_ROWS;
        const float *w = job->w + row * job->output_step +
                         group * view->outputs * view->channels * job->window;
        float *to =
            job->packed + (group * job->depths * job->row_blocks + block) * DTS_TILE_BLOCK;
        for (size_t t = 0, k = 0; t < view->tap_count; t++) {
            long at[DTS_VIEW_AXES];
            size_t weight;
            dts_view_tap(view, t, at, &weight);
            for (size_t c = 0; c < view->channels; c++, k++) {
                if (k == job->depth) {
                    k = 0;
                    to += job->row_blocks * DTS_TILE_BLOCK;
                }
                const float *from = w + c * job->channel_step + weight;
                for (size_t r = 0; r < rows; r++)
                    to[r * DTS_TILE_STEP + k] = from[r * job->output_step];
            }
        }
    }
}

static void pack_columns(const struct job *job, size_t group,
                         const struct dts_view_lanes *lanes, size_t first, size_t end,
                         float *to)
{
    const struct dts_conv_view *view = &job->view;
    for (size_t k = first, count; k < end; k += count, to += count * DTS_TILE_COLUMNS) {
        const size_t c = k % view->channels;
        count = view->channels - c < end - k ? view->channels - c : end - k;
        const struct dts_view_seen seen = dts_view_seen(view, lanes, k / view->channels);
        dts_view_load(lanes, &seen, job->x + (group * view->channels + c) * view->in_pixels,
                      view->in_pixels, count, to, DTS_TILE_COLUMNS);
    }
}

/* Where a tile's sums grow: in y, or where they have to be distributed later. */
struct place {
    float *at;
    size_t distance;
};

static struct place place_of(const struct job *job, size_t group,
                             const struct dts_view_lanes *lanes, float *room)
{
    const struct dts_conv_view *view = &job->view;
    if (!lanes->straight)
        return (struct place){room, DTS_TILE_COLUMNS};
    return (struct place){job->y + lanes->out.base[0] +
                              (long)(group * view->outputs * view->out_pixels),
                          view->out_pixels};
}

static void finish(const struct job *job, size_t group, const struct dts_view_lanes *lanes,
                   struct place place)
{
    const struct dts_conv_view *view = &job->view;
    const float *bias = job->bias != NULL ? job->bias + group * view->outputs : NULL;
    if (lanes->straight && bias == NULL)
        return;
    float *y = job->y + group * view->outputs * view->out_pixels;
    for (size_t m = 0; m < view->outputs; m++)
        dts_view_store(lanes, place.at + m * place.distance, bias != NULL ? bias[m] : 0,
                       y + m * view->out_pixels);
}

static void tiles_of_block(const struct job *job, size_t group,
                           const struct dts_view_lanes *lanes, size_t tiles, float *room)
{
    const size_t outputs = job->view.outputs;
    struct place places[BLOCK_TILES];
    float *sums = room + job->tiles * DTS_TILE_COLUMNS * DTS_TILE_DEPTH;
    for (size_t i = 0; i < tiles; i++)
        places[i] = place_of(job, group, &lanes[i], sums + i * outputs * DTS_TILE_COLUMNS);
    for (size_t d = 0; d < job->depths; d++) {
        const size_t first = d * job->depth;
        const size_t end = first + job->depth < job->sums ? first + job->depth : job->sums;
        for (size_t i = 0; i < tiles; i++)
            pack_columns(job, group, &lanes[i], first, end,
                         room + i * DTS_TILE_DEPTH * DTS_TILE_COLUMNS);
        for (size_t r = 0; r < job->row_blocks; r++) {
            const size_t row = r * DTS_TILE_ROWS, left = outputs - row;
            const float *a = job->packed +
                             ((group * job->depths + d) * job->row_blocks + r) * DTS_TILE_BLOCK;
            for (size_t i = 0; i < tiles; i++)
                dts_tile(left < DTS_TILE_ROWS ? left : DTS_TILE_ROWS, end - first, a,
                         room + i * DTS_TILE_DEPTH * DTS_TILE_COLUMNS,
                         places[i].at + row * places[i].distance, places[i].distance, d > 0);
        }
    }
    for (size_t i = 0; i < tiles; i++)
        finish(job, group, &lanes[i], places[i]);
}

static void tiles_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t pixels = job->batch * job->view.grid_pixels;
    float *room = job->packed + job->packed_floats + (size_t)worker * job->share;
    size_t first, tiles;
    const size_t count =
        dts_share_of(dts_ceil_div(pixels, DTS_TILE_COLUMNS), worker, workers, &first);
    for (size_t done = 0; done < count; done += tiles) {
        tiles = count - done < job->tiles ? count - done : job->tiles;
        struct dts_view_lanes lanes[BLOCK_TILES];
        for (size_t i = 0; i < tiles; i++) {
            const size_t pixel = (first + done + i) * DTS_TILE_COLUMNS, left = pixels - pixel;
            lanes[i] = dts_view_lanes(&job->view, pixel,
                                      left < DTS_TILE_COLUMNS ? left : DTS_TILE_COLUMNS);
        }
        for (size_t group = 0; group < job->view.groups; group++)
            tiles_of_block(job, group, lanes, tiles, room);
    }
}

static void run(struct job *job, const struct dts_arrays *a, const struct dts_place *place)
{
    if (dts_winograd_pays(&job->view, a->batch, dts_workers_count(place->workers))) {
        const struct dts_winograd call = {.view = job->view,
                                          .batch = a->batch,
                                          .x = job->x,
                                          .w = a->w[0],
                                          .bias = job->bias,
                                          .y = job->y,
                                          .scratch = a->scratch,
                                          .output_step = job->output_step,
                                          .channel_step = job->channel_step};
        dts_winograd_run(&call, place->workers);
        return;
    }
    job->w = a->w[0];
    job->packed = a->scratch;
    dts_workers_run(place->workers, pack_part, job);
    dts_workers_run(place->workers, tiles_part, job);
}

size_t dts_conv_tiles_forward_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const struct dts_conv_view view = dts_view_forward(call);
    return scratch_of(&view, batch, workers);
}

void dts_conv_tiles_forward(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    const struct dts_conv_view view = dts_view_forward(call);
    struct job job = job_of(&view, a->batch);
    job.x = a->x[0];
    job.y = a->y;
    job.bias = call->bias ? a->w[1] : NULL;
    job.output_step = view.channels * job.window;
    job.channel_step = job.window;
    run(&job, a, place);
}

size_t dts_conv_tiles_gradient_scratch(const struct dts_op_call *call, int batch, int workers)
{
    size_t most = 0;
    for (size_t i = 0; i < dts_view_gradients(call); i++) {
        const struct dts_conv_view view = dts_view_gradient(call, i);
        const size_t bytes = scratch_of(&view, batch, workers);
        most = bytes > most ? bytes : most;
    }
    return most;
}

void dts_conv_tiles_gradient(const struct dts_op_call *call, const struct dts_arrays *a,
                             const struct dts_place *place)
{
    bool whole = true; // each pixel of x is reached by some tap
    for (size_t i = 0; i < dts_view_gradients(call); i++)
        whole = whole && dts_view_gradient(call, i).tap_count > 0;
    if (!whole)
        memset(a->dx[0], 0,
               (size_t)a->batch * dts_dims_elements(&call->inputs[0]) * sizeof(float));
    for (size_t i = 0; i < dts_view_gradients(call); i++) {
        const struct dts_conv_view view = dts_view_gradient(call, i);
        if (view.tap_count == 0 || view.grid_pixels == 0)
            continue;
        struct job job = job_of(&view, a->batch);
        job.x = a->dy;
        job.y = a->dx[0];
        job.output_step = job.window;
        job.channel_step = view.outputs * job.window;
        run(&job, a, place);
    }
}
