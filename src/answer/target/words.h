/* words.h -- what the answer says of a target, in members of result->target. */
#ifndef DTS_ANSWER_TARGET_WORDS_H
#define DTS_ANSWER_TARGET_WORDS_H

#include "answer/result.h"
#include "base/text.h"
#include "train/scenario/scenario.h"

/* Numbers of the law with 80 % intervals, and both critical batches. */
void dts_target_say_law(const struct dts_convergence *profile, struct dts_result *result);

/* Which profile it is, and the batches that are known of it. */
void dts_target_say_profile(const struct dts_convergence *profile, const struct dts_need *need,
                            struct dts_result *result);

/* How the runs were trained that the answer stands on: another rule needs another number. */
void dts_target_say_rule(const struct dts_convergence *profile, int recipe,
                         struct dts_result *result);

/* Which law a loss goes by, what the other fit says, and the batches that the tokens allow. */
void dts_target_say_loss(const struct dts_model *model, double loss, struct dts_result *result);

/* Which run a law from the noise of gradients goes through, and how little that is. */
void dts_target_say_noise(const struct dts_noise_run *run, struct dts_result *result);

/* What gradients count as that are late by `delay` updates, of result->staleness. */
void dts_target_say_late(bool adapted, double delay, const struct dts_staleness_cost *cost,
                         struct dts_result *result);

/* What runs were trained with that an answer rests on. */
struct dts_target_like {
    const char *model, *optimizer;
    double epoch_samples;                 // 0: not known
    const struct dts_trained_by *trained; // NULL: another recipe than the one that it is of
};

/* Add in what the scenario differs from them: runs of something else may be all that there is.
 * They are used, and it is said. `of`: "profile". */
void dts_target_unlike(const struct dts_scenario *scenario, const char *of,
                       const struct dts_target_like *like, const struct dts_result *result,
                       struct dts_text *doubt);

#endif
