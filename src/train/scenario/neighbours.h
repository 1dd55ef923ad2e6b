/* neighbours.h -- the key "neighbours": other jobs on the machine while the one that is asked
 * trains.
 *
 *     "neighbours": [
 *       {"count": 3},
 *       {"model": "gpt2_xl", "devices": 64, "strategy": {"kind": "allreduce"}, "start_s": 2},
 *       {"strategy": {"kind": "traffic", "pattern": "random_pairs", "load": 0.3}, "devices":
 * 512}]
 *
 * What a neighbour does not say is as in the scenario: {"count": 3} are three more of the job
 * that is asked, a search over hyper-parameters.
 */
#ifndef DTS_TRAIN_SCENARIO_NEIGHBOURS_H
#define DTS_TRAIN_SCENARIO_NEIGHBOURS_H

#include "base/json/cfg.h"

/* Jobs that are alike but for where they sit. */
struct dts_beside {
    const char *name;        // as in results; NULL: that of its strategy
    struct dts_cfg strategy; // one object; not there: the strategy that is asked
    struct dts_cfg model, batch, placement, stack, precision, optimizer;
    int devices;             // of each; 0: as many as the job that is asked has
    int count;               // of these jobs
    double start_s, apart_s; // when the first begins; by how much later each further one
};

enum {
    DTS_MOST_BESIDE = 16,         // entries
    DTS_MOST_BESIDE_JOBS = 10000, // of one entry
};

extern const struct dts_field dts_beside_fields[];

/* Reads the list; *list is owned by the caller. *count grows with each that is good. */
bool dts_beside_read(const struct dts_cfg *at, struct dts_beside **list, int *count,
                     struct dts_error *err);

/* Does it train as the job that is asked does, on as many devices? */
bool dts_beside_alike(const struct dts_beside *beside);

/* The keys of a neighbour that stand in place of the scenario's of the same name, i = 0, 1 ...;
 * NULL beyond the last. */
const char *dts_beside_key(int i);

#endif
