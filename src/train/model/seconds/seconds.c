/* seconds.c -- how long each layer of a network takes on a device (docs/devices.md).
 *
 * The roofline of the device gives every layer its share. Published step times of that device
 * set the scale, in this order of trust:
 *
 *     0. the device has a profile (dtsim profile): its calls' seconds as they were measured
 *     1. the stack has an anchor for device, model and precision: its step time is met
 *     2. it has anchors for other models on that device: the mean of what they say of the
 *        roofline (anchor / roofline) holds for this model, too
 *     3. the same two for other devices of its family ("family" of device files), whose seconds
 *        count by the peak rates of both
 *     4. the bare roofline, and the efficiency that the stack says
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/mem.h"
#include "device/here.h"
#include "device/profile_estimate.h"
#include "device/stack.h"
#include "train/model/model.h"
#include "train/model/seconds/kernel_seconds.h"
#include "train/model/seconds/peak.h"
#include "train/model/seconds/seconds_profile.h"

/* What is asked for. */
struct question {
    const struct dts_device *device;
    const struct dts_stack *stack;
    const struct dts_optimizer *optimizer;
    enum dts_precision precision;
    double batch;
    const struct dts_samples *samples; // that batch, and what an update has
    double kin; // seconds on the device over those on the anchor's; 1: it is the same
};

/* Seconds of a step by the roofline, each kernel alone. */
struct roofline {
    double forward_s, backward_s, update_s;
};

/* One fused kernel over all that changes, behind looking for it in exchanged tables. Half
 * precision keeps fp32 weights and states. */
static double update_seconds(const struct question *q, const struct dts_model *model)
{
    double searched;
    const double parameters = dts_model_updated(model, q->optimizer, q->samples, &searched);
    const double value_bytes = q->precision == DTS_FP64 ? 8 : 4;
    const struct dts_work work = {
        .class = DTS_WORK_MEMORY,
        .flops = parameters * q->optimizer->flops,
        .bytes = (parameters * q->optimizer->values + searched) * value_bytes,
    };
    const struct dts_device device = dts_kernel_device(q->device, q->stack, 0);
    return dts_device_seconds(&device, dts_precision_beside(q->precision), &work) +
           dts_weight_cast_seconds(&device, q->precision, model->eight_parameters);
}

/* forward and backward may be NULL, when only the sums are wanted. */
/* forward and backward may be NULL, when only the sums are wanted. */
static struct roofline find_roofline(const struct question *q, double batch,
                                     const struct dts_model *model, double *forward,
                                     double *backward)
{
    struct roofline sum = {.update_s = update_seconds(q, model)};
    for (int l = 0; l < model->layer_count; l++) {
        double forward_s, backward_s;
        dts_kernel_seconds(q->device, q->stack, q->precision, batch, model, l, &forward_s,
                           &backward_s);
        sum.forward_s += forward_s;
        sum.backward_s += backward_s;
        if (forward != NULL) {
            forward[l] = forward_s;
            backward[l] = backward_s;
        }
    }
    return sum;
}

static void scale(struct dts_model_seconds *out, int layers, double forward, double backward)
{
    for (int l = 0; l < layers; l++) {
        out->forward[l] *= forward;
        out->backward[l] *= backward;
    }
}

/* Where an anchor stands in its stack file. */
static const char *place_of(const struct dts_stack *stack, const struct dts_anchor *anchor,
                            char path[48])
{
    snprintf(path, 48, "anchors[%d].step_s", (int)(anchor - stack->anchors));
    return path;
}

/* An anchor's seconds of forward and backward at the published batch that is nearest; *fixed_s
 * is the rest without the update. Fails where the update alone is longer than the step. */
