/* anchor.c -- published step times of one device: read, checked, interpolated. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/anchor.h"
#include "device/assumed.h"

enum { MOST_ANCHORS = 256, MOST_POINTS = 64 };

/* What one table of fields fills. */
struct reading {
    struct dts_anchor anchor;
    const char *precision;
    double backward_s;
    struct dts_cfg samples_per_s, step_s;
};

static const struct dts_field fields[] = {
    {.key = "device",
     .offset = offsetof(struct reading, anchor.device),
     .type = DTS_STRING,
     .help = "name of the device file"},
    {.key = "model",
     .offset = offsetof(struct reading, anchor.model),
     .type = DTS_STRING,
     .help = "name of the model file"},
    {.key = "precision",
     .offset = offsetof(struct reading, precision),
     .type = DTS_STRING,
     .choice = dts_precision_name,
     .help = "what it computed in; mixed precision is fp16"},
    {.key = "samples_per_s",
     .offset = offsetof(struct reading, samples_per_s),
     .type = DTS_OTHER,
     .forms = DTS_FORM_LIST,
     .missing = "null",
     .help = "list of [batch, samples per second], as published"},
    {.key = "step_s",
     .offset = offsetof(struct reading, step_s),
     .type = DTS_OTHER,
     .forms = DTS_FORM_LIST,
     .missing = "null",
     .help = "list of [batch, seconds of a step], instead of samples_per_s"},
    {.key = "backward_s",
     .offset = offsetof(struct reading, backward_s),
     .type = DTS_REAL,
     .max = 1e6,
     .missing = "0",
     .help = "of an anchor with one batch: seconds of backward; 0: as the roofline says"},
    {.key = "fixed_s",
     .offset = offsetof(struct reading, anchor.fixed_s),
     .type = DTS_REAL,
     .max = 1e6,
     .missing = "0",
     .help = "part of the step that does not grow with the batch, the update in it"},
    {.key = "devices",
     .offset = offsetof(struct reading, anchor.devices),
     .type = DTS_INT,
     .min = 1,
     .max = 1 << 24,
     .missing = "1",
     .help = "how many trained: their communication is in the step"},
    {.key = "accumulate",
     .offset = offsetof(struct reading, anchor.accumulate),
     .type = DTS_INT,
     .min = 1,
     .max = 4096,
     .missing = "1",
     .help = "microbatches of a step; a batch is that of one"},
    {.key = "platform",
     .offset = offsetof(struct reading, anchor.platform),
     .type = DTS_STRING,
     .missing = "null",
     .help = "the machine that trained; needed where devices or accumulate is above 1"},
    {.key = "source",
     .offset = offsetof(struct reading, anchor.source),
     .type = DTS_STRING,
     .help = "study and row that published it"},
    {0},
};

static bool read_point(const struct dts_cfg *pair, bool per_second,
                       struct dts_anchor_point *point, struct dts_error *err)
{
    if (dts_cfg_length(pair) != 2)
        return dts_cfg_fail(pair, NULL, err, "must be [batch, %s]",
                            per_second ? "samples per second" : "seconds");
    const struct dts_cfg batch = dts_cfg_item(pair, 0), value = dts_cfg_item(pair, 1);
    double number;
    if (!dts_cfg_int(&batch, 1, 1 << 24, &point->batch, err) ||
        !dts_cfg_real(&value, 1e-9, 1e9, &number, err))
        return false;
    point->step_s = per_second ? point->batch / number : number;
    return true;
}

static bool read_points(struct dts_anchor *anchor, const struct dts_cfg *list, bool per_second,
                        struct dts_error *err)
{
    const size_t count = dts_cfg_length(list);
    if (count < 1 || count > MOST_POINTS)
        return dts_cfg_fail(list, NULL, err, "must be a list of 1 to %d pairs", MOST_POINTS);
    anchor->points = dts_alloc(count, sizeof(*anchor->points));
    for (size_t i = 0; i < count; i++) {
        struct dts_anchor_point *point = &anchor->points[i];
        const struct dts_cfg pair = dts_cfg_item(list, i);
        if (!read_point(&pair, per_second, point, err))
            return false;
        if (i > 0 && point->batch <= point[-1].batch)
            return dts_cfg_fail(&pair, NULL, err, "batch must be > %d, got %d", point[-1].batch,
                                point->batch);
        if (point->step_s <= anchor->fixed_s)
            return dts_cfg_fail(&pair, NULL, err,
                                "the step must be longer than fixed_s, got %g s",
                                point->step_s);
    }
    anchor->count = (int)count;
    return true;
}

/* A step of many devices or microbatches is met as a whole, on the machine that it was of. */
static bool check_whole(const struct dts_anchor *anchor, const struct dts_cfg *at,
                        struct dts_error *err)
{
    const bool whole = anchor->devices > 1 || anchor->accumulate > 1;
    if (whole && anchor->platform == NULL)
        return dts_cfg_fail(at, "platform", err, "missing (%s %d needs it)",
                            anchor->devices > 1 ? "devices" : "accumulate",
                            anchor->devices > 1 ? anchor->devices : anchor->accumulate);
    return whole || anchor->platform == NULL ||
           dts_cfg_fail(at, "platform", err, "has no effect without devices or accumulate");
}

