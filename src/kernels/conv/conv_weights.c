/* conv_weights.c -- the gradient of the weights by tiles of products:
 *
 *     dw[o, c, t] += sums[(t c), o],  sums[(t c), o] = sum over p of columns[(t c), p] dy[o, p]
 *
 * The sum is over the pixels of all samples, in order, blocks of DEPTH. Here the columns are
 * rows of a tile's a, packed from x straight into it as in conv_tiles.c, and dy is transposed
 * into its b; tile.h says why tiles are fast. Workers take rows of the sums, so that each is
 * one worker's, whatever their number. 3x3 windows go conv_winograd_weights.c's way.
 */
#include "kernels/conv/conv_tiles.h"

#include "base/sizes.h"
#include "kernels/conv/conv_view.h"
#include "kernels/conv/conv_winograd_weights.h"

enum { BLOCK_LANES = DTS_TILE_DEPTH / DTS_TILE_COLUMNS, LINE = 16 };
enum { OUTPUT_TILES = 256 / DTS_TILE_COLUMNS }; // of dy in the second cache

struct job {
    struct dts_conv_view view;
    size_t group, batch;
    const float *x, *dy;
    float *dw;
    size_t rows, distance;       // of the sums
    size_t output_tiles, pixels; // all of them
    size_t depth;                // pixels of a block
    float *sums, *shares;        // scratch
    size_t share;                // floats of each worker
};

static struct job job_of(const struct dts_op_call *call, int batch)
{
    struct job job = {.view = dts_view_forward(call), .batch = (size_t)batch};
    job.rows = job.view.channels * job.view.tap_count;
    job.output_tiles = dts_ceil_div(job.view.outputs, DTS_TILE_COLUMNS);
    job.distance = job.output_tiles * DTS_TILE_COLUMNS;
    job.pixels = job.batch * job.view.grid_pixels;
    const size_t lanes = dts_ceil_div(job.pixels, DTS_TILE_COLUMNS);
    job.depth = dts_ceil_div(lanes, dts_ceil_div(lanes, BLOCK_LANES)) * DTS_TILE_COLUMNS;
    job.share = DTS_TILE_BLOCK + OUTPUT_TILES * DTS_TILE_COLUMNS * DTS_TILE_DEPTH +
                dts_ceil_div(job.view.tap_count * BLOCK_LANES * sizeof(struct dts_view_seen),
                             LINE * sizeof(float)) *
                    LINE;
    return job;
}

static size_t sums_floats(const struct job *job)
{
    return dts_ceil_div(job->rows * job->distance, LINE) * LINE;
}

size_t dts_conv_tiles_weights_scratch(const struct dts_op_call *call, int batch, int workers)
{
    const struct job job = job_of(call, batch);
    if (dts_winograd_weights_pay(&job.view, batch))
        return dts_winograd_weights_scratch(&job.view, batch, workers);
    return (sums_floats(&job) + (size_t)workers * job.share) * sizeof(float);
}

/* A block of pixels, as one worker sees it. */
struct block {
    size_t first, count, lane_count;
    struct dts_view_lanes lanes[BLOCK_LANES];
    struct dts_view_seen *seen; // [taps, BLOCK_LANES]
    float *a, *b;
};

static void begin_block(const struct job *job, struct block *block, size_t first)
{
    block->first = first;
    block->count = dts_least(job->pixels - first, job->depth);
    block->lane_count = dts_ceil_div(block->count, DTS_TILE_COLUMNS);
    for (size_t l = 0; l < block->lane_count; l++) {
        const size_t done = l * DTS_TILE_COLUMNS, left = block->count - done;
        block->lanes[l] = dts_view_lanes(&job->view, first + done,
                                         left < DTS_TILE_COLUMNS ? left : DTS_TILE_COLUMNS);
        for (size_t t = 0; t < job->view.tap_count; t++)
            block->seen[t * BLOCK_LANES + l] = dts_view_seen(&job->view, &block->lanes[l], t);
    }
}

/* dy of one tile of outputs, pixel after pixel. */
static void pack_dy(const struct job *job, const struct block *block, size_t tile, float *to)
{
    const struct dts_conv_view *view = &job->view;
    const size_t output = tile * DTS_TILE_COLUMNS, left = view->outputs - output;
    size_t length;
    for (size_t done = 0; done < block->count; done += length) {
        const size_t pixel = block->first + done, at = pixel % view->out_pixels;
        const size_t sample = pixel / view->out_pixels;
        length = view->out_pixels - at;
        length = length < block->count - done ? length : block->count - done;
        const size_t channel = (sample * view->groups + job->group) * view->outputs + output;
        dts_tile_transpose(job->dy + channel * view->out_pixels + at, view->out_pixels, length,
                           left < DTS_TILE_COLUMNS ? left : DTS_TILE_COLUMNS,
                           to + done * DTS_TILE_COLUMNS);
    }
}

