/* form.c -- the ways from points to a prediction: a law, a constant, the points themselves. */
#include "converge/form.h"

#include <math.h>

static bool law_fit(struct dts_convergence *profile, struct dts_error *err)
{
    struct dts_seeds rows[DTS_FIT_BATCHES];
    for (int i = 0; i < profile->point_count; i++)
        rows[i] = profile->points[i].seeds;
    return dts_fit_make(&profile->fit, rows, profile->point_count, err);
}

static bool law_predict(const struct dts_convergence *profile,
                        const struct dts_fit_question *question, struct dts_forecast *forecast,
                        struct dts_error *err)
{
    (void)err;
    *forecast = dts_fit_predict(&profile->fit, question);
    return true;
}

static const struct dts_convergence_form by_law = {
    .name = "law",
    .summary = "e_min (1 + (B/b_c)^g)^(1/g), and what near batches have in common",
    .fit = law_fit,
    .predict = law_predict,
    .has_law = true,
};

static struct dts_forecast around(double mean, double sd)
{
    const double factor = exp(DTS_FIT_Z80 * sd);
    return (struct dts_forecast){mean, mean / factor, mean * factor, sd};
}

static bool nothing_to_fit(struct dts_convergence *profile, struct dts_error *err)
{
    (void)profile;
    (void)err;
    return true;
}

/* Rows differ by more than their seeds tell: what they scatter by is part of the answer. */
static bool constant_predict(const struct dts_convergence *profile,
                             const struct dts_fit_question *question,
                             struct dts_forecast *forecast, struct dts_error *err)
{
    (void)err;
    double sum = 0, seeds = 0, logs = 0, squares = 0, cv = 0;
    const int n = profile->point_count;
    for (int i = 0; i < n; i++) {
        const struct dts_seeds *point = &profile->points[i].seeds;
        sum += point->mean * point->seeds;
        cv += point->cv * point->cv * point->seeds;
        seeds += point->seeds;
        logs += log(point->mean) / n;
    }
    for (int i = 0; i < n; i++) {
        const double apart = log(profile->points[i].seeds.mean) - logs;
        squares += apart * apart;
    }
    const double between = n > 1 ? squares / (n - 1) : 0;
    *forecast = around(sum / seeds, sqrt(between + cv / seeds / question->seeds));
    return true;
}

static const struct dts_convergence_form by_constant = {
    .name = "constant",
    .summary = "the mean of all points at any batch: they show no trend",
    .fit = nothing_to_fit,
    .predict = constant_predict,
};

/* Between two points straight lines in the batch, as MLPerf's own rule has them. No evaluation
 * is between two steps, and seeds that agree spread unseen. */
static bool points_predict(const struct dts_convergence *profile,
                           const struct dts_fit_question *question,
                           struct dts_forecast *forecast, struct dts_error *err)
{
    const struct dts_seeds *below = NULL, *above = NULL;
    for (int i = 0; i < profile->point_count; i++) {
        const struct dts_seeds *point = &profile->points[i].seeds;
        if (point->batch <= question->batch && (below == NULL || point->batch >= below->batch))
            below = point;
        if (point->batch >= question->batch && (above == NULL || point->batch <= above->batch))
            above = point;
    }
    if (below == NULL || above == NULL)
        return dts_fail(
            err, DTS_BAD_INPUT, "convergence profile %s says nothing of batch %.0f: its %s",
            profile->name, question->batch,
            profile->point_count == 1 ? "only batch is another" : "batches do not reach there");
    const double share = above->batch > below->batch
                             ? (question->batch - below->batch) / (above->batch - below->batch)
                             : 0;
    const double mean = below->mean + share * (above->mean - below->mean);
    const double cv = fmax(fmax(below->cv, above->cv), DTS_SEEDS_CV);
    const double step = question->batch / dts_convergence_unit_samples(profile);
    const double grid = fmax(step, fmax(below->interval, above->interval)) / mean;
    const double recipes = DTS_FIT_SCATTER * DTS_FIT_SCATTER;
    *forecast = around(mean, sqrt(recipes + cv * cv / question->seeds + grid * grid / 12));
    return true;
}

static const struct dts_convergence_form by_points = {
    .name = "points",
    .summary = "straight lines between the points, and nothing outside them",
    .fit = nothing_to_fit,
    .predict = points_predict,
};

const struct dts_convergence_form *const dts_convergence_forms[] = {
    &by_law,
    &by_constant,
    &by_points,
    NULL,
};

const char *dts_convergence_form_name(int i)
{
    return dts_convergence_forms[i] != NULL ? dts_convergence_forms[i]->name : NULL;
}
