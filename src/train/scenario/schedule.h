/* schedule.h -- the learning rate of each step of a training. One row each.
 *
 * Over the first warm_up_epochs the rate grows linearly, step by step, to what the schedule
 * says (Goyal et al. 2017, arXiv:1706.02677, section 2.2); from there on:
 *
 *     constant   rate
 *     cosine     rate (1 + cos(pi x)) / 2, x from 0 after the warm-up to 1 at the end
 *                (Loshchilov and Hutter 2017, arXiv:1608.03983, without restarts)
 *     step       rate factor^floor(epochs / every_epochs), epochs from the very beginning
 */
#ifndef DTS_TRAIN_SCENARIO_SCHEDULE_H
#define DTS_TRAIN_SCENARIO_SCHEDULE_H

#include "base/json/cfg.h"

struct dts_schedule {
    const char *kind;            // a row's name
    double warm_up_epochs;       // 0: none
    double every_epochs, factor; // of "step"
};

extern const struct dts_field dts_schedule_fields[];
const char *dts_schedule_name(int i); // NULL at the end

/* What the rate is multiplied by in step 0, 1, ... of `steps`. */
double dts_schedule_at(const struct dts_schedule *schedule, long step, long epoch_steps,
                       long steps);

/* Does the rate depend on how many steps there are? */
bool dts_schedule_ends(const struct dts_schedule *schedule);

#endif
