/* layer_norm_host.c -- normalization over features on a CPU. Workers take positions; a row of
 * features stays in the first cache, so that memory is passed once. The sums over positions
 * (dw, db) are gathered by each worker for itself and added in their order.
 */
#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "kernels/layer_norm/layer_norm.h"
#include "kernels/ranges.h"
#include "kernels/vector/fetch.h"
#include "kernels/vector/past_caches.h"
#include "kernels/vector/sums.h"

static size_t rows_of(const struct dts_op_call *call, int batch)
{
    return (size_t)batch * dts_dims_positions(&call->output);
}

/* Sums of a worker: dw, then db. */
static size_t sums_of_a_worker(const struct dts_op_call *call)
{
    return (2 * dts_dims_features(&call->output) + 15) / 16 * 16; // no cache line is shared
}

size_t dts_layer_norm_scratch(const struct dts_op_call *call, int batch, int workers)
{
    (void)batch;
    return (size_t)workers * sums_of_a_worker(call) * sizeof(float);
}

/* 1 / sqrt(mean of (x - mean)^2 + epsilon) */
static float inverse_root(const struct dts_op_call *call, const float *x, float mean, size_t n)
{
    const float squares = dts_moments_about(x, mean, n).squares;
    return 1 / sqrtf(squares / (float)n + (float)dts_op_epsilon(call));
}

/* The next row is fetched a block at a time while this one is written: a core waits for a dozen
 * lines at once, and no more. */
enum { BLOCK = 4 * DTS_LINE_VALUES };

static inline void fetch_some(const float *read, const float *written, bool past)
{
    dts_fetch(read, BLOCK);
    if (!past)
        dts_fetch_to_write(written, BLOCK);
}

/* Whether rows of a result go past the caches. */
static bool go_past(const struct dts_op_call *call, const struct dts_arrays *a, const void *to)
{
    return dts_rows_go_past_caches(to, rows_of(call, a->batch),
                                   dts_dims_features(&call->output));
}

/* As much of the next row as a core waits for at once, before each of two passes of this one.
 */
enum { AT_ONCE = 12 * DTS_LINE_VALUES };

static void fetch_ahead(const float *next, size_t pass, size_t n)
{
    if ((pass + 1) * AT_ONCE <= n)
        dts_fetch(next + pass * AT_ONCE, AT_ONCE);
}

static void layer_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                       struct dts_range range)
{
    const size_t rows = rows_of(call, a->batch), n = dts_dims_features(&call->output);
    const float *w = a->w[0], *b = a->w[1];
    const bool past = go_past(call, a, a->y);
    float *saved = a->saved, block[BLOCK];
    for (size_t row = range.first; row < range.first + range.count; row++) {
        const float *x = (const float *)a->x[0] + row * n;
        float *y = (float *)a->y + row * n;
        fetch_ahead(x + n, 0, n);
        const float mean = dts_sum(x, n) / (float)n;
        fetch_ahead(x + n, 1, n);
        const float r = inverse_root(call, x, mean, n);
        for (size_t i = 0; i < n; i += BLOCK) {
            const size_t end = dts_least(n, i + BLOCK);
            float *to = dts_begin_block(y, i, block, past);
            fetch_some(x + n + i, y + n + i, past);
#pragma omp simd
            for (size_t k = i; k < end; k++)
                to[k - i] = w[k] * ((x[k] - mean) * r) + b[k];
            dts_end_block(y, i, end, block, past);
        }
        saved[row] = r;
        saved[rows + row] = mean;
    }
    dts_lanes_streamed();
}

static void rms_rows(const struct dts_op_call *call, const struct dts_arrays *a,
                     struct dts_range range)
{
    const size_t n = dts_dims_features(&call->output);
    const float *w = a->w[0];
    const bool past = go_past(call, a, a->y);
    float block[BLOCK];
    for (size_t row = range.first; row < range.first + range.count; row++) {
        const float *x = (const float *)a->x[0] + row * n;
        float *y = (float *)a->y + row * n;
        const float r = inverse_root(call, x, 0, n);
        for (size_t i = 0; i < n; i += BLOCK) {
            const size_t end = dts_least(n, i + BLOCK);
            float *to = dts_begin_block(y, i, block, past);
            fetch_some(x + n + i, y + n + i, past);
#pragma omp simd
            for (size_t k = i; k < end; k++)
                to[k - i] = w[k] * (x[k] * r);
            dts_end_block(y, i, end, block, past);
        }
        ((float *)a->saved)[row] = r;
    }
    dts_lanes_streamed();
}

enum { TOGETHER = 2 }; // rows back

/* One row: its part of dw and db; sums over features that dx needs. */
struct row {
    const float *x, *dy, *w;
    float mean, r, sum, products; // sum: of w dy; products: of w dy h
};

/* `count` rows behind one another, 1 or 2: two share what is read and written of dw and db. The
 * dy behind them is fetched here, the rest of it where dx is written, so that memory is never
 * idle. */
