/* words.c -- tokens of samples, as rows. */
#include "train/live/kernels/tables/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/live/kernels/samples.h"

static int compare(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

void dts_live_words_sort(struct dts_live_words *words)
{
    size_t kept = 0;
    if (words->count > 0)
        qsort(words->rows, words->count, sizeof(*words->rows), compare);
    for (size_t i = 0; i < words->count; i++)
        if (i == 0 || words->rows[i] != words->rows[i - 1])
            words->rows[kept++] = words->rows[i];
    words->count = kept;
}

void dts_live_words_add(struct dts_live_words *words, const int32_t *more, size_t count)
{
    if (count == 0)
        return;
    words->rows =
        dts_grow(words->rows, &words->room, words->count + count, sizeof(*words->rows));
    memcpy(words->rows + words->count, more, count * sizeof(*more));
    words->count += count;
}

/* What the samples in the network look up. */
static void add_looked_up(const struct dts_live_kernels *k, int layer,
                          struct dts_live_words *words)
{
    const uint32_t rows = (uint32_t)dts_table_height(&k->point->scenario->model.layers[layer]);
    const size_t first = words->count;
    size_t count;
    const int32_t *tokens = dts_network_words(k->network, layer, &count);
    dts_live_words_add(words, tokens, count);
    for (size_t i = first; i < words->count; i++)
        words->rows[i] = (int32_t)((uint32_t)words->rows[i] % rows);
}

void dts_live_words_of(struct dts_live_kernels *k, int first, int count, long step,
                       struct dts_live_words *by_layer)
{
    const int layers = k->point->scenario->model.layer_count;
    for (int l = 0; l < layers; l++)
        by_layer[l].count = 0;
    for (int r = first; r < first + count; r++)
        for (int m = 0; m < k->point->microbatches; m++) {
            dts_live_samples(k, k->network, r, step, m);
            for (int l = 0; l < layers; l++)
                if (dts_live_listed(k, l))
                    add_looked_up(k, l, &by_layer[l]);
        }
    for (int l = 0; l < layers; l++)
        dts_live_words_sort(&by_layer[l]);
}

size_t dts_live_words_among(const struct dts_live_words *words, size_t first, size_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++)
        count += (size_t)words->rows[i] >= first && (size_t)words->rows[i] < end;
    return count;
}

void dts_live_words_free(struct dts_live_words *by_layer, int layers)
{
    for (int l = 0; l < layers; l++)
        free(by_layer[l].rows);
    free(by_layer);
}