static void pack_rows(const struct job *job, const struct block *block, size_t first,
                      size_t rows)
{
    const struct dts_conv_view *view = &job->view;
    for (size_t done = 0, count; done < rows; done += count) {
        const size_t t = (first + done) / view->channels, c = (first + done) % view->channels;
        count = view->channels - c < rows - done ? view->channels - c : rows - done;
        const float *x = job->x + (job->group * view->channels + c) * view->in_pixels;
        for (size_t l = 0; l < block->lane_count; l++)
            dts_view_load(
                &block->lanes[l], &block->seen[t * BLOCK_LANES + l], x, view->in_pixels, count,
                block->a + done * DTS_TILE_STEP + l * DTS_TILE_COLUMNS, DTS_TILE_STEP);
    }
}

static void sums_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    struct block block = {.a = job->shares + (size_t)worker * job->share};
    block.b = block.a + DTS_TILE_BLOCK;
    block.seen = (struct dts_view_seen *)(void *)(block.b + OUTPUT_TILES * DTS_TILE_COLUMNS *
                                                                DTS_TILE_DEPTH);
    size_t begin,
        count = dts_share_of(dts_ceil_div(job->rows, DTS_TILE_ROWS), worker, workers, &begin);
    begin *= DTS_TILE_ROWS;
    const size_t end =
        begin + count * DTS_TILE_ROWS < job->rows ? begin + count * DTS_TILE_ROWS : job->rows;
    for (size_t first = 0; first < job->pixels && count > 0; first += block.count) {
        begin_block(job, &block, first);
        for (size_t tile = 0, tiles; tile < job->output_tiles; tile += tiles) {
            const size_t left = job->output_tiles - tile;
            tiles = left < OUTPUT_TILES ? left : OUTPUT_TILES;
            for (size_t i = 0; i < tiles; i++)
                pack_dy(job, &block, tile + i, block.b + i * DTS_TILE_DEPTH * DTS_TILE_COLUMNS);
            for (size_t row = begin; row < end; row += DTS_TILE_ROWS) {
                const size_t rows = end - row < DTS_TILE_ROWS ? end - row : DTS_TILE_ROWS;
                float *to = job->sums + row * job->distance + tile * DTS_TILE_COLUMNS;
                pack_rows(job, &block, row, rows);
                for (size_t i = 0; i < tiles; i++)
                    dts_tile(rows, block.count, block.a,
                             block.b + i * DTS_TILE_DEPTH * DTS_TILE_COLUMNS,
                             to + i * DTS_TILE_COLUMNS, job->distance, first > 0);
            }
        }
    }
}

/* Workers take bands of outputs. */
static void add_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t taps = job->view.tap_count, channels = job->view.channels;
    size_t band,
        count = dts_share_of(dts_ceil_div(job->view.outputs, LINE), worker, workers, &band);
    for (count += band; band < count; band++) {
        const size_t first = band * LINE, left = job->view.outputs - first;
        float *dw = job->dw + (job->group * job->view.outputs + first) * job->rows;
        for (size_t c = 0; c < channels; c++)
            for (size_t t = 0; t < taps; t++) {
                const float *sums = job->sums + (t * channels + c) * job->distance + first;
                for (size_t o = 0; o < (left < LINE ? left : LINE); o++)
                    dw[o * job->rows + c * taps + t] += sums[o];
            }
    }
}

void dts_conv_tiles_weights(const struct dts_op_call *call, const struct dts_arrays *a,
                            const struct dts_place *place)
{
    struct job job = job_of(call, a->batch);
    if (dts_winograd_weights_pay(&job.view, a->batch)) {
        const struct dts_winograd_weights winograd = {.view = job.view,
                                                      .batch = a->batch,
                                                      .x = a->x[0],
                                                      .dy = a->dy,
                                                      .dw = a->dw[0],
                                                      .scratch = a->scratch};
        dts_winograd_weights_run(&winograd, place->workers);
        return;
    }
    job.x = a->x[0];
    job.dy = a->dy;
    job.dw = a->dw[0];
    job.sums = a->scratch;
    job.shares = job.sums + sums_floats(&job);
    for (job.group = 0; job.group < job.view.groups; job.group++) {
        dts_workers_run(place->workers, sums_part, &job);
        dts_workers_run(place->workers, add_part, &job);
    }
}
