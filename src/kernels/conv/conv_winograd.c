/* conv_winograd.c -- 3x3 windows with stride 1 by Winograd's F(4x4, 3x3) (Lavin and Gray 2016,
 * arXiv:1509.09308): 4x4 outputs of a channel pair take 36 products in place of 144.
 *
 *     y tile = A' [ sum over c of (G g G') * (B' d B) ] A,   d: 6x6 pixels of x
 *
 * For each of the 36 the sum over c is a product of matrices, U[m, c] V[c, tile], done by
 * tile.h. U is made once a call, a row at a time in a cache, and lies in 36 places: it is four
 * times as large as the weights, and stored past the caches where it is more than they keep. A
 * block of tiles goes through all three steps before the next, so that V and the sums stay in
 * the caches. Patches of x and of y are views whose grid is that of the tiles, with the stride
 * 4: a lane is a tile, borders are masked. Workers take columns of tiles. Rounding errors are
 * larger than those of the direct sum: tests/kernels/op_conv.h derives by how much.
 */
#include "kernels/conv/conv_winograd.h"

#include <assert.h>
#include <string.h>

#include "base/sizes.h"
#include "kernels/conv/conv_winograd_math.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"

enum { MOST_PANELS = 8, MOST_ROOM = 1 << 22, CHUNK = 8, LINE = 16, LEAST_TILES = 32 };
enum { RAW_STEP = CHUNK * DTS_TILE_COLUMNS + LINE };
/* Bytes of U that are read again before they leave the caches (docs/log/2026-11-ops.md,
 * "Convolutions"). */
enum { MOST_U_KEPT = 1 << 20 };

struct job {
    const struct dts_winograd *call;
    struct dts_conv_view in, out; // patches of x, of y
    size_t channels, outputs, tiles;
    size_t depth, depths, row_blocks; // as in conv_tiles.c
    size_t panels;                    // tiles of a block, by COLUMNS
    size_t v_step, sums_step;         // between the 36: not in one set of the cache
    float *u, *rooms;
    size_t u_floats, share;
    bool u_past; // the caches
};

/* A view of patches of `size` x `size` pixels, 4 apart, from `first` on. */
static struct dts_conv_view patches(const size_t *pixels, const size_t *whole, size_t channels,
                                    size_t size, const long *first)
{
    struct dts_conv_view v = {.groups = 1, .channels = channels, .tap_count = size * size};
    v.in_pixels = v.grid_pixels = 1;
    for (int i = 0; i < DTS_VIEW_AXES; i++) {
        v.in[i] = pixels[i];
        v.out[i] = v.grid[i] = i == 0 ? 1 : dts_ceil_div(whole[i], WINOGRAD_OUT);
        v.in_step[i] = WINOGRAD_OUT;
        v.out_step[i] = 1;
        v.taps[i] = (struct dts_view_taps){.count = i == 0 ? 1 : size,
                                           .step = 1,
                                           .kernel = i == 0 ? 1 : size,
                                           .at = first[i],
                                           .slope = 1};
        v.in_pixels *= v.in[i];
        v.grid_pixels *= v.grid[i];
    }
    v.out_pixels = v.grid_pixels;
    return v;
}

struct dts_conv_view dts_winograd_patches_in(const struct dts_conv_view *view)
{
    long first[DTS_VIEW_AXES] = {0};
    for (int i = 1; i < DTS_VIEW_AXES; i++)
        first[i] = view->taps[i].at + (view->taps[i].slope < 0 ? -2 : 0);
    return patches(view->in, view->out, view->channels, WINOGRAD_IN, first);
}

struct dts_conv_view dts_winograd_patches_out(const struct dts_conv_view *view)
{
    static const long first[DTS_VIEW_AXES] = {0};
    return patches(view->out, view->out, view->outputs, WINOGRAD_OUT, first);
}

/* The pixels that tiles of one sample see, or rather all between the first and the last of
 * them. */
struct seen {
    size_t top, rows, left, columns;
};

static struct seen seen_by(const struct dts_conv_view *v, size_t first, size_t last)
{
    size_t begin[DTS_VIEW_AXES], end[DTS_VIEW_AXES];
    const size_t wide = v->grid[2];
    const bool one_row = first / wide == last / wide;
    const size_t tiles[DTS_VIEW_AXES][2] = {
        {0, 0},
        {first / wide, last / wide},
        {one_row ? first % wide : 0, one_row ? last % wide : wide - 1}};
    for (int i = 1; i < DTS_VIEW_AXES; i++) {
        const long at = v->taps[i].at, in = (long)v->in[i];
        const long from = (long)(tiles[i][0] * WINOGRAD_OUT) + at;
        const long to = (long)(tiles[i][1] * WINOGRAD_OUT + v->taps[i].count) + at;
        begin[i] = (size_t)(from < 0 ? 0 : from < in ? from : in); // beyond: wide borders
        end[i] = to < (long)begin[i] ? begin[i] : (size_t)(to < in ? to : in);
    }
    return (struct seen){begin[1], end[1] - begin[1], begin[2], end[2] - begin[2]};
}

