/* target.c -- from a convergence profile and a step to the time of a training. */
#include "answer/target/target.h"

#include <math.h>

#include "answer/target/local.h"
#include "answer/target/words.h"
#include "base/text.h"
#include "converge/form.h"
#include "converge/loss.h"

static double batch_of(const struct dts_result *result)
{
    return result->update_batch > 0 ? result->update_batch : result->global_batch;
}

/* Updates to steps, in which each worker makes one gradient: all of them one update, or each
 * one, or some of them. */
static double steps_of(const struct dts_result *result, double updates)
{
    const double used = isnan(result->staleness.used) ? 1 : result->staleness.used;
    return ceil(updates * batch_of(result) / (used * result->global_batch));
}

/* Time and all that grows with it, from samples and updates. */
static void fill_need(const struct dts_need *of, struct dts_result *result)
{
    struct dts_need of_steps = *of;
    const struct dts_need *need = &of_steps;
    of_steps.steps = steps_of(result, of->steps);
    of_steps.steps_low = steps_of(result, of->steps_low);
    of_steps.steps_high = steps_of(result, of->steps_high);
    result->training.epochs = need->epochs;
    result->training.samples = need->samples;
    result->training.steps = need->steps;
    result->training.steps_low = need->steps_low;
    result->training.steps_high = need->steps_high;
    result->training.time_s = dts_local_seconds(result, need->steps);
    result->training.time_low_s = dts_local_seconds(result, need->steps_low);
    result->training.time_high_s = dts_local_seconds(result, need->steps_high);
    result->training.device_hours = result->devices * result->training.time_s / 3600;
    snprintf(result->target.region, sizeof(result->target.region), "%s", need->region);
}

/* One evaluation: forward on its samples, in steps that wait for no message. */
static double evaluation_s(const struct dts_scenario *scenario, const struct dts_result *result)
{
    const struct dts_evaluation_words *words = &scenario->training.target.evaluation;
    const struct dts_model *model = &scenario->model;
    const double forward =
        model->forward_flops / (model->forward_flops + model->backward_flops);
    return words->seconds > 0
               ? words->seconds
               : ceil(words->samples / result->global_batch) * forward * result->step.compute_s;
}

/* Evaluations are part of the time: one each interval until the need is met. */
static void add_evaluations(const struct dts_scenario *scenario, const struct dts_need *need,
                            struct dts_result *result, struct dts_text *doubt)
{
    const struct dts_evaluation_words *words = &scenario->training.target.evaluation;
    if (words->seconds <= 0 && words->samples <= 0)
        return;
    if (need->interval <= 0) {
        dts_text_add(doubt, "%sno evaluation is counted: the profile does not say how often",
                     doubt->length > 0 ? "; " : "");
        return;
    }
    const double each_s = evaluation_s(scenario, result) / need->interval;
    result->training.evaluations = need->units.mean / need->interval;
    result->training.evaluation_s = need->units.mean * each_s;
    result->training.time_s += need->units.mean * each_s;
    result->training.time_low_s += need->units.low * each_s;
    result->training.time_high_s += need->units.high * each_s;
    result->training.device_hours = result->devices * result->training.time_s / 3600;
}

/* Is the learning rate of a late gradient smaller? */
static bool is_adapted(const struct dts_training *training, const struct dts_result *result)
{
    return training->target.staleness.rate != NULL ? dts_training_adapted(training)
                                                   : result->staleness.adapted;
}

/* tau in updates: what the scenario says goes before what the strategy was found to have. */
static double delay_of(const struct dts_training *training, struct dts_result *result)
{
    const struct dts_staleness_words *words = &training->target.staleness;
    if (words->rate != NULL)
        result->staleness.mean = words->mean, result->staleness.most = words->most;
    else if (result->update_in_time)
        return 0;
    const struct dts_staleness late = {result->staleness.mean, result->staleness.most};
    return isnan(late.mean) ? 0 : dts_staleness_delay(&late, is_adapted(training, result));
}

