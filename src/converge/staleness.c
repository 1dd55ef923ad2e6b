/* staleness.c -- late gradients: the batch as which one of them counts. */
#include "converge/staleness.h"

#include <math.h>

const struct dts_staleness_cost dts_staleness_cost_assumed = {1, 2};

double dts_staleness_delay(const struct dts_staleness *staleness, bool adapted)
{
    return adapted ? staleness->mean : sqrt(staleness->most * staleness->mean);
}

double dts_staleness_batch(double batch, double delay, double c)
{
    return batch * (1 + c * delay);
}

double dts_staleness_factor(const struct dts_law *law, double batch, double delay, double c)
{
    return dts_law_at(law, dts_staleness_batch(batch, delay, c)) / dts_law_at(law, batch);
}

struct dts_forecast dts_staleness_widen(const struct dts_forecast *forecast, double least,
                                        double most)
{
    const double mean = forecast->mean;
    const double down = hypot(log(mean / forecast->low), fmax(0, log(mean / least))),
                 up = hypot(log(forecast->high / mean), fmax(0, log(most / mean)));
    return (struct dts_forecast){mean, mean * exp(-down), mean * exp(up),
                                 (up + down) / 2 / DTS_FIT_Z80};
}
