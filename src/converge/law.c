/* law.c -- E(B), its critical batches, and the grid of evaluations that logs show it through.
 */
#include "converge/law.h"

#include <math.h>

double dts_law_at(const struct dts_law *law, double batch)
{
    return law->e_min * pow(1 + pow(batch / law->b_c, law->g), 1 / law->g);
}

double dts_law_batch(const struct dts_law *law, double extra)
{
    return law->b_c * pow(pow(1 + extra, law->g) - 1, 1 / law->g);
}

const char *dts_law_region(const struct dts_law *law, double batch)
{
    if (batch <= dts_law_batch(law, DTS_LAW_FIFTH))
        return "perfect";
    return batch <= dts_law_batch(law, DTS_LAW_TWICE) ? "diminishing" : "maximal";
}

/* P(a standard normal number is above z). */
static double above(double z)
{
    return erfc(z * sqrt(0.5)) / 2;
}

double dts_law_seen(double need, double cv, double interval)
{
    const double intervals_most = 60; // beyond, the grid is finer than any seed's spread
    const double sd = fmax(cv, 1e-9) * need;
    if (interval <= 0 || !isfinite(need))
        return need;
    if (need > intervals_most * interval || sd > interval)
        return need + interval / 2;
    double sum = 0;
    for (int i = 0; i * interval <= need + 6 * sd + interval; i++)
        sum += interval * above((i * interval - need) / sd);
    return sum;
}