/* `alone`: steps of the same batch with no gradient late. */
static void fill_late(const struct dts_training *training, double delay,
                      const struct dts_staleness_cost *cost, double alone,
                      struct dts_result *result)
{
    if (isnan(result->staleness.mean))
        return;
    result->staleness_steps = result->training.steps / steps_of(result, alone);
    dts_target_say_late(is_adapted(training, result), delay, cost, result);
}

static void fill_loss(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_model *model = &scenario->model;
    const double loss = scenario->training.target.loss, batch = batch_of(result);
    const double delay = delay_of(&scenario->training, result), tokens = batch * model->tokens;
    struct dts_need need = {.epochs = NAN};
    struct dts_forecast alone;
    if (!dts_loss_predict_late(model->parameters, loss, tokens, delay, &need.units) ||
        !dts_loss_predict(model->parameters, loss, tokens, &alone))
        return; // refused where the scenario is read
    const struct dts_law law =
        dts_loss_batch_law(dts_loss_tokens(&dts_loss_chinchilla, model->parameters, loss));
    need.samples = need.units.mean / model->tokens;
    need.steps = ceil(need.samples / batch);
    need.steps_low = ceil(need.units.low / model->tokens / batch);
    need.steps_high = ceil(need.units.high / model->tokens / batch);
    need.region =
        dts_law_region(&law, dts_staleness_batch(tokens, delay, dts_staleness_cost_assumed.c));
    fill_need(&need, result);
    dts_target_say_loss(model, loss, result);
    fill_late(&scenario->training, delay, &dts_staleness_cost_assumed,
              ceil(alone.mean / model->tokens / batch), result);
}

/* One run and the noise of its gradients. */
static void fill_noise(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_noise_run *run = &scenario->training.target.noise_scale;
    const struct dts_staleness_cost *cost = &dts_staleness_cost_assumed;
    const double batch = batch_of(result), delay = delay_of(&scenario->training, result);
    const struct dts_law law = dts_noise_law(run, 1);
    struct dts_forecast at[3];
    struct dts_need need = {.epochs = NAN};
    for (int i = 0; i < 3; i++) {
        const double c = i == 0   ? cost->c
                         : i == 1 ? cost->c / cost->factor
                                  : cost->c * cost->factor;
        at[i] = dts_noise_predict(run, dts_staleness_batch(batch, delay, c));
    }
    need.units = dts_staleness_widen(&at[0], at[1].mean, at[2].mean);
    need.samples = need.units.mean;
    need.steps = ceil(need.units.mean / batch);
    need.steps_low = ceil(need.units.low / batch);
    need.steps_high = ceil(need.units.high / batch);
    if (scenario->dataset.samples > 0)
        need.epochs = need.samples / scenario->dataset.samples;
    need.region = dts_law_region(&law, dts_staleness_batch(batch, delay, cost->c));
    fill_need(&need, result);
    dts_target_say_noise(run, result);
    fill_late(&scenario->training, delay, cost,
              ceil(dts_noise_predict(run, batch).mean / batch), result);
}

/* What local steps cost, with the doubt about it. */
static void add_local(const struct dts_local_cost *cost, double batch, struct dts_need *need,
                      struct dts_result *result)
{
    const double samples = need->samples / need->units.mean, mean = need->units.mean;
    if (cost->factor == 1 && cost->within == 1)
        return;
    const struct dts_forecast scaled = {cost->factor * mean, cost->factor * need->units.low,
                                        cost->factor * need->units.high, need->units.sd};
    need->units =
        dts_staleness_widen(&scaled, scaled.mean / cost->within, scaled.mean * cost->within);
    need->samples = samples * need->units.mean;
    need->samples_low = samples * need->units.low;
    need->samples_high = samples * need->units.high;
    need->epochs *= cost->factor;
    need->steps = ceil(need->samples / batch);
    need->steps_low = ceil(need->samples_low / batch);
    need->steps_high = ceil(need->samples_high / batch);
    snprintf(result->target.late, sizeof(result->target.late),
             "%d local steps%s: %.3g times the samples (%.3g to %.3g) of ranks that sum "
             "gradients in each step",
             cost->steps, cost->outer ? " and an outer update" : "", cost->factor,
             cost->factor / cost->within, cost->factor * cost->within);
}

