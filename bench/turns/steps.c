/* steps.c -- runs and times training steps. */
#include "turns/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/stats.h"
#include "kernels/space/cpu_pace.h"
#include "train/network/data/made_task.h"
#include "train/network/optimizer.h"
#include "turns/step_calls.h"

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

/* The call that was made since `begin_s`, whose pace is then taken now and then. */
static double next_call(struct dts_step_calls *calls, int call, double begin_s)
{
    dts_step_calls_add(calls, call, dts_now_s() - begin_s);
    return dts_now_s();
}

/* scale: NULL but in fp16. Calls: those forward, those backward, the update. */
static void run_step(struct dts_network *network, struct dts_optimizer_run *optimizer,
                     struct dts_loss_scale *scale, int layers, int number,
                     double seconds[PARTS], struct dts_step_calls *calls)
{
    struct dts_update_settings settings = *dts_optimizer_usual(optimizer);
    const struct dts_network_step step = {.number = (uint64_t)number,
                                          .training = true,
                                          .loss_scale = scale != NULL ? scale->scale : 1};
    settings.rate = 1e-3;
    settings.step = number + 1 - (scale != NULL ? scale->left_out : 0);
    const double begin_s = dts_now_s(), lost_s = calls->lost_s;
    double now_s = begin_s;
    dts_network_begin(network, &step);
    for (int l = 0; l < layers; l++) {
        dts_network_forward(network, l);
        now_s = next_call(calls, l, now_s);
    }
    const double middle_s = now_s, lost_forward_s = calls->lost_s - lost_s;
    for (int l = layers - 1; l >= 0; l--) {
        dts_network_backward(network, l);
        now_s = next_call(calls, 2 * layers - 1 - l, now_s);
    }
    const double computed_s = now_s, lost_both_s = calls->lost_s - lost_s;
    update(network, optimizer, &settings, scale);
    const double end_s = dts_now_s();
    next_call(calls, 2 * layers, computed_s);
    seconds[FORWARD] = middle_s - begin_s - lost_forward_s;
    seconds[BACKWARD] = computed_s - middle_s - (lost_both_s - lost_forward_s);
    seconds[UPDATE] = end_s - computed_s;
    seconds[STEP] = end_s - begin_s - lost_both_s;
}

