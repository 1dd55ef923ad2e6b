/* seconds_profile.c -- a network's calls are looked up in the profile; what is not there is
 * estimated from what is (device/profile_estimate.h). A call's time is that of the first layer
 * that it carries out. */
#include "train/model/seconds/seconds_profile.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"
#include "device/profile_estimate.h"
#include "train/model/tables.h"

struct dts_profile_work dts_layer_work(const struct dts_layer *layer)
{
    const struct dts_op_cost *cost = &layer->cost;
    return (struct dts_profile_work){
        .class = (int)cost->class,
        .forward_flops = cost->forward_flops,
        .backward_flops = cost->backward_flops,
        .forward_values = cost->forward_values,
        .backward_values = cost->backward_values,
        .weight_values = cost->weight_values,
        .rows = cost->rows,
        .columns = cost->columns,
        .input_rows = cost->input_rows,
        .input_columns = cost->input_columns,
        .apart = cost->apart,
    };
}

/* Gradients that are added where a tensor forks are calls of their own (dts_beside_work). A
 * layer that is fused reads and writes nothing more than the call does. But a sum that hands
 * gradients on as they are has, with it, a gradient to make for each input: of y and dy.
 */
struct dts_profile_work dts_call_work(const struct dts_model *model,
                                      const struct dts_layer_call *calls, int l)
{
    struct dts_profile_work work = dts_layer_work(&model->layers[l]);
    const double added = model->layers[l].fork_values;
    work.backward_flops -= added;
    work.backward_values -= 3 * added;
    if (calls[l].last == l)
        return work;
    work.forward_flops += model->layers[calls[l].last].cost.forward_flops;
    int made = 0;
    for (int i = 0; i < calls[l].call.input_count; i++)
        made += calls[l].wants[i];
    if (made > 0 && work.backward_values <= 0) {
        const double values = (double)dts_dims_elements(&calls[l].call.output);
        work.backward_flops = made * values;
        work.backward_values = (2 + made) * values;
    }
    return work;
}

struct dts_profile_work dts_beside_work(const struct dts_op_call *call)
{
    const double values = (double)dts_dims_elements(&call->output);
    if (strcmp(call->op, DTS_CALL_GRADIENT_CLEAR) == 0) // once, whatever the batch
        return (struct dts_profile_work){.class = DTS_WORK_MEMORY, .weight_values = values};
    return (struct dts_profile_work){
        .class = DTS_WORK_MEMORY,
        .forward_flops = values,
        .forward_values = 3 * values, // two are read, one is written
    };
}

/* The optimizer's update: linear between those of the next fewer and the next more parameters,
 * beyond them in proportion to the last. Negative: none. */
static double update_seconds(const struct dts_profile *profile, double parameters,
                             const struct dts_optimizer *optimizer)
{
    const struct dts_profile_update *fewer = NULL, *more = NULL;
    for (int i = 0; i < profile->update_count; i++) {
        const struct dts_profile_update *update = &profile->updates[i];
        const double known = update->parameters;
        if (strcmp(update->optimizer, optimizer->name) != 0)
            continue;
        if (known <= parameters && (fewer == NULL || known > fewer->parameters))
            fewer = update;
        if (known >= parameters && (more == NULL || known < more->parameters))
            more = update;
    }
    if (fewer == NULL && more == NULL)
        return -1;
    if (fewer == NULL || more == NULL) {
        const struct dts_profile_update *last = fewer != NULL ? fewer : more;
        return last->update_s * parameters / last->parameters;
    }
    return dts_on_line(parameters, fewer->parameters, more->parameters, fewer->update_s,
                       more->update_s);
}

struct dts_batches dts_batches_from(int first, int last)
{
    struct dts_batches words;
    if (last > first)
        snprintf(words.chars, sizeof(words.chars), "%d to %d", first, last);
    else
        snprintf(words.chars, sizeof(words.chars), "%d", first);
    return words;
}

void dts_seconds_outside(struct dts_model_seconds *out, double batch, const char *known,
                         int first, int last)
{
    snprintf(out->outside, sizeof(out->outside), "batch %.10g, %s %s", batch, known,
             dts_batches_from(first, last).chars);
}

/* How many calls there are, and what is known of them; the batches of the first that has not
 * the one that is asked for. */
struct tally {
    int calls, measured, outside;
    int told_by[DTS_TOLD_WAYS]; // of those that were not measured
    double seconds, estimated_s;
    int first, last;
};

static const char *const ways[DTS_TOLD_WAYS] = {
    [DTS_TOLD_BY_LIKE] = "estimated from like ones",
    [DTS_TOLD_BY_CLASS] = "from others of their class",
    [DTS_TOLD_BY_ROOFLINE] = "by the roofline",
};

static void say(const struct dts_device *device, const struct tally *tally, bool update,
                struct dts_model_seconds *out)
{
    const struct dts_profile *profile = &device->profile;
    char threads[32] = "";
    if (profile->threads > 0)
        snprintf(threads, sizeof(threads), ", %d thread%s", profile->threads,
                 profile->threads > 1 ? "s" : "");
    struct dts_text text = {0};
    dts_text_add(&text, "profile %s, %s%s: %d of %d calls measured", device->name,
                 dts_precision_name(profile->precision), threads, tally->measured,
                 tally->calls);
    for (int way = 0; way < DTS_TOLD_WAYS; way++)
        if (tally->told_by[way] > 0)
            dts_text_add(&text, ", %d %s", tally->told_by[way], ways[way]);
    if (tally->measured < tally->calls) {
        dts_text_add(&text, " (");
        dts_text_add_significant(&text,
                                 100 * tally->estimated_s / fmax(tally->seconds, DBL_MIN), 2);
        dts_text_add(&text, " %% of their seconds)");
    }
    dts_text_add(&text, update ? "" : ", update by the roofline");
    snprintf(out->basis, sizeof(out->basis), "%s", dts_text_string(&text));
    dts_text_free(&text);
}