/* See dts_winograd_fetch_next(). */
static inline __attribute__((always_inline)) void
fetch(const struct dts_conv_view *v, size_t first, size_t count, const float *x, size_t c,
      size_t channels, void (*ask)(const float *values, size_t count))
{
    for (size_t end = first + count, next; first < end; first = next) {
        const size_t sample = first / v->grid_pixels, begin = sample * v->grid_pixels;
        next = dts_least(end, begin + v->grid_pixels);
        const struct seen seen = seen_by(v, first - begin, next - 1 - begin);
        const bool whole = seen.columns == v->in[2]; // rows, behind one another
        const size_t rows = whole ? 1 : seen.rows;
        const float *from =
            x + (sample * v->channels + c) * v->in_pixels + seen.top * v->in[2] + seen.left;
        for (size_t i = 0; i < channels; i++, from += v->in_pixels)
            for (size_t r = 0; r < rows; r++)
                ask(from + r * v->in[2], whole ? seen.rows * v->in[2] : seen.columns);
    }
}

void dts_winograd_fetch_next(const struct dts_conv_view *patches,
                             const struct dts_view_lanes *lanes, size_t tiles, const float *x,
                             size_t c, size_t channels)
{
    const size_t behind = lanes->first + lanes->count;
    fetch(patches, behind, dts_least(DTS_TILE_COLUMNS, tiles - behind), x, c, channels,
          dts_fetch_near);
}

size_t dts_winograd_panels(size_t panel, size_t beside, size_t most)
{
    enum { NEAR = (512 << 10) / sizeof(float) }; // second caches of today have that and more
    const size_t fit = beside < NEAR ? (NEAR - beside) / panel : 0;
    return fit < 1 ? most : dts_least(fit, most);
}

static struct job job_of(const struct dts_conv_view *view, int batch)
{
    struct job job = {.channels = view->channels, .outputs = view->outputs};
    job.in = dts_winograd_patches_in(view);
    job.out = dts_winograd_patches_out(view);
    job.tiles = (size_t)batch * job.in.grid_pixels;
    job.depths = dts_ceil_div(job.channels, DTS_TILE_DEPTH);
    job.depth = dts_ceil_div(dts_ceil_div(job.channels, job.depths), LINE) * LINE;
    job.row_blocks = dts_ceil_div(job.outputs, DTS_TILE_ROWS);
    job.v_step = job.channels * DTS_TILE_COLUMNS + LINE;
    job.sums_step = job.outputs * DTS_TILE_COLUMNS + LINE;
    const size_t panel = WINOGRAD_PRODUCTS * (job.v_step + job.sums_step);
    const size_t u = WINOGRAD_PRODUCTS * job.channels * job.outputs, most = MOST_ROOM / panel;
    job.panels = dts_winograd_panels(panel, u, most < 1 ? 1 : dts_least(most, MOST_PANELS));
    job.u_floats = WINOGRAD_PRODUCTS * job.depths * job.row_blocks * DTS_TILE_BLOCK;
    job.u_past = u * sizeof(float) > MOST_U_KEPT;
    job.share = job.panels * panel + WINOGRAD_PRODUCTS * RAW_STEP;
    return job;
}

bool dts_winograd_fits(const struct dts_conv_view *view)
{
    if (view->groups != 1 || view->in[0] != 1 || view->out[0] != 1 || view->tap_count != 9)
        return false;
    for (int i = 1; i < DTS_VIEW_AXES; i++)
        if (view->taps[i].count != 3 || view->taps[i].kernel != 3 || view->in_step[i] != 1 ||
            view->out_step[i] != 1 || view->taps[i].slope * view->taps[i].slope != 1)
            return false;
    return view->channels >= LINE && view->outputs >= LINE;
}

bool dts_winograd_pays(const struct dts_conv_view *view, int batch, int workers)
{
    if (!dts_winograd_fits(view))
        return false;
    const struct job job = job_of(view, batch);
    return job.tiles >= LEAST_TILES && job.tiles >= (size_t)workers * DTS_TILE_COLUMNS;
}

size_t dts_winograd_scratch(const struct dts_conv_view *view, int batch, int workers)
{
    const struct job job = job_of(view, batch);
    return (LINE + job.u_floats + (size_t)workers * job.share) * sizeof(float);
}

