/* conv_winograd_weights.c -- conv_winograd.c's way for the gradient of the weights: what is
 * linear there is turned around. With its names,
 *
 *     dg = G' [ sum over tiles of (A dy A') * (B' d B) ] G,   dy: 4x4 pixels of y, d: 6x6 of x
 *
 * For each of the 36 the sum over tiles is a product of matrices, M[m, tile] V[tile, c]: each
 * worker does some of the 36. Blocks of tiles follow one another, so that each sum is in one
 * order, whatever the number of workers.
 */
#include "kernels/conv/conv_winograd_weights.h"

#include "base/sizes.h"
#include "kernels/conv/conv_winograd.h"
#include "kernels/conv/conv_winograd_math.h"

enum { CHUNK = 8, LINE = 16, LEAST_TILES = 32 };
enum {
    RAW_STEP = CHUNK * DTS_TILE_COLUMNS + LINE,
    MOST_PANELS = DTS_TILE_DEPTH / DTS_TILE_COLUMNS
};
enum { PIXELS = WINOGRAD_OUT * WINOGRAD_OUT, PRODUCTS = WINOGRAD_PRODUCTS };

struct job {
    const struct dts_winograd_weights *call;
    struct dts_conv_view in, out; // patches of x, of y
    size_t channels, outputs, tiles;
    size_t columns, distance;         // blocks of COLUMNS channels, and all of these
    size_t most;                      // tiles of a block
    size_t first, count, panels;      // tiles of this one, by COLUMNS
    size_t v_step, m_step, sums_step; // between the 36: not in one set of the cache
    float *v, *m, *sums, *rooms;
    size_t share;
};

static struct job job_of(const struct dts_conv_view *view, int batch)
{
    struct job job = {.channels = view->channels, .outputs = view->outputs};
    job.in = dts_winograd_patches_in(view);
    job.out = dts_winograd_patches_out(view);
    job.tiles = (size_t)batch * job.in.grid_pixels;
    job.columns = dts_ceil_div(job.channels, DTS_TILE_COLUMNS);
    job.distance = job.columns * DTS_TILE_COLUMNS;
    job.sums_step = job.outputs * job.distance + LINE;
    const size_t panel = PRODUCTS * (job.channels + job.outputs) * DTS_TILE_COLUMNS;
    const size_t near = dts_winograd_panels(panel, PRODUCTS * job.sums_step, MOST_PANELS);
    const size_t panels = dts_least(near, dts_ceil_div(job.tiles, DTS_TILE_COLUMNS));
    job.most = panels * DTS_TILE_COLUMNS;
    job.v_step = job.most * job.channels + LINE;
    job.m_step = job.most * job.outputs + LINE;
    const size_t raw = PRODUCTS * RAW_STEP, row = PRODUCTS * DTS_TILE_STEP;
    job.share = (raw > row ? raw : row) + DTS_TILE_BLOCK + job.distance * DTS_TILE_DEPTH;
    return job;
}

bool dts_winograd_weights_pay(const struct dts_conv_view *view, int batch)
{
    return dts_winograd_fits(view) && job_of(view, batch).tiles >= LEAST_TILES;
}

size_t dts_winograd_weights_scratch(const struct dts_conv_view *view, int batch, int workers)
{
    const struct job job = job_of(view, batch);
    return (PRODUCTS * (job.v_step + job.m_step + job.sums_step) +
            (size_t)workers * job.share) *
           sizeof(float);
}

/* The 36 of a patch, from its pixels, of x or of y. */
static inline __attribute__((always_inline)) void transform(const winograd_vector *from,
                                                            winograd_vector *to, bool of_y)
{
    winograd_vector part[PRODUCTS];
    if (!of_y) {
        for (int j = 0; j < WINOGRAD_IN; j++)
            winograd_input(from + j, part + j, WINOGRAD_IN);
        for (int i = 0; i < WINOGRAD_IN; i++)
            winograd_input(part + i * WINOGRAD_IN, to + i * WINOGRAD_IN, 1);
        return;
    }
    for (int j = 0; j < WINOGRAD_OUT; j++)
        winograd_output_back(from + j, WINOGRAD_OUT, part + j, WINOGRAD_OUT);
    for (int i = 0; i < WINOGRAD_IN; i++)
        winograd_output_back(part + i * WINOGRAD_OUT, 1, to + i * WINOGRAD_IN, 1);
}

