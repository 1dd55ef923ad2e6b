/* made_task.h -- data that is made, not downloaded: for networks without a data set at hand.
 *
 * Sample s is a function of (seed, s) alone, whoever makes it. Classes can be learned: an input
 * is noise plus a pattern of its class (images), or a sequence in which the next token follows
 * from the last (tokens), so a network that learns makes the loss fall.
 *
 * What is drawn is drawn once, before the first sample, so that filling a batch costs little
 * more than copying it: a step that is timed contains it.
 */
#ifndef DTS_TRAIN_NETWORK_DATA_MADE_TASK_H
#define DTS_TRAIN_NETWORK_DATA_MADE_TASK_H

#include "train/network/network.h"

struct dts_made_task;

struct dts_made_task *dts_made_task_new(const struct dts_model *model, uint64_t seed);
void dts_made_task_free(struct dts_made_task *task); // NULL: nothing

/* Input and targets of the network, which has the task's model, become the samples
 * base + numbers[0], .. base + numbers[batch - 1]. */
void dts_made_task_fill(const struct dts_made_task *task, struct dts_network *network,
                        uint64_t base, const uint64_t *numbers, int batch);

#endif
