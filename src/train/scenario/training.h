/* training.h -- how long a training lasts: a number of epochs, phases, or until a target is
 * reached.
 *
 *     "training": {"epochs": 90, "accuracy": {"table": "resnet50_goyal"}}
 *     "training": {"target": {"profile": "resnet50_lars", "recipe": "tuned"}}
 *     "training": {"target": {"loss": 2.1}}
 *     "training": {"target": {"noise_scale": {"scale": 900, "batch": 64, "samples": 1e6}}}
 *     "training": {"target": {"profile": "bert_large", "staleness": {"mean": 3, "most": 7}}}
 *     "training": {"phases": [{"epochs": 14, "set": {"model.input": [3, 128, 128]}}, ...]}
 */
#ifndef DTS_TRAIN_SCENARIO_TRAINING_H
#define DTS_TRAIN_SCENARIO_TRAINING_H

#include "converge/accuracy.h"
#include "converge/noise_law.h"
#include "converge/profile.h"
#include "train/model/model.h"

/* How late gradients are that are applied (converge/staleness.h). */
struct dts_staleness_words {
    double mean, most; // updates
    const char *rate;  // "fixed", "adapted"; NULL: nothing is said of late gradients
};

/* What it takes to see that the target is reached. */
struct dts_evaluation_words {
    double seconds, samples; // of one evaluation; one of them; both 0: nothing is said
    double every;            // in the unit of the profile; 0: as its runs
};

enum { DTS_MOST_PHASES = 64 };

/* The key as it stands. */
struct dts_target_words {
    const char *profile, *recipe;     // NULL: none is asked
    double loss;                      // nats a token, of a language model; 0: none is asked
    struct dts_noise_run noise_scale; // instead of both; batch 0: none is asked
    struct dts_staleness_words staleness;
    struct dts_evaluation_words evaluation;
};

/* What is reached in a number of epochs, as it is asked. */
struct dts_accuracy_words {
    const char *table, *rule; // NULL: none is asked; the table's own
};

/* A part of a training with other values of the scenario than the rest. */
struct dts_phase {
    double epochs, steps; // one of them; the other is 0
    struct dts_cfg set;   // paths of the scenario and values
};

struct dts_training {
    double epochs; // 0: not asked
    struct dts_cfg phase_list;
    struct dts_phase *phases; // owned; NULL: the training is one
    int phase_count;
    struct dts_target_words target;
    struct dts_accuracy_words accuracy;
    struct dts_accuracy *table;      // of the accuracy; owned; NULL: none is asked
    struct dts_convergence *profile; // of the target; owned; NULL: none is asked
    int recipe;                      // of the profile
};

extern const struct dts_field dts_training_fields[];

extern const struct dts_field dts_phase_fields[];

/* Read the phases, and the profile or the table that is named; check them against the rest of
 * `training`. */
bool dts_training_load(struct dts_training *training, const struct dts_cfg *top,
                       struct dts_error *err);
/* Is the learning rate divided by one plus the delay of a gradient? False where nothing is
 * said. */
bool dts_training_adapted(const struct dts_training *training);

/* A target that the model cannot have, or never reaches, is refused. */
bool dts_training_suits(const struct dts_training *training, const struct dts_cfg *top,
                        const struct dts_model *model, struct dts_error *err);
void dts_training_free(struct dts_training *training);

#endif
