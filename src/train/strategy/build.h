/* build.h -- a point of a scenario becomes plans, one for each role.
 *
 * What all strategies share: the compute operations of a worker's step (input, forward,
 * backward in opposite order, update), and the cut of the gradients into buckets.
 */
#ifndef DTS_TRAIN_STRATEGY_BUILD_H
#define DTS_TRAIN_STRATEGY_BUILD_H

#include "train/scenario/scenario.h"
#include "train/strategy/strategy.h"

/* Gradient tensors that travel together. Buckets are numbered in the order in which backward
 * finishes them: the last layers first. */
struct dts_bucket {
    size_t elements;
    int ready_after; // layer whose backward call the exchange waits for
    int first_layer; // the earliest layer (in forward order) that has a weight in it
    int tensors;     // that it has, or has a part of
    double delay_s;  // and so long it waits after that call (policy->cycle_s)
};

/* Cut the model's gradients; policy->bytes 0: a bucket for each tensor. backward_s: seconds of
 * each layer's backward call, needed by policy->cycle_s; may be NULL, then it is ignored.
 * *buckets is allocated; the caller frees it. */
int dts_buckets(const struct dts_model *model, const struct dts_bucket_policy *policy,
                size_t element_bytes, const double *backward_s, struct dts_bucket **buckets);

/* Cut buckets that are larger into equal parts of at most `most` elements, which travel one
 * behind the other. Replaces *buckets; returns how many there are now. */
int dts_buckets_cut(struct dts_bucket **buckets, int count, size_t most);

/* The policy of a strategy: the stack's, changed by its keys "bucket_bytes" and
 * "first_bucket_bytes" where they are given. */
struct dts_bucket_policy dts_bucket_policy_of(const struct dts_cfg *at,
                                              const struct dts_stack *stack, double bytes,
                                              double first_bytes);

/* The compute operations of a worker, filled by dts_build_compute(). */
struct dts_compute_ops {
    int *ready;         // of each bucket: the operation that finishes it; the caller's array
    const int *arrival; // of each bucket: the operation of the step before that brings the
                        // weights which the first forward call of its layers needs; or NULL
    int last;           // the last backward operation

    /* How the sums of a layer are added up over all workers, which the second half of its call
     * waits for; its data is found here. NULL: each by its own samples. */
    const struct dts_collective *statistics;
};

/* Do the plans of workers have such halves? */
bool dts_build_synchronizes(const struct dts_point *point);

/* Adds read, overhead, forward and backward of all microbatches, and a buffer for sums where
 * there are. Gradients are finished in the last microbatch. */
void dts_build_compute(const struct dts_point *point, struct dts_plan *plan,
                       const struct dts_bucket *buckets, int bucket_count,
                       struct dts_compute_ops *ops);

/* How many operations dts_build_compute() adds. */
int dts_build_compute_count(const struct dts_point *point);

/* The first buffers of a plan that exchanges gradients, made before anything else. Who trains
 * for real uses them. */
enum { DTS_GRADIENTS, DTS_WEIGHTS };

/* One buffer with all gradients (or all weights), as they are on the wire; the span of a bucket
 * in it. */
int dts_build_buffer(const struct dts_point *point, struct dts_plan *plan,
                     const struct dts_bucket *buckets, int bucket_count);
struct dts_span dts_bucket_span(const struct dts_bucket *buckets, int bucket, int buffer);

/* Where the bucket may leave: the number of the operation to wait for. Adds the delay of the
 * bucket to the stream where there is one. */
int dts_build_delay(struct dts_plan *plan, enum dts_stream stream,
                    const struct dts_bucket *bucket, int ready);

/* The point's job, checked. Refuses a batch that cannot be divided, more devices than the
 * platform has, and what does not fit into the memory of a device, with how much is missing. */
bool dts_build(const struct dts_point *point, struct dts_job *job, struct dts_error *err);

/* Fill the point's batch from the scenario: batch_per_device, or batch_global / devices /
 * accumulate; refuses what cannot be divided. */
bool dts_point_batch(struct dts_point *point, struct dts_error *err);
double dts_point_global_batch(const struct dts_point *point); // samples of one step

/* What a device computes with. Where it exchanges nothing, it is the only one, and no servers
 * update. */
struct dts_samples dts_point_samples(const struct dts_point *point);

/* Nodes that the workers occupy, and how many neighbouring ranks share one: 1 where that is not
 * the same for all, or not known. */
int dts_point_nodes(const struct dts_point *point);
int dts_point_per_node(const struct dts_point *point);

/* What a worker holds; the optimizer's state may be on servers. */
struct dts_memory dts_point_memory(const struct dts_point *point);

/* A message about this point: "scenarios/x.json: devices 8: ...". */
bool dts_point_fail(const struct dts_point *point, struct dts_error *err, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

#endif