/* Nor is the factor known where a rule corrects late updates, or some layers alone are late: it
 * was found without. */
static bool is_late_known(const struct dts_result *result, struct dts_text *doubt)
{
    if (result->staleness.partly)
        dts_text_add(doubt, "how many steps the target needs with the gradients of some layers "
                            "late is not known: what late gradients cost was measured of all");
    if (result->staleness.corrected)
        dts_text_add(doubt, "how many steps the target needs with late_momentum or "
                            "late_compensation is not known: what late gradients cost was "
                            "measured without them");
    return !result->staleness.corrected && !result->staleness.partly;
}

/* Does the scenario ask for a target of which this strategy's steps are not known? */
static bool is_unknown(const struct dts_scenario *scenario, struct dts_result *result,
                       struct dts_local_cost *cost)
{
    const struct dts_training *training = &scenario->training;
    struct dts_text doubt = {0};
    const bool asks = training->profile != NULL || training->target.loss > 0 ||
                      training->target.noise_scale.batch > 0;
    const bool known =
        dts_local_steps_known(scenario, result, cost, &doubt) && is_late_known(result, &doubt);
    if (asks && !known)
        dts_text_copy(result->target.doubt, sizeof(result->target.doubt),
                      dts_text_string(&doubt));
    dts_text_free(&doubt);
    return asks && !known;
}

void dts_target_fill(const struct dts_scenario *scenario, struct dts_result *result)
{
    const struct dts_training *training = &scenario->training;
    struct dts_error err = {0};
    struct dts_text doubt = {0};
    struct dts_need need, alone;
    struct dts_local_cost local;
    if (is_unknown(scenario, result, &local))
        return;
    if (training->target.loss > 0)
        fill_loss(scenario, result);
    if (training->target.noise_scale.batch > 0)
        fill_noise(scenario, result);
    if (training->profile == NULL)
        return;
    const double delay = delay_of(training, result);
    const struct dts_need_question late = {batch_of(result), training->recipe, delay,
                                           training->target.evaluation.every};
    const struct dts_need_question in_time = {late.batch, late.recipe, 0, late.interval};
    if (dts_convergence_ask(training->profile, &late, &need, &err) &&
        dts_convergence_ask(training->profile, &in_time, &alone, &err)) {
        add_local(&local, late.batch, &need, result);
        fill_need(&need, result);
        dts_need_doubt(&need, late.batch, &doubt);
        add_evaluations(scenario, &need, result, &doubt);
        dts_target_say_profile(training->profile, &need, result);
        dts_target_say_rule(training->profile, training->recipe, result);
        fill_late(training, delay, &training->profile->staleness, alone.steps, result);
    } else
        dts_text_add(&doubt, "%s", err.text);
    if (training->profile->form->has_law)
        dts_target_say_law(training->profile, result);
    const struct dts_target_like like = {training->profile->model, training->profile->optimizer,
                                         training->profile->epoch_samples,
                                         training->recipe == 0 ? &training->profile->trained
                                                               : NULL};
    dts_target_unlike(scenario, "profile", &like, result, &doubt);
    dts_text_copy(result->target.doubt, sizeof(result->target.doubt), dts_text_string(&doubt));
    dts_text_free(&doubt);
}

void dts_spending_fill(const struct dts_platform *platform, struct dts_result *result)
{
    const double node_hours = result->nodes * result->training.time_s / 3600;
    if (platform->power_w > 0)
        result->training.energy_kwh = node_hours * platform->power_w / 1e3;
    if (platform->price_per_hour > 0)
        result->training.cost = node_hours * platform->price_per_hour;
}
