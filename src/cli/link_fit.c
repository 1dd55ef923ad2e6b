/* link_fit.c -- a straight line through the measured ends of each range of sizes.
 *
 *     seconds(bytes) = latency x latency_factor + bytes / (rate x bandwidth_factor)
 *
 * A range cannot be faster than the rate: where a burst is, the line keeps the rate and passes
 * between both ends. In memory, messages that fit into a cache are faster for good: the rate is
 * theirs, and larger ones have a part of it.
 */
#include "cli/link_fit.h"

#include <math.h>

/* Where protocols of MPI libraries change: eager, segments, rendezvous. ASSUMED. */
static const double limits[DTS_TRANSPORT_RANGES] = {0, 4096, 65536, 1048576};

static double seconds_at(const double *bytes, const double *seconds, int count, double size)
{
    int i = 0;
    while (i < count - 1 && bytes[i] < size)
        i++;
    return seconds[i];
}

static double rate_between(double from, double to, double from_s, double to_s)
{
    return to_s > from_s ? (to - from) / (to_s - from_s) : INFINITY;
}

static struct dts_transport_range fit_range(const struct dts_link_fit *fit, double from,
                                            double to, double from_s, double to_s)
{
    double share = rate_between(from, to, from_s, to_s) / fit->bytes_per_s;
    double factor = fmin(1, fmax(0.001, share));
    double rate = fit->bytes_per_s * factor;
    double alpha_s = from_s - from / rate;
    if (alpha_s < 0 && share <= 1) // shorter messages are faster: right at the end
        factor = fmin(1, fmax(0.001, to / to_s / fit->bytes_per_s));
    if (share > 1)
        alpha_s = (alpha_s + to_s - to / rate) / 2;
    return (struct dts_transport_range){
        .from_bytes = from,
        .latency_factor = fmax(0, alpha_s) / fit->latency_s,
        .bandwidth_factor = factor,
    };
}

void dts_link_fit(const double *bytes, const double *seconds, int count, bool bursts,
                  struct dts_link_fit *fit)
{
    double last = bytes[count - 1], last_s = seconds[count - 1];
    *fit = (struct dts_link_fit){.latency_s = fmax(seconds[0], 1e-9)};
    double rate =
        rate_between(last / 4, last, seconds_at(bytes, seconds, count, last / 4), last_s);
    // Noise may make a slope of anything: at least what the whole message reached.
    fit->bytes_per_s = fmin(fmax(rate, last / last_s), 2 * last / last_s);
    const double middle =
        rate_between(limits[2], limits[3], seconds_at(bytes, seconds, count, limits[2]),
                     seconds_at(bytes, seconds, count, limits[3]));
    if (!bursts && limits[3] < last)
        fit->bytes_per_s = fmax(fit->bytes_per_s, fmin(middle, 2 * fit->bytes_per_s));
    for (int r = 0; r < DTS_TRANSPORT_RANGES && limits[r] < last; r++) {
        double to = r + 1 < DTS_TRANSPORT_RANGES ? fmin(limits[r + 1], last) : last;
        fit->ranges[fit->range_count++] =
            fit_range(fit, limits[r], to, seconds_at(bytes, seconds, count, limits[r]),
                      seconds_at(bytes, seconds, count, to));
    }
}

double dts_link_fit_seconds(const struct dts_link_fit *fit, double bytes)
{
    int r = 0;
    while (r + 1 < fit->range_count && bytes >= fit->ranges[r + 1].from_bytes)
        r++;
    return fit->latency_s * fit->ranges[r].latency_factor +
           bytes / (fit->bytes_per_s * fit->ranges[r].bandwidth_factor);
}
