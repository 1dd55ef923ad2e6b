/* gpu_step.c -- training steps of a network on a batch of made data, on a GPU or a CPU without
 * MPI:
 *
 *     gpu_step MODEL BATCH STEPS OPTIMIZER PRECISION DEVICE
 *
 * Prints as JSON the median seconds of a step whose every call is waited for, as `--live` and
 * a profile have it, and of one that is waited for at its end alone, as PyTorch's; the bytes of
 * the network, and what all of this took of the device's memory; the losses of the first and
 * the last step. tests/gpu/first_run.sh compares them with predictions and with PyTorch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/json_out.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "cli/measure/words.h"
#include "train/network/data/made_task.h"
#include "train/network/optimizer.h"

enum { WORDS = 7, WARM_UP = 3 };

struct run {
    struct dts_model model;
    struct dts_space *space;
    struct dts_network *network;
    struct dts_optimizer_run *optimizer;
    int batch, steps, number;
    double rate;
    double first_loss, last_loss;
    double spare_bytes; // before
};

static double spare_bytes(const struct run *r)
{
    struct dts_space_facts facts;
    dts_space_facts(r->space, &facts);
    return facts.spare_bytes;
}

/* The same samples in all steps, so that the loss has to fall. */
static void fill(struct run *r)
{
    struct dts_made_task *task = dts_made_task_new(&r->model, 1);
    uint64_t *numbers = dts_alloc((size_t)r->batch, sizeof(*numbers));
    for (int i = 0; i < r->batch; i++)
        numbers[i] = (uint64_t)i;
    dts_made_task_fill(task, r->network, 0, numbers, r->batch);
    free(numbers);
    dts_made_task_free(task);
}

static bool make(struct run *r, char **words, struct dts_error *err)
{
    const struct dts_space_kind *kind;
    const struct dts_optimizer *optimizer;
    struct dts_network_options options = {.threads = 1, .sparse = true, .seed = 1};
    struct dts_space_request wanted = {.threads = 1, .queues = 1};
    if (!dts_measure_number("batch", words[2], &r->batch, err) ||
        !dts_measure_number("steps", words[3], &r->steps, err) ||
        !dts_measure_optimizer(words[4], &optimizer, err) ||
        !dts_measure_profile_precision(words[5], &options.precision, err) ||
        !dts_measure_device(words[6], &kind, &wanted.number, err) ||
        !dts_model_load(&r->model, words[1], err))
        return false;
    wanted.tf32 = options.precision == DTS_TF32;
    if (wanted.tf32 && !kind->tf32)
        return dts_fail(err, DTS_UNSUPPORTED, "precision: %s has no tf32", kind->name);
    if (!dts_space_open(&r->space, kind, &wanted, err))
        return false;
    r->spare_bytes = spare_bytes(r);
    r->rate = optimizer->state_values > 1 ? 1e-4 : 1e-3; // Adam's steps are longer
    options.batch = r->batch;
    options.space = dts_space_is_apart(r->space) ? r->space : NULL;
    if (!dts_network_make(&r->network, &r->model, &options, err) ||
        !dts_network_optimizer(r->network, optimizer, &r->optimizer, err))
        return false;
    fill(r);
    return true;
}

static void wait_if(const struct run *r, bool wanted)
{
    if (wanted)
        dts_space_wait(r->space);
}

/* Its seconds; each: every call is waited for. */
static double step(struct run *r, bool each)
{
    const struct dts_network_step wanted = {.number = (uint64_t)r->number, .training = true};
    struct dts_update_settings settings = *dts_optimizer_usual(r->optimizer);
    settings.rate = r->rate;
    settings.step = ++r->number;
    wait_if(r, true);
    const double begin_s = dts_now_s();
    dts_network_begin(r->network, &wanted);
    for (int l = 0; l < r->model.layer_count; l++) {
        dts_network_forward(r->network, l);
        wait_if(r, each);
    }
    for (int l = r->model.layer_count - 1; l >= 0; l--) {
        dts_network_backward(r->network, l);
        wait_if(r, each);
    }
    dts_network_update(r->network, r->optimizer, &settings, 1);
    wait_if(r, true);
    const double seconds = dts_now_s() - begin_s;
    r->last_loss = dts_network_loss(r->network);
    if (r->number == 1)
        r->first_loss = r->last_loss;
    return seconds;
}

static double median_step(struct run *r, bool each)
{
    double *seconds = dts_alloc((size_t)r->steps, sizeof(*seconds));
    for (int i = -WARM_UP; i < r->steps; i++) {
        const double s = step(r, each);
        seconds[i < 0 ? 0 : i] = s;
    }
    const double median_s = dts_median(seconds, r->steps);
    free(seconds);
    return median_s;
}

static bool measure(struct run *r, const char *precision, struct dts_error *err)
{
    const double step_s = median_step(r, true), queued_s = median_step(r, false);
    const struct dts_error trouble = dts_space_trouble(r->space);
    if (trouble.cause != DTS_NO_ERROR)
        return dts_fail(err, trouble.cause, "%s", trouble.text);
    struct dts_json json = {.out = stdout, .lines = 2};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "model", r->model.name);
    dts_json_integer(&json, "batch", r->batch);
    dts_json_string(&json, "precision", precision);
    dts_json_number(&json, "step_s", step_s);
    dts_json_number(&json, "queued_step_s", queued_s);
    dts_json_number(&json, "network_bytes", (double)dts_network_bytes(r->network));
    dts_json_number(&json, "taken_bytes", r->spare_bytes - spare_bytes(r));
    dts_json_number(&json, "first_loss", r->first_loss);
    dts_json_number(&json, "last_loss", r->last_loss);
    dts_json_end(&json);
    return r->last_loss < r->first_loss ||
           dts_fail(err, DTS_SYSTEM, "the loss does not fall: %g, then %g", r->first_loss,
                    r->last_loss);
}

int main(int count, char **words)
{
    struct dts_error err = {0};
    struct run r = {.number = 0};
    if (count != WORDS)
        dts_fail(&err, DTS_BAD_INPUT, "needs six arguments, see the file's head");
    else
        (void)(make(&r, words, &err) && measure(&r, words[5], &err));
    dts_optimizer_free(r.optimizer);
    dts_network_free(r.network);
    dts_space_close(r.space);
    dts_model_free(&r.model);
    if (err.cause != DTS_NO_ERROR)
        fprintf(stderr, "gpu_step: %s\n", err.text);
    return (int)err.cause;
}
