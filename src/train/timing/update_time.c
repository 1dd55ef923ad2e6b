/* update_time.c -- an optimizer's clock. */
#include "train/timing/update_time.h"

#include "base/os/clock.h"
#include "train/network/optimizer.h"

enum { PATTERN = 4096 };

struct trial {
    const struct dts_kernel_timer *timer;
    struct dts_optimizer_run *run;
    struct dts_update_settings settings;
    void *weights, *gradients; // there
};

static void flush(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush_last(t->timer, &t->timer->forward);
}

static void update(void *argument)
{
    struct trial *t = argument;
    struct dts_space *space = t->timer->space;
    struct dts_workers *workers = dts_space_place(space)->workers;
    t->settings.step++;
    dts_space_enter(space);
    if (t->timer->mixed && t->timer->half == DTS_HALF_FP16) { // as training does with the scale
        dts_optimizer_finite(t->run, t->gradients, workers);
        dts_optimizer_scale(t->run, 1, t->gradients, workers);
    }
    dts_optimizer_step(t->run, &t->settings, t->weights, t->gradients, workers);
    dts_space_leave(space);
    dts_space_wait(space);
}

/* A short one, in arrays just taken, takes longer than in a step, however much of them the run
 * before has left in the caches; behind as many as last a short run it does not. */
static void update_unseen(struct trial *t, const struct dts_runs *before)
{
    if (!dts_runs_are_short(before))
        return;
    const double begin_s = dts_now_s();
    do {
        flush(t);
        update(t);
    } while (dts_now_s() - begin_s < DTS_SHORT_RUN_S);
}

static bool get(struct dts_space *space, size_t bytes, void **there, struct dts_error *err)
{
    float values[PATTERN];
    for (int i = 0; i < PATTERN; i++)
        values[i] = 0.01f; // no zeros: no shortcuts
    if (!dts_space_get(space, bytes, there, err))
        return false;
    dts_space_fill(space, *there, bytes, values, sizeof(values));
    return true;
}

double dts_update_count(const struct dts_space *space, const struct dts_model *model)
{
    return model->parameters - (dts_space_is_apart(space) ? 0 : dts_model_tables(model));
}

double dts_update_bytes(const struct dts_space *space, const struct dts_model *model,
                        const struct dts_optimizer *optimizer)
{
    const double values = model->parameters * (1 + optimizer->state_values);
    return sizeof(float) * (values + dts_update_count(space, model));
}

/* As a network's (network_update.c). */
static bool make_run(struct dts_space *space, const struct dts_model *model,
                     const struct dts_optimizer *optimizer, struct dts_optimizer_run **run,
                     struct dts_error *err)
{
    return dts_space_is_apart(space)
               ? dts_optimizer_make_there(run, model, optimizer, space, err)
               : dts_optimizer_make_sparse(run, model, optimizer, err);
}

bool dts_update_time(const struct dts_kernel_timer *timer, const struct dts_model *model,
                     const struct dts_optimizer *optimizer, struct dts_runs *out,
                     struct dts_error *err)
{
    struct dts_space *space = timer->space;
    const size_t values = (size_t)dts_update_count(space, model);
    const size_t weights = (size_t)model->parameters * sizeof(float);
    struct trial t = {.timer = timer};
    if (!make_run(space, model, optimizer, &t.run, err))
        return false;
    t.settings = *dts_optimizer_usual(t.run);
    t.settings.rate = 1e-3;
    const bool good = get(space, weights, &t.weights, err) &&
                      get(space, values * sizeof(float), &t.gradients, err);
    struct dts_meter meter = timer->meter;
    meter.prepare = flush;
    meter.between = dts_kernel_timer_is_closer(timer, &timer->forward) ? update : NULL;
    if (good)
        update_unseen(&t, out);
    if (good)
        dts_measure_more(&meter, update, &t, out);
    dts_space_give_back(space, t.weights);
    dts_space_give_back(space, t.gradients);
    dts_optimizer_free(t.run);
    return good && dts_kernel_timer_works(timer, err);
}
