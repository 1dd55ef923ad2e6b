/* schedule.h -- the learning rate of each step of a training. One row each.
 *
 * In the first warm_up_epochs the rate is another, w the share of it that they begin with
 * (Goyal et al. 2017, arXiv:1706.02677, section 2.2):
 *
 *     gradual    times w + (1 - w) (step + 1)/(steps of the warm-up), step 0 is the first
 *     constant   times w, then the whole rate at once
 *
 * Beside it, e epochs since the very beginning and x from 0 after the warm-up to 1 at the end:
 *
 *     constant      rate
 *     cosine        rate (1 + cos(pi x)) / 2 (Loshchilov and Hutter 2017, arXiv:1608.03983,
 *                   without restarts)
 *     exponential   rate factor^((e - warm_up_epochs) / every_epochs) after the warm-up
 *     polynomial    rate (end + (1 - end) (1 - x)^power); power 1: linear, as BERT and LAMB
 * have it (You et al. 2019, arXiv:1904.00962), 2: as LARS (You et al. 2017, arXiv:1708.03888)
 *     step          rate factor^floor(e / every_epochs)
 */
#ifndef DTS_TRAIN_SCENARIO_SCHEDULE_H
#define DTS_TRAIN_SCENARIO_SCHEDULE_H

#include "base/json/cfg.h"

struct dts_schedule {
    const char *kind;            // a row's name
    double warm_up_epochs;       // 0: none
    const char *warm_up;         // a row of dts_warm_up_name(); NULL: gradual
    double warm_up_from;         // w: share of the rate
    double every_epochs, factor; // of "step" and "exponential"
    double power, end;           // of "polynomial"; power 0: 2; end: share of the rate
};

extern const struct dts_field dts_schedule_fields[];
const char *dts_schedule_name(int i); // NULL at the end
const char *dts_warm_up_name(int i);

/* What the rate is multiplied by in step 0, 1, ... of `steps`. */
double dts_schedule_at(const struct dts_schedule *schedule, long step, long epoch_steps,
                       long steps);

/* Does the rate depend on how many steps there are? */
bool dts_schedule_ends(const struct dts_schedule *schedule);

#endif
