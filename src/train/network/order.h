/* order.h -- which samples a step of training has, by counting alone: any step can be asked
 * for, by any rank, without what came before.
 *
 * An epoch is as many whole steps as the samples make; those that are left over are others in
 * each epoch. Within it samples come in an order that seed and epoch decide. Steps take them
 * from there one behind the other, so do the microbatches of a step, and so do the ranks of a
 * microbatch: n ranks together have in each step, and in each microbatch, the samples that one
 * rank with the same global batch has.
 */
#ifndef DTS_TRAIN_NETWORK_ORDER_H
#define DTS_TRAIN_NETWORK_ORDER_H

#include <stdint.h>

/* Place `place` of an order of 0 .. count - 1 that (seed, epoch) decides: one to one. Place and
 * result are below count. */
uint64_t dts_order_shuffled(uint64_t seed, uint64_t epoch, uint64_t count, uint64_t place);

struct dts_order {
    uint64_t seed, samples;
    uint64_t step_samples; // of all ranks together; 1 .. samples
};

/* Sample number of position `position`, counted over all steps since the first. */
uint64_t dts_order_sample(const struct dts_order *order, uint64_t position);

uint64_t dts_order_epoch_steps(const struct dts_order *order);

#endif
