/* staleness.c -- a distribution in a few numbers, and in shares of equal width. */
#include "answer/staleness.h"

#include <math.h>

void dts_staleness_fill(const struct dts_staleness *s, struct dts_result *result)
{
    if (s == NULL || s->requests == 0)
        return;
    result->staleness.mean = s->sum / s->requests;
    result->staleness.median = dts_staleness_quantile(s, 0.5);
    result->staleness.p95 = dts_staleness_quantile(s, 0.95);
    result->staleness.most = s->most;
    result->staleness.used = s->used / s->requests;
    const int width = 1 + (int)fmin(s->most, DTS_STALENESS_BINS - 1) / DTS_RESULT_BINS;
    result->staleness.bin_width = width;
    for (int b = 0; b < DTS_STALENESS_BINS; b++)
        if (b / width < DTS_RESULT_BINS)
            result->staleness.share[b / width] += s->bins[b] / s->requests;
}
