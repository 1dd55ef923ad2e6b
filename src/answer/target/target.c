/* target.c -- from a convergence profile and a step to the time of a training. */
#include "answer/target/target.h"

#include <math.h>
#include <string.h>

#include "converge/form.h"
#include "converge/loss.h"

static void copy(char *to, size_t room, struct dts_text *text)
{
    snprintf(to, room, "%s", dts_text_string(text));
    dts_text_free(text);
}

/* "35 epochs (33.9 to 36.2)": one number of the law with its interval. */
static void add_number(struct dts_text *text, const struct dts_fit *fit, int i)
{
    const double told = 100; // a factor beyond which an interval says nothing
    const double at = exp(fit->logs[i]), factor = exp(dts_fit_spread(fit, i));
    if (!(factor < told)) {
        dts_text_add(text, "not told by the points");
        return;
    }
    dts_text_add_significant(text, at, 3);
    dts_text_add(text, " (");
    dts_text_add_significant(text, at / factor, 3);
    dts_text_add(text, " to ");
    dts_text_add_significant(text, at * factor, 3);
    dts_text_add(text, ")");
}

static void add_batch(struct dts_text *text, const char *lead, const struct dts_law *law,
                      double extra)
{
    const double batch = dts_law_batch(law, extra);
    dts_text_add(text, "%s", lead);
    if (isfinite(batch))
        dts_text_add_significant(text, batch, 3);
    else
        dts_text_add(text, "beyond all");
}

static void say_law(const struct dts_convergence *profile, struct dts_result *result)
{
    const struct dts_fit *fit = &profile->fit;
    struct dts_text text = {0};
    dts_text_add(&text, "%s: e_min ", profile->unit);
    add_number(&text, fit, 0);
    dts_text_add(&text, ", b_c ");
    add_number(&text, fit, 1);
    dts_text_add(&text, ", g ");
    add_number(&text, fit, 2);
    add_batch(&text, "; 20 % more than e_min at batch ", &fit->law, DTS_LAW_FIFTH);
    add_batch(&text, ", twice at ", &fit->law, DTS_LAW_TWICE);
    copy(result->target.law, sizeof(result->target.law), &text);
}

/* Which profile it is, and the batches that are known of it. */
static void say_profile(const struct dts_convergence *profile, const struct dts_need *need,
                        struct dts_result *result)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s: %s; %s, %d batch%s from %.0f to %.0f", profile->name,
                 profile->target, profile->dataset, need->batch_count,
                 need->batch_count == 1 ? "" : "es", need->batches[0], need->batches[1]);
    copy(result->target.profile, sizeof(result->target.profile), &text);
}

/* How the runs were trained that the answer stands on: another rule needs another number. */
static void say_rule(const struct dts_convergence *profile, int recipe,
                     struct dts_result *result)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s, %s", profile->optimizer, profile->recipes[recipe]);
    if (profile->schedule != NULL)
        dts_text_add(&text, ": %s", profile->schedule);
    copy(result->target.rule, sizeof(result->target.rule), &text);
}

/* A profile of something else may be all that there is: it is used, and said. */
static void doubt_words(const struct dts_scenario *scenario, struct dts_text *doubt)
{
    const struct dts_convergence *profile = scenario->training.profile;
    const double samples = scenario->dataset.samples, epoch = profile->epoch_samples;
    const char *const unlike[][3] = {
        {"model", profile->model, scenario->model.name},
        {"optimizer", profile->optimizer, scenario->optimizer->name},
    };
    for (size_t i = 0; i < sizeof(unlike) / sizeof(unlike[0]); i++)
        if (strcmp(unlike[i][1], unlike[i][2]) != 0)
            dts_text_add(doubt, "%sthe %s of the profile is %s, not %s",
                         doubt->length > 0 ? "; " : "", unlike[i][0], unlike[i][1],
                         unlike[i][2]);
    if (epoch > 0 && samples > 0 && fabs(samples / epoch - 1) > 0.01)
        dts_text_add(doubt, "%san epoch of the profile has %.0f samples, not %.0f",
                     doubt->length > 0 ? "; " : "", epoch, samples);
}

