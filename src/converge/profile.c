/* profile.c -- convergence profiles from their files: keys, and the checks that span them. */
#include "converge/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "base/stats.h"
#include "converge/form.h"

static const char *unit_name(int i)
{
    static const char *const words[] = {"epochs", "samples", "tokens", NULL};
    return words[i];
}

/* What one table of fields fills. */
struct reading {
    struct dts_convergence profile;
    const char *form;
    struct dts_cfg points, local;
};

#define WORD(member) .key = #member, .offset = offsetof(struct reading, profile.member)

static const struct dts_field staleness_fields[] = {
    {DTS_KEY(struct dts_staleness_cost, c), .type = DTS_REAL, .min = 0, .max = 100,
     .help = "a batch with gradients tau updates late counts as 1 + c tau of it"},
    {DTS_KEY(struct dts_staleness_cost, factor), .type = DTS_REAL, .min = 1, .max = 100,
     .help = "80 % of runs have a c within this factor of it"},
    {0},
};

static const struct dts_field fields[] = {
    {WORD(summary), .type = DTS_STRING, .help = "one line for `dtsim list`"},
    {WORD(model), .type = DTS_STRING, .help = "the network: a name in the library, or words"},
    {WORD(dataset), .type = DTS_STRING, .help = "what it was trained on"},
    {WORD(optimizer), .type = DTS_STRING,
     .help = "rule of the updates, as `dtsim list` has it"},
    {WORD(schedule), .type = DTS_STRING, .missing = "null",
     .help = "of the learning rate: warm-up, decay, how it grows with the batch"},
    {WORD(target), .type = DTS_STRING, .help = "what ends a run: metric and value"},
    {WORD(sample), .type = DTS_STRING, .help = "what a batch counts: image, sequence"},
    {WORD(unit), .type = DTS_STRING, .choice = unit_name,
     .help = "of mean, least, most and evaluated_every"},
    {WORD(epoch_samples), .type = DTS_REAL, .min = 1, .max = 1e15, .missing = "null",
     .help = "samples of an epoch; needed with unit epochs, else to say epochs, too"},
    {WORD(sample_tokens), .type = DTS_REAL, .min = 1, .max = 1e9, .missing = "null",
     .help = "tokens of a sample; with unit tokens"},
    {WORD(recipe), .type = DTS_STRING, .missing = "\"reference\"",
     .help = "name of the recipe of points that name none; predictions are for it"},
    {WORD(trained), .type = DTS_OBJECT, .fields = dts_trained_by_fields, .missing = "null",
     .help =
         "how the runs of that recipe were trained: a scenario that says otherwise is doubted"},
    {WORD(staleness), .type = DTS_OBJECT, .fields = staleness_fields, .missing = "null",
     .help = "what late gradients cost; default: c 1 within a factor of 2, ASSUMED"},
    {.key = "local_steps",
     .offset = offsetof(struct reading, local),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .missing = "null",
     .help = "what local steps cost: a list of objects; default: it is not known"},
    {.key = "form",
     .offset = offsetof(struct reading, form),
     .type = DTS_STRING,
     .choice = dts_convergence_form_name,
     .missing = "\"law\"",
     .help = "law: fitted; constant: no trend; points: lines between the points"},
    {.key = "points",
     .offset = offsetof(struct reading, points),
     .type = DTS_OTHER,
     .forms = DTS_FORM_OBJECTS,
     .help = "what was published: a list of objects"},
    {0},
};

/* One element of points. */
struct point {
    int batch, seeds;
    double mean, cv, least, most, evaluated_every, learning_rate;
    const char *recipe;
};

static const struct dts_field point_fields[] = {
    {DTS_KEY(struct point, batch), .type = DTS_INT, .min = 1, .max = 1 << 30,
     .help = "samples of a step, of all devices"},
    {DTS_KEY(struct point, seeds), .type = DTS_INT, .min = 1, .max = 1000000,
     .help = "runs that the mean is of"},
    {DTS_KEY(struct point, mean), .type = DTS_REAL, .min = 1e-9, .max = 1e18,
     .help = "over the seeds, of what they needed to reach the target"},
    {DTS_KEY(struct point, cv), .type = DTS_REAL, .min = 0, .max = 10, .missing = "null",
     .help = "standard deviation of one seed over the mean"},
    {DTS_KEY(struct point, least), .type = DTS_REAL, .min = 1e-9, .max = 1e18,
     .missing = "null", .help = "of the seeds; with most it stands for a cv that is not known"},
    {DTS_KEY(struct point, most), .type = DTS_REAL, .min = 1e-9, .max = 1e18, .missing = "null",
     .help = "of the seeds"},
    {DTS_KEY(struct point, evaluated_every), .type = DTS_REAL, .min = 0, .max = 1e18,
     .missing = "0", .help = "between evaluations, of which the first to succeed ends a run"},
    {DTS_KEY(struct point, learning_rate), .type = DTS_REAL, .min = 0, .max = 1e9,
     .missing = "0",
     .help = "base rate; where it had to fall the batch is too large; 0: unknown"},
    {DTS_KEY(struct point, recipe), .type = DTS_STRING, .missing = "null",
     .help = "where it is another than the profile's: all of its points share a factor"},
    {0},
};

