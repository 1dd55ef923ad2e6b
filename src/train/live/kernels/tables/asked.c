/* asked.c -- the words of samples to come. */
#include "train/live/kernels/tables/asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/tables/words.h"

/* The rows of a step, table by table: how many, and these. */
static void add_step(struct dts_live_kernels *k, long step, struct dts_live_words *by_layer,
                     struct dts_live_words *all)
{
    dts_live_words_of(k, k->parts->seat.replica, 1, step, by_layer);
    for (int t = 0; t < k->served->table_count; t++) {
        const struct dts_live_words *words = &by_layer[k->served->tables[t].layer];
        const int32_t count = (int32_t)words->count;
        dts_live_words_add(all, &count, 1);
        dts_live_words_add(all, words->rows, words->count);
    }
}

/* Those of all workers, on all ranks. */
static void exchange(struct dts_live_kernels *k, const struct dts_live_words *mine)
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
    struct dts_live_words mine = {0};
    const int layers = k->point->scenario->model.layer_count;
    if (s == NULL)
        return;
    struct dts_live_words *by_layer = dts_alloc((size_t)layers, sizeof(*by_layer));
    for (long step = 1; step <= steps && k->network != NULL; step++)
        add_step(k, k->first_step + step, by_layer, &mine);
    dts_live_words_free(by_layer, layers);
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
    struct dts_live_words words = {0};
    const size_t table = (size_t)(part->table - s->tables);
    for (int w = worker; w < worker + s->together; w++) {
        const size_t list =
            ((size_t)w * (size_t)s->steps + (size_t)step) * (size_t)s->table_count + table;
        const int32_t *of = s->asked + s->begin[list];
        for (int32_t i = 1; i <= of[0]; i++)
            if ((size_t)of[i] >= part->first && (size_t)of[i] < part->first + part->count)
                dts_live_words_add(&words, &of[i], 1);
    }
    if (s->together > 1)
        dts_live_words_sort(&words);
    *rows = words.rows;
    return words.count;
}