/* Time and all that grows with it, from samples and steps. */
static void fill_need(const struct dts_need *need, struct dts_result *result)
{
    const double step_s = result->step.total_s;
    result->training.epochs = need->epochs;
    result->training.samples = need->samples;
    result->training.steps = need->steps;
    result->training.steps_low = need->steps_low;
    result->training.steps_high = need->steps_high;
    result->training.time_s = need->steps * step_s;
    result->training.time_low_s = need->steps_low * step_s;
    result->training.time_high_s = need->steps_high * step_s;
    result->training.device_hours = result->devices * result->training.time_s / 3600;
    snprintf(result->target.region, sizeof(result->target.region), "%s", need->region);
}

/* Which law it is, what the other fit says, and the batches that the tokens allow. */
static void say_loss(const struct dts_model *model, double loss, struct dts_result *result)
{
    const struct dts_loss_law *law = &dts_loss_chinchilla, *first = &dts_loss_hoffmann;
    const double tokens = dts_loss_tokens(law, model->parameters, loss);
    const double before = dts_loss_tokens(first, model->parameters, loss);
    const struct dts_law batch = dts_loss_batch_law(tokens);
    struct dts_text text = {0};
    dts_text_add(&text, "a loss of %g, by L(N, D) of %s", loss, law->source);
    copy(result->target.profile, sizeof(result->target.profile), &text);
    dts_text_add(&text, "%.3g tokens for %.3g parameters at small batches (", tokens,
                 model->parameters);
    if (isinf(before))
        dts_text_add(&text, "never by the first fit");
    else
        dts_text_add(&text, "%.3g by the first fit", before);
    dts_text_add(&text, "); 20 %% more at a batch of %.3g tokens, twice at %.3g",
                 dts_law_batch(&batch, DTS_LAW_FIFTH), dts_law_batch(&batch, DTS_LAW_TWICE));
    copy(result->target.law, sizeof(result->target.law), &text);
}

static void fill_loss(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_model *model = &scenario->model;
    const double loss = scenario->training.target.loss, batch = result->global_batch;
    struct dts_need need = {.epochs = NAN};
    if (!dts_loss_predict(model->parameters, loss, batch * model->tokens, &need.units))
        return; // refused where the scenario is read
    const struct dts_law law =
        dts_loss_batch_law(dts_loss_tokens(&dts_loss_chinchilla, model->parameters, loss));
    need.samples = need.units.mean / model->tokens;
    need.steps = ceil(need.samples / batch);
    need.steps_low = ceil(need.units.low / model->tokens / batch);
    need.steps_high = ceil(need.units.high / model->tokens / batch);
    need.region = dts_law_region(&law, batch * model->tokens);
    fill_need(&need, result);
    say_loss(model, loss, result);
}

void dts_target_fill(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_training *training = &scenario->training;
    struct dts_error err = {0};
    struct dts_text doubt = {0};
    struct dts_need need;
    if (training->target.loss > 0)
        fill_loss(scenario, result);
    if (training->profile == NULL)
        return;
    if (dts_convergence_predict(training->profile, result->global_batch, training->recipe,
                                &need, &err)) {
        fill_need(&need, result);
        dts_need_doubt(&need, result->global_batch, &doubt);
        say_profile(training->profile, &need, result);
        say_rule(training->profile, training->recipe, result);
    } else
        dts_text_add(&doubt, "%s", err.text);
    if (training->profile->form->has_law)
        say_law(training->profile, result);
    doubt_words(scenario, &doubt);
    copy(result->target.doubt, sizeof(result->target.doubt), &doubt);
}

void dts_spending_fill(const struct dts_platform *platform, struct dts_result *result)
{
    const double node_hours = result->nodes * result->training.time_s / 3600;
    if (platform->power_w > 0)
        result->training.energy_kwh = node_hours * platform->power_w / 1e3;
    if (platform->price_per_hour > 0)
        result->training.cost = node_hours * platform->price_per_hour;
}
