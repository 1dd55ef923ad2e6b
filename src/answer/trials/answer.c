/* answer.c -- points into a profile, a fit of all and fits of all but one. */
#include "answer/trials/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "converge/form.h"

/* Evaluations come after whole steps. */
static double interval_of(const struct dts_target_request *request, int batch)
{
    return ceil((double)request->every / batch) * batch;
}

static struct dts_seeds seeds_of(const struct dts_target_row *row)
{
    return (struct dts_seeds){.batch = row->point.batch,
                              .mean = row->point.mean,
                              .cv = row->point.cv,
                              .interval = row->interval,
                              .learning_rate = row->point.rate,
                              .seeds = row->point.seeds};
}

void dts_target_noise_of(const struct dts_target_point *p, double noise[3])
{
    const double half = DTS_FIT_Z80 * p->noise.spread;
    const bool known = p->noise.steps > 0;
    noise[0] = known ? p->noise.scale : NAN;
    noise[1] = known ? p->noise.scale * fmax(1 - half, 0) : NAN;
    noise[2] = known ? p->noise.scale * (1 + half) : NAN;
}

static int others_of(const struct dts_target_answer *a, const struct dts_target_row *row,
                     struct dts_seeds others[DTS_FIT_BATCHES])
{
    int count = 0;
    for (int i = 0; i < a->count; i++)
        if (&a->rows[i] != row && a->rows[i].point.reached)
            others[count++] = seeds_of(&a->rows[i]);
    return count;
}

/* The row's mean by the law of all others, where they say anything: within a factor of 10. */
static void foretell(struct dts_target_answer *a, struct dts_target_row *row)
{
    struct dts_seeds others[DTS_FIT_BATCHES];
    struct dts_fit *fit = dts_alloc(1, sizeof(*fit));
    struct dts_error ignored = {0};
    const int count = others_of(a, row, others);
    const struct dts_fit_question question = {.batch = row->point.batch,
                                              .cv = -1,
                                              .interval = row->interval,
                                              .seeds = row->point.seeds};
    row->left_out = (struct dts_forecast){NAN, NAN, NAN, NAN};
    if (row->point.reached && count >= 3 && dts_fit_make(fit, others, count, &ignored)) {
        const struct dts_forecast f = dts_fit_predict(fit, &question);
        if (f.high <= 100 * f.low) {
            row->left_out = f;
            row->held = f.low <= row->point.mean && row->point.mean <= f.high;
            a->held += row->held;
            a->foretold++;
        }
    }
    free(fit);
}

static const char *how(const struct dts_target_request *r, struct dts_text *text)
{
    const char *kind = r->scenario->live.schedule.kind;
    dts_text_add(text, "%s", kind);
    if (r->scenario->live.schedule.warm_up_epochs > 0)
        dts_text_add(text, ", warm-up of %g epochs", r->scenario->live.schedule.warm_up_epochs);
    if (strcmp(r->rule, DTS_TARGET_SEARCH) == 0)
        dts_text_add(text, "; the best of rates a factor of 2 apart at each batch");
    else
        dts_text_add(text, "; rate by the rule %s", r->rule);
    if (r->delay > 0)
        dts_text_add(text, "; gradients %d updates late", r->delay);
    if (r->local_steps > 0)
        dts_text_add(text, "; %d local step%s of each %d samples", r->local_steps,
                     dts_plural(r->local_steps), r->microbatch);
    if (r->outer_rate > 0)
        dts_text_add(text, ", outer rate %g", r->outer_rate);
    return dts_text_string(text);
}

/* Rates that are searched follow no rule. */
static struct dts_trained_by trained_by(const struct dts_target_request *r)
{
    const struct dts_schedule *schedule = &r->scenario->live.schedule;
    return (struct dts_trained_by){
        .scaling = strcmp(r->rule, DTS_TARGET_SEARCH) == 0 ? NULL : r->rule,
        .warm_up = schedule->warm_up_epochs <= 0 ? "none"
                   : schedule->warm_up != NULL   ? schedule->warm_up
                                                 : dts_warm_up_name(0),
        .decay = schedule->kind,
        .batch_norm_samples = dts_model_batch_norm(&r->scenario->model) ? r->microbatch : 0};
}