static inline __attribute__((always_inline)) void
gather(struct row *rows, int count, float *restrict dw, float *restrict db, size_t n)
{
    const float *x = rows->x, *dy = rows->dy, *w = rows->w;
    const size_t second = count > 1 ? n : 0; // from the first row
    const struct row a = rows[0], b = rows[count - 1];
    for (int k = 0; k < count; k++)
        rows[k].sum = rows[k].products = 0;
    for (size_t first = 0; first < n; first += 2 * BLOCK) {
        const size_t end = dts_least(n, first + 2 * BLOCK);
        float sum = 0, products = 0, sum_b = 0, products_b = 0;
        for (int k = 0; k < count; k++)
            dts_fetch_near(dy + (size_t)(count + k) * n + first, 2 * BLOCK);
#pragma omp simd reduction(+ : sum, products, sum_b, products_b)
        for (size_t i = first; i < end; i++) {
            const float h = (x[i] - a.mean) * a.r, g = w[i] * dy[i];
            float to_w = dy[i] * h, to_b = dy[i];
            sum += g;
            products += g * h;
            if (count > 1) {
                const size_t k = i + second;
                const float h_b = (x[k] - b.mean) * b.r, g_b = w[i] * dy[k];
                to_w += dy[k] * h_b;
                to_b += dy[k];
                sum_b += g_b;
                products_b += g_b * h_b;
            }
            dw[i] += to_w;
            db[i] += to_b;
        }
        rows[0].sum += sum;
        rows[0].products += products;
        rows[count - 1].sum += sum_b;
        rows[count - 1].products += products_b;
    }
}

/* `ahead`: where the row lies whose x is fetched. */
static void apply(const struct row *row, float *restrict dx, size_t n, size_t ahead, bool past)
{
    const float *x = row->x, *dy = row->dy, *w = row->w;
    const float r = row->r, by_h = -row->products / (float)n * r;
    const float mean = row->mean, shift = -row->sum / (float)n;
    float block[BLOCK];
    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t end = dts_least(n, i + BLOCK);
        float *to = dts_begin_block(dx, i, block, past);
        dts_fetch_near(x + ahead + i, BLOCK);
        if (!past)
            dts_fetch_to_write(dx + n + i, BLOCK);
#pragma omp simd
        for (size_t k = i; k < end; k++)
            to[k - i] = r * (w[k] * dy[k] + ((x[k] - mean) * by_h + shift));
        dts_end_block(dx, i, end, block, past);
    }
}

static void rows_back(const struct dts_op_call *call, const struct dts_arrays *a,
                      struct dts_range range, bool centred)
{
    const size_t rows = rows_of(call, a->batch), n = dts_dims_features(&call->output);
    const float *saved = a->saved;
    const bool past = a->dx[0] != NULL && go_past(call, a, a->dx[0]);
    float *dw = (float *)a->scratch + (size_t)range.worker * sums_of_a_worker(call);
    const size_t last = range.first + range.count;
    for (size_t k = range.first, count; k < last; k += count) {
        count = dts_least(last - k, TOGETHER);
        struct row row[TOGETHER];
        for (size_t i = 0; i < count; i++)
            row[i] = (struct row){.x = (const float *)a->x[0] + (k + i) * n,
                                  .dy = (const float *)a->dy + (k + i) * n,
                                  .w = a->w[0],
                                  .mean = centred ? saved[rows + k + i] : 0,
                                  .r = saved[k + i]};
        if (count == TOGETHER)
            gather(row, TOGETHER, dw, dw + n, n);
        else
            gather(row, 1, dw, dw + n, n);
        for (size_t i = 0; i < count && a->dx[0] != NULL; i++) {
            row[i].sum = centred ? row[i].sum : 0;
            apply(&row[i], (float *)a->dx[0] + (k + i) * n, n, count * n, past);
        }
    }
    dts_lanes_streamed();
}

static void layer_rows_back(const struct dts_op_call *call, const struct dts_arrays *a,
                            struct dts_range range)
{
    rows_back(call, a, range, true);
}

static void rms_rows_back(const struct dts_op_call *call, const struct dts_arrays *a,
                          struct dts_range range)
{
    rows_back(call, a, range, false);
}

static void backward(const struct dts_op_call *call, const struct dts_arrays *a,
                     const struct dts_place *place, dts_range_fn *part)
{
    const size_t n = dts_dims_features(&call->output);
    const int workers = dts_workers_count(place->workers);
    memset(a->scratch, 0, dts_layer_norm_scratch(call, a->batch, workers));
    dts_ranges(part, rows_of(call, a->batch), call, a, place);
    for (int worker = 0; worker < workers; worker++) {
        const float *sums = (float *)a->scratch + (size_t)worker * sums_of_a_worker(call);
        for (int p = 0; p < call->param_count; p++)
            for (size_t i = 0; i < n && a->dw[p] != NULL; i++)
                ((float *)a->dw[p])[i] += sums[(size_t)p * n + i];
    }
}

void dts_layer_norm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                 const struct dts_place *place)
{
    dts_ranges(layer_rows, rows_of(call, a->batch), call, a, place);
}

void dts_layer_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                  const struct dts_place *place)
{
    backward(call, a, place, layer_rows_back);
}

void dts_rms_norm_forward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                               const struct dts_place *place)
{
    dts_ranges(rms_rows, rows_of(call, a->batch), call, a, place);
}

void dts_rms_norm_backward_host(const struct dts_op_call *call, const struct dts_arrays *a,
                                const struct dts_place *place)
{
    backward(call, a, place, rms_rows_back);
}