static bool split_anchor(const struct question *q, const struct dts_anchor *anchor,
                         double update_s, double *compute_s, double *fixed_s,
                         struct dts_error *err)
{
    bool outside;
    const double step_s =
        q->kin * dts_anchor_seconds(anchor, dts_anchor_nearest(anchor, q->batch), &outside);
    *fixed_s = anchor->fixed_s > update_s ? anchor->fixed_s - update_s : 0;
    *compute_s = step_s - *fixed_s - update_s;
    if (*compute_s > 0)
        return true;
    char path[48];
    return dts_doc_fail(q->stack->doc, place_of(q->stack, anchor, path), DTS_BAD_INPUT, err,
                        "a step of %g s of %s on %s leaves no time beside the optimizer's %g s",
                        step_s, anchor->model, anchor->device, update_s);
}

/* What brings `now_s` to `then_s`; a pass without work has nothing to scale. */
static double factor_to(double then_s, double now_s)
{
    return now_s > 0 ? then_s / now_s : 0;
}

/* How much longer the device takes than another of its family, by their peaks; 1: it is that
 * device; 0: it is none of its family, or nobody knows. */
static double kin_of(const struct question *q, const char *other)
{
    struct dts_error none = {.cause = DTS_NO_ERROR};
    struct dts_device device;
    char *path;
    if (strcmp(other, q->device->name) == 0)
        return 1;
    if (q->device->family == NULL || !dts_library_find(&path, "devices", other, NULL, &none))
        return 0;
    const bool loaded = dts_device_load(&device, path, &none);
    free(path);
    if (!loaded)
        return 0;
    const double peak = device.peak_flops_per_s[q->precision];
    const bool kin = device.family != NULL && strcmp(device.family, q->device->family) == 0;
    dts_device_free(&device);
    return kin ? peak / q->device->peak_flops_per_s[q->precision] : 0;
}

/* An anchor of the model on another device of the family, and how much longer this one takes;
 * NULL: there is none. */
static const struct dts_anchor *kin_anchor(const struct question *q, const char *model,
                                           double *kin)
{
    for (int i = 0; i < q->stack->anchor_count; i++) {
        const struct dts_anchor *anchor = &q->stack->anchors[i];
        if (anchor->precision != q->precision || strcmp(anchor->model, model) != 0)
            continue;
        *kin = kin_of(q, anchor->device);
        if (*kin > 0)
            return anchor;
    }
    return NULL;
}

/* "", or ", times 1.14 for p100_pcie (peak rates)". */
static void kin_words(const struct question *q, char words[96])
{
    words[0] = '\0';
    if (q->kin != 1)
        snprintf(words, 96, ", times %.3g for %s (peak rates)", q->kin, q->device->name);
}

/* What a basis says of the published batches. */
static void describe(const struct question *q, const struct dts_anchor *anchor, bool outside,
                     struct dts_model_seconds *out)
{
    const int first = anchor->points[0].batch, last = anchor->points[anchor->count - 1].batch;
    char kin[96];
    kin_words(q, kin);
    snprintf(out->basis, sizeof(out->basis), "published %s on %s, %s, %s %s%s: %s",
             anchor->model, anchor->device, dts_precision_name((int)q->precision),
             first == last ? "batch" : "batches", dts_batches_from(first, last).chars, kin,
             anchor->source);
    if (outside)
        dts_seconds_outside(out, q->batch, "published", first, last);
}

/* 1. The step time of the anchor is met. */
static bool follow_anchor(const struct question *q, const struct dts_model *model,
                          const struct dts_anchor *anchor, const struct roofline *roofline,
                          struct dts_model_seconds *out, struct dts_error *err)
{
    double compute_s;
    if (!split_anchor(q, anchor, out->update, &compute_s, &out->fixed, err))
        return false;
    const double nearest = dts_anchor_nearest(anchor, q->batch);
    const double both_s = roofline->forward_s + roofline->backward_s;
    if (fabs(q->batch - nearest) >
        0) { // beyond what was published the shapes say how it goes on
        const struct roofline there = find_roofline(q, nearest, model, NULL, NULL);
        compute_s *= factor_to(both_s, there.forward_s + there.backward_s);
    }
    double forward_s = compute_s * factor_to(roofline->forward_s, both_s);
    if (anchor->backward_share > 0)
        forward_s = compute_s * (1 - anchor->backward_share);
    scale(out, model->layer_count, factor_to(forward_s, roofline->forward_s),
          factor_to(compute_s - forward_s, roofline->backward_s));
    out->anchor = anchor;
    describe(q, anchor, fabs(q->batch - nearest) > 0, out);
    return true;
}