/* Turns the seconds of backward into a share of forward and backward together. */
static bool share_backward(struct reading *reading, const struct dts_cfg *at,
                           struct dts_error *err)
{
    struct dts_anchor *anchor = &reading->anchor;
    if (reading->backward_s <= 0)
        return true;
    if (anchor->count != 1)
        return dts_cfg_fail(at, "backward_s", err, "goes with one batch, got %d",
                            anchor->count);
    const double compute_s = anchor->points[0].step_s - anchor->fixed_s;
    if (reading->backward_s >= compute_s)
        return dts_cfg_fail(at, "backward_s", err,
                            "must be < %g (the step without fixed_s), "
                            "got %g",
                            compute_s, reading->backward_s);
    anchor->backward_share = reading->backward_s / compute_s;
    return true;
}

static bool read_anchor(const struct dts_cfg *at, struct dts_anchor *anchor,
                        struct dts_error *err)
{
    struct reading reading = {.backward_s = 0};
    if (!dts_cfg_read(at, fields, &reading, err))
        return false;
    reading.anchor.precision = (enum dts_precision)dts_precision_find(reading.precision);
    const bool per_second = dts_cfg_exists(&reading.samples_per_s);
    bool good = true;
    if (per_second == dts_cfg_exists(&reading.step_s))
        good = dts_cfg_fail(at, NULL, err, "must have either samples_per_s or step_s");
    good = good &&
           read_points(&reading.anchor, per_second ? &reading.samples_per_s : &reading.step_s,
                       per_second, err);
    good = good && share_backward(&reading, at, err) && check_whole(&reading.anchor, at, err);
    *anchor = reading.anchor; // its points are freed with the stack
    return good;
}

bool dts_anchors_read(struct dts_stack *stack, const struct dts_cfg *list,
                      struct dts_error *err)
{
    if (!dts_cfg_exists(list))
        return true;
    const size_t count = dts_cfg_length(list);
    if (!dts_cfg_is_list(list) || count > MOST_ANCHORS)
        return dts_cfg_fail(list, NULL, err, "must be a list of at most %d anchors",
                            MOST_ANCHORS);
    stack->anchors = dts_alloc(count > 0 ? count : 1, sizeof(*stack->anchors));
    for (size_t i = 0; i < count; i++) {
        struct dts_anchor *anchor = &stack->anchors[i];
        const struct dts_cfg at = dts_cfg_item(list, i);
        stack->anchor_count = (int)i + 1;
        if (!read_anchor(&at, anchor, err))
            return false;
        if (dts_stack_anchor(stack, anchor->device, anchor->model, anchor->precision) != anchor)
            return dts_cfg_fail(&at, NULL, err, "must not repeat %s, %s, %s", anchor->device,
                                anchor->model, dts_precision_name((int)anchor->precision));
        char path[32];
        snprintf(path, sizeof(path), "anchors[%zu]", i);
        anchor->assumed = dts_assumed_has(stack->assumed, stack->assumed_count, path);
    }
    return true;
}

void dts_anchors_free(struct dts_stack *stack)
{
    for (int i = 0; i < stack->anchor_count; i++)
        free(stack->anchors[i].points);
    free(stack->anchors);
    stack->anchors = NULL;
    stack->anchor_count = 0;
}

const struct dts_anchor *dts_stack_anchor(const struct dts_stack *stack, const char *device,
                                          const char *model, enum dts_precision precision)
{
    for (int i = 0; i < stack->anchor_count; i++) {
        const struct dts_anchor *anchor = &stack->anchors[i];
        if (anchor->precision == precision && strcmp(anchor->device, device) == 0 &&
            strcmp(anchor->model, model) == 0)
            return anchor;
    }
    return NULL;
}

double dts_anchor_nearest(const struct dts_anchor *anchor, double batch)
{
    const struct dts_anchor_point *points = anchor->points;
    return fmin(fmax(batch, points[0].batch), points[anchor->count - 1].batch);
}

/* Seconds within the published range: a straight line in log(batch), log(seconds). That is one
 * in log(seconds per sample), too, and grows with the batch where the published points do. */
static double inside_seconds(const struct dts_anchor *anchor, double batch)
{
    const struct dts_anchor_point *points = anchor->points;
    int i = 0;
    while (i < anchor->count - 1 && batch >= points[i + 1].batch)
        i++;
    if (batch <= points[i].batch)
        return points[i].step_s;
    const double part =
        log(batch / points[i].batch) / log((double)points[i + 1].batch / points[i].batch);
    return points[i].step_s * pow(points[i + 1].step_s / points[i].step_s, part);
}

double dts_anchor_seconds(const struct dts_anchor *anchor, double batch, bool *outside)
{
    assert(batch > 0);
    const double nearest = dts_anchor_nearest(anchor, batch);
    const double step_s = inside_seconds(anchor, nearest);
    *outside = batch < nearest || batch > nearest;
    return anchor->fixed_s + (step_s - anchor->fixed_s) * (batch / nearest);
}

void dts_anchors_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "anchors[]:");
    dts_keys_add(keys, "anchors[]", fields);
}
