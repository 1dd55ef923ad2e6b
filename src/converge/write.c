/* write.c -- a convergence profile as a file: what was measured, so that others can fit it. */
#include <math.h>

#include "base/json/json_out.h"
#include "converge/form.h"
#include "converge/profile.h"

/* 0 stands for what is not known: it is left out. */
static void known(struct dts_json *json, const char *key, double value)
{
    dts_json_number(json, key, value > 0 ? value : NAN);
}

/* One that was measured: the assumed one stands in no file. */
static void print_staleness(struct dts_json *json, const struct dts_staleness_cost *cost)
{
    const struct dts_staleness_cost *assumed = &dts_staleness_cost_assumed;
    if (cost->factor == 0 || (cost->c == assumed->c && cost->factor == assumed->factor))
        return;
    dts_json_object(json, "staleness");
    dts_json_number(json, "c", cost->c);
    dts_json_number(json, "factor", cost->factor);
    dts_json_end(json);
}

static void print_point(struct dts_json *json, const struct dts_convergence_point *point)
{
    const struct dts_seeds *seeds = &point->seeds;
    dts_json_object(json, NULL);
    dts_json_number(json, "batch", seeds->batch);
    dts_json_integer(json, "seeds", seeds->seeds);
    dts_json_number(json, "mean", seeds->mean);
    known(json, "cv", seeds->cv);
    known(json, "least", point->least);
    known(json, "most", point->most);
    known(json, "evaluated_every", seeds->interval);
    known(json, "learning_rate", seeds->learning_rate);
    dts_json_string(json, "recipe", point->recipe);
    dts_json_string(json, "source", point->source);
    dts_json_end(json);
}

static void print_local(struct dts_json *json, const struct dts_convergence *profile)
{
    if (profile->local_count == 0)
        return;
    dts_json_list(json, "local_steps");
    for (int i = 0; i < profile->local_count; i++) {
        const struct dts_local_cost *cost = &profile->local[i];
        dts_json_object(json, NULL);
        dts_json_integer(json, "steps", cost->steps);
        dts_json_number(json, "factor", cost->factor);
        dts_json_number(json, "within", cost->within);
        if (cost->outer)
            dts_json_bool(json, "outer", true);
        if (cost->batch > 0)
            dts_json_integer(json, "batch", cost->batch);
        dts_json_end(json);
    }
    dts_json_end(json);
}

void dts_convergence_print(const struct dts_convergence *profile, FILE *out)
{
    struct dts_json json = {.out = out, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "summary", profile->summary);
    dts_json_string(&json, "model", profile->model);
    dts_json_string(&json, "dataset", profile->dataset);
    dts_json_string(&json, "optimizer", profile->optimizer);
    dts_json_string(&json, "schedule", profile->schedule);
    dts_json_string(&json, "target", profile->target);
    dts_json_string(&json, "sample", profile->sample);
    dts_json_string(&json, "unit", profile->unit);
    known(&json, "epoch_samples", profile->epoch_samples);
    known(&json, "sample_tokens", profile->sample_tokens);
    dts_json_string(&json, "recipe", profile->recipe);
    dts_trained_by_print(&profile->trained, &json);
    print_staleness(&json, &profile->staleness);
    print_local(&json, profile);
    dts_json_string(&json, "form", profile->form != NULL ? profile->form->name : NULL);
    dts_json_string(&json, "source", profile->source);
    dts_json_list(&json, "points");
    for (int i = 0; i < profile->point_count; i++)
        print_point(&json, &profile->points[i]);
    dts_json_end(&json);
    dts_json_end(&json);
}