/* to[36, planes, COLUMNS] of one panel of tiles; the 36 are `step` apart. */
static inline __attribute__((always_inline)) void
panel_part(const struct dts_conv_view *view, const struct dts_view_lanes *lanes,
           const float *from, float *raw, float *to, size_t step, bool of_y, size_t tiles)
{
    const size_t taps = of_y ? PIXELS : PRODUCTS;
    struct dts_view_seen seen[PRODUCTS];
    for (size_t t = 0; t < taps; t++)
        seen[t] = dts_view_seen(view, lanes, t);
    for (size_t c = 0, count; c < view->channels; c += count) {
        count = dts_least(view->channels - c, CHUNK);
        dts_winograd_fetch_next(view, lanes, tiles, from, c, count);
        for (size_t t = 0; t < taps; t++)
            dts_view_load(lanes, &seen[t], from + c * view->in_pixels, view->in_pixels, count,
                          raw + t * RAW_STEP, DTS_TILE_COLUMNS);
        for (size_t i = 0; i < count * DTS_TILE_COLUMNS; i += DTS_TILE_LANES) {
            winograd_vector d[PRODUCTS], all[PRODUCTS];
            for (size_t t = 0; t < taps; t++)
                d[t] = winograd_load(raw + t * RAW_STEP + i);
            transform(d, all, of_y);
            for (size_t n = 0; n < PRODUCTS; n++)
                winograd_store(to + n * step + c * DTS_TILE_COLUMNS + i, all[n]);
        }
    }
}

/* Workers take panels of x and of y. */
static void transforms_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    float *raw = job->rooms + (size_t)worker * job->share;
    size_t first;
    const size_t count = dts_share_of(2 * job->panels, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        const size_t panel = i / 2, tile = panel * DTS_TILE_COLUMNS;
        const bool of_y = i % 2 == 1;
        const struct dts_conv_view *view = of_y ? &job->out : &job->in;
        const struct dts_view_lanes lanes = dts_view_lanes(
            view, job->first + tile, dts_least(job->count - tile, DTS_TILE_COLUMNS));
        if (of_y)
            panel_part(view, &lanes, job->call->dy, raw, job->m + tile * job->outputs,
                       job->m_step, true, job->tiles);
        else
            panel_part(view, &lanes, job->call->x, raw, job->v + tile * job->channels,
                       job->v_step, false, job->tiles);
    }
}

/* b[tile, COLUMNS] of each block of channels, from V[panel, channel, COLUMNS]. */
static void pack_v(const struct job *job, const float *v, float *b)
{
    for (size_t column = 0; column < job->columns; column++) {
        const size_t c = column * DTS_TILE_COLUMNS;
        for (size_t tile = 0; tile < job->count; tile += DTS_TILE_COLUMNS)
            dts_tile_transpose(v + tile * job->channels + c * DTS_TILE_COLUMNS,
                               DTS_TILE_COLUMNS, dts_least(job->count - tile, DTS_TILE_COLUMNS),
                               dts_least(job->channels - c, DTS_TILE_COLUMNS),
                               b + (c * DTS_TILE_DEPTH) + tile * DTS_TILE_COLUMNS);
    }
}

/* a[rows, tile] of outputs from `first` on, from M[panel, output, COLUMNS]. */
static void pack_m(const struct job *job, const float *m, size_t first, size_t rows, float *a)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t tile = 0; tile < job->count; tile += DTS_TILE_COLUMNS)
            memcpy(a + row * DTS_TILE_STEP + tile,
                   m + tile * job->outputs + (first + row) * DTS_TILE_COLUMNS,
                   DTS_TILE_COLUMNS * sizeof(*a));
}

