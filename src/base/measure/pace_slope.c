/* pace_slope.c -- a weighted median of slopes. */
#include "base/measure/pace_slope.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static const double least_apart = 0.05;   // logarithms of two paces that tell a slope. ASSUMED
static const double counts_at_most = 0.5; // a pace that is far off is a spike. ASSUMED
static const double most = 1.2;           // beyond it is noise. ASSUMED
enum { LEAST_PAIRS = 6 };                 // that tell one. ASSUMED

struct slope {
    double slope, weight;
};

static int by_slope(const void *a, const void *b)
{
    const double x = ((const struct slope *)a)->slope, y = ((const struct slope *)b)->slope;
    return (x > y) - (x < y);
}

static int find_slopes(const double *seconds, const double *paces, int count,
                       struct slope *slopes)
{
    int found = 0;
    for (int i = 1; i < count; i++)
        for (int k = 0; k < i; k++) {
            const double apart = log(paces[i] / paces[k]);
            if (fabs(apart) >= least_apart)
                slopes[found++] = (struct slope){log(seconds[i] / seconds[k]) / apart,
                                                 fmin(fabs(apart), counts_at_most)};
        }
    return found;
}

double dts_pace_slope(const double *seconds, const double *paces, int count)
{
    const size_t pairs = (size_t)count * (size_t)(count - 1) / 2;
    struct slope *slopes = dts_alloc(pairs + 1, sizeof(*slopes));
    const int found = find_slopes(seconds, paces, count, slopes);
    double whole = 0, below = 0, slope = 0;
    qsort(slopes, (size_t)found, sizeof(*slopes), by_slope);
    for (int i = 0; i < found; i++)
        whole += slopes[i].weight;
    for (int i = 0; i < found && below < whole / 2; i++) {
        below += slopes[i].weight;
        slope = slopes[i].slope;
    }
    free(slopes);
    return found < LEAST_PAIRS ? 0 : fmin(fmax(slope, 0), most);
}
