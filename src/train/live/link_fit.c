/* link_fit.c -- a straight line through the measured ends of each range of sizes.
 *
 *     seconds(bytes) = latency x latency_factor + bytes / (rate x bandwidth_factor)
 *
 * A range cannot be faster than the rate: where a burst is, the line keeps the rate and passes
 * between both ends. In memory, messages that fit into a cache are faster for good: the rate is
 * that of the fastest, others have a part of it, and since every cache has its own size, each
 * two neighbouring sizes are a range.
 */
#include "train/live/link_fit.h"

#include <math.h>

/* Where protocols of MPI libraries change: eager, segments, rendezvous. ASSUMED. */
enum { LIMITS = 4 };
static const double limits[LIMITS] = {0, 4096, 65536, 1048576};

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

static void fit_network(const double *bytes, const double *seconds, int count,
                        struct dts_link_fit *fit)
{
    const double last = bytes[count - 1], last_s = seconds[count - 1];
    const double rate =
        rate_between(last / 4, last, seconds_at(bytes, seconds, count, last / 4), last_s);
    // Noise may make a slope of anything: at least what the whole message reached.
    fit->bytes_per_s = fmin(fmax(rate, last / last_s), 2 * last / last_s);
    for (int r = 0; r < LIMITS && limits[r] < last; r++) {
        double to = r + 1 < LIMITS ? fmin(limits[r + 1], last) : last;
        fit->ranges[fit->range_count++] =
            fit_range(fit, limits[r], to, seconds_at(bytes, seconds, count, limits[r]),
                      seconds_at(bytes, seconds, count, to));
    }
}

/* Where a size takes more than in proportion, a line through both ends would begin below 0: the
 * rate in between stands for all of the range. */
static struct dts_transport_range fit_sizes(const struct dts_link_fit *fit, double from,
                                            double to, double from_s, double to_s)
{
    struct dts_transport_range range = fit_range(fit, from, to, from_s, to_s);
    if (from_s * to < to_s * from) {
        const double rate = sqrt(from / from_s * to / to_s);
        range.latency_factor = 0;
        range.bandwidth_factor = fmin(1, fmax(0.001, rate / fit->bytes_per_s));
    }
    return range;
}

static void fit_memory(const double *bytes, const double *seconds, int count,
                       struct dts_link_fit *fit)
{
    const double small = limits[2]; // below, latency counts more than the rate
    fit->bytes_per_s = bytes[count - 1] / seconds[count - 1];
    for (int i = 1; i < count; i++)
        if (bytes[i] >= small) {
            const double reached = bytes[i] / seconds[i];
            const double slope =
                rate_between(bytes[i - 1], bytes[i], seconds[i - 1], seconds[i]);
            fit->bytes_per_s = fmax(fit->bytes_per_s, fmin(fmax(slope, reached), 2 * reached));
        }
    for (int i = 0; i + 1 < count && fit->range_count + 1 < DTS_TRANSPORT_RANGES; i++)
        fit->ranges[fit->range_count++] =
            fit_sizes(fit, i > 0 ? bytes[i] : 0, bytes[i + 1], seconds[i], seconds[i + 1]);
    fit->ranges[fit->range_count++] = (struct dts_transport_range){
        bytes[count - 1], 0, fmin(1, bytes[count - 1] / seconds[count - 1] / fit->bytes_per_s)};
}

void dts_link_fit(const double *bytes, const double *seconds, int count, bool bursts,
                  struct dts_link_fit *fit)
{
    *fit = (struct dts_link_fit){.latency_s = fmax(seconds[0], 1e-9)};
    (bursts ? fit_network : fit_memory)(bytes, seconds, count, fit);
}

double dts_link_fit_seconds(const struct dts_link_fit *fit, double bytes)
{
    int r = 0;
    while (r + 1 < fit->range_count && bytes >= fit->ranges[r + 1].from_bytes)
        r++;
    return fit->latency_s * fit->ranges[r].latency_factor +
           bytes / (fit->bytes_per_s * fit->ranges[r].bandwidth_factor);
}
