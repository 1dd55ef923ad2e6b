/* meeting.h -- what an answer says of ranks that do not sum gradients in each step
 * (train/strategy/synchrony.h): how they meet, what is late, what the first steps take.
 */
#ifndef DTS_ANSWER_MEETING_H
#define DTS_ANSWER_MEETING_H

#include "answer/result.h"
#include "sim/engine.h"
#include "train/strategy/strategy.h"

/* How the ranks of a point meet; of a switch to local steps also result->before_s, by this
 * engine and noise. `phases`: the training has some, in which no steps are counted. */
bool dts_meeting_fill(const struct dts_point *point, const struct dts_engine *engine,
                      const struct dts_simulation *simulation, bool phases,
                      struct dts_result *result, struct dts_error *err);

/* How late a delay makes gradients; nothing where there is none. */
void dts_meeting_delay(const struct dts_point *point, struct dts_stale *stale);

#endif
