/* words.c -- what the answer says of a target: profile, rule, law, late gradients, doubt. */
#include "answer/target/words.h"

#include <math.h>
#include <stdio.h>
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

void dts_target_say_law(const struct dts_convergence *profile, struct dts_result *result)
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

void dts_target_say_profile(const struct dts_convergence *profile, const struct dts_need *need,
                            struct dts_result *result)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s: %s; %s, %d batch%s from %.0f to %.0f", profile->name,
                 profile->target, profile->dataset, need->batch_count,
                 need->batch_count == 1 ? "" : "es", need->batches[0], need->batches[1]);
    copy(result->target.profile, sizeof(result->target.profile), &text);
    dts_text_add(&text, "%s; %s", profile->target, profile->dataset);
    copy(result->target.goal, sizeof(result->target.goal), &text);
}

void dts_target_say_rule(const struct dts_convergence *profile, int recipe,
                         struct dts_result *result)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s, %s", profile->optimizer, profile->recipes[recipe]);
    if (profile->schedule != NULL)
        dts_text_add(&text, ": %s", profile->schedule);
    copy(result->target.rule, sizeof(result->target.rule), &text);
}

/* Between two reasons. */
static const char *also(const struct dts_text *doubt)
{
    return doubt->length > 0 ? "; " : "";
}

/* A scenario says by which rule it trains where it sets one for live runs. */
static void rate_unlike(const struct dts_scenario *scenario, const char *of,
                        const struct dts_trained_by *trained, struct dts_text *doubt)
{
    const struct dts_live_settings *live = &scenario->live;
    const bool scheduled =
        live->schedule.kind != NULL && strcmp(live->compute, dts_live_compute_name(1)) == 0;
    const char *warm_up = live->schedule.warm_up_epochs <= 0 ? "none"
                          : live->schedule.warm_up != NULL   ? live->schedule.warm_up
                                                             : dts_warm_up_name(0);
    const char *const unlike[][3] = {
        {"scaling of the rate", trained->scaling, live->scaling.rule},
        {"warm-up", trained->warm_up, scheduled ? warm_up : NULL},
        {"decay of the rate", trained->decay, scheduled ? live->schedule.kind : NULL},
    };
    for (size_t i = 0; i < sizeof(unlike) / sizeof(unlike[0]); i++)
        if (unlike[i][1] != NULL && unlike[i][2] != NULL &&
            strcmp(unlike[i][1], unlike[i][2]) != 0)
            dts_text_add(doubt, "%sthe %s of the %s is %s, not %s", also(doubt), unlike[i][0],
                         of, unlike[i][1], unlike[i][2]);
}

/* Samples that batch normalization spans: of a device in a microbatch, or of all devices. */
static double norm_samples(const struct dts_scenario *scenario, const struct dts_result *result)
{
    const double step = (double)result->global_batch / scenario->accumulate;
    if (!dts_model_batch_norm(&scenario->model))
        return 0;
    return scenario->synchronized           ? step
           : scenario->batch_per_device > 0 ? scenario->batch_per_device
           : scenario->batch_micro > 0      ? scenario->batch_micro
                                            : step / result->devices;
}

static void norm_unlike(const struct dts_scenario *scenario, const char *of,
                        const struct dts_trained_by *trained, const struct dts_result *result,
                        struct dts_text *doubt)
{
    const double spans = norm_samples(scenario, result), theirs = trained->batch_norm_samples;
    if (spans > 0 && theirs > 0 && (spans > 2 * theirs || theirs > 2 * spans))
        dts_text_add(doubt, "%sbatch normalization of the %s spans %.0f samples, not %.3g",
                     also(doubt), of, theirs, spans);
}

/* The same model with other values, of which the first are named. */
static void model_changed(const struct dts_model *model, const char *of, struct dts_text *doubt)
{
    enum { NAMED = 4 };
    const char *path;
    dts_text_add(doubt, "%sthe model of the %s is %s, here with %s of ", also(doubt), of,
                 model->changed_from,
                 dts_doc_changed(model->doc, 1) != NULL ? "changes" : "a change");
    for (size_t i = 0; i < NAMED && (path = dts_doc_changed(model->doc, i)) != NULL; i++)
        dts_text_add(doubt, "%s%s", i > 0 ? ", " : "", path);
    if (dts_doc_changed(model->doc, NAMED) != NULL)
        dts_text_add(doubt, " and more");
}

