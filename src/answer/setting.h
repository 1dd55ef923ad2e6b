/* setting.h -- what of a result follows from the plans of a point alone: memory, nodes, axes,
 * what the seconds rest on, what is assumed.
 */
#ifndef DTS_ANSWER_SETTING_H
#define DTS_ANSWER_SETTING_H

#include <stdbool.h>

#include "answer/built.h"
#include "answer/result.h"
#include "sim/engine.h"

/* True if devices or steps of the scenario vary. */
bool dts_setting_noise(const struct dts_scenario *scenario);

/* Fills result->memory, bytes of the fullest device. Returns the total; 0, with result->error,
 * if the memory cannot be said. */
double dts_setting_memory(const struct dts_built *built, struct dts_result *result);

/* Fills all of the result that needs no engine. `slowed`: kernels are slower beside
 * communication, so the result names the source of it. */
void dts_setting_fill(const struct dts_question *question, const struct dts_built *built,
                      bool slowed, struct dts_result *result);

/* How the ranks of a point meet; of a switch to local steps also result->before_s, by this
 * engine and noise. `phases`: the training has some, in which no steps are counted. */
bool dts_setting_meeting(const struct dts_point *point, const struct dts_engine *engine,
                         const struct dts_simulation *simulation, bool phases,
                         struct dts_result *result, struct dts_error *err);

/* How late a delay makes gradients; nothing where there is none. */
void dts_setting_delay(const struct dts_point *point, struct dts_stale *stale);

#endif