/* anchor / roofline for another model. *found is false when the library lacks that model. */
static bool find_ratio(const struct question *q, const struct dts_anchor *anchor, double *ratio,
                       double *fixed_s, bool *found, struct dts_error *err)
{
    char *path;
    struct dts_error none = {.cause = DTS_NO_ERROR};
    *found = dts_library_find(&path, "models", anchor->model, NULL, &none);
    if (!*found)
        return true;
    struct dts_model model;
    const bool good = dts_model_load(&model, path, err);
    free(path);
    if (!good)
        return false;
    const double nearest = dts_anchor_nearest(anchor, q->batch);
    const struct roofline roofline = find_roofline(q, nearest, &model, NULL, NULL);
    dts_model_free(&model);
    double compute_s;
    if (!split_anchor(q, anchor, roofline.update_s, &compute_s, fixed_s, err))
        return false;
    *ratio = factor_to(compute_s, roofline.forward_s + roofline.backward_s);
    return true;
}

/* 2. The mean of what the anchors of other models say; *used 0: there are none. The batch is
 * outside when it is for all of them. */
static bool follow_others(const struct question *q, const struct dts_model *model, bool kin,
                          struct dts_model_seconds *out, int *used, struct dts_error *err)
{
    double ratio_sum = 0, fixed_sum_s = 0;
    char names[128] = "";
    bool outside = false;
    int first = 0, last = 0;
    *used = 0;
    for (int i = 0; i < q->stack->anchor_count; i++) {
        const struct dts_anchor *anchor = &q->stack->anchors[i];
        double ratio, fixed_s;
        bool found;
        struct question of = *q;
        of.kin = kin ? kin_of(q, anchor->device) : strcmp(anchor->device, q->device->name) == 0;
        if (anchor->precision != q->precision || of.kin == 0)
            continue;
        if (!find_ratio(&of, anchor, &ratio, &fixed_s, &found, err))
            return false;
        if (!found)
            continue;
        const double nearest = dts_anchor_nearest(anchor, q->batch);
        const int begin = anchor->points[0].batch,
                  end = anchor->points[anchor->count - 1].batch;
        outside = (*used == 0 || outside) && fabs(q->batch - nearest) > 0;
        first = *used == 0 || begin < first ? begin : first;
        last = *used == 0 || end > last ? end : last;
        ratio_sum += ratio;
        fixed_sum_s += fixed_s;
        const size_t length = strlen(names);
        snprintf(names + length, sizeof(names) - length, "%s%s", *used > 0 ? ", " : "",
                 anchor->model);
        (*used)++;
    }
    if (*used == 0)
        return true;
    const double ratio = ratio_sum / *used;
    scale(out, model->layer_count, ratio, ratio);
    out->fixed = fixed_sum_s / *used;
    snprintf(out->basis, sizeof(out->basis),
             "roofline of %s, %s, times %.3g, the mean of published %s%s (stack %s)",
             q->device->name, dts_precision_name((int)q->precision), ratio, names,
             kin ? " on others of its family, by peak rates" : "", q->stack->name);
    if (outside)
        dts_seconds_outside(out, q->batch, "published", first, last);
    return true;
}