/* Where only some calls are outside, how many. */
static void say_outside(const struct tally *tally, double batch, struct dts_model_seconds *out)
{
    out->outside[0] = '\0';
    if (tally->outside == 0)
        return;
    dts_seconds_outside(out, batch, "measured", tally->first, tally->last);
    const size_t length = strlen(out->outside);
    if (tally->outside < tally->calls)
        snprintf(out->outside + length, sizeof(out->outside) - length, " (%d of %d calls)",
                 tally->outside, tally->calls);
}

static void add_call(const struct dts_device *device, const struct dts_op_call *call,
                     const struct dts_profile_work *work, double batch, struct tally *tally,
                     double *forward_s, double *backward_s)
{
    const struct dts_op_call_key key = dts_op_call_key(call);
    double nearest = batch;
    const struct dts_profile_kernel *kernel =
        dts_profile_find(&device->profile, key.chars, batch, forward_s, backward_s, &nearest);
    const bool measured = kernel != NULL, outside = fabs(nearest - batch) > 0;
    if (!measured)
        tally->told_by[dts_profile_estimate(device, key.chars, work, batch, forward_s,
                                            backward_s)]++;
    else if (outside)
        dts_profile_scale(device, work, nearest, batch, forward_s, backward_s);
    tally->calls++;
    tally->measured += measured;
    tally->seconds += *forward_s + *backward_s;
    tally->estimated_s += measured ? 0 : *forward_s + *backward_s;
    if (measured && outside && tally->outside++ == 0) {
        tally->first = kernel->points[0].batch;
        tally->last = kernel->points[kernel->point_count - 1].batch;
    }
}

/* Seconds of work that has no way back, by the roofline, with the call. */
static double roofline_seconds(const struct dts_device *device,
                               const struct dts_profile_work *work, double batch)
{
    double forward_s, backward_s;
    dts_roofline_seconds(device, (enum dts_precision)device->profile.precision, work, batch,
                         &forward_s, &backward_s);
    return forward_s;
}

/* Seconds of work beside the layers' calls. Of few values it is not counted; on a CPU it is a
 * part of the layer's call then, on a GPU one more that is started. */
static double beside_seconds(const struct dts_device *device, const struct dts_op_call *call,
                             double batch, struct tally *tally)
{
    const struct dts_profile_work work = dts_beside_work(call);
    double forward_s, backward_s;
    if (batch * work.forward_flops + work.weight_values >= DTS_BESIDE_LEAST) {
        add_call(device, call, &work, batch, tally, &forward_s, &backward_s);
        return forward_s;
    }
    forward_s = roofline_seconds(device, &work, batch);
    return strcmp(device->kind, "cpu") == 0 ? forward_s - device->call_s : forward_s;
}

/* Does the gradient of a sparse table stay a list of rows? */
static bool keeps_list(const struct dts_model *model, int l, const struct dts_samples *samples)
{
    return !samples->exchanged || dts_table_listed(&model->layers[l], &samples->tables);
}

static void add_layer(const struct dts_model *model, const struct dts_layer_call *calls, int l,
                      const struct dts_device *device, const struct dts_samples *samples,
                      struct tally *tally, struct dts_model_seconds *out)
{
    const struct dts_op_call *call = &calls[l].call;
    const struct dts_profile_work work = dts_call_work(model, calls, l);
    const size_t clears = dts_call_clears(model, l, keeps_list(model, l, samples));
    const double batch = samples->batch;
    add_call(device, call, &work, batch, tally, &out->forward[l], &out->backward[l]);
    if (!calls[l].learns)
        out->backward[l] = 0;
    if (clears > 0) {
        const struct dts_op_call clear = dts_call_gradient_clear(clears);
        out->forward[l] += beside_seconds(device, &clear, batch, tally);
    }
    for (int i = 0; i < call->input_count; i++) {
        const struct dts_op_call sum = dts_call_gradient_sum(&call->inputs[i]);
        if (calls[l].adds[i])
            out->backward[l] += beside_seconds(device, &sum, batch, tally);
    }
}

/* Rows with a gradient are looked for among so many values, each of which is read once. */
static double search_seconds(const struct dts_device *device, double searched)
{
    const struct dts_profile_work work = {.class = DTS_WORK_MEMORY, .forward_values = searched};
    return searched > 0 ? roofline_seconds(device, &work, 1) - device->call_s : 0;
}

void dts_seconds_from_profile(const struct dts_model *model, const struct dts_device *device,
                              const struct dts_optimizer *optimizer,
                              const struct dts_samples *samples, double roofline_update_s,
                              struct dts_model_seconds *out)
{
    const size_t layers = (size_t)model->layer_count;
    struct dts_layer_call *calls = dts_alloc(layers, sizeof(*calls));
    struct tally tally = {0};
    out->forward = dts_alloc(layers, sizeof(*out->forward));
    out->backward = dts_alloc(layers, sizeof(*out->backward));
    dts_model_calls(model, true, calls);
    for (int l = 0; l < model->layer_count; l++) {
        calls[l].call.sparse = calls[l].call.sparse && keeps_list(model, l, samples);
        if (calls[l].call.op != NULL)
            add_layer(model, calls, l, device, samples, &tally, out);
    }
    double searched;
    const double updated = dts_model_updated(model, optimizer, samples, &searched);
    const double update_s = update_seconds(&device->profile, updated, optimizer);
    out->update =
        update_s >= 0 ? update_s + search_seconds(device, searched) : roofline_update_s;
    say(device, &tally, update_s >= 0, out);
    say_outside(&tally, samples->batch, out);
    free(calls);
}
