/* training.c -- the key "training": epochs, phases, or a target with its convergence profile.
 */
#include "train/scenario/training.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "converge/loss.h"

static const char *rate_name(int i)
{
    static const char *const words[] = {"fixed", "adapted", NULL};
    return words[i];
}

static const struct dts_field staleness_fields[] = {
    {DTS_KEY(struct dts_staleness_words, mean), .type = DTS_REAL, .min = 0, .max = 1e6,
     .help = "updates of the weights while a gradient is under way, on the average"},
    {DTS_KEY(struct dts_staleness_words, most), .type = DTS_REAL, .min = 0, .max = 1e6,
     .missing = "null", .help = "of these at the most; default: the mean"},
    {DTS_KEY(struct dts_staleness_words, rate), .type = DTS_STRING, .choice = rate_name,
     .missing = "\"fixed\"",
     .help = "learning rate: fixed, or adapted: divided by one plus the delay of the gradient"},
    {0},
};

static const struct dts_field noise_fields[] = {
    {DTS_KEY(struct dts_noise_run, scale), .type = DTS_REAL, .min = 1e-9, .max = 1e15,
     .help = "B_simple of its gradients, in samples: the mean over the run"},
    {DTS_KEY(struct dts_noise_run, batch), .type = DTS_REAL, .min = 1, .max = 1 << 30,
     .help = "samples of a step of the run"},
    {DTS_KEY(struct dts_noise_run, samples), .type = DTS_REAL, .min = 1, .max = 1e18,
     .help = "that it took to reach the target"},
    {0},
};

static const struct dts_field evaluation_fields[] = {
    {DTS_KEY(struct dts_evaluation_words, seconds), .type = DTS_REAL, .min = 1e-9, .max = 1e9,
     .missing = "null", .help = "that one evaluation takes"},
    {DTS_KEY(struct dts_evaluation_words, samples), .type = DTS_REAL, .min = 1, .max = 1e15,
     .missing = "null",
     .help = "instead of seconds: it runs forward on so many, in batches of the training"},
    {DTS_KEY(struct dts_evaluation_words, every), .type = DTS_REAL, .min = 1e-9, .max = 1e18,
     .missing = "null",
     .help = "between evaluations, in the unit of the profile; default: as its runs"},
    {0},
};

static const struct dts_field target_fields[] = {
    {DTS_KEY(struct dts_target_words, profile), .type = DTS_STRING, .missing = "null",
     .help = "what runs needed to reach it: a name (`dtsim list convergence`) or a file"},
    {DTS_KEY(struct dts_target_words, recipe), .type = DTS_STRING, .missing = "null",
     .help = "which recipe of the profile; default: its own"},
    {DTS_KEY(struct dts_target_words, loss), .type = DTS_REAL, .min = 0.1, .max = 20,
     .missing = "null",
     .help = "instead of a profile: nats a token of a language model, by Chinchilla's law"},
    {DTS_KEY(struct dts_target_words, noise_scale), .type = DTS_OBJECT, .missing = "null",
     .fields = noise_fields,
     .help = "instead of both: one run, and the noise scale of its gradients"},
    {DTS_KEY(struct dts_target_words, staleness), .type = DTS_OBJECT, .missing = "null",
     .fields = staleness_fields, .help = "gradients are late, and more steps are needed"},
    {DTS_KEY(struct dts_target_words, evaluation), .type = DTS_OBJECT, .missing = "null",
     .fields = evaluation_fields, .help = "evaluations, which are part of the time"},
    {0},
};

static const struct dts_field accuracy_fields[] = {
    {DTS_KEY(struct dts_accuracy_words, table), .type = DTS_STRING,
     .help = "what runs reached at several batches: a name (`dtsim list accuracy`) or a file"},
    {DTS_KEY(struct dts_accuracy_words, rule), .type = DTS_STRING, .missing = "null",
     .help = "of the learning rate, which one of the table; default: its own"},
    {0},
};

const struct dts_field dts_training_fields[] = {
    {DTS_KEY(struct dts_training, epochs), .type = DTS_REAL, .min = 1e-6, .max = 1e6,
     .missing = "null", .help = "passes over the data set, for the time that they take"},
    {DTS_KEY(struct dts_training, accuracy), .type = DTS_OBJECT, .fields = accuracy_fields,
     .missing = "null", .help = "with epochs: what is reached in them"},
    {DTS_KEY(struct dts_training, target), .type = DTS_OBJECT, .fields = target_fields,
     .missing = "null", .help = "instead of epochs: train until a target is reached"},
    {.key = "phases",
     .offset = offsetof(struct dts_training, phase_list),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .missing = "null",
     .help = "instead of epochs: parts with other values of the scenario, one after the other"},
    {0},
};

