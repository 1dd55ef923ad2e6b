/* batch_norm_host.h -- what forward and backward of batch normalization on a CPU share. */
#ifndef DTS_KERNELS_BATCH_NORM_BATCH_NORM_HOST_H
#define DTS_KERNELS_BATCH_NORM_BATCH_NORM_HOST_H

#include "base/sizes.h"
#include "kernels/batch_norm/batch_norm.h"
#include "kernels/vector/fetch.h"

enum {
    DTS_BATCH_NORM_PIECE = 4096,               // values that are summed in float
    DTS_BATCH_NORM_LEAST_RUN = 4096,           // values of a run of channels, and so many at
    DTS_BATCH_NORM_MOST_RUN = 32768,           // most, as long as those of all samples are no
    DTS_BATCH_NORM_RUNS = 16 * 32768,          // more than these: 2 MB of x
    DTS_BATCH_NORM_MOST_TOGETHER = 64,         // channels
    DTS_BATCH_NORM_STEP = 4 * DTS_LINE_VALUES, // values between which others are fetched
    DTS_BATCH_NORM_LATER = 512,                // so far before they are used
    DTS_BATCH_NORM_LEAST_AHEAD = 256,          // pixels of a plane that is worth fetching

    /* Values of few channels: they and the next ones fit into the second cache. */
    DTS_BATCH_NORM_MOST_AHEAD = 65536,
};

struct dts_batch_norm_sizes {
    size_t batch, channels, pixels;
    double count; // values of a channel that count together: of all ranks in DTS_OP_REST
};

static inline struct dts_batch_norm_sizes dts_batch_norm_sizes(const struct dts_op_call *call,
                                                               const struct dts_arrays *a)
{
    const struct dts_dims *x = &call->inputs[0];
    const size_t batch = (size_t)a->batch, channels = x->size[0];
    const size_t pixels = dts_dims_elements(x) / channels;
    const int ranks = a->part == DTS_OP_REST ? a->ranks : 1;
    return (struct dts_batch_norm_sizes){batch, channels, pixels,
                                         (double)batch * (double)pixels * ranks};
}

/* Channels to take together, of those that are left. */
static inline size_t dts_batch_norm_together(struct dts_batch_norm_sizes s, size_t left)
{
    const size_t long_run = dts_least(DTS_BATCH_NORM_RUNS / s.batch, DTS_BATCH_NORM_MOST_RUN);
    const size_t run = dts_most(long_run, DTS_BATCH_NORM_LEAST_RUN) / s.pixels;
    return dts_least(dts_least(dts_most(run, 1), DTS_BATCH_NORM_MOST_TOGETHER), left);
}

/* How far ahead the values of the next channels lie; 0: too many to fetch, or too few. */
static inline size_t dts_batch_norm_ahead(struct dts_batch_norm_sizes s, size_t count)
{
    const bool fits = s.batch * count * s.pixels <= DTS_BATCH_NORM_MOST_AHEAD;
    return fits && s.pixels >= DTS_BATCH_NORM_LEAST_AHEAD ? count * s.pixels : 0;
}

/* Where the plane behind this one begins: planes of `count` channels lie behind one another in
 * each sample; behind the last sample come the next channels. From the first of these planes.
 */
static inline size_t dts_batch_norm_next(struct dts_batch_norm_sizes s, size_t count, size_t n,
                                         size_t c)
{
    if (c + 1 < count)
        return (n * s.channels + c + 1) * s.pixels;
    return n + 1 < s.batch ? (n + 1) * s.channels * s.pixels : count * s.pixels;
}

/* What is read or written DTS_BATCH_NORM_LATER values after place i of a plane of `count`. */
static inline const float *dts_batch_norm_later(const float *plane, const float *next, size_t i,
                                                size_t count)
{
    const size_t later = i + DTS_BATCH_NORM_LATER;
    return later < count ? plane + later : next + (later - count);
}

/* What the values of a channel are multiplied by, and what is added. */
struct dts_batch_norm_line {
    float scale, shift;
};

static inline struct dts_batch_norm_line dts_batch_norm_line(const struct dts_arrays *a,
                                                             size_t c, float mean, float r)
{
    const float w = ((const float *)a->w[0])[c], b = ((const float *)a->w[1])[c];
    return (struct dts_batch_norm_line){w * r, b - mean * w * r};
}

#endif
