/* words.h -- the rows of tables that the samples of a step name: known without computing, since
 * the order of samples is (train/network/order.h).
 */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_WORDS_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_WORDS_H

#include "train/live/kernels/rank.h"

/* Begins as zeros, and is used again and again. */
struct dts_live_words {
    int32_t *rows; // owned; ascending, each once
    size_t count, room;
};

/* Those of the workers first .. first + count - 1, of each layer whose rows ranks exchange: by
 * layer of the model. Their samples pass through the network's input. */
void dts_live_words_of(struct dts_live_kernels *kernels, int first, int count, long step,
                       struct dts_live_words *by_layer);

/* Behind those that are there; and sorted. */
void dts_live_words_add(struct dts_live_words *words, const int32_t *more, size_t count);
void dts_live_words_sort(struct dts_live_words *words);

/* How many are of the rows first .. end - 1. */
size_t dts_live_words_among(const struct dts_live_words *words, size_t first, size_t end);

void dts_live_words_free(struct dts_live_words *by_layer, int layers);

#endif
