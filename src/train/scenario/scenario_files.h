/* scenario_files.h -- the files that a scenario names. A key is a name, a path, or an object
 * with "base" and changes to what is in the file; a model may also be of a family, without a
 * file.
 */
#ifndef DTS_TRAIN_SCENARIO_SCENARIO_FILES_H
#define DTS_TRAIN_SCENARIO_SCENARIO_FILES_H

#include "device/stack.h"
#include "train/model/model.h"

/* `place` is the key's value, `top` the scenario's document. */
bool dts_scenario_load_model(struct dts_model *model, const struct dts_cfg *place,
                             const struct dts_cfg *top, struct dts_error *err);
bool dts_scenario_load_stack(struct dts_stack *stack, const struct dts_cfg *place,
                             const struct dts_cfg *top, struct dts_error *err);

#endif