/* One element of local_steps. */
static const struct dts_field local_fields[] = {
    {DTS_KEY(struct dts_local_cost, steps), .type = DTS_INT, .min = 1, .max = 1000000,
     .help = "updates of each rank between two means of weights"},
    {DTS_KEY(struct dts_local_cost, factor), .type = DTS_REAL, .min = 0.01, .max = 1000,
     .help = "samples to the target over those of ranks that sum gradients in each step"},
    {DTS_KEY(struct dts_local_cost, within), .type = DTS_REAL, .min = 1, .max = 100,
     .help = "80 % of runs have a factor within this factor of it"},
    {DTS_KEY(struct dts_local_cost, outer), .type = DTS_BOOL, .missing = "false",
     .help = "with an outer update (DiLoCo)"},
    {DTS_KEY(struct dts_local_cost, batch), .type = DTS_INT, .min = 1, .max = 1 << 30,
     .missing = "null",
     .help = "samples of a step where it was measured: for batches within a factor of two"},
    {0},
};

/* The expected range of n normal numbers is twice their expected maximum. */
static double cv_of(const struct point *point)
{
    if (point->cv >= 0)
        return point->cv;
    if (point->most <= 0 || point->seeds < 2)
        return 0;
    return (point->most - point->least) / (2 * dts_expected_maximum(point->seeds)) /
           point->mean;
}

static bool check_point(const struct dts_cfg *at, const struct point *point,
                        const struct dts_convergence *profile, struct dts_error *err)
{
    if ((point->least > 0) != (point->most > 0))
        return dts_cfg_fail(at, point->least > 0 ? "least" : "most", err,
                            "least and most go together");
    if (point->least > point->mean)
        return dts_cfg_fail(at, "least", err, "must be <= the mean, %g, got %g", point->mean,
                            point->least);
    if (point->most > 0 && point->most < point->mean)
        return dts_cfg_fail(at, "most", err, "must be >= the mean, %g, got %g", point->mean,
                            point->most);
    if (point->evaluated_every > point->mean)
        return dts_cfg_fail(at, "evaluated_every", err, "must be <= the mean, %g, got %g",
                            point->mean, point->evaluated_every);
    const struct dts_cfg source = dts_cfg_member(at, "source");
    if (profile->source == NULL && !dts_cfg_exists(&source))
        return dts_cfg_fail(at, "source", err, "missing (neither the point nor the file says)");
    return true;
}

int dts_convergence_recipe(const struct dts_convergence *profile, const char *name)
{
    for (int i = 0; i < profile->recipe_count; i++)
        if (strcmp(profile->recipes[i], name) == 0)
            return i;
    return -1;
}

static bool take_recipe(struct dts_convergence *profile, const struct dts_cfg *at,
                        const char *name, int *recipe, struct dts_error *err)
{
    *recipe = name == NULL ? 0 : dts_convergence_recipe(profile, name);
    if (*recipe >= 0)
        return true;
    if (profile->recipe_count == DTS_FIT_RECIPES)
        return dts_cfg_fail(at, "recipe", err, "is another one: a profile has at most %d",
                            DTS_FIT_RECIPES);
    *recipe = profile->recipe_count++;
    profile->recipes[*recipe] = name;
    return true;
}

static bool read_point(struct dts_convergence *profile, const struct dts_cfg *at,
                       struct dts_convergence_point *out, struct dts_error *err)
{
    struct point point = {.cv = -1};
    const struct dts_cfg source = dts_cfg_member(at, "source");
    int recipe;
    if (!dts_cfg_read(at, point_fields, &point, err) ||
        !check_point(at, &point, profile, err) ||
        (dts_cfg_exists(&source) && !dts_cfg_string(&source, &out->source, err)) ||
        !take_recipe(profile, at, point.recipe, &recipe, err))
        return false;
    out->least = point.least;
    out->most = point.most;
    out->recipe = point.recipe;
    out->seeds = (struct dts_seeds){.batch = point.batch,
                                    .mean = point.mean,
                                    .cv = cv_of(&point),
                                    .interval = point.evaluated_every,
                                    .learning_rate = point.learning_rate,
                                    .seeds = point.seeds,
                                    .recipe = recipe};
    return true;
}

