/* pattern.c -- the table of patterns, and what they share. */
#include "train/strategy/traffic/pattern.h"

#include "base/mem.h"

extern const struct dts_traffic_shape dts_traffic_alltoall;
extern const struct dts_traffic_shape dts_traffic_nearest;
extern const struct dts_traffic_shape dts_traffic_pairs;
extern const struct dts_traffic_shape dts_traffic_permutation;

const struct dts_traffic_shape *const dts_traffic_patterns[] = {
    &dts_traffic_nearest,
    &dts_traffic_alltoall,
    &dts_traffic_pairs,
    &dts_traffic_permutation,
    NULL,
};

const char *dts_traffic_pattern_name(int i)
{
    const int count = (int)(sizeof(dts_traffic_patterns) / sizeof(dts_traffic_patterns[0])) - 1;
    return i >= 0 && i < count ? dts_traffic_patterns[i]->name : NULL;
}

void dts_traffic_roles(const struct dts_traffic_ask *ask, int roles, size_t buffer_bytes,
                       struct dts_job *job)
{
    job->roles = dts_alloc((size_t)roles, sizeof(*job->roles));
    job->role_count = roles;
    job->ranks = ask->devices;
    for (int r = 0; r < roles; r++) {
        const int each = ask->devices / roles; // 1, or all
        job->roles[r] = (struct dts_role){.name = "traffic", .first = r * each, .count = each};
        dts_plan_buffer(&job->roles[r].plan, buffer_bytes, 1);
    }
}

int dts_traffic_pace(const struct dts_traffic_ask *ask, struct dts_plan *plan, double bytes)
{
    return dts_plan_call(
        plan, DTS_INPUT, "pace",
        (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = bytes / ask->bytes_per_s});
}
