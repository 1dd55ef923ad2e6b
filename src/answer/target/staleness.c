/* staleness.c -- a distribution in a few numbers, and in shares of equal width. */
#include "answer/target/staleness.h"

#include <math.h>

void dts_stale_fill(const struct dts_stale_counts *s, struct dts_stale *stale)
{
    if (s == NULL || s->requests == 0)
        return;
    const int width = 1 + (int)fmin(s->most, DTS_STALENESS_BINS - 1) / DTS_RESULT_BINS;
    *stale = (struct dts_stale){.mean = s->sum / s->requests,
                                .median = dts_stale_counts_quantile(s, 0.5),
                                .p95 = dts_stale_counts_quantile(s, 0.95),
                                .most = s->most,
                                .used = s->used / s->requests,
                                .bin_width = width};
    for (int b = 0; b < DTS_STALENESS_BINS; b++)
        if (b / width < DTS_RESULT_BINS)
            stale->share[b / width] += s->bins[b] / s->requests;
}

double dts_stale_update_batch(const struct dts_job *job, const struct dts_result *result)
{
    const struct dts_role *servers = dts_job_serving(job);
    if (servers == NULL)
        return result->global_batch;
    const double peers = servers->plan.ops[0].exchange.peer_count;
    const double summed = servers->serve.rule->sums ? peers - servers->serve.amount : 1;
    return result->global_batch * summed / peers;
}

bool dts_stale_in_time(const struct dts_job *job)
{
    const struct dts_role *servers = dts_job_serving(job);
    return servers != NULL && servers->serve.rule->sums;
}

bool dts_stale_adapted(const struct dts_job *job)
{
    const struct dts_role *servers = dts_job_serving(job);
    return servers != NULL && servers->serve.late == &dts_late_adapted;
}

bool dts_stale_corrected(const struct dts_job *job)
{
    const struct dts_role *servers = dts_job_serving(job);
    return servers != NULL &&
           (servers->serve.momentum != NULL || servers->serve.compensation > 0);
}

double dts_stale_distance(const struct dts_stale *a, const struct dts_stale *b)
{
    if (a->bin_width == 0 || b->bin_width == 0)
        return NAN;
    // Bins of the wider one: the finer is put into them.
    const int width = a->bin_width > b->bin_width ? a->bin_width : b->bin_width;
    double apart[DTS_RESULT_BINS + 1] = {0}, sum = 0;
    for (int i = 0; i < DTS_RESULT_BINS; i++) {
        apart[i * a->bin_width / width] += a->share[i];
        apart[i * b->bin_width / width] -= b->share[i];
    }
    for (int i = 0; i < DTS_RESULT_BINS; i++)
        sum += fabs(apart[i]) / 2;
    return sum;
}