/* The profile as a document, which its reader fits. */
static char *print(const struct dts_target_answer *a, const struct dts_target_request *r,
                   const char *what)
{
    struct dts_text schedule = {0}, summary = {0}, target = {0};
    const struct dts_scenario *s = r->scenario;
    struct dts_convergence p = {.model = s->model.name,
                                .dataset = s->dataset.name,
                                .optimizer = s->optimizer->name,
                                .schedule = how(r, &schedule),
                                .sample = s->model.sample,
                                .unit = "samples",
                                .epoch_samples = s->dataset.samples,
                                .trained = trained_by(r),
                                .source = what};
    char *text = NULL;
    size_t length;
    dts_text_add(&target, "%g %% of the first %d test samples", 100 * r->accuracy,
                 r->test_samples);
    dts_text_add(&summary, "%s on %s, measured to %s", p.model, p.dataset, target.chars);
    p.target = target.chars;
    p.summary = summary.chars;
    for (int i = 0; i < a->count; i++)
        if (a->rows[i].point.reached)
            p.points[p.point_count++] =
                (struct dts_convergence_point){.seeds = seeds_of(&a->rows[i]),
                                               .least = a->rows[i].point.least,
                                               .most = a->rows[i].point.most};
    FILE *out = open_memstream(&text, &length);
    dts_convergence_print(&p, out);
    fclose(out);
    dts_text_free(&schedule);
    dts_text_free(&summary);
    dts_text_free(&target);
    return text;
}

static void with_ends(double ln, double half, double value[3])
{
    value[0] = exp(ln);
    value[1] = exp(ln - half);
    value[2] = exp(ln + half);
}

static void take_fit(struct dts_target_answer *a)
{
    const struct dts_fit *fit = &a->profile.fit;
    const double variance =
        fit->covariance[0][0] + fit->covariance[1][1] - 2 * fit->covariance[0][1];
    with_ends(fit->logs[0], dts_fit_spread(fit, 0), a->e_min);
    with_ends(fit->logs[1], dts_fit_spread(fit, 1), a->b_c);
    with_ends(fit->logs[2], dts_fit_spread(fit, 2), a->g);
    with_ends(fit->logs[0] - fit->logs[1], DTS_FIT_Z80 * sqrt(fmax(variance, 0)), a->s_min);
}

/* That of the batch nearest to b_c. */
static void take_noise(struct dts_target_answer *a)
{
    double best = INFINITY;
    a->noise[0] = a->noise[1] = a->noise[2] = NAN;
    for (int i = 0; i < a->count; i++) {
        const struct dts_target_point *p = &a->rows[i].point;
        double noise[3];
        const double far = fabs(log(p->batch / a->b_c[0]));
        dts_target_noise_of(p, noise);
        if (!p->reached || isnan(noise[0]) || far >= best)
            continue;
        best = far;
        memcpy(a->noise, noise, sizeof(noise));
        a->noise_batch = p->batch;
    }
}

static bool read_profile(struct dts_target_answer *a, const char *text, struct dts_error *err)
{
    struct dts_doc *doc;
    return dts_doc_parse(&doc, "the profile", text, err) &&
           dts_convergence_read(&a->profile, doc, err);
}

bool dts_target_answer(const struct dts_target_request *request,
                       const struct dts_target_point *points, const char *what,
                       struct dts_target_answer *a, struct dts_error *err)
{
    int reached = 0;
    *a = (struct dts_target_answer){.count = request->batch_count};
    a->rows = dts_alloc((size_t)a->count, sizeof(*a->rows));
    for (int i = 0; i < a->count; i++) {
        a->rows[i].point = points[i];
        a->rows[i].interval = interval_of(request, points[i].batch);
        reached += points[i].reached;
    }
    if (reached < 2)
        return dts_fail(err, DTS_BAD_INPUT,
                        "converge: %d of %d batches reached %g %%, and a law needs two: give a "
                        "lower --accuracy, more --epochs or another live.learning_rate",
                        reached, a->count, 100 * request->accuracy);
    char *text = print(a, request, what);
    const bool good = read_profile(a, text, err);
    free(text);
    for (int i = 0; good && i < a->count; i++)
        foretell(a, &a->rows[i]);
    if (good) {
        take_fit(a);
        take_noise(a);
    }
    return good;
}

void dts_target_answer_free(struct dts_target_answer *a)
{
    free(a->rows);
    dts_convergence_free(&a->profile);
    *a = (struct dts_target_answer){0};
}
