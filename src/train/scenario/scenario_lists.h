/* scenario_lists.h -- the lists in a scenario: points, strategies, references. Private to
 * scenario.c, which reads the rest.
 */
#ifndef DTS_TRAIN_SCENARIO_SCENARIO_LISTS_H
#define DTS_TRAIN_SCENARIO_SCENARIO_LISTS_H

#include "train/scenario/limits.h"
#include "train/scenario/scenario.h"

extern const struct dts_field dts_scenario_strategy_fields[]; // common to all kinds
extern const struct dts_field dts_scenario_reference_fields[];
extern const struct dts_field dts_scenario_measurement_fields[];

bool dts_scenario_devices(struct dts_scenario *scenario, const struct dts_cfg *at,
                          struct dts_error *err);

/* Needs scenario->stack, which gives defaults. */
bool dts_scenario_strategies(struct dts_scenario *scenario, const struct dts_cfg *at,
                             struct dts_error *err);

/* Refuses slow workers where no strategy computes, so that nobody can be slow at it. */
bool dts_scenario_slow_workers(const struct dts_scenario *scenario, const struct dts_cfg *top,
                               struct dts_error *err);

/* Need scenario->strategies. */
bool dts_scenario_references(struct dts_scenario *scenario, const struct dts_cfg *at,
                             struct dts_error *err);
bool dts_scenario_measurements(struct dts_scenario *scenario, const struct dts_cfg *at,
                               struct dts_error *err);

/* The number of the word at a key in its list of choices. */
bool dts_scenario_choose(const struct dts_cfg *at, const char *key,
                         const char *(*choice)(int i), int *out, struct dts_error *err);

#endif