/* 3x3 weights of LANES channels, or of the `left` ones, a lane each; flipped: turned around. */
static void load_weights(const struct job *job, const float *w, size_t left,
                         winograd_vector g[9])
{
    const size_t step = job->call->channel_step;
    const struct dts_view_taps *taps = job->call->view.taps;
    const bool flip_h = taps[1].slope < 0, flip_w = taps[2].slope < 0;
    for (size_t t = 0; t < 9; t++) {
        const size_t h = flip_h ? 2 - t / 3 : t / 3, at = flip_w ? 2 - t % 3 : t % 3;
        const float *from = w + h * 3 + at;
        if (left >= DTS_TILE_LANES)
            g[t] = dts_lanes_gather(from, step);
        else
            for (size_t l = 0; l < DTS_TILE_LANES; l++)
                g[t][l] = l < left ? from[l * step] : 0;
    }
}

/* U[36, depth] of one row of weights, channels from c on. */
static void weights_row(const struct job *job, size_t output, size_t c, size_t depth, float *to)
{
    const struct dts_winograd *call = job->call;
    const float *w = call->w + output * call->output_step;
    for (size_t i = 0; i < depth; i += DTS_TILE_LANES) {
        winograd_vector g[9], half[18], u[WINOGRAD_PRODUCTS];
        load_weights(job, w + (c + i) * call->channel_step, depth - i, g);
        for (int j = 0; j < 3; j++)
            winograd_weights(g + j, 3, half + j, 3);
        for (int k = 0; k < WINOGRAD_IN; k++)
            winograd_weights(half + k * 3, 1, u + k * WINOGRAD_IN, 1);
        for (size_t n = 0; n < WINOGRAD_PRODUCTS; n++)
            winograd_store(to + n * DTS_TILE_STEP + i, u[n]);
    }
}

/* `count` values of each of the 36, which are `distance` apart there. */
static void put_row(const struct job *job, const float *row, size_t count, float *to,
                    size_t distance)
{
    for (size_t n = 0; n < WINOGRAD_PRODUCTS; n++, row += DTS_TILE_STEP, to += distance)
        if (job->u_past)
            dts_store_past_caches(to, row, count);
        else
            memcpy(to, row, count * sizeof(*to));
}

static void weights_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    size_t first;
    const size_t count = dts_share_of(job->outputs, worker, workers, &first);
    float *row = job->rooms + (size_t)worker * job->share; // of all 36, one behind the other
    assert(job->share >= WINOGRAD_PRODUCTS * DTS_TILE_STEP);
    const size_t each = job->row_blocks * DTS_TILE_BLOCK;
    for (size_t o = first; o < first + count; o++)
        for (size_t d = 0; d < job->depths; d++) {
            const size_t c = d * job->depth, left = job->channels - c;
            const size_t depth = left < job->depth ? left : job->depth;
            float *to = job->u + d * each + o / DTS_TILE_ROWS * DTS_TILE_BLOCK +
                        o % DTS_TILE_ROWS * DTS_TILE_STEP;
            weights_row(job, o, c, depth, row);
            put_row(job, row, dts_ceil_div(depth, DTS_TILE_LANES) * DTS_TILE_LANES, to,
                    job->depths * each);
        }
    dts_lanes_streamed();
}

/* V[36, channels, COLUMNS] of one panel of tiles. */
static void input_panel(const struct job *job, const struct dts_view_lanes *lanes, float *raw,
                        float *v)
{
    struct dts_view_seen seen[WINOGRAD_PRODUCTS];
    for (size_t t = 0; t < WINOGRAD_PRODUCTS; t++)
        seen[t] = dts_view_seen(&job->in, lanes, t);
    for (size_t c = 0, count; c < job->channels; c += count) {
        count = job->channels - c < CHUNK ? job->channels - c : CHUNK;
        dts_winograd_fetch_next(&job->in, lanes, job->tiles, job->call->x, c, count);
        for (size_t t = 0; t < WINOGRAD_PRODUCTS; t++)
            dts_view_load(lanes, &seen[t], job->call->x + c * job->in.in_pixels,
                          job->in.in_pixels, count, raw + t * RAW_STEP, DTS_TILE_COLUMNS);
        for (size_t i = 0; i < count * DTS_TILE_COLUMNS; i += DTS_TILE_LANES) {
            winograd_vector d[WINOGRAD_PRODUCTS];
            for (int t = 0; t < WINOGRAD_PRODUCTS; t++)
                d[t] = winograd_load(raw + t * RAW_STEP + i);
            for (int j = 0; j < WINOGRAD_IN; j++)
                winograd_input(d + j, d + j, WINOGRAD_IN);
            for (int j = 0; j < WINOGRAD_IN; j++)
                winograd_input(d + j * WINOGRAD_IN, d + j * WINOGRAD_IN, 1);
            for (size_t n = 0; n < WINOGRAD_PRODUCTS; n++)
                winograd_store(v + n * job->v_step + c * DTS_TILE_COLUMNS + i, d[n]);
        }
    }
}

