/* walk.c -- runs some steps and collects their times. */
#include "train/live/walk.h"

bool dts_live_walk(const struct dts_live *live, struct dts_live_rank *rank, int skip,
                   struct dts_comparison *comparison, struct dts_timing *timing,
                   struct dts_error *err)
{
    struct dts_live_times times;
    struct dts_live_all all = {0};
    if (!dts_live_run(live, rank, &times, err))
        return false;
    if (skip > 0)
        dts_live_collect(live, rank, &times, &all);
    dts_live_times_free(&times);
    if (skip > 0 && rank->rank == 0)
        dts_live_measured(live->job, &all, skip, comparison, timing);
    dts_live_all_free(&all);
    return true;
}
