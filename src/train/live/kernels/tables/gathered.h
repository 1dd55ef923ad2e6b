/* gathered.h -- the message of a rank in an all-gather of rows. */
#ifndef DTS_TRAIN_LIVE_KERNELS_TABLES_GATHERED_H
#define DTS_TRAIN_LIVE_KERNELS_TABLES_GATHERED_H

#include "train/live/kernels/rank.h"
#include "train/live/kernels/tables/message.h"

/* Floats of a message. */
size_t dts_live_gathered_room(const struct dts_collective *collective);

/* This rank's message: the rows of the list that are numbered first .. end - 1. */
void dts_live_gathered_give(const struct dts_live_kernels *kernels,
                            const struct dts_collective *collective,
                            const struct dts_live_row *row, const struct dts_sparse *list,
                            size_t first, size_t end);

/* The sum of the lists of all, in the order of the ranks; to be freed. */
struct dts_sparse dts_live_gathered_sum(const struct dts_live_kernels *kernels,
                                        const struct dts_collective *collective,
                                        const struct dts_live_row *row);

#endif
