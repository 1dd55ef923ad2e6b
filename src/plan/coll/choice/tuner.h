/* tuner.h -- latency and bandwidth that NCCL 2.5 and later expect of a pair of algorithm and
 * protocol (NVIDIA/nccl, src/graph/tuning.cc, ncclTopoTuneModel() and ncclTopoGetAlgoTime()).
 */
#ifndef DTS_PLAN_COLL_CHOICE_TUNER_H
#define DTS_PLAN_COLL_CHOICE_TUNER_H

#include "plan/coll/choice/graph.h"
#include "plan/coll/choice/group.h"
#include "plan/coll/choice/versions.h"
#include "plan/coll/coll.h"

struct dts_choice_call {
    const struct dts_choice_version *version;
    const struct dts_choice_group *group;
    enum dts_coll_kind kind;
    double bytes;
    struct dts_choice_graph graph;
    enum dts_choice_algorithm algorithm;
    enum dts_choice_protocol protocol;
};

struct dts_choice_pair {
    double latency_us;
    double bandwidth; // of the algorithm, GB/s
};

/* False where this version does not use the pair in this group. */
bool dts_choice_tune(const struct dts_choice_call *call, struct dts_choice_pair *pair);

#endif
