/* sparse.c -- gradients as lists of rows. */
#include "ops/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ops/embedding.h"
#include "ops/reduce.h"

void dts_sparse_free(struct dts_sparse *list)
{
    free(list->rows);
    free(list->values);
    *list = (struct dts_sparse){0};
}

size_t dts_sparse_bytes(const struct dts_sparse *list)
{
    return list->row_room * sizeof(*list->rows) + list->value_room * sizeof(*list->values);
}

/* As much as is needed, and not twice that: rows are wide. */
static void reserve(struct dts_sparse *list, size_t count, size_t features)
{
    list->features = features;
    if (list->row_room > count && list->value_room > count * features)
        return;
    dts_sparse_free(list);
    list->features = features;
    list->row_room = count + 1;
    list->value_room = count * features + 1;
    list->rows = dts_alloc(list->row_room, sizeof(*list->rows));
    list->values = dts_alloc(list->value_room, sizeof(*list->values));
}

/* A token and its place, in the order of rows, then of places. */
struct use {
    int32_t row;
    uint32_t place;
};

static int compare(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void add_row(float *restrict sum, const float *restrict more, size_t features)
{
    for (size_t f = 0; f < features; f++)
        sum[f] += more[f];
}

void dts_sparse_gradient(struct dts_sparse *list, const struct dts_op_call *call,
                         const struct dts_arrays *arrays)
{
    const size_t features = dts_dims_features(&call->output);
    const size_t tokens = dts_embedding_tokens(call, arrays->batch);
    struct use *uses = dts_alloc(tokens + 1, sizeof(*uses));
    for (size_t i = 0; i < tokens; i++)
        uses[i] = (struct use){
            (int32_t)dts_embedding_row(call, ((const int32_t *)arrays->x[0])[i]), (uint32_t)i};
    qsort(uses, tokens, sizeof(*uses), compare);
    size_t rows = 0;
    for (size_t i = 0; i < tokens; i++)
        rows += i == 0 || uses[i].row != uses[i - 1].row;
    reserve(list, rows, features);
    list->count = 0;
    for (size_t i = 0; i < tokens; i++) {
        const float *dy = (const float *)arrays->dy + uses[i].place * features;
        if (i > 0 && uses[i].row == uses[i - 1].row) {
            add_row(list->values + (list->count - 1) * features, dy, features);
            continue;
        }
        list->rows[list->count] = uses[i].row;
        memcpy(list->values + list->count++ * features, dy, features * sizeof(*dy));
    }
    free(uses);
}

static void append(struct dts_sparse *out, const struct dts_sparse *from, size_t i)
{
    out->rows[out->count] = from->rows[i];
    memcpy(out->values + out->count++ * out->features, from->values + i * out->features,
           out->features * sizeof(float));
}

void dts_sparse_merge(struct dts_sparse *out, const struct dts_sparse *a,
                      const struct dts_sparse *b)
{
    size_t i = 0, j = 0;
    reserve(out, a->count + b->count, a->count > 0 ? a->features : b->features);
    out->count = 0;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && a->rows[i] < b->rows[j])) {
            append(out, a, i++);
        } else if (i == a->count || b->rows[j] < a->rows[i]) {
            append(out, b, j++);
        } else {
            append(out, a, i++);
            add_row(out->values + (out->count - 1) * out->features,
                    b->values + j++ * out->features, out->features);
        }
    }
}

struct job {
    const struct dts_sparse *list;
    float *table;
    float factor;
};

static void add_part(void *argument, int worker, int workers)
{
    const struct job *job = argument;
    const size_t features = job->list->features;
    size_t first;
    const size_t count = dts_share_of(job->list->count, worker, workers, &first);
    for (size_t i = first; i < first + count; i++) {
        float *restrict row = job->table + (size_t)job->list->rows[i] * features;
        const float *restrict values = job->list->values + i * features;
        for (size_t f = 0; f < features; f++)
            row[f] += job->factor * values[f];
    }
}

void dts_sparse_scale(struct dts_sparse *list, float factor, struct dts_workers *workers)
{
    dts_reduce_scale(list->values, factor, list->count * list->features,
                     &(struct dts_place){.workers = workers});
}

bool dts_sparse_finite(const struct dts_sparse *list, struct dts_workers *workers)
{
    const struct dts_place place = {.workers = workers};
    int finite;
    dts_reduce_finite(&finite, list->values, list->count * list->features, &place);
    return finite != 0;
}

void dts_sparse_add_to(const struct dts_sparse *list, float *table, float factor,
                       struct dts_workers *workers)
{
    struct job job = {list, table, factor};
    dts_workers_run(workers, add_part, &job);
}
