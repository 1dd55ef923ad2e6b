/* naive.c -- the throughput of a device at one point from that at others. Points of several
 * networks compare by the operations of their samples: then it is a constant share of the peak
 * (MFU). */
#include "answer/validate/naive.h"

#include <math.h>

#include "base/stats.h"

/* A point as these predictors see it. */
struct seen {
    double devices, batch, rate; // rate: of a device, operations of the network a second, or
                                 // samples where nobody counts these
};

static struct seen see(const struct dts_case_set *set, const struct dts_judged *judged, int i)
{
    const struct dts_case *one = &set->cases[i];
    const double rate = set->families[one->family].value != DTS_CASE_THROUGHPUT
                            ? judged[i].batch / judged[i].published_s
                            : one->value / one->devices;
    const double flops = judged[i].sample_flops > 0 ? judged[i].sample_flops : 1;
    return (struct seen){one->devices, judged[i].batch, rate * flops};
}

static double apart(const struct seen *a, const struct seen *b, bool by_batch)
{
    const double devices = fabs(log(a->devices / b->devices));
    return by_batch ? devices + fabs(log(a->batch / b->batch)) : devices;
}

/* The nearest point that the case at `i` may know, on other than `not_devices`; -1: none. */
static int nearest(const struct dts_case_set *set, const struct dts_judged *judged, int i,
                   bool by_batch, double not_devices)
{
    const struct seen me = see(set, judged, i);
    double least = INFINITY;
    int found = -1;
    for (int j = 0; j < set->count; j++) {
        const struct seen other = see(set, judged, j);
        if (j == i || set->cases[j].system != set->cases[i].system ||
            other.devices == not_devices)
            continue;
        const double distance = apart(&me, &other, by_batch);
        const bool smaller = found >= 0 && set->cases[j].devices < set->cases[found].devices;
        if (distance < least || (distance <= least && smaller)) {
            least = distance;
            found = j;
        }
    }
    return found;
}

static double power_of(const struct dts_case_set *set, const struct dts_judged *judged, int i)
{
    const struct seen me = see(set, judged, i);
    const int first = nearest(set, judged, i, false, 0);
    if (first < 0)
        return NAN;
    const struct seen a = see(set, judged, first);
    const int second = nearest(set, judged, i, false, a.devices);
    if (second < 0)
        return a.rate;
    const struct seen b = see(set, judged, second);
    return exp(
        dts_on_line(log(me.devices), log(a.devices), log(b.devices), log(a.rate), log(b.rate)));
}

static int anchor_of(const struct dts_case_set *set, int i)
{
    for (int j = 0; j < set->count; j++)
        if (set->cases[j].system == set->cases[i].system &&
            set->cases[j].role == DTS_CASE_ANCHOR)
            return j;
    return -1;
}

void dts_naive(const struct dts_case_set *set, struct dts_judged *judged)
{
    for (int i = 0; i < set->count; i++) {
        const bool trains = dts_family_trains(&set->families[set->cases[i].family]);
        if (!trains || set->cases[i].role != DTS_CASE_PREDICTED)
            continue;
        const double rate = see(set, judged, i).rate;
        const int anchor = anchor_of(set, i), near = nearest(set, judged, i, true, 0);
        if (anchor >= 0)
            judged[i].linear = see(set, judged, anchor).rate / rate - 1;
        if (near >= 0)
            judged[i].nearest = see(set, judged, near).rate / rate - 1;
        judged[i].power = power_of(set, judged, i) / rate - 1;
    }
}
