/* walk.c -- runs some steps and collects their times. */
#include "train/live/walk.h"

#include "live/verify.h"

bool dts_live_walk(const struct dts_live *live, struct dts_live_rank *rank, int skip,
                   struct dts_comparison *comparison, struct dts_timing *timing,
                   struct dts_error *err)
{
    struct dts_live_times times;
    struct dts_live_all all = {0};
    struct dts_traffic sent;
    if (!dts_live_run(live, rank, &times, err))
        return false;
    dts_live_check_sent(live, rank, &times, &sent, err);
    if (!dts_wire_agree(live->wire, err)) {
        dts_live_times_free(&times);
        return false;
    }
    if (skip > 0)
        dts_live_collect(live, rank, &times, &all);
    dts_live_times_free(&times);
    if (skip > 0 && rank->rank == 0)
        dts_live_measured(live->job, &all, skip, comparison, timing);
    dts_live_all_free(&all);
    return true;
}