/* Workers take some of the 36. */
static void products_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    float *a = job->rooms + (size_t)worker * job->share, *b = a + DTS_TILE_BLOCK;
    size_t n;
    const size_t end = dts_share_of(PRODUCTS, worker, workers, &n);
    for (const size_t last = n + end; n < last; n++) {
        pack_v(job, job->v + n * job->v_step, b);
        for (size_t row = 0; row < job->outputs; row += DTS_TILE_ROWS) {
            const size_t rows = dts_least(job->outputs - row, DTS_TILE_ROWS);
            float *to = job->sums + n * job->sums_step + row * job->distance;
            pack_m(job, job->m + n * job->m_step, row, rows, a);
            for (size_t c = 0; c < job->distance; c += DTS_TILE_COLUMNS)
                dts_tile(rows, job->count, a, b + c * DTS_TILE_DEPTH, to + c, job->distance,
                         job->first > 0);
        }
    }
}

/* G' [36] G of LANES channels, added to dw[channel, 9], of which `left` are there. */
static void add_weights(const float *row, size_t left, float *dw)
{
    winograd_vector part[18], g[9];
    float lanes[9][DTS_TILE_LANES];
    for (int j = 0; j < WINOGRAD_IN; j++) {
        winograd_vector u[WINOGRAD_IN];
        for (int i = 0; i < WINOGRAD_IN; i++)
            u[i] = winograd_load(row + (i * WINOGRAD_IN + j) * DTS_TILE_STEP);
        winograd_weights_back(u, 1, part + j, WINOGRAD_IN);
    }
    for (int h = 0; h < 3; h++)
        winograd_weights_back(part + h * WINOGRAD_IN, 1, g + h * 3, 1);
    for (int t = 0; t < 9; t++)
        winograd_store(lanes[t], g[t]);
    for (size_t c = 0; c < dts_least(left, DTS_TILE_LANES); c++)
        for (size_t t = 0; t < 9; t++)
            dw[c * 9 + t] += lanes[t][c];
}

/* Workers take outputs. */
static void weights_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    float *row = job->rooms + (size_t)worker * job->share; // of all 36, one behind the other
    size_t o;
    const size_t count = dts_share_of(job->outputs, worker, workers, &o);
    for (const size_t end = o + count; o < end; o++)
        for (size_t c = 0; c < job->channels; c += DTS_TILE_DEPTH) {
            const size_t some = dts_least(job->distance - c, DTS_TILE_DEPTH);
            for (size_t n = 0; n < PRODUCTS; n++)
                memcpy(row + n * DTS_TILE_STEP,
                       job->sums + n * job->sums_step + o * job->distance + c,
                       some * sizeof(*row));
            for (size_t i = 0; i < some && c + i < job->channels; i += DTS_TILE_LANES)
                add_weights(row + i, job->channels - c - i,
                            job->call->dw + (o * job->channels + c + i) * 9);
        }
}

void dts_winograd_weights_run(const struct dts_winograd_weights *call,
                              struct dts_workers *workers)
{
    struct job job = job_of(&call->view, call->batch);
    job.call = call;
    job.v = call->scratch;
    job.m = job.v + PRODUCTS * job.v_step;
    job.sums = job.m + PRODUCTS * job.m_step;
    job.rooms = job.sums + PRODUCTS * job.sums_step;
    for (; job.first < job.tiles; job.first += job.count) {
        job.count = dts_least(job.tiles - job.first, job.most);
        job.panels = dts_ceil_div(job.count, DTS_TILE_COLUMNS);
        dts_workers_run(workers, transforms_part, &job);
        dts_workers_run(workers, products_part, &job);
    }
    dts_workers_run(workers, weights_part, &job);
}
