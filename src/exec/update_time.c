/* update_time.c -- an optimizer's clock. */
#include "exec/update_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "exec/optimizer.h"

struct trial {
    const struct dts_kernel_timer *timer;
    struct dts_optimizer_run *run;
    struct dts_update_settings settings;
    float *weights, *gradients;
    size_t bytes; // of the gradients
};

static void flush(void *argument)
{
    const struct trial *t = argument;
    dts_kernel_timer_flush(t->timer, &t->timer->forward, 2 * t->bytes);
}

static void update(void *argument)
{
    struct trial *t = argument;
    t->settings.step++;
    if (t->timer->mixed && t->timer->half == DTS_HALF_FP16) { // as training does with the scale
        dts_optimizer_finite(t->run, t->gradients, t->timer->workers);
        dts_optimizer_scale(t->run, 1, t->gradients, t->timer->workers);
    }
    dts_optimizer_step(t->run, &t->settings, t->weights, t->gradients, t->timer->workers);
}

static float *get(size_t bytes)
{
    float *values = dts_pages(bytes); // as a network's
    for (size_t i = 0; values != NULL && i < bytes / sizeof(*values); i++)
        values[i] = 0.01f; // no zeros: no shortcuts
    return values;
}

double dts_update_count(const struct dts_model *model)
{
    return model->parameters - dts_model_tables(model);
}

double dts_update_bytes(const struct dts_model *model, const struct dts_optimizer *optimizer)
{
    const double values = model->parameters * (1 + optimizer->state_values);
    return sizeof(float) * (values + dts_update_count(model));
}

bool dts_update_time(const struct dts_kernel_timer *timer, const struct dts_model *model,
                     const struct dts_optimizer *optimizer, struct dts_runs *out,
                     struct dts_error *err)
{
    struct trial t = {.timer = timer, .bytes = (size_t)dts_update_count(model) * sizeof(float)};
    if (!dts_optimizer_make_sparse(&t.run, model, optimizer, err))
        return false;
    t.weights = get((size_t)model->parameters * sizeof(float));
    t.gradients = get(t.bytes);
    t.settings = *dts_optimizer_usual(t.run);
    t.settings.rate = 1e-3;
    const bool good = t.weights != NULL && t.gradients != NULL;
    struct dts_meter meter = timer->meter;
    meter.prepare = flush;
    if (good)
        dts_measure_more(&meter, update, &t, out);
    else
        dts_fail(err, DTS_SYSTEM, "no memory to time the update of %s in", model->name);
    free(t.weights);
    free(t.gradients);
    dts_optimizer_free(t.run);
    return good;
}