const struct dts_field dts_phase_fields[] = {
    {DTS_KEY(struct dts_phase, epochs), .type = DTS_REAL, .min = 1e-6, .max = 1e6,
     .missing = "null", .help = "passes over the data set"},
    {DTS_KEY(struct dts_phase, steps), .type = DTS_REAL, .min = 1, .max = 1e12,
     .missing = "null", .help = "instead of epochs: steps"},
    {DTS_KEY(struct dts_phase, set), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .missing = "{}",
     .help = "paths and values, {\"batch.per_device\": 64}, that are other than in this file"},
    {0},
};

/* Words for a reader, of which a phase shows none: "summary", "dataset.name",
 * "strategies[0].name". Names of other things choose something. */
static bool is_words(const char *key)
{
    static const char *const named[] = {"name", "dataset.name", "platform.name"};
    const char *dot = strrchr(key, '.'), *last = dot != NULL ? dot + 1 : key;
    bool is = strcmp(last, "summary") == 0 || strcmp(key, "why") == 0 ||
              (strncmp(key, "strategies[", strlen("strategies[")) == 0 &&
               strcmp(last, "name") == 0 && strchr(key, '.') == dot);
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
        is = is || strcmp(key, named[i]) == 0;
    return is;
}

/* What a phase cannot have of its own. */
static bool check_set(const struct dts_cfg *set, struct dts_error *err)
{
    static const char *const whole[] = {"training", "devices", "references", "measurements",
                                        "live",     "steps",   "seed"};
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(set, i)) != NULL; i++)
        if (is_words(key))
            return dts_cfg_fail(set, key, err,
                                "has no effect: an answer shows no words of a phase");
    for (size_t i = 0; (key = dts_cfg_key(set, i)) != NULL; i++)
        for (size_t w = 0; w < sizeof(whole) / sizeof(whole[0]); w++) {
            const size_t length = strlen(whole[w]);
            if (strncmp(key, whole[w], length) == 0 &&
                (key[length] == '\0' || key[length] == '.' || key[length] == '['))
                return dts_cfg_fail(set, key, err,
                                    "%s is of the whole training, not of a phase", whole[w]);
        }
    return true;
}

static bool read_phase(const struct dts_cfg *at, struct dts_phase *phase, bool has_samples,
                       struct dts_error *err)
{
    if (!dts_cfg_read(at, dts_phase_fields, phase, err))
        return false;
    if ((phase->epochs > 0) == (phase->steps > 0))
        return dts_cfg_fail(at, NULL, err, "must have either epochs or steps");
    if (!dts_cfg_is_object(&phase->set))
        return dts_cfg_fail(at, "set", err, "must be an object of paths and values");
    return check_set(&phase->set, err) &&
           (has_samples ||
            dts_cfg_fail(at, NULL, err, "needs dataset.samples: epochs are counted in them"));
}

static bool read_phases(struct dts_training *training, const struct dts_cfg *top,
                        struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(top, "training"),
                         data = dts_cfg_member(top, "dataset"),
                         list = dts_cfg_member(&at, "phases");
    const size_t count = dts_cfg_length(&list);
    if (!dts_cfg_exists(&list))
        return true;
    if (!dts_cfg_is_list(&list) || count < 1 || count > DTS_MOST_PHASES)
        return dts_cfg_fail(&list, NULL, err, "must be a list of 1 to %d objects",
                            DTS_MOST_PHASES);
    if (training->epochs > 0 || training->target.profile != NULL || training->target.loss > 0 ||
        training->target.noise_scale.batch > 0)
        return dts_cfg_fail(&at, NULL, err, "has phases and %s: give one",
                            training->epochs > 0 ? "epochs" : "target");
    training->phases = dts_alloc(count, sizeof(*training->phases));
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg item = dts_cfg_item(&list, i);
        if (!read_phase(&item, &training->phases[i], dts_cfg_exists(&data), err))
            return false;
        training->phase_count++;
    }
    return true;
}

static bool choose_recipe(struct dts_training *training, const struct dts_cfg *at,
                          struct dts_error *err)
{
    const struct dts_convergence *profile = training->profile;
    struct dts_text known = {0};
    if (training->target.recipe == NULL)
        return true;
    training->recipe = dts_convergence_recipe(profile, training->target.recipe);
    if (training->recipe >= 0)
        return true;
    for (int i = 0; i < profile->recipe_count; i++)
        dts_text_add(&known, "%s%s", i > 0 ? ", " : "", profile->recipes[i]);
    dts_cfg_fail(at, "recipe", err, "must be one of %s, got \"%s\"", dts_text_string(&known),
                 training->target.recipe);
    dts_text_free(&known);
    return false;
}

