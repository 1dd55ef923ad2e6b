/* step_cost.c -- the time of a step whose traffic is known: longest walk, fullest link. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/load/step_cost.h"

/* The longest walk of `hops` hops against the direction of the messages: a hop from member m
 * goes to from[m] and gains gain[m]. Overwrites both. By doubling, so that 55,294 hops cost 16
 * passes. */
static double longest_walk(double *gain, int *from, int count, int hops)
{
    double most = 0;
    double *total = dts_alloc((size_t)count, sizeof(*total));
    double *gain_next = dts_alloc((size_t)count, sizeof(*gain_next));
    int *at = dts_alloc((size_t)count, sizeof(*at));
    int *from_next = dts_alloc((size_t)count, sizeof(*from_next));
    for (int m = 0; m < count; m++)
        at[m] = m;
    for (int left = hops; left > 0; left /= 2) {
        for (int m = 0; m < count && left % 2 == 1; m++) {
            total[m] += gain[at[m]];
            at[m] = from[at[m]];
        }
        for (int m = 0; m < count; m++) {
            gain_next[m] = gain[m] + gain[from[m]];
            from_next[m] = from[from[m]];
        }
        memcpy(gain, gain_next, (size_t)count * sizeof(*gain));
        memcpy(from, from_next, (size_t)count * sizeof(*from));
    }
    for (int m = 0; m < count; m++)
        most = fmax(most, total[m]);
    free(total);
    free(gain_next);
    free(at);
    free(from_next);
    return most;
}

/* Are sums not within what the library needs for a message? */
static bool sums_apart(const struct dts_transport *by)
{
    return !isinf(by->reduce_bytes_per_s);
}

/* Repeated: the longest walk with the messages. */
static double walk(const struct dts_transport by[2], const struct dts_step_cost *cost,
                   const struct dts_step_traffic *traffic, const struct dts_role *role,
                   double bytes, const double factor[2])
{
    double *gain = dts_alloc((size_t)role->count, sizeof(*gain));
    int *from = dts_alloc((size_t)role->count, sizeof(*from));
    for (int m = 0; m < role->count; m++) {
        const struct dts_hop *hop = &traffic->hops[m];
        int k = hop->by;
        from[m] = hop->from - role->first;
        if (from[m] != m)
            gain[m] = hop->latency_s * factor[k] + by[k].overhead_s + cost->load_s[k] +
                      (sums_apart(&by[k]) ? hop->sum_s * bytes : 0);
    }
    double walk_s = longest_walk(gain, from, role->count, cost->repeat);
    free(gain);
    free(from);
    return walk_s;
}

static void load_links(struct dts_step_cost *cost, const struct dts_step_traffic *traffic,
                       const double wire[2])
{
    int worst[2] = {-1, -1};
    for (int i = 0; i < traffic->worst_count; i++) {
        const struct dts_traffic_link *link = &traffic->worst[i];
        double bytes = link->weight[0] * wire[0] + link->weight[1] * wire[1];
        for (int k = 0; k < 2; k++)
            if (link->weight[k] > 0 && bytes / link->bytes_per_s > cost->load_s[k]) {
                cost->load_s[k] = bytes / link->bytes_per_s;
                worst[k] = link->link;
            }
    }
    cost->worst_link = worst[cost->load_s[1] > cost->load_s[0]];
    if (traffic->link_count == 0)
        return;
    cost->links = dts_alloc((size_t)traffic->link_count, sizeof(*cost->links));
    cost->link_count = traffic->link_count;
    for (int i = 0; i < traffic->link_count; i++) {
        const struct dts_traffic_link *link = &traffic->links[i];
        cost->links[i] = (struct dts_link_load){
            link->link, (link->weight[0] * wire[0] + link->weight[1] * wire[1]) / cost->bytes};
    }
}

void dts_step_cost_fill(const struct dts_transport all[2],
                        const struct dts_step_traffic *traffic, const struct dts_role *role,
                        double bytes, int repeat, struct dts_step_cost *cost)
{
    double wire[2], factor[2], alpha_s[2] = {0, 0};
    *cost = (struct dts_step_cost){.repeat = repeat, .most_bytes_per_s = INFINITY};
    for (int k = 0; k < 2; k++) {
        const struct dts_transport *by = &all[k];
        struct dts_transport_range range = dts_transport_at(by, bytes);
        wire[k] = bytes / (by->efficiency * range.bandwidth_factor);
        factor[k] = range.latency_factor;
        if (traffic->latency_s[k] == 0 && !traffic->used[k])
            continue;
        alpha_s[k] = traffic->latency_s[k] * factor[k] + by->overhead_s;
        if (!by->blocking)
            cost->late_s = fmax(cost->late_s, alpha_s[k]);
        if (!traffic->used[k])
            continue;
        cost->waits |= by->blocking;
        cost->bytes = fmax(cost->bytes, wire[k]);
        cost->load_s[k] = wire[k] / traffic->cap_bytes_per_s[k];
        cost->most_bytes_per_s = fmin(cost->most_bytes_per_s, traffic->cap_bytes_per_s[k]);
        cost->stay_alpha_s[k] = by->blocking ? alpha_s[k] : 0;
    }
    cost->sum_s = sums_apart(&all[0]) || sums_apart(&all[1]) ? traffic->sum_s * bytes : 0;
    memcpy(cost->flow_s, cost->load_s, sizeof(cost->flow_s)); // of the caps alone
    load_links(cost, traffic, wire);
    for (int k = 0; k < 2; k++)
        if (cost->load_s[k] > cost->flow_s[k])
            cost->flow_s[k] = 0;
    for (int k = 0; k < 2; k++)
        cost->hop_s = fmax(cost->hop_s, alpha_s[k] + cost->load_s[k] + cost->sum_s);
    cost->walk_s = repeat > 1 ? walk(all, cost, traffic, role, bytes, factor) : cost->hop_s;
}

double dts_step_cost_stay_s(const struct dts_step_cost *cost, double rate)
{
    double stay_s = cost->sum_s;
    for (int k = 0; k < 2; k++)
        stay_s = fmax(stay_s, cost->stay_alpha_s[k] + cost->load_s[k] / rate);
    return stay_s;
}

double dts_step_cost_seconds(const struct dts_step_cost *cost, double rate)
{
    double slower_s = fmax(cost->load_s[0], cost->load_s[1]) * (1 / rate - 1);
    return fmax(dts_step_cost_stay_s(cost, rate), cost->walk_s / cost->repeat + slower_s);
}
