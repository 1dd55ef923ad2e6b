/* sparse.c -- gradients as lists of rows. */
#include "kernels/embedding/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/embedding/embedding.h"
#include "kernels/reduce/reduce.h"

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

/* Tokens are a few bytes each: one thread sorts them, all add the rows' values. */
static struct use *sorted_uses(const struct dts_op_call *call, const int32_t *tokens,
                               size_t count)
{
    struct use *uses = dts_alloc(count + 1, sizeof(*uses));
    for (size_t i = 0; i < count; i++)
        uses[i] = (struct use){(int32_t)dts_embedding_row(call, tokens[i]), (uint32_t)i};
    qsort(uses, count, sizeof(*uses), compare);
    return uses;
}

static void add_row(float *restrict sum, const float *restrict more, size_t features)
{
    for (size_t f = 0; f < features; f++)
        sum[f] += more[f];
}

struct gathering {
    struct dts_sparse *list;
    const struct use *uses;
    const size_t *first; // use of each row, and how many uses there are
    const float *dy;
};

/* Rows that begin among this worker's uses, each with all its uses, in their order. */
static void gather_rows(void *argument, int worker, int workers)
{
    const struct gathering *g = argument;
    const size_t features = g->list->features, rows = g->list->count;
    size_t begin, row = 0;
    const size_t end = dts_share_of(g->first[rows], worker, workers, &begin) + begin;
    while (row < rows && g->first[row] < begin)
        row++;
    for (; row < rows && g->first[row] < end; row++) {
        float *sum = g->list->values + row * features;
        size_t i = g->first[row];
        memcpy(sum, g->dy + g->uses[i].place * features, features * sizeof(*sum));
        while (++i < g->first[row + 1])
            add_row(sum, g->dy + g->uses[i].place * features, features);
    }
}

void dts_sparse_gradient(struct dts_sparse *list, const struct dts_op_call *call,
                         const struct dts_arrays *arrays, struct dts_workers *workers)
{
    const size_t tokens = dts_embedding_tokens(call, arrays->batch);
    struct use *uses = sorted_uses(call, arrays->x[0], tokens);
    size_t *first = dts_alloc(tokens + 1, sizeof(*first)), rows = 0;
    for (size_t i = 0; i < tokens; i++)
        if (i == 0 || uses[i].row != uses[i - 1].row)
            first[rows++] = i;
    first[rows] = tokens;
    reserve(list, rows, dts_dims_features(&call->output));
    list->count = rows;
    for (size_t r = 0; r < rows; r++)
        list->rows[r] = uses[first[r]].row;
    struct gathering g = {list, uses, first, arrays->dy};
    dts_workers_run(workers, gather_rows, &g);
    free(first);
    free(uses);
}

/* A merged row's values in either list; NULL: it is not there. */
struct origin {
    const float *a, *b;
};

struct merging {
    struct dts_sparse *out;
    const struct origin *origins;
};

static void merge_rows(void *argument, int worker, int workers)
{
    const struct merging *m = argument;
    const size_t features = m->out->features;
    size_t first;
    const size_t count = dts_share_of(m->out->count, worker, workers, &first);
    for (size_t r = first; r < first + count; r++) {
        const struct origin *from = &m->origins[r];
        float *sum = m->out->values + r * features;
        memcpy(sum, from->a != NULL ? from->a : from->b, features * sizeof(*sum));
        if (from->a != NULL && from->b != NULL)
            add_row(sum, from->b, features);
    }
}

void dts_sparse_merge(struct dts_sparse *out, const struct dts_sparse *a,
                      const struct dts_sparse *b, struct dts_workers *workers)
{
    const size_t most = a->count + b->count;
    struct origin *origins = dts_alloc(most + 1, sizeof(*origins));
    size_t i = 0, j = 0;
    reserve(out, most, a->count > 0 ? a->features : b->features);
    for (out->count = 0; i < a->count || j < b->count; out->count++) {
        const bool of_a = j == b->count || (i < a->count && a->rows[i] <= b->rows[j]);
        const bool of_b = i == a->count || (j < b->count && b->rows[j] <= a->rows[i]);
        out->rows[out->count] = of_a ? a->rows[i] : b->rows[j];
        origins[out->count] = (struct origin){of_a ? a->values + i++ * a->features : NULL,
                                              of_b ? b->values + j++ * b->features : NULL};
    }
    struct merging m = {out, origins};
    dts_workers_run(workers, merge_rows, &m);
    free(origins);
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
