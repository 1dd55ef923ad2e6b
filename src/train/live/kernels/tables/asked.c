/* asked.c -- the words of samples to come. */
#include "train/live/kernels/tables/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/samples.h"

struct words {
    int32_t *rows; // owned
    size_t count, room;
};

static int compare(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Ascending, each once. */
static void sort(struct words *words)
{
    size_t kept = 0;
    qsort(words->rows, words->count, sizeof(*words->rows), compare);
    for (size_t i = 0; i < words->count; i++)
        if (i == 0 || words->rows[i] != words->rows[i - 1])
            words->rows[kept++] = words->rows[i];
    words->count = kept;
}

static void add(struct words *words, const int32_t *more, size_t count)
{
    words->rows =
        dts_grow(words->rows, &words->room, words->count + count + 1, sizeof(*words->rows));
    if (count > 0)
        memcpy(words->rows + words->count, more, count * sizeof(*more));
    words->count += count;
}

/* What the samples in the network look up. */
static void add_looked_up(const struct dts_live_kernels *k, const struct dts_live_table *table,
                          struct words *words)
{
    size_t count;
    const int32_t *tokens = dts_network_words(k->network, table->layer, &count);
    add(words, NULL, 0);
    for (size_t i = 0; i < count; i++) {
        const int32_t row = (int32_t)((uint32_t)tokens[i] % (uint32_t)table->rows);
        add(words, &row, 1);
    }
}

/* The rows of a step, table by table: how many, and these. */
static void add_step(struct dts_live_kernels *k, long step, struct words *all)
{
    const struct dts_live_served *s = k->served;
    struct words *words = dts_alloc((size_t)s->table_count, sizeof(*words));
    for (int m = 0; m < k->point->microbatches; m++) {
        dts_live_samples(k, k->network, k->parts->seat.replica, step, m);
        for (int t = 0; t < s->table_count; t++)
            add_looked_up(k, &s->tables[t], &words[t]);
    }
    for (int t = 0; t < s->table_count; t++) {
        sort(&words[t]);
        const int32_t count = (int32_t)words[t].count;
        add(all, &count, 1);
        add(all, words[t].rows, words[t].count);
        free(words[t].rows);
    }
    free(words);
}

/* Those of all workers, on all ranks. */
static void exchange(struct dts_live_kernels *k, const struct words *mine)
{
    struct dts_live_served *s = k->served;
    const int ranks = k->rank.job->ranks;
    const double own = (double)mine->count;
    double *counts = dts_alloc((size_t)ranks, sizeof(*counts));
    size_t count = 0;
    dts_wire_gather(k->wire, &own, 1, counts);
    for (int r = 0; r < ranks; r++)
        count += (size_t)counts[r];
    dts_wire_share(k->wire, &count, sizeof(count));
    s->asked = dts_alloc(count + 1, sizeof(*s->asked));
    dts_wire_collect(k->wire, mine->rows, mine->count * sizeof(*mine->rows), s->asked);
    dts_wire_share(k->wire, s->asked, count * sizeof(*s->asked));
    free(counts);
}

void dts_live_asked_collect(struct dts_live_kernels *k, long steps)
{
    struct dts_live_served *s = k->served;
    struct words mine = {0};
    if (s == NULL)
        return;
    for (long step = 1; step <= steps && k->network != NULL; step++)
        add_step(k, k->first_step + step, &mine);
    free(s->asked);
    free(s->begin);
    exchange(k, &mine);
    free(mine.rows);
    s->steps = (int)steps;
    const size_t lists = (size_t)k->point->devices * (size_t)steps * (size_t)s->table_count;
    s->begin = dts_alloc(lists + 1, sizeof(*s->begin));
    for (size_t i = 0; i < lists; i++)
        s->begin[i + 1] = s->begin[i] + 1 + (size_t)s->asked[s->begin[i]];
}

size_t dts_live_asked_rows(const struct dts_live_served *s,
                           const struct dts_live_rows_part *part, int worker, int step,
                           int32_t **rows)
{
    struct words words = {0};
    const size_t table = (size_t)(part->table - s->tables);
    add(&words, NULL, 0);
    for (int w = worker; w < worker + s->together; w++) {
        const size_t list =
            ((size_t)w * (size_t)s->steps + (size_t)step) * (size_t)s->table_count + table;
        const int32_t *of = s->asked + s->begin[list];
        for (int32_t i = 1; i <= of[0]; i++)
            if ((size_t)of[i] >= part->first && (size_t)of[i] < part->first + part->count)
                add(&words, &of[i], 1);
    }
    if (s->together > 1)
        sort(&words);
    *rows = words.rows;
    return words.count;
}