/* y of one panel from its sums[36, outputs, COLUMNS]. */
static void output_panel(const struct job *job, const struct dts_view_lanes *lanes,
                         const float *sums)
{
    enum { PIXELS = WINOGRAD_OUT * WINOGRAD_OUT, AHEAD = 2 };
    struct dts_view_seen seen[PIXELS];
    for (size_t t = 0; t < PIXELS; t++)
        seen[t] = dts_view_seen(&job->out, lanes, t);
    for (size_t o = 0; o < job->outputs; o++) {
        if (o + AHEAD < job->outputs)
            fetch(&job->out, lanes->first, lanes->count, job->call->y, o + AHEAD, 1,
                  dts_fetch_to_write);
        for (int half = 0; half < 2; half++) {
            winograd_vector m[WINOGRAD_PRODUCTS], part[24], y[PIXELS];
            for (size_t n = 0; n < WINOGRAD_PRODUCTS; n++)
                m[n] = winograd_load(sums + n * job->sums_step + o * DTS_TILE_COLUMNS +
                                     half * DTS_TILE_LANES);
            for (int j = 0; j < WINOGRAD_IN; j++)
                winograd_output(m + j, WINOGRAD_IN, part + j, WINOGRAD_IN);
            for (int i = 0; i < WINOGRAD_OUT; i++)
                winograd_output(part + i * WINOGRAD_IN, 1, y + i * WINOGRAD_OUT, 1);
            const float bias = job->call->bias != NULL ? job->call->bias[o] : 0;
            for (int t = 0; t < PIXELS; t++)
                y[t] += bias;
            dts_view_put(lanes, seen, PIXELS, half, (const float *)y,
                         job->call->y + o * job->out.in_pixels);
        }
    }
}

static void products(const struct job *job, size_t panels, const float *v, float *sums)
{
    const size_t v_panel = WINOGRAD_PRODUCTS * job->v_step;
    const size_t sums_panel = WINOGRAD_PRODUCTS * job->sums_step;
    for (size_t n = 0; n < WINOGRAD_PRODUCTS; n++)
        for (size_t d = 0; d < job->depths; d++)
            for (size_t r = 0; r < job->row_blocks; r++) {
                const size_t row = r * DTS_TILE_ROWS, left = job->outputs - row;
                const size_t c = d * job->depth, more = job->channels - c;
                const float *u =
                    job->u + ((n * job->depths + d) * job->row_blocks + r) * DTS_TILE_BLOCK;
                for (size_t i = 0; i < panels; i++)
                    dts_tile(left < DTS_TILE_ROWS ? left : DTS_TILE_ROWS,
                             more < job->depth ? more : job->depth, u,
                             v + i * v_panel + n * job->v_step + c * DTS_TILE_COLUMNS,
                             sums + i * sums_panel + n * job->sums_step +
                                 row * DTS_TILE_COLUMNS,
                             DTS_TILE_COLUMNS, d > 0);
            }
}

static void tiles_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t v_panel = WINOGRAD_PRODUCTS * job->v_step;
    const size_t sums_panel = WINOGRAD_PRODUCTS * job->sums_step;
    float *raw = job->rooms + (size_t)worker * job->share;
    float *v = raw + WINOGRAD_PRODUCTS * RAW_STEP;
    float *sums = v + job->panels * v_panel;
    size_t first, panels;
    const size_t count =
        dts_share_of(dts_ceil_div(job->tiles, DTS_TILE_COLUMNS), worker, workers, &first);
    for (size_t done = 0; done < count; done += panels) {
        panels = dts_least(count - done, job->panels);
        for (int step = 0; step < 2; step++) {
            for (size_t i = 0; i < panels; i++) {
                const size_t tile = (first + done + i) * DTS_TILE_COLUMNS;
                const size_t left = job->tiles - tile;
                const struct dts_view_lanes lanes =
                    dts_view_lanes(step == 0 ? &job->in : &job->out, tile,
                                   left < DTS_TILE_COLUMNS ? left : DTS_TILE_COLUMNS);
                if (step == 0)
                    input_panel(job, &lanes, raw, v + i * v_panel);
                else
                    output_panel(job, &lanes, sums + i * sums_panel);
            }
            if (step == 0)
                products(job, panels, v, sums);
        }
    }
}

void dts_winograd_run(const struct dts_winograd *call, struct dts_workers *workers)
{
    struct job job = job_of(&call->view, call->batch);
    job.call = call;
    job.u = call->scratch + (LINE - dts_behind_a_line(call->scratch)) % LINE;
    job.rooms = job.u + job.u_floats;
    dts_workers_run(workers, weights_part, &job);
    dts_workers_run(workers, tiles_part, &job);
}
