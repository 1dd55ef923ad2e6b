/* steps.c -- runs and times training steps. */
#include "exec/steps.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"
#include "exec/made_task.h"
#include "exec/optimizer.h"
#include "ops/cpu_pace.h"

enum part { FORWARD, BACKWARD, UPDATE, STEP, PARTS };

static void update(struct dts_network *network, struct dts_optimizer_run *optimizer,
                   const struct dts_update_settings *settings, struct dts_loss_scale *scale)
{
    const bool finite = scale == NULL || dts_network_finite(network, optimizer);
    if (finite)
        dts_network_update(network, optimizer, settings,
                           scale != NULL ? (float)(1 / scale->scale) : 1);
    if (scale != NULL)
        dts_loss_scale_next(scale, finite);
}

/* scale: NULL but in fp16. ends_s: when each call was over, forward, then backward. */
static void run_step(struct dts_network *network, struct dts_optimizer_run *optimizer,
                     struct dts_loss_scale *scale, int layers, int number,
                     double seconds[PARTS], double *ends_s)
{
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    const struct dts_network_step step = {.number = (uint64_t)number,
                                          .training = true,
                                          .loss_scale = scale != NULL ? scale->scale : 1};
    settings.rate = 1e-3;
    settings.step = number + 1 - (scale != NULL ? scale->left_out : 0);
    const double begin_s = dts_now_s();
    dts_network_begin(network, &step);
    for (int l = 0; l < layers; l++) {
        dts_network_forward(network, l);
        ends_s[l] = dts_now_s();
    }
    const double middle_s = dts_now_s();
    for (int l = layers - 1; l >= 0; l--) {
        dts_network_backward(network, l);
        ends_s[2 * layers - 1 - l] = dts_now_s();
    }
    const double computed_s = dts_now_s();
    update(network, optimizer, &settings, scale);
    const double end_s = dts_now_s();
    seconds[FORWARD] = middle_s - begin_s;
    seconds[BACKWARD] = computed_s - middle_s;
    seconds[UPDATE] = end_s - computed_s;
    seconds[STEP] = end_s - begin_s;
    for (int i = 2 * layers - 1; i > 0; i--)
        ends_s[i] -= ends_s[i - 1];
    ends_s[0] -= begin_s; // each is how long the call took now
}

/* ends_s: of all steps, those of one behind those of another. */
static void summarize_layers(const double *ends_s, int steps, int layers,
                             struct dts_layer_seconds *out)
{
    double *values = dts_alloc((size_t)steps, sizeof(*values));
    for (int i = 0; i < 2 * layers; i++) {
        for (int s = 0; s < steps; s++)
            values[s] = ends_s[(size_t)s * 2 * (size_t)layers + (size_t)i];
        const double median_s = dts_median(values, steps);
        if (i < layers)
            out[i].forward_s = median_s;
        else
            out[2 * layers - 1 - i].backward_s = median_s;
    }
    free(values);
}

static struct dts_measured summarize(const double (*seconds)[PARTS], int count, enum part part)
{
    double *values = dts_alloc((size_t)count, sizeof(*values));
    struct dts_measured out = {.count = count};
    for (int i = 0; i < count; i++)
        values[i] = seconds[i][part];
    out.median_s = dts_median(values, count);
    out.least_s = values[0]; // sorted
    out.mad_s = dts_mad(values, count);
    free(values);
    return out;
}

/* The first samples of the made task, for all steps. */
static void fill(struct dts_network *network, const struct dts_steps_request *request)
{
    struct dts_made_task *task = dts_made_task_new(request->model, 1);
    uint64_t *numbers = dts_alloc((size_t)request->batch, sizeof(*numbers));
    for (int i = 0; i < request->batch; i++)
        numbers[i] = (uint64_t)i;
    dts_made_task_fill(task, network, 0, numbers, request->batch);
    free(numbers);
    dts_made_task_free(task);
}

static void run_all(const struct dts_steps_request *request, struct dts_network *network,
                    struct dts_optimizer_run *optimizer, struct dts_steps *out)
{
    double(*seconds)[PARTS] = dts_alloc((size_t)request->steps, sizeof(*seconds));
    struct dts_pace pace = dts_cpu_pace(dts_network_workers(network));
    struct dts_runs runs = {.count = 0};
    const int layers = request->model->layer_count;
    const size_t calls = 2 * (size_t)layers;
    double *ends_s = dts_alloc((size_t)request->steps * calls, sizeof(*ends_s));
    struct dts_loss_scale room = {.scale = 65536}; // as PyTorch's GradScaler begins
    struct dts_loss_scale *scale = request->precision == DTS_FP16 ? &room : NULL;
    double unseen[PARTS];
    fill(network, request);
    run_step(network, optimizer, scale, layers, 0, unseen, ends_s);
    out->first_loss = dts_network_loss(network);
    double pace_s = dts_pace_take(&pace);
    pace.patience_s = request->patience_s;
    pace.asked_s = request->pace_s;
    for (int i = 0; i < request->steps; i++) {
        pace_s = dts_pace_wait(&pace, pace_s);
        run_step(network, optimizer, scale, layers, i + 1, seconds[i],
                 ends_s + (size_t)i * calls);
        pace_s = dts_runs_add(&runs, seconds[i][STEP], pace_s, &pace);
    }
    out->last_loss = dts_network_loss(network);
    out->left_out = (int)room.left_out;
    const double(*done)[PARTS] = (const double(*)[PARTS])seconds;
    out->forward = summarize(done, request->steps, FORWARD);
    out->backward = summarize(done, request->steps, BACKWARD);
    out->update = summarize(done, request->steps, UPDATE);
    out->step = summarize(done, request->steps, STEP);
    out->paced = dts_measured_of(&runs, &pace);
    out->pace_s = dts_pace_usual_s(&pace);
    struct dts_run_count counts = {0, 0};
    dts_runs_count(&runs, &pace, &counts);
    out->at_pace = counts.counting;
    if (request->layers != NULL)
        summarize_layers(ends_s, request->steps, layers, request->layers);
    free(ends_s);
    free(seconds);
}

bool dts_steps_measure(const struct dts_steps_request *request, struct dts_steps *out,
                       struct dts_error *err)
{
    const struct dts_network_options options = {
        .batch = request->batch,
        .threads = request->threads,
        .sparse = true,
        .seed = 1,
        .precision = request->precision,
    };
    struct dts_network *network = NULL;
    struct dts_optimizer_run *optimizer = NULL;
    *out = (struct dts_steps){.bytes = 0};
    const bool good = dts_network_make(&network, request->model, &options, err) &&
                      dts_network_optimizer(network, request->optimizer, &optimizer, err);
    if (good) {
        out->bytes = dts_network_bytes(network);
        run_all(request, network, optimizer, out);
    }
    dts_optimizer_free(optimizer);
    dts_network_free(network);
    return good;
}
