/* build.h -- a point of a scenario becomes plans, one for each role.
 *
 * What all strategies share: the compute operations of a worker's step (input, forward,
 * backward in opposite order, update), and the cut of the gradients into buckets.
 */
#ifndef DTS_TRAIN_BUILD_H
#define DTS_TRAIN_BUILD_H

#include "train/strategy.h"

/* Gradient tensors that travel together. Buckets are numbered in the order in which backward
 * finishes them: the last layers first. */
struct dts_bucket {
    size_t elements;
    int ready_after; // layer whose backward finishes the bucket
    int first_layer; // the earliest layer (in forward order) that has a weight in it
    int tensors;
};

/* Cut the model's gradients; policy->bytes 0: a bucket for each tensor. *buckets is allocated.
 */
int dts_buckets(const struct dts_model *model, const struct dts_bucket_policy *policy,
                size_t element_bytes, struct dts_bucket **buckets);

/* Adds read, overhead, forward and backward of all microbatches. ready[b] becomes the
 * operation that finishes bucket b; forward[l] the first forward call of layer l, in the first
 * microbatch. Both are the caller's, of bucket_count and layer_count entries. */
struct dts_compute_ops {
    int *ready, *forward;
    int last; // the last backward operation
};

void dts_build_compute(const struct dts_point *point, struct dts_plan *plan,
                       const struct dts_bucket *buckets, int bucket_count,
                       struct dts_compute_ops *ops);

/* The point's job, checked. Refuses a batch that cannot be divided, more devices than the
 * platform has, and what does not fit into the memory of a device, with how much is missing. */
bool dts_build(const struct dts_point *point, struct dts_job *job, struct dts_error *err);

/* Fill the point's batch from the scenario: batch_per_device, or batch_global / devices /
 * accumulate; refuses what cannot be divided. */
bool dts_point_batch(struct dts_point *point, struct dts_error *err);

#endif