void dts_target_unlike(const struct dts_scenario *scenario, const char *of,
                       const struct dts_target_like *like, const struct dts_result *result,
                       struct dts_text *doubt)
{
    const double samples = scenario->dataset.samples, epoch = like->epoch_samples;
    const struct dts_model *model = &scenario->model;
    const bool changed =
        model->changed_from != NULL && strcmp(like->model, model->changed_from) == 0;
    const char *const unlike[][3] = {
        {"model", like->model, changed ? like->model : model->name},
        {"optimizer", like->optimizer, scenario->optimizer->name},
    };
    if (changed)
        model_changed(model, of, doubt);
    for (size_t i = 0; i < sizeof(unlike) / sizeof(unlike[0]); i++)
        if (strcmp(unlike[i][1], unlike[i][2]) != 0)
            dts_text_add(doubt, "%sthe %s of the %s is %s, not %s", also(doubt), unlike[i][0],
                         of, unlike[i][1], unlike[i][2]);
    if (epoch > 0 && samples > 0 && fabs(samples / epoch - 1) > 0.01)
        dts_text_add(doubt, "%san epoch of the %s has %.0f samples, not %.0f", also(doubt), of,
                     epoch, samples);
    if (like->trained != NULL) {
        rate_unlike(scenario, of, like->trained, doubt);
        norm_unlike(scenario, of, like->trained, result, doubt);
    }
}

void dts_target_say_loss(const struct dts_model *model, double loss, struct dts_result *result)
{
    const struct dts_loss_law *law = &dts_loss_chinchilla, *first = &dts_loss_hoffmann;
    const double tokens = dts_loss_tokens(law, model->parameters, loss);
    const double before = dts_loss_tokens(first, model->parameters, loss);
    const struct dts_law batch = dts_loss_batch_law(tokens);
    struct dts_text text = {0};
    dts_text_add(&text, "a loss of %g", loss);
    copy(result->target.goal, sizeof(result->target.goal), &text);
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

void dts_target_say_noise(const struct dts_noise_run *run, struct dts_result *result)
{
    const struct dts_law law = dts_noise_law(run, 1);
    struct dts_text text = {0};
    dts_text_add(&text, "as one run at batch %.0f, %.4g samples", run->batch, run->samples);
    snprintf(result->target.goal, sizeof(result->target.goal), "%s", dts_text_string(&text));
    copy(result->target.profile, sizeof(result->target.profile), &text);
    dts_text_add(
        &text,
        "samples: e_min %.3g, b_c %.3g (%.3g to %.3g) from a gradient noise scale of %.3g, g "
        "%g; 20 %% more than e_min at batch %.3g, twice at %.3g",
        law.e_min, law.b_c, law.b_c / DTS_NOISE_FACTOR, law.b_c * DTS_NOISE_FACTOR, run->scale,
        law.g, dts_law_batch(&law, DTS_LAW_FIFTH), dts_law_batch(&law, DTS_LAW_TWICE));
    copy(result->target.law, sizeof(result->target.law), &text);
    dts_text_add(&text, "one run and the noise of its gradients are all that is known; b_c of "
                        "autoencoders, and at a constant rate, is another");
    copy(result->target.doubt, sizeof(result->target.doubt), &text);
}

void dts_target_say_late(bool adapted, double delay, const struct dts_staleness_cost *cost,
                         struct dts_result *result)
{
    const double c = cost->c, low = c / cost->factor, high = c * cost->factor;
    const bool assumed = c == dts_staleness_cost_assumed.c;
    struct dts_text text = {0};
    dts_text_add(&text, "gradients %.3g updates late, %.3g at the most: %.3g by %s rate; ",
                 result->staleness.mean, result->staleness.most, delay,
                 adapted ? "an adapted" : "a fixed");
    const double used = isnan(result->staleness.used) ? 1 : result->staleness.used;
    const double updates =
        result->update_batch > 0 ? used * result->global_batch / result->update_batch : 1;
    const bool several = updates > 1.5;
    if (several)
        dts_text_add(&text, "%.0f updates in a step; ", updates);
    dts_text_add(&text, "%s counts as %.3g (%.3g to %.3g) of it, c %.3g (%.3g to %.3g%s)",
                 several ? "the batch of one" : "the batch", 1 + c * delay, 1 + low * delay,
                 1 + high * delay, c, low, high, assumed ? ", ASSUMED" : "");
    copy(result->target.late, sizeof(result->target.late), &text);
}
