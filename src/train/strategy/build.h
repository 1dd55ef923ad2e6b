/* build.h -- a point of a scenario becomes plans, one for each role.
 *
 * What all strategies share: the compute operations of a worker's step (input, forward,
 * backward in opposite order, update), and the cut of the gradients into buckets.
 */
#ifndef DTS_TRAIN_STRATEGY_BUILD_H
#define DTS_TRAIN_STRATEGY_BUILD_H

#include <stdint.h>

#include "train/scenario/scenario.h"
#include "train/strategy/strategy.h"

/* Gradient tensors that travel together. Buckets are numbered in the order in which backward
 * finishes them: the last layers first. */
struct dts_bucket {
    size_t elements;
    int ready_after; // the exchange waits for the backward call of this layer
    int first_layer; // the earliest layer (in forward order) that has a weight in the bucket
    int tensors;     // in the bucket, as a whole or in part
    int table;       // the layer of whose sparse table these are rows; -1: whole tensors
    double delay_s;  // the exchange waits so long after that backward call (policy->cycle_s)
};

/* Cuts the model's gradients into buckets; policy->bytes 0: a bucket for each tensor.
 * backward_s: seconds of each layer's backward call, for policy->cycle_s, which is ignored
 * where backward_s is NULL. The caller frees *buckets. */
int dts_buckets(const struct dts_model *model, const struct dts_bucket_policy *policy,
                size_t element_bytes, const double *backward_s, struct dts_bucket **buckets);

/* The same with layers whose tables travel as rows: apart[l] elements are a bucket of their
 * own; 0: the layer has none; DTS_NO_BUCKET: its table is in no bucket. */
#define DTS_NO_BUCKET SIZE_MAX
int dts_buckets_apart(const struct dts_model *model, const struct dts_bucket_policy *policy,
                      size_t element_bytes, const double *backward_s, const size_t *apart,
                      struct dts_bucket **buckets);

/* A gradient tensor, and the layer whose backward call finishes it. */
struct dts_gradient {
    size_t elements;
    int layer;
};

/* The same of a list of gradients, in the order in which backward finishes them; the cycle of
 * the policy is left out. */
int dts_buckets_of(const struct dts_gradient *gradients, int gradient_count,
                   const struct dts_bucket_policy *policy, size_t element_bytes,
                   struct dts_bucket **buckets);

/* Cuts buckets of more than `most` elements into equal parts, which travel one after another.
 * Replaces *buckets; returns how many there are now. */
int dts_buckets_cut(struct dts_bucket **buckets, int count, size_t most);

/* The policy of a strategy: the stack's, changed by its keys "bucket_bytes" and
 * "first_bucket_bytes" where they are given. */
struct dts_bucket_policy dts_bucket_policy_of(const struct dts_cfg *at,
                                              const struct dts_stack *stack, double bytes,
                                              double first_bytes);

/* The compute operations of a worker, filled by dts_build_compute(). */
struct dts_compute_ops {
    int *ready; // of each bucket: the operation that finishes it; the caller's array

    /* Of each bucket: the operation of the previous step that brings the weights for the first
     * forward call of its layers, -1: none does. NULL: no call waits for weights. */
    const int *arrival;

    int last; // the last backward operation

    /* Adds up the sums of a layer over all workers; the second half of the layer's call waits
     * for it. dts_build_compute() sets its data. NULL: each worker uses its own samples. */
    const struct dts_collective *statistics;

    /* Brings to each worker the rows of its samples out of divided tables, and takes their
     * gradients back; dts_build_compute() sets its data. NULL: each has whole tables. */
    const struct dts_collective *rows;
};

/* Do the plans of workers have calls in halves? */
bool dts_build_synchronizes(const struct dts_point *point);

/* Adds read, overhead, forward and backward of all microbatches, and buffers for sums where
 * calls have halves and for rows of divided tables. The last microbatch finishes the gradients.
 */
void dts_build_compute(const struct dts_point *point, struct dts_plan *plan,
                       const struct dts_bucket *buckets, int bucket_count,
                       struct dts_compute_ops *ops);

/* What comes before the first forward call of a step: samples, of which the worker reads a
 * share (0: none), and the fixed time of the framework. */
void dts_build_start(const struct dts_point *point, struct dts_plan *plan, double share);

/* Adds a call to the stream of the kernels; where the stack says what it costs the host to
 * issue one, also that, on the host's own stream, and the call waits for it. Returns the call.
 */
int dts_build_call(const struct dts_point *point, struct dts_plan *plan, const char *label,
                   struct dts_call call);

/* How many operations dts_build_call() adds. */
int dts_build_call_count(const struct dts_point *point);

/* How many operations dts_build_compute() adds, where no table is divided. */
int dts_build_compute_count(const struct dts_point *point);

/* The first two buffers of a plan that exchanges gradients, for ranks that train. */
enum { DTS_GRADIENTS, DTS_WEIGHTS };

/* Bytes of a gradient's value, or a weight's, on the wire: as the kernels compute, or as the
 * stack says. */
size_t dts_point_wire_bytes(const struct dts_point *point);

/* Adds a buffer with all gradients (or all weights) that travel whole, as they are on the wire.
 * dts_bucket_span() is the part of a bucket in it, or of rows in a buffer of rows. */
int dts_build_buffer(const struct dts_point *point, struct dts_plan *plan,
                     const struct dts_bucket *buckets, int bucket_count);
struct dts_span dts_bucket_span(const struct dts_bucket *buckets, int bucket, int buffer);

/* Returns the operation that an exchange of the bucket has to wait for. Adds the delay of the
 * bucket to the stream, if it has one. */
int dts_build_delay(struct dts_plan *plan, enum dts_stream stream,
                    const struct dts_bucket *bucket, int ready);

/* Builds the job of a point and checks it. Refuses a batch that cannot be divided, more devices
 * than the platform has, and a network that does not fit into the memory of a device; the error
 * says how much is missing. */
bool dts_build(const struct dts_point *point, struct dts_job *job, struct dts_error *err);

/* Fills the point's replicas, microbatches and batch from the scenario: batch_per_device, or
 * batch_global / replicas / accumulate, or batch_micro and as many microbatches as batch_global
 * needs. Refuses a batch that cannot be divided. */
bool dts_point_batch(struct dts_point *point, struct dts_error *err);
double dts_point_global_batch(const struct dts_point *point); // samples of one step

/* The samples of a step. A device exchanges nothing where it is the only one and no servers
 * update the weights. */
struct dts_samples dts_point_samples(const struct dts_point *point);

/* How many nodes the workers occupy, and how many neighbouring ranks share a node: 1 where
 * nodes differ in that, or where it is not known. */
int dts_point_nodes(const struct dts_point *point);
int dts_point_per_node(const struct dts_point *point);

/* All devices of a point, as one group. */
struct dts_members dts_point_members(const struct dts_point *point);

/* The memory of the worker that needs most; the optimizer's state may be on servers. Fails
 * where the strategy cannot divide the network. */
bool dts_point_memory(const struct dts_point *point, struct dts_memory *memory,
                      struct dts_error *err);

/* An error about this point: "scenarios/x.json: devices 8: ...". Returns false. */
bool dts_point_fail(const struct dts_point *point, struct dts_error *err, const char *format,
                    ...) __attribute__((format(printf, 3, 4)));

#endif