static bool check_staleness(struct dts_staleness_words *words, const struct dts_cfg *target,
                            struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(target, "staleness"),
                         most = dts_cfg_member(&at, "most");
    if (!dts_cfg_exists(&most))
        words->most = words->mean;
    else if (words->rate != NULL && strcmp(words->rate, rate_name(0)) != 0)
        return dts_cfg_fail(&at, "most", err, "has no effect: an adapted rate needs the mean");
    return words->most >= words->mean ||
           dts_cfg_fail(&at, "most", err, "must be >= the mean, %g, got %g", words->mean,
                        words->most);
}

static bool check_evaluation(const struct dts_target_words *words, const struct dts_cfg *target,
                             struct dts_error *err)
{
    const struct dts_evaluation_words *evaluation = &words->evaluation;
    const struct dts_cfg at = dts_cfg_member(target, "evaluation");
    if (!dts_cfg_exists(&at))
        return true;
    if (words->profile == NULL)
        return dts_cfg_fail(target, "evaluation", err,
                            "has no effect without a profile, which says how often");
    return (evaluation->seconds > 0) != (evaluation->samples > 0) ||
           dts_cfg_fail(&at, NULL, err, "must have either seconds or samples");
}

bool dts_training_adapted(const struct dts_training *training)
{
    const char *rate = training->target.staleness.rate;
    return rate != NULL && strcmp(rate, rate_name(0)) != 0;
}

static bool load_table(struct dts_training *training, const struct dts_cfg *top,
                       struct dts_error *err)
{
    const struct dts_cfg training_at = dts_cfg_member(top, "training"),
                         at = dts_cfg_member(&training_at, "accuracy");
    struct dts_text known = {0};
    char *path;
    if (training->accuracy.table == NULL)
        return true;
    if (training->epochs <= 0)
        return dts_cfg_fail(&at, NULL, err, "needs training.epochs: it is what they reach");
    if (!dts_library_find_for(&path, "accuracy", training->accuracy.table, &at, "table", err))
        return false;
    training->table = dts_alloc(1, sizeof(*training->table));
    bool good = dts_accuracy_load(training->table, path, err);
    free(path);
    if (good && training->accuracy.rule != NULL &&
        !dts_accuracy_has(training->table, training->accuracy.rule, &known))
        good = dts_cfg_fail(&at, "rule", err, "must be one of %s, got \"%s\"",
                            dts_text_string(&known), training->accuracy.rule);
    dts_text_free(&known);
    return good;
}

bool dts_training_load(struct dts_training *training, const struct dts_cfg *top,
                       struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(top, "training");
    const struct dts_cfg target = dts_cfg_member(&at, "target");
    char *path;
    if (!read_phases(training, top, err) || !load_table(training, top, err))
        return false;
    if (!dts_cfg_exists(&target))
        return true;
    if (training->epochs > 0)
        return dts_cfg_fail(&at, NULL, err, "has both epochs and target: give one");
    if ((training->target.profile != NULL) + (training->target.loss > 0) +
            (training->target.noise_scale.batch > 0) !=
        1)
        return dts_cfg_fail(&target, NULL, err,
                            "must have one of profile, loss and noise_scale");
    if (!check_staleness(&training->target.staleness, &target, err) ||
        !check_evaluation(&training->target, &target, err))
        return false;
    if (training->target.profile == NULL)
        return training->target.recipe == NULL ||
               dts_cfg_fail(&target, "recipe", err,
                            "has no effect without a profile, which has recipes");
    if (!dts_library_find_for(&path, "convergence", training->target.profile, &target,
                              "profile", err))
        return false;
    training->profile = dts_alloc(1, sizeof(*training->profile));
    const bool good = dts_convergence_load(training->profile, path, err);
    free(path);
    return good && choose_recipe(training, &target, err);
}

bool dts_training_suits(const struct dts_training *training, const struct dts_cfg *top,
                        const struct dts_model *model, struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(top, "training"),
                         target = dts_cfg_member(&at, "target");
    if (training->target.loss <= 0)
        return true;
    if (model->tokens <= 0)
        return dts_cfg_fail(&target, "loss", err,
                            "is of language models: a sample of %s is no sequence of tokens",
                            model->name);
    const double least = dts_loss_least(&dts_loss_chinchilla, model->parameters);
    return training->target.loss > least + 1.5 * DTS_LOSS_DOUBT ||
           dts_cfg_fail(&target, "loss", err,
                        "must be above %.4g: no training of %.3g parameters gets below %.4g, "
                        "and nearer to it nobody knows the tokens; got %g",
                        least + 1.5 * DTS_LOSS_DOUBT, model->parameters, least,
                        training->target.loss);
}

void dts_training_free(struct dts_training *training)
{
    if (training->profile != NULL)
        dts_convergence_free(training->profile);
    free(training->profile);
    if (training->table != NULL)
        dts_accuracy_free(training->table);
    free(training->table);
    free(training->phases);
    *training = (struct dts_training){0};
}