static void summarize_layers(const struct dts_step_calls *calls, int layers,
                             struct dts_layer_seconds *out)
{
    for (int i = 0; i < 2 * layers; i++) {
        const double median_s = dts_measured_of(&calls->runs[i], calls->pace).median_s;
        if (i < layers)
            out[i].forward_s = median_s;
        else
            out[2 * layers - 1 - i].backward_s = median_s;
    }
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

/* Steps of one network, and what they took. */
struct dts_step_series {
    const struct dts_steps_request *request;
    struct dts_network *network;
    struct dts_optimizer_run *optimizer;
    struct dts_loss_scale room, *scale; // NULL but in fp16
    int number;                         // of the next step
    struct dts_pace pace;
    double pace_s; // now
    double last_s; // the last step but for those between
    struct dts_step_calls calls;
    struct dts_runs runs;
    double (*seconds)[PARTS]; // owned; of the steps that count
    int count;
    double first_loss;
};

/* After a moment at which the pace was `pace_s`. */
static void next_step(struct dts_step_series *s, double pace_s, double seconds[PARTS])
{
    dts_step_calls_begin(&s->calls, pace_s);
    run_step(s->network, s->optimizer, s->scale, s->request->model->layer_count, s->number++,
             seconds, &s->calls);
}

/* Where taking the pace takes longer than a step, a processor remembers little but that: steps
 * come between for as long, in turns with calls of a profile. Alone, so many steps are asked
 * for, and what they learn is told. */
static void steps_unseen(struct dts_step_series *s)
{
    double unseen[PARTS];
    if (!s->request->all_count || s->last_s >= s->pace.took_s)
        return;
    s->calls.unseen = true;
    const double begin_s = dts_now_s();
    do
        next_step(s, s->pace_s, unseen);
    while (dts_now_s() - begin_s < s->pace.took_s);
    s->calls.unseen = false;
}

/* Until the pace is the usual one. Steps pass, and no naps: caches hold what they do in
 * training. Their calls count where they met it. */
static void wait_for_pace(struct dts_step_series *s)
{
    double unseen[PARTS];
    while (!dts_pace_is_usual(s->pace_s, dts_pace_usual_s(&s->pace)) &&
           s->pace.patience_s > 0) {
        const double begin_s = dts_now_s();
        next_step(s, s->pace_s, unseen);
        s->pace_s = s->calls.pace_s;
        s->pace.patience_s -= dts_now_s() - begin_s;
    }
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

/* Runs one step that does not count. */
static void begin(struct dts_step_series *s)
{
    double unseen[PARTS];
    fill(s->network, s->request);
    next_step(s, 0, unseen);
    s->last_s = unseen[STEP];
    for (int i = 0; i < s->calls.count; i++)
        s->calls.runs[i].count = 0;
    s->first_loss = dts_network_loss(s->network);
    s->pace_s = dts_pace_take(&s->pace);
    s->pace.patience_s = s->request->patience_s;
    s->pace.asked_s = s->request->pace_s;
    s->pace.all_count = s->request->all_count;
}

bool dts_steps_begin(struct dts_step_series **series, const struct dts_steps_request *request,
                     struct dts_error *err)
{
    const struct dts_network_options options = {
        .batch = request->batch,
        .threads = request->threads,
        .sparse = true,
        .seed = 1,
        .precision = request->precision,
    };
    struct dts_step_series *s = *series = dts_alloc(1, sizeof(*s));
    s->request = request;
    s->seconds = dts_alloc((size_t)request->steps, sizeof(*s->seconds));
    if (!dts_network_make(&s->network, request->model, &options, err) ||
        !dts_network_optimizer(s->network, request->optimizer, &s->optimizer, err))
        return false;
    s->room = (struct dts_loss_scale){.scale = 65536}; // as PyTorch's GradScaler begins
    s->scale = request->precision == DTS_FP16 ? &s->room : NULL;
    s->pace = dts_cpu_pace(dts_network_workers(s->network));
    dts_step_calls_make(&s->calls, 2 * request->model->layer_count + 1, &s->pace);
    begin(s);
    return true;
}

void dts_steps_free(struct dts_step_series *s)
{
    if (s == NULL)
        return;
    dts_step_calls_free(&s->calls);
    dts_optimizer_free(s->optimizer);
    dts_network_free(s->network);
    free(s->seconds);
    free(s);
}

double dts_steps_next(struct dts_step_series *s)
{
    double seconds[PARTS];
    wait_for_pace(s);
    steps_unseen(s);
    next_step(s, s->pace_s, seconds);
    s->last_s = seconds[STEP];
    s->pace_s = dts_runs_add(&s->runs, seconds[STEP], s->pace_s, &s->pace);
    if (s->count < s->request->steps)
        memcpy(s->seconds[s->count++], seconds, sizeof(seconds));
    return seconds[STEP];
}

double dts_steps_pass(struct dts_step_series *s)
{
    double unseen[PARTS];
    next_step(s, s->pace_s, unseen);
    dts_step_calls_drop_last(&s->calls);
    s->last_s = unseen[STEP];
    s->pace_s = s->calls.pace_s;
    return unseen[STEP];
}

void dts_steps_end(struct dts_step_series *s, double pace_s, struct dts_steps *out)
{
    const double(*done)[PARTS] = (const double(*)[PARTS])s->seconds;
    struct dts_run_count counts = {0, 0}, of_calls = {0, 0};
    if (pace_s > 0)
        s->pace.asked_s = pace_s;
    for (int i = 0; i < s->calls.count; i++)
        dts_runs_count(&s->calls.runs[i], &s->pace, &of_calls);
    dts_pace_judge(&s->pace, &of_calls);
    dts_runs_count(&s->runs, &s->pace, &counts);
    *out = (struct dts_steps){
        .bytes = dts_network_bytes(s->network),
        .first_loss = s->first_loss,
        .last_loss = dts_network_loss(s->network),
        .left_out = (int)s->room.left_out,
        .forward = summarize(done, s->count, FORWARD),
        .backward = summarize(done, s->count, BACKWARD),
        .update = summarize(done, s->count, UPDATE),
        .step = summarize(done, s->count, STEP),
        .paced = dts_measured_of(&s->runs, &s->pace),
        .pace_s = dts_pace_usual_s(&s->pace),
        .at_pace = counts.counting,
    };
    if (s->request->layers != NULL)
        summarize_layers(&s->calls, s->request->model->layer_count, s->request->layers);
    out->calls_s = dts_step_calls_sum(&s->calls, &out->calls_off);
}

bool dts_steps_measure(const struct dts_steps_request *request, struct dts_steps *out,
                       struct dts_error *err)
{
    struct dts_step_series *series;
    const bool good = dts_steps_begin(&series, request, err);
    *out = (struct dts_steps){.bytes = 0};
    for (int i = 0; good && i < request->steps; i++)
        dts_steps_next(series);
    if (good)
        dts_steps_end(series, 0, out);
    dts_steps_free(series);
    return good;
}