static bool read_points(struct dts_convergence *profile, const struct dts_cfg *list,
                        struct dts_error *err)
{
    const size_t count = dts_cfg_length(list);
    if (!dts_cfg_is_list(list) || count == 0)
        return dts_cfg_fail(list, NULL, err, "must be a list with a point at the least");
    if (count > DTS_FIT_BATCHES)
        return dts_cfg_fail(list, NULL, err, "must have at most %d points, got %zu",
                            DTS_FIT_BATCHES, count);
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        if (!read_point(profile, &at, &profile->points[i], err))
            return false;
    }
    profile->point_count = (int)count;
    return true;
}

/* Those of one batch ascend, those with an outer update apart. */
static bool read_local(struct dts_convergence *profile, const struct dts_cfg *list,
                       struct dts_error *err)
{
    if (!dts_cfg_exists(list))
        return true;
    const size_t count = dts_cfg_length(list);
    if (!dts_cfg_is_list(list) || count == 0 || count > DTS_LOCAL_COSTS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d objects",
                            DTS_LOCAL_COSTS);
    for (size_t i = 0; i < count; i++) {
        const struct dts_cfg at = dts_cfg_item(list, i);
        struct dts_local_cost *cost = &profile->local[i];
        if (!dts_cfg_read(&at, local_fields, cost, err))
            return false;
        for (size_t j = 0; j < i; j++)
            if (profile->local[j].outer == cost->outer &&
                profile->local[j].batch == cost->batch &&
                cost->steps <= profile->local[j].steps)
                return dts_cfg_fail(&at, "steps", err, "must ascend, got %d after %d",
                                    cost->steps, profile->local[j].steps);
    }
    profile->local_count = (int)count;
    return true;
}

/* Each unit has its own number of samples. */
static bool check_unit(const struct dts_convergence *profile, const struct dts_cfg *top,
                       struct dts_error *err)
{
    if (strcmp(profile->unit, "epochs") == 0 && profile->epoch_samples <= 0)
        return dts_cfg_fail(top, "epoch_samples", err, "missing (the unit is epochs)");
    const bool tokens = strcmp(profile->unit, "tokens") == 0;
    if (tokens && profile->sample_tokens <= 0)
        return dts_cfg_fail(top, "sample_tokens", err, "missing (the unit is tokens)");
    return tokens || profile->sample_tokens <= 0 ||
           dts_cfg_fail(top, "sample_tokens", err, "has no effect: the unit is %s",
                        profile->unit);
}

static const struct dts_convergence_form *form_of(const char *name)
{
    int i = 0;
    while (strcmp(dts_convergence_forms[i]->name, name) != 0)
        i++;
    return dts_convergence_forms[i];
}

static bool read(struct dts_convergence *profile, struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(profile->doc);
    const struct dts_cfg source = dts_cfg_member(&top, "source");
    struct reading reading = {.profile = *profile};
    const bool good = dts_cfg_read(&top, fields, &reading, err);
    *profile = reading.profile;
    if (!good || (dts_cfg_exists(&source) && !dts_cfg_string(&source, &profile->source, err)))
        return false;
    profile->recipes[0] = profile->recipe;
    profile->recipe_count = 1;
    profile->form = form_of(reading.form);
    struct dts_error why = {0};
    if (!check_unit(profile, &top, err) || !read_local(profile, &reading.local, err) ||
        !read_points(profile, &reading.points, err))
        return false;
    return profile->form->fit(profile, &why) ||
           dts_cfg_fail(&top, "points", err, "%s (form \"%s\")", why.text, profile->form->name);
}

bool dts_convergence_read(struct dts_convergence *profile, struct dts_doc *doc,
                          struct dts_error *err)
{
    *profile = (struct dts_convergence){.doc = doc, .staleness = dts_staleness_cost_assumed};
    profile->name_owned = dts_file_name(dts_doc_name(doc));
    profile->name = profile->name_owned;
    if (read(profile, err))
        return true;
    dts_convergence_free(profile);
    return false;
}

bool dts_convergence_load(struct dts_convergence *profile, const char *path,
                          struct dts_error *err)
{
    struct dts_doc *doc;
    *profile = (struct dts_convergence){.doc = NULL};
    return dts_doc_load(&doc, path, err) && dts_convergence_read(profile, doc, err);
}

void dts_convergence_free(struct dts_convergence *profile)
{
    free(profile->name_owned);
    dts_doc_free(profile->doc);
    *profile = (struct dts_convergence){.doc = NULL};
}

void dts_convergence_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A convergence profile is a JSON object:");
    dts_keys_add(keys, "", fields);
    dts_keys_note(keys, "source: string; required where a point has none\n"
                        "    where the points were published\n");
    dts_keys_heading(keys, "Each of points:");
    dts_keys_add(keys, "points[]", point_fields);
    dts_keys_note(keys, "points[].source: string; required where the file has none\n"
                        "    where it was published: report, table, log\n");
    dts_keys_heading(keys, "Each of local_steps:");
    dts_keys_add(keys, "local_steps[]", local_fields);
}
