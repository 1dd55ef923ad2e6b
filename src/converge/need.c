/* need.c -- what one run needs at a batch, by a profile: in its unit, samples, steps. */
#include <math.h>
#include <string.h>

#include "converge/form.h"
#include "converge/profile.h"

double dts_convergence_unit_samples(const struct dts_convergence *profile)
{
    if (strcmp(profile->unit, "epochs") == 0)
        return profile->epoch_samples;
    return profile->sample_tokens > 0 ? 1 / profile->sample_tokens : 1;
}

/* The batches that a prediction rests on. */
static void take_range(struct dts_need *need, const struct dts_convergence *profile)
{
    need->batches[0] = INFINITY;
    need->batches[1] = 0;
    need->limited_batch = profile->form->has_law ? profile->fit.limited_batch : 0;
    for (int i = 0; i < profile->point_count; i++) {
        const double batch = profile->points[i].seeds.batch;
        bool before = batch == need->limited_batch;
        need->batches[0] = before ? need->batches[0] : fmin(need->batches[0], batch);
        need->batches[1] = before ? need->batches[1] : fmax(need->batches[1], batch);
        for (int j = 0; j < i; j++)
            before = before || profile->points[j].seeds.batch == batch;
        need->batch_count += !before;
    }
}

/* The forecast at the batch as which late gradients count, with the doubt about how much. */
static bool forecast_late(const struct dts_convergence *profile,
                          const struct dts_need_question *asked, struct dts_forecast *forecast,
                          struct dts_error *err)
{
    const struct dts_staleness_cost *cost = &profile->staleness;
    struct dts_fit_question question = {.recipe = asked->recipe,
                                        .cv = -1,
                                        .interval = asked->interval > 0 ? asked->interval : -1,
                                        .seeds = 1};
    const double factors[] = {1, 1 / cost->factor, cost->factor};
    struct dts_forecast at[3];
    for (int i = 0; i < (asked->delay > 0 ? 3 : 1); i++) {
        question.batch = dts_staleness_batch(asked->batch, asked->delay, cost->c * factors[i]);
        if (!profile->form->predict(profile, &question, &at[i], err))
            return false;
    }
    *forecast = asked->delay > 0 ? dts_staleness_widen(&at[0], at[1].mean, at[2].mean) : at[0];
    return true;
}

/* How often the runs of the nearest batch were evaluated. */
static double nearest_interval(const struct dts_convergence *profile, double batch)
{
    const struct dts_seeds *near = &profile->points[0].seeds;
    for (int i = 1; i < profile->point_count; i++) {
        const struct dts_seeds *point = &profile->points[i].seeds;
        if (fabs(log(point->batch / batch)) < fabs(log(near->batch / batch)))
            near = point;
    }
    return near->interval;
}

bool dts_convergence_ask(const struct dts_convergence *profile,
                         const struct dts_need_question *question, struct dts_need *need,
                         struct dts_error *err)
{
    const double batch = question->batch;
    *need = (struct dts_need){.region = "", .outside = 1};
    need->counts_as = dts_staleness_batch(batch, question->delay, profile->staleness.c);
    need->interval =
        question->interval > 0 ? question->interval : nearest_interval(profile, batch);
    if (!forecast_late(profile, question, &need->units, err))
        return false;
    if (profile->form->has_law)
        need->region = dts_law_region(&profile->fit.law, need->counts_as);
    take_range(need, profile);
    const double samples = dts_convergence_unit_samples(profile);
    need->samples = need->units.mean * samples;
    need->samples_low = need->units.low * samples;
    need->samples_high = need->units.high * samples;
    need->steps = ceil(need->samples / batch);
    need->steps_low = ceil(need->samples_low / batch);
    need->steps_high = ceil(need->samples_high / batch);
    need->epochs = profile->epoch_samples > 0 ? need->samples / profile->epoch_samples : NAN;
    need->outside =
        fmax(1, fmax(need->counts_as / need->batches[1], need->batches[0] / need->counts_as));
    return true;
}

bool dts_convergence_predict(const struct dts_convergence *profile, double batch, int recipe,
                             struct dts_need *need, struct dts_error *err)
{
    const struct dts_need_question question = {.batch = batch, .recipe = recipe};
    return dts_convergence_ask(profile, &question, need, err);
}

void dts_need_doubt(const struct dts_need *need, double batch, struct dts_text *doubt)
{
    const char *also = "";
    if (need->outside > 2) {
        dts_text_add(doubt, "batch %.0f", batch);
        if (need->counts_as > batch)
            dts_text_add(doubt, ", by late gradients as one of %.0f,", need->counts_as);
        dts_text_add(doubt, " is %.3g times outside the published ones, %.0f to %.0f",
                     need->outside, need->batches[0], need->batches[1]);
        if (need->counts_as > need->batches[1])
            dts_text_add(doubt, ": nobody is known to have got there with so large a one");
        also = "; ";
    }
    if (need->limited_batch > 0 && fmax(batch, need->counts_as) > need->batches[1]) {
        dts_text_add(doubt, "%sat batch %.0f steps no longer fell", also, need->limited_batch);
        also = "; ";
    }
    if (need->batch_count < 4)
        dts_text_add(doubt, "%sonly %d batch%s published", also, need->batch_count,
                     need->batch_count == 1 ? " is" : "es are");
}
