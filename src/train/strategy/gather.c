/* gather.c -- all devices gather the rows of all, and add them. */
#include "train/strategy/gather.h"

#include <stdio.h>

#include "device/device.h"
#include "train/strategy/tables.h"

/* A library's all-reduce that is one call gathers nothing. */
static struct dts_coll_choice choice_of(const struct dts_coll_choice *choice)
{
    struct dts_coll_choice gather = *choice;
    if (gather.automatic || dts_coll_lacks(gather.coll, DTS_ALLGATHER) == NULL)
        return gather;
    gather.algorithm = "ring";
    gather.coll = dts_coll_find(gather.algorithm);
    return gather;
}

/* Each value that arrives is read, and so is its place in the sum, which is then written. */
static double add_seconds(const struct dts_gather *gather, double bytes)
{
    const struct dts_point *point = gather->point;
    const struct dts_work work = {
        .class = DTS_WORK_MEMORY,
        .flops = bytes / (double)dts_point_wire_bytes(point),
        .bytes = 3 * bytes,
    };
    return dts_device_seconds(point->device, dts_precision_beside(point->scenario->precision),
                              &work);
}

bool dts_gather_add(const struct dts_gather *gather, int bucket, int ready,
                    struct dts_error *err)
{
    const struct dts_coll_choice choice = choice_of(gather->choice);
    const struct dts_coll_use use = {&choice, gather->point, dts_point_members(gather->point),
                                     DTS_ALLGATHER};
    struct dts_plan *plan = gather->plan;
    const struct dts_span data =
        dts_tables_span(gather->buckets, bucket, gather->rows, (size_t)gather->point->devices);
    const double bytes = (double)data.count * (double)plan->buffers[gather->rows].element_bytes;
    const int op = dts_coll_add_bucket(&use, plan, "all-gather", bucket, data, ready, err);
    if (op < 0)
        return false;
    char label[32];
    snprintf(label, sizeof(label), "add %d", bucket);
    const int sum = dts_plan_call(plan, DTS_DATA, label,
                                  (struct dts_call){.pass = DTS_COMPRESS,
                                                    .layer = -1,
                                                    .seconds = add_seconds(gather, bytes)});
    plan->ops[sum].bucket = bucket;
    dts_plan_after(plan, op);
    return true;
}
