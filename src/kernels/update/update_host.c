/* update_host.c -- workers that share the blocks of a tensor. */
#include "kernels/update/update_host.h"

enum { LANES = 16 };

struct each {
    dts_update_part *part;
    dts_update_sums *sums;
    const struct dts_update_settings *settings;
    const struct dts_update_arrays *arrays;
    const double *factors;
};

static size_t blocks_of(size_t count)
{
    return (count + DTS_UPDATE_BLOCK - 1) / DTS_UPDATE_BLOCK;
}

static void run_share(void *argument, int worker, int workers)
{
    const struct each *each = argument;
    const size_t count = each->arrays->count;
    size_t first;
    const size_t blocks = dts_share_of(blocks_of(count), worker, workers, &first);
    for (size_t b = first; b < first + blocks; b++) {
        const size_t begin = b * DTS_UPDATE_BLOCK;
        const size_t end = begin + DTS_UPDATE_BLOCK < count ? begin + DTS_UPDATE_BLOCK : count;
        if (each->part != NULL)
            each->part(each->settings, each->arrays, each->factors, begin, end);
        else
            each->sums(each->settings, each->arrays, each->factors, begin, end,
                       (double *)each->arrays->scratch + 2 * b);
    }
}

void dts_update_each(dts_update_part *part, const struct dts_update_settings *settings,
                     const struct dts_update_arrays *arrays, const double *factors,
                     struct dts_workers *workers)
{
    struct each each = {part, NULL, settings, arrays, factors};
    dts_workers_run(workers, run_share, &each);
}

void dts_update_sum(dts_update_sums *part, const struct dts_update_settings *settings,
                    const struct dts_update_arrays *arrays, const double *factors,
                    struct dts_workers *workers, double sums[2])
{
    struct each each = {NULL, part, settings, arrays, factors};
    const double *partial = arrays->scratch;
    dts_workers_run(workers, run_share, &each);
    sums[0] = sums[1] = 0;
    for (size_t b = 0; b < blocks_of(arrays->count); b++) {
        sums[0] += partial[2 * b];
        sums[1] += partial[2 * b + 1];
    }
}

/* In LANES parts, so that a processor adds many at once; a part has at most 256 values. */
double dts_update_square(const float *values, size_t count)
{
    float parts[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t l = 0; l < LANES; l++)
            parts[l] += values[i + l] * values[i + l];
    double sum = 0;
    for (size_t l = 0; l < LANES; l++)
        sum += (double)parts[l];
    for (; i < count; i++)
        sum += (double)values[i] * (double)values[i];
    return sum;
}

void dts_update_squares(const struct dts_update_settings *settings,
                        const struct dts_update_arrays *arrays, const double *factors,
                        size_t begin, size_t end, double sums[2])
{
    (void)settings, (void)factors;
    sums[0] = dts_update_square((const float *)arrays->w + begin, end - begin);
    sums[1] = dts_update_square((const float *)arrays->g + begin, end - begin);
}
