/* build_compute.c -- what a worker computes in a step, whatever the strategy.
 *
 *     input     read
 *     compute        overhead | fwd 0 .. fwd n | bwd n .. bwd 0 | once more for each microbatch
 *
 * The samples of a step are read at once, while the step before computes: a read begins when
 * the step before has begun to compute, so at most one batch lies ready. The fixed time of the
 * framework (stack.h) is paid once a step, not once a microbatch.
 */
#include "train/strategy/build_layers.h"

/* Seconds until each device has read its samples of a step; all read at once, from a shared
 * file system, through the share of their node, or both. 0: reading is not modelled. */
static double read_seconds(const struct dts_point *point)
{
    const struct dts_machine *machine = point->machine;
    double mine = (double)point->batch * point->scenario->accumulate *
                  point->scenario->dataset.sample_bytes;
    int each = machine->devices_per_node;
    int together = point->devices < each ? point->devices : each;
    double seconds = 0;
    if (machine->storage_shared_bytes_per_s > 0)
        seconds = mine * point->devices / machine->storage_shared_bytes_per_s;
    if (machine->storage_node_bytes_per_s > 0) {
        double node_s = mine * together / machine->storage_node_bytes_per_s;
        seconds = node_s > seconds ? node_s : seconds;
    }
    return seconds;
}

int dts_build_compute_count(const struct dts_point *point)
{
    int layers = dts_layer_ops_count(point) * point->scenario->accumulate;
    return layers + (point->seconds->fixed > 0) + (read_seconds(point) > 0);
}

static void add_start(const struct dts_point *point, struct dts_plan *plan)
{
    double read_s = read_seconds(point);
    int first_compute = plan->op_count + (read_s > 0);
    int read = -1;
    if (read_s > 0) {
        read =
            dts_plan_call(plan, DTS_INPUT, "read",
                          (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = read_s});
        dts_plan_after_previous(plan, first_compute);
    }
    if (point->seconds->fixed > 0) {
        dts_plan_call(plan, DTS_COMPUTE, "overhead",
                      (struct dts_call){
                          .pass = DTS_OVERHEAD,
                          .layer = -1,
                          .seconds = point->seconds->fixed,
                      });
        if (read >= 0)
            dts_plan_after(plan, read);
    }
}

/* Forward of a microbatch; the first call of the first one waits for samples, those of the
 * first one for weights. */
static void add_forward(const struct dts_layer_ops *layers, int microbatch, int read,
                        const struct dts_bucket *buckets, int bucket_count,
                        const struct dts_compute_ops *ops)
{
    for (int l = 0; l < layers->point->scenario->model.layer_count; l++) {
        dts_layer_ops_first(layers, DTS_FORWARD, l, microbatch);
        if (microbatch == 0 && l == 0 && read >= 0)
            dts_plan_after(layers->plan, read);
        for (int b = 0; microbatch == 0 && ops->arrival != NULL && b < bucket_count; b++)
            if (buckets[b].first_layer == l)
                dts_plan_after_previous(layers->plan, ops->arrival[b]);
        dts_layer_ops_rest(layers, DTS_FORWARD, l, microbatch);
    }
}

static void add_backward(const struct dts_layer_ops *layers, int microbatch,
                         const struct dts_bucket *buckets, int bucket_count,
                         struct dts_compute_ops *ops)
{
    bool last = microbatch == layers->point->scenario->accumulate - 1;
    for (int l = layers->point->scenario->model.layer_count - 1; l >= 0; l--) {
        int first = dts_layer_ops_first(layers, DTS_BACKWARD, l, microbatch);
        int rest = dts_layer_ops_rest(layers, DTS_BACKWARD, l, microbatch);
        ops->last = rest >= 0 ? rest : first;
        for (int b = 0; last && b < bucket_count; b++)
            if (buckets[b].ready_after == l)
                ops->ready[b] = ops->last;
    }
}

void dts_build_compute(const struct dts_point *point, struct dts_plan *plan,
                       const struct dts_bucket *buckets, int bucket_count,
                       struct dts_compute_ops *ops)
{
    struct dts_layer_ops layers = {.point = point, .plan = plan, .statistics = ops->statistics};
    bool read_first = read_seconds(point) > 0 && !(point->seconds->fixed > 0);
    int read = read_first ? plan->op_count : -1;

    dts_layer_ops_begin(&layers);
    add_start(point, plan);
    for (int m = 0; m < point->scenario->accumulate; m++) {
        add_forward(&layers, m, read, buckets, bucket_count, ops);
        add_backward(&layers, m, buckets, bucket_count, ops);
    }
    dts_layer_ops_end(&layers);
}

size_t dts_point_wire_bytes(const struct dts_point *point)
{
    const size_t bytes = dts_precision_bytes(point->scenario->precision);
    return point->scenario->stack.wire_fp32 && bytes < sizeof(float) ? sizeof(float) : bytes;
}

int dts_build_buffer(const struct dts_point *point, struct dts_plan *plan,
                     const struct dts_bucket *buckets, int bucket_count)
{
    size_t elements = 0;
    for (int b = 0; b < bucket_count; b++)
        elements += buckets[b].elements;
    return dts_plan_buffer(plan, elements, dts_point_wire_bytes(point));
}

struct dts_span dts_bucket_span(const struct dts_bucket *buckets, int bucket, int buffer)
{
    struct dts_span span = {.buffer = buffer, .count = buckets[bucket].elements};
    for (int b = 0; b < bucket; b++)
        span.first += buckets[b].elements;
    return span;
}

int dts_build_delay(struct dts_plan *plan, enum dts_stream stream,
                    const struct dts_bucket *bucket, int ready)
{
    if (bucket->delay_s <= 0)
        return ready;
    int delay = dts_plan_call(
        plan, stream, "cycle",
        (struct dts_call){.pass = DTS_OVERHEAD, .layer = -1, .seconds = bucket->delay_s});
    dts_plan_after(plan, ready);
    return delay;
}
