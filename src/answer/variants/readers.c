/* readers.c -- counts who reads. */
#include "answer/variants/readers.h"

#include "train/strategy/strategy.h"

static bool reads(const struct dts_scenario *scenario, const struct dts_strategy *strategy)
{
    return scenario->dataset.sample_bytes > 0 && !strategy->kind->trains_nothing;
}

double dts_reading_devices(const struct dts_question *q)
{
    double devices = reads(q->scenario, q->strategy) ? q->devices : 0;
    for (int n = 0; n < q->neighbour_count; n++) {
        const struct dts_beside *beside = &q->scenario->neighbours[n];
        const struct dts_scenario *theirs = &q->neighbours[n].scenario;
        const int strategy = dts_cfg_exists(&beside->strategy)
                                 ? 0
                                 : (int)(q->strategy - q->scenario->strategies);
        if (reads(theirs, &theirs->strategies[strategy]))
            devices +=
                (double)beside->count * (beside->devices > 0 ? beside->devices : q->devices);
    }
    return devices;
}
