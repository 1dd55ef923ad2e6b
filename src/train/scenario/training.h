/* training.h -- how long a training lasts: a number of epochs, or until a target is reached.
 *
 *     "training": {"target": {"profile": "resnet50_lars", "recipe": "tuned"}}
 */
#ifndef DTS_TRAIN_SCENARIO_TRAINING_H
#define DTS_TRAIN_SCENARIO_TRAINING_H

#include "converge/profile.h"

/* The key as it stands. */
struct dts_target_words {
    const char *profile, *recipe; // NULL: none is asked
};

struct dts_training {
    double epochs; // 0: not asked
    struct dts_target_words target;
    struct dts_convergence *profile; // of the target; owned; NULL: none is asked
    int recipe;                      // of the profile
};

extern const struct dts_field dts_training_fields[];

/* Read the profile that the target names, and check it against the rest of `training`. */
bool dts_training_load(struct dts_training *training, const struct dts_cfg *top,
                       struct dts_error *err);
void dts_training_free(struct dts_training *training);

#endif
