/* tables.c -- sparse tables as messages of rows. */
#include "train/strategy/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const char *dts_tables_name(int i)
{
    static const char *const names[] = {"dense", "rows", NULL};
    return names[i];
}

const char *dts_tables_name_divided(int i)
{
    static const char *const names[] = {"dense", "rows", "divided", NULL};
    return names[i];
}

bool dts_tables_prepare(struct dts_tables *tables, const struct dts_cfg *at,
                        struct dts_error *err)
{
    static const char *const keys[] = {"dense_above", "index_bytes", "density", NULL};
    const char *word = tables->word != NULL ? tables->word : dts_tables_name(0);
    tables->rows = strcmp(word, dts_tables_name(0)) != 0;
    tables->divided = strcmp(word, dts_tables_name_divided(2)) == 0;
    const int idle = tables->divided ? 2 : tables->rows ? 0 : 3; // keys that cannot act
    for (int i = 0; i < idle; i++) {
        const struct dts_cfg key = dts_cfg_member(at, keys[i]);
        if (dts_cfg_exists(&key))
            return dts_cfg_fail(at, keys[i], err, "has no effect where tables are \"%s\"",
                                word);
    }
    if (tables->above <= 0)
        tables->above = 1;
    if (tables->index_bytes == 0)
        tables->index_bytes = 4;
    return tables->index_bytes == 4 || tables->index_bytes == 8 ||
           dts_cfg_fail(at, "index_bytes", err, "must be 4 or 8, got %d", tables->index_bytes);
}

bool dts_tables_check(const struct dts_tables *tables, const struct dts_point *point,
                      struct dts_error *err)
{
    const struct dts_model *model = &point->scenario->model;
    if (!tables->rows || dts_model_sparse(model) != NULL)
        return true;
    return dts_point_fail(point, err,
                          "%s: no table can travel as rows: model %s has no embedding with "
                          "\"sparse\": true",
                          point->strategy->name, model->name);
}

static double device_samples(const struct dts_point *point)
{
    return (double)point->batch * point->microbatches;
}

bool dts_tables_divided(const struct dts_tables *tables, const struct dts_point *point)
{
    return tables->divided && point->devices > 1;
}

struct dts_table_rule dts_tables_rule(const struct dts_tables *tables,
                                      const struct dts_point *point, bool elsewhere)
{
    return (struct dts_table_rule){
        .rows = tables->rows,
        .parts = dts_tables_divided(tables, point) ? point->devices : 1,
        .elsewhere = elsewhere,
        .above = tables->above,
        .density = tables->density,
        .index_bytes = tables->index_bytes,
        .batch = device_samples(point),
    };
}

static double rows_by(const struct dts_table_rule *rule, const struct dts_point *point,
                      int layer, int devices)
{
    const double rows =
        dts_table_rows(&point->scenario->model.layers[layer], rule, devices * rule->batch);
    return ceil(rows * (1 - 1e-12)); // not one more where the last bit is
}

static double rows_of(const struct dts_tables *tables, const struct dts_point *point, int layer,
                      int devices)
{
    const struct dts_table_rule rule = dts_tables_rule(tables, point, false);
    return rows_by(&rule, point, layer, devices);
}

size_t dts_tables_element_bytes(const struct dts_point *point)
{
    const size_t bytes = dts_point_wire_bytes(point);
    return bytes < sizeof(float) ? bytes : sizeof(float);
}

/* Of one row. */
static size_t row_bytes(const struct dts_table_rule *rule, const struct dts_point *point,
                        int layer)
{
    const struct dts_param *table = dts_layer_table(&point->scenario->model.layers[layer]);
    return table->sparse_row * dts_point_wire_bytes(point) + (size_t)rule->index_bytes;
}

size_t dts_table_message(const struct dts_table_rule *rule, const struct dts_point *point,
                         int layer, int devices)
{
    return (size_t)rows_by(rule, point, layer, devices) * row_bytes(rule, point, layer) /
           dts_tables_element_bytes(point);
}

size_t dts_tables_message(const struct dts_tables *tables, const struct dts_point *point,
                          int layer, int devices)
{
    const struct dts_table_rule rule = dts_tables_rule(tables, point, false);
    return dts_table_message(&rule, point, layer, devices);
}

double dts_tables_updated(const struct dts_tables *tables, const struct dts_point *point,
                          int layer, int devices)
{
    return rows_of(tables, point, layer, devices) *
           (double)dts_layer_table(&point->scenario->model.layers[layer])->sparse_row;
}

