/* bubble.h -- how long the stages of a pipeline wait for one another where messages cost
 * nothing: the step on a free network less the mean of what workers compute.
 */
#ifndef DTS_ANSWER_BUBBLE_H
#define DTS_ANSWER_BUBBLE_H

#include "answer/result.h"
#include "sim/engine.h"

/* Moves what is bubble from step->exposed_comm_s to step->bubble_s. Nothing where workers have
 * one role. */
bool dts_bubble_split(const struct dts_simulation *simulation, struct dts_step *step,
                      struct dts_error *err);

#endif
