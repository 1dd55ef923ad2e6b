/* delay.c -- which gradients are late, and their exchange. */
#include "train/strategy/delay.h"

#include <stdlib.h>

#include "base/mem.h"
#include "train/model/model.h"

static size_t values_of(const struct dts_layer *layer)
{
    size_t values = 0;
    for (int p = 0; p < layer->param_count; p++)
        values += layer->params[p].count;
    return values;
}

struct dts_late_values dts_delay_values(const struct dts_synchrony *s,
                                        const struct dts_model *model)
{
    struct dts_late_values late = {0, 0, 0};
    const int last = model->layer_count - 1;
    int left = s->delay_first > 0 ? s->delay_first : s->delay_last;
    for (int l = 0; l <= last; l++)
        late.all += values_of(&model->layers[l]);
    if (s->delay > 0 && left == 0)
        late.count = late.all;
    for (int i = 0; i <= last && left > 0; i++) {
        const size_t values = values_of(&model->layers[s->delay_first > 0 ? i : last - i]);
        late.count += values;
        left -= values > 0;
    }
    late.first = s->delay_first > 0 ? late.all - late.count : 0;
    return late;
}

bool dts_delay_check(const struct dts_synchrony *s, const struct dts_point *point,
                     struct dts_error *err)
{
    const struct dts_model *model = &point->scenario->model;
    int layers = 0;
    for (int l = 0; l < model->layer_count; l++)
        layers += values_of(&model->layers[l]) > 0;
    const int late = s->delay_first > 0 ? s->delay_first : s->delay_last;
    return late < layers || late == 0 ||
           dts_point_fail(point, err,
                          "%s: %s: must be below the %d layers with parameters, got %d: "
                          "without it all are late",
                          point->strategy->name,
                          s->delay_first > 0 ? "delay_first" : "delay_last", layers, late);
}

/* The layer whose gradients end at that element: behind it come those of the layer below. */
static int layer_before(const struct dts_model *model, size_t at)
{
    size_t end = 0;
    int l = model->layer_count;
    while (end < at)
        end += values_of(&model->layers[--l]);
    return l;
}

static int tensors_from(const struct dts_model *model, int layer, const struct dts_bucket *b)
{
    int tensors = 0;
    size_t values = 0;
    for (int l = layer; l < model->layer_count && values < b->elements; l++)
        for (int p = 0; p < model->layers[l].param_count && values < b->elements; p++) {
            values += model->layers[l].params[p].count;
            tensors += model->layers[l].params[p].count > 0;
        }
    return tensors;
}

int dts_delay_cut(const struct dts_synchrony *s, const struct dts_model *model,
                  struct dts_bucket **buckets, int count)
{
    const struct dts_late_values late = dts_delay_values(s, model);
    const size_t at = late.first > 0 ? late.first : late.count;
    size_t begin = 0;
    int b = 0;
    if (!dts_delay_is_partial(s))
        return count;
    while (begin + (*buckets)[b].elements <= at)
        begin += (*buckets)[b++].elements;
    if (begin == at)
        return count;
    struct dts_bucket *cut = dts_alloc((size_t)count + 1, sizeof(*cut));
    for (int i = 0; i < count; i++)
        cut[i < b ? i : i + 1] = (*buckets)[i];
    cut[b] = cut[b + 1];
    cut[b].elements = at - begin;
    cut[b].first_layer = layer_before(model, at);
    if (cut[b].ready_after == cut[b + 1].first_layer) // else it waits for a cycle to end
        cut[b].ready_after = cut[b].first_layer;
    cut[b].tensors = tensors_from(model, cut[b].first_layer, &cut[b]);
    cut[b + 1].elements -= cut[b].elements;
    cut[b + 1].tensors -= cut[b].tensors;
    free(*buckets);
    *buckets = cut;
    return count + 1;
}

bool dts_delay_has(const struct dts_synchrony *s, const struct dts_model *model,
                   const struct dts_bucket *buckets, int bucket, struct dts_span *span)
{
    const struct dts_late_values late = dts_delay_values(s, model);
    *span = dts_bucket_span(buckets, bucket, DTS_LATE);
    if (span->first < late.first || span->first >= late.first + late.count)
        return false;
    span->first -= late.first;
    return true;
}

bool dts_delay_add(const struct dts_synchrony *s, const struct dts_coll_use *sum,
                   struct dts_plan *plan, const struct dts_bucket *buckets, int count,
                   struct dts_error *err)
{
    const struct dts_model *model = &sum->point->scenario->model;
    const int update = plan->op_count - 1;
    struct dts_span span;
    for (int b = 0, next = update; b < count; b++)
        if (dts_delay_has(s, model, buckets, b, &span))
            dts_plan_after_previous(plan, ++next);
    for (int b = 0; b < count; b++)
        if (dts_delay_has(s, model, buckets, b, &span) &&
            dts_coll_add_bucket(sum, plan, "all-reduce", b, span, update, err) < 0)
            return false;
    return true;
}