int dts_tables_buckets(const struct dts_tables *tables, const struct dts_point *point,
                       const struct dts_bucket_policy *policy, int together,
                       struct dts_bucket **buckets)
{
    const struct dts_model *model = &point->scenario->model;
    const struct dts_table_rule rule = dts_tables_rule(tables, point, false);
    size_t *apart = dts_alloc((size_t)model->layer_count + 1, sizeof(*apart));
    for (int l = 0; l < model->layer_count; l++)
        if (dts_table_listed(&model->layers[l], &rule))
            apart[l] = dts_tables_divided(tables, point)
                           ? DTS_NO_BUCKET
                           : dts_tables_message(tables, point, l, together);
    const int count = dts_buckets_apart(model, policy, dts_point_wire_bytes(point),
                                        point->seconds->backward, apart, buckets);
    free(apart);
    return count;
}

bool dts_tables_any(const struct dts_bucket *buckets, int count)
{
    for (int b = 0; b < count; b++)
        if (buckets[b].table >= 0)
            return true;
    return false;
}

struct dts_span dts_tables_span(const struct dts_bucket *buckets, int bucket, int buffer,
                                size_t copies)
{
    struct dts_span span = dts_bucket_span(buckets, bucket, buffer);
    span.first *= copies;
    span.count *= copies;
    return span;
}

int dts_tables_buffer(const struct dts_point *point, struct dts_plan *plan,
                      const struct dts_bucket *buckets, int count, size_t copies)
{
    size_t elements = 0;
    for (int b = 0; b < count; b++)
        elements += buckets[b].table >= 0 ? copies * buckets[b].elements : 0;
    return dts_plan_buffer(plan, elements, dts_tables_element_bytes(point));
}

/* A part of the table, and the rows of all samples that are in it. */
static void divided_memory(const struct dts_tables *tables, const struct dts_point *point,
                           struct dts_memory *memory)
{
    const struct dts_scenario *s = point->scenario;
    const double bytes = (double)dts_precision_bytes(s->precision), n = point->devices;
    const double state_bytes = s->optimizer->state_values * (bytes > 4 ? bytes : 4);
    for (int l = 0; l < s->model.layer_count; l++) {
        if (dts_layer_table(&s->model.layers[l]) == NULL)
            continue;
        const double values = (double)dts_layer_table(&s->model.layers[l])->count;
        const double message = (double)dts_tables_message(tables, point, l, point->devices) *
                               (double)dts_tables_element_bytes(point);
        memory->gradients += message / n - values * bytes;
        memory->weights -= values * (1 - 1 / n) * (bytes + (bytes < 4 ? 4 : 0));
        memory->optimizer -= values * (1 - 1 / n) * state_bytes;
    }
}

void dts_tables_memory(const struct dts_tables *tables, const struct dts_point *point,
                       bool elsewhere, int messages, struct dts_memory *memory)
{
    const struct dts_scenario *s = point->scenario;
    const struct dts_table_rule rule = dts_tables_rule(tables, point, elsewhere);
    const double bytes = (double)dts_precision_bytes(s->precision);
    const double before = memory->weights + memory->gradients + memory->optimizer;
    const bool divided = dts_tables_divided(tables, point);
    if (divided)
        divided_memory(tables, point, memory);
    for (int l = 0; l < s->model.layer_count && !divided; l++) {
        if (!dts_table_listed(&s->model.layers[l], &rule))
            continue;
        const double values = (double)dts_layer_table(&s->model.layers[l])->count;
        const double own = dts_tables_updated(tables, point, l, 1);
        const double message = (double)dts_tables_message(tables, point, l, 1) *
                               (double)dts_tables_element_bytes(point);
        memory->gradients += (1 + messages) * message - values * bytes;
        if (elsewhere)
            memory->weights -= (values - own) * (bytes + (bytes < 4 ? 4 : 0));
        if (elsewhere && memory->optimizer > 0)
            memory->optimizer -= values * s->optimizer->state_values * (bytes > 4 ? bytes : 4);
    }
    memory->total += memory->weights + memory->gradients + memory->optimizer - before;
}

void dts_tables_describe(const struct dts_tables *tables, const struct dts_point *point,
                         int together, struct dts_text *text)
{
    const struct dts_model *model = &point->scenario->model;
    const struct dts_table_rule rule = dts_tables_rule(tables, point, false);
    for (int l = 0; l < model->layer_count; l++) {
        const struct dts_layer *layer = &model->layers[l];
        if (!dts_table_listed(layer, &rule))
            continue;
        const double rows = rows_of(tables, point, l, 1);
        dts_text_add(
            text,
            "table %.40s: a device touches %.0f of %.0f rows in a step (density %.3g), all "
            "devices %.0f",
            layer->name, rows, dts_table_height(layer), rows / dts_table_height(layer),
            rows_of(tables, point, l, point->devices));
        if (!dts_tables_divided(tables, point))
            dts_text_add(text, "; a message has %.4g MB",
                         1e-6 * (double)dts_tables_message(tables, point, l, together) *
                             (double)dts_tables_element_bytes(point));
        dts_text_add(text, "\n");
    }
}
