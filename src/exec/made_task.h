/* made_task.h -- data that is made, not downloaded: for networks without a data set at hand.
 *
 * Sample s is a function of (seed, s) alone, whoever makes it. Classes can be learned: an input
 * is noise plus a pattern of its class (images), or a sequence in which the next token follows
 * from the last (tokens), so a network that learns makes the loss fall.
 */
#ifndef DTS_EXEC_MADE_TASK_H
#define DTS_EXEC_MADE_TASK_H

#include "exec/network.h"

/* Fill input and targets of the network with samples first .. first + batch - 1. */
void dts_made_task_fill(struct dts_network *network, const struct dts_model *model, int batch,
                        uint64_t seed, uint64_t first);

#endif