/* 4. The bare roofline. */
static void follow_roofline(const struct question *q, const struct dts_model *model,
                            struct dts_model_seconds *out)
{
    const double factor = 1 / q->stack->efficiency;
    const bool here = strcmp(q->device->name, DTS_HERE) == 0;
    scale(out, model->layer_count, factor, factor);
    out->fixed = q->stack->fixed_s;
    out->roofline = true;
    const char *precision = dts_precision_name((int)q->precision);
    if (q->device->profile.kernels != NULL) {
        snprintf(out->basis, sizeof(out->basis),
                 "bare roofline of %s, %s: its profile is of %s", q->device->name, precision,
                 dts_precision_name(q->device->profile.precision));
        return;
    }
    snprintf(out->basis, sizeof(out->basis),
             "bare roofline of %s%s%s%s, %s: stack %s has no published time for %s",
             q->device->name, here ? " (" : "", here ? q->device->summary : "", here ? ")" : "",
             precision, q->stack->name, model->name);
}

/* Frees seconds that no device of its kind can reach. They are of an anchor, or of a profile.
 */
static bool keep_believed(const struct question *q, const struct dts_model *model,
                          const struct dts_anchor *anchor, struct dts_model_seconds *out,
                          struct dts_error *err)
{
    char path[48];
    const struct dts_peak_question peak = {
        .model = model,
        .device = q->device,
        .precision = q->precision,
        .batch = q->batch,
        .doc = anchor != NULL ? q->stack->doc : q->device->doc,
        .path = anchor != NULL ? place_of(q->stack, anchor, path) : "profile",
    };
    const bool good = dts_seconds_check_peak(&peak, out, err);
    if (!good)
        dts_model_seconds_free(out);
    return good;
}

bool dts_model_seconds(const struct dts_model *model, const struct dts_device *device,
                       const struct dts_stack *stack, const struct dts_optimizer *optimizer,
                       enum dts_precision precision, const struct dts_samples *samples,
                       struct dts_model_seconds *out, struct dts_error *err)
{
    assert(samples->batch > 0 && samples->step >= samples->batch && stack->efficiency > 0);
    struct question q = {device, stack, optimizer, precision, samples->batch, samples, 1};
    *out = (struct dts_model_seconds){.forward = NULL};
    struct dts_error why = {0};
    if (!dts_device_check(device, precision, &why))
        return dts_fail(err, why.cause, "precision: %s", why.text);
    if (precision == DTS_FP8 && model->eight_parameters <= 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "precision: fp8 has no effect on %s: it has no linear layer before the "
                        "last, and no mixture",
                        model->name);
    if (dts_profile_tells(&device->profile, (int)precision)) {
        dts_seconds_from_profile(model, device, optimizer, samples, update_seconds(&q, model),
                                 out);
        out->fixed = stack->fixed_s;
        return keep_believed(&q, model, NULL, out, err);
    }
    out->forward = dts_alloc((size_t)model->layer_count, sizeof(*out->forward));
    out->backward = dts_alloc((size_t)model->layer_count, sizeof(*out->backward));
    const struct roofline roofline =
        find_roofline(&q, q.batch, model, out->forward, out->backward);
    out->update = roofline.update_s;

    const struct dts_anchor *anchor =
        dts_stack_anchor(stack, device->name, model->name, precision);
    int others = 0;
    bool good = anchor != NULL || follow_others(&q, model, false, out, &others, err);
    if (good && anchor == NULL && others == 0)
        anchor = kin_anchor(&q, model->name, &q.kin);
    if (good && anchor != NULL)
        good = follow_anchor(&q, model, anchor, &roofline, out, err);
    else if (good && others == 0)
        good = follow_others(&q, model, true, out, &others, err);
    if (good && anchor == NULL && others == 0)
        follow_roofline(&q, model, out);
    if (!good)
        dts_model_seconds_free(out);
    return good && (anchor == NULL || keep_believed(&q, model, anchor, out, err));
}

void dts_model_seconds_free(struct dts_model_seconds *seconds)
{
    free(seconds->forward);
    free(seconds->backward);
    *seconds = (struct dts_model_seconds){.forward = NULL};
}
