/* traffic.c -- the strategy `traffic`: messages of a job that trains nothing, at a load. What
 * other users of a machine do, as far as a network sees it.
 */
#include <limits.h>
#include <string.h>

#include "train/strategy/build.h"
#include "train/strategy/traffic/pattern.h"

struct traffic {
    const char *pattern;
    double message_bytes, load;
    int seed; // 0: none is said
    const struct dts_traffic_shape *row;
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct traffic, pattern), .type = DTS_STRING, .choice = dts_traffic_pattern_name,
     .help = "who sends to whom"},
    {DTS_KEY(struct traffic, message_bytes), .type = DTS_REAL, .min = 1024, .max = 1e12,
     .missing = "1e6", .help = "of each message"},
    {DTS_KEY(struct traffic, load), .type = DTS_REAL, .min = 1e-3, .max = 1, .missing = "1",
     .help = "what a device offers, as a part of its share of the NICs of a node"},
    {DTS_KEY(struct traffic, seed), .type = DTS_INT, .min = 1, .max = INT_MAX,
     .missing = "null", .help = "of patterns that are drawn; default: 1"},
    {0},
};

static const char *default_name(const void *self)
{
    return ((const struct traffic *)self)->pattern;
}

static bool prepare(void *self, const struct dts_stack *stack, const struct dts_cfg *at,
                    struct dts_error *err)
{
    struct traffic *t = self;
    (void)stack;
    for (int i = 0; dts_traffic_patterns[i] != NULL; i++)
        if (strcmp(dts_traffic_patterns[i]->name, t->pattern) == 0)
            t->row = dts_traffic_patterns[i];
    if (t->seed > 0 && !t->row->draws)
        return dts_cfg_fail(at, "seed", err, "has no effect: \"%s\" draws nothing", t->pattern);
    if (t->seed == 0)
        t->seed = 1;
    return true;
}

static bool ranks_needed(const struct dts_point *point, struct dts_ranks_needed *needed,
                         struct dts_error *err)
{
    (void)err;
    *needed = (struct dts_ranks_needed){.devices = point->devices};
    return true;
}

/* The share of one device of what the NICs of its node carry. */
static double share_bytes_per_s(const struct dts_machine *machine)
{
    return machine->site.nics * machine->site.nic_bytes_per_s / machine->devices_per_node;
}

static bool build(const struct dts_point *point, struct dts_job *job, struct dts_error *err)
{
    const struct traffic *t = point->strategy->self;
    const double share = share_bytes_per_s(point->machine);
    if (share <= 0)
        return dts_point_fail(point, err,
                              "%s: load is a part of what NICs carry, and the network of this "
                              "platform comes from a file that names none",
                              point->strategy->name);
    if (point->devices < t->row->least)
        return dts_point_fail(point, err, "%s: needs at least %d devices", t->pattern,
                              t->row->least);
    const struct dts_traffic_ask ask = {.devices = point->devices,
                                        .message_bytes = (size_t)t->message_bytes,
                                        .bytes_per_s = t->load * share,
                                        .seed = (uint64_t)t->seed};
    t->row->build(&ask, job);
    return true;
}

static const char *validated_as(const void *self)
{
    (void)self;
    return NULL; // nobody published what it alone takes
}

const struct dts_strategy_kind dts_strategy_traffic = {
    .name = "traffic",
    .summary = "messages of a job that trains nothing, at a load: what neighbours do",
    .fields = fields,
    .size = sizeof(struct traffic),
    .trains_nothing = true,
    .validated_as = validated_as,
    .default_name = default_name,
    .prepare = prepare,
    .ranks_needed = ranks_needed,
    .build = build,
};
