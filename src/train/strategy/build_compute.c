/* build_compute.c -- what a worker computes in a step, whatever the strategy.
 *
 *     input     read
 *     compute        take | feed | overhead | fwd 0 .. fwd n | bwd n .. bwd 0 | once more for
 *                                                              each microbatch
 *
 * The samples of a step are read at once, while the step before computes: a read begins when
 * the step before has taken its samples, so at most one batch lies ready. What the host does
 * with them while no kernel runs (input.h) is a call on the stream of the kernels, `feed`. It
 * and the fixed time of the framework (stack.h) are paid once a step, not once a microbatch.
 *
 * Where the stack says what it takes the host to issue a call, the host does so one call after
 * another, on a stream of its own, and runs ahead of the device, also into the next step. Call
 * i runs at max(end of call i - 1, call i is issued), and a step takes at least the host's
 * time:
 *
 *     host      | fwd 0 | fwd 1 | bwd 1 | bwd 0 |
 *     compute           | fwd 0 | fwd 1 | bwd 1 | bwd 0
 */
#include "train/strategy/build_layers.h"
#include "train/strategy/input.h"

int dts_build_call_count(const struct dts_point *point)
{
    return point->scenario->stack.dispatch_call_s > 0 ? 2 : 1;
}

int dts_build_call(const struct dts_point *point, struct dts_plan *plan, const char *label,
                   struct dts_call call)
{
    // a call of several layers is as many kernels
    const double issue_s = point->scenario->stack.dispatch_call_s * (1 + call.more);
    if (issue_s <= 0)
        return dts_plan_call(plan, DTS_COMPUTE, label, call);
    const int issued =
        dts_plan_call(plan, DTS_HOST, label,
                      (struct dts_call){.pass = DTS_DISPATCH, .layer = -1, .seconds = issue_s});
    const int op = dts_plan_call(plan, DTS_COMPUTE, label, call);
    dts_plan_after(plan, issued);
    return op;
}

int dts_build_compute_count(const struct dts_point *point)
{
    const struct dts_input input = dts_point_input(point);
    int layers = dts_layer_ops_count(point) * point->microbatches;
    return layers + (point->seconds->fixed > 0) + 2 * (input.ahead_s > 0) + (input.here_s > 0);
}

/* The samples of a step are there when it takes them, in no time; the next ones may be read
 * from then on. */
static void add_read(struct dts_plan *plan, double read_s)
{
    const int read =
        dts_plan_call(plan, DTS_INPUT, "read",
                      (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = read_s});
    dts_plan_after_previous(plan, read + 1);
    dts_plan_call(plan, DTS_COMPUTE, "take", (struct dts_call){.pass = DTS_READ, .layer = -1});
    dts_plan_after(plan, read);
}

void dts_build_start(const struct dts_point *point, struct dts_plan *plan, double share)
{
    const struct dts_input input = dts_point_input(point);
    if (share * input.ahead_s > 0)
        add_read(plan, share * input.ahead_s);
    if (share * input.here_s > 0)
        dts_plan_call(
            plan, DTS_COMPUTE, "feed",
            (struct dts_call){.pass = DTS_READ, .layer = -1, .seconds = share * input.here_s});
    if (point->seconds->fixed > 0)
        dts_plan_call(plan, DTS_COMPUTE, "overhead",
                      (struct dts_call){
                          .pass = DTS_OVERHEAD,
                          .layer = -1,
                          .seconds = point->seconds->fixed,
                      });
}

/* Forward of a microbatch; the calls of the first one wait for weights. */
static void add_forward(const struct dts_layer_ops *layers, int microbatch,
                        const struct dts_bucket *buckets, int bucket_count,
                        const struct dts_compute_ops *ops)
{
    for (int l = 0; l < layers->point->scenario->model.layer_count; l++) {
        dts_layer_ops_first(layers, DTS_FORWARD, l, microbatch);
        for (int b = 0; microbatch == 0 && ops->arrival != NULL && b < bucket_count; b++)
            if (buckets[b].first_layer == l && ops->arrival[b] >= 0)
                dts_plan_after_previous(layers->plan, ops->arrival[b]);
        dts_layer_ops_rest(layers, DTS_FORWARD, l, microbatch);
    }
}

static void add_backward(const struct dts_layer_ops *layers, int microbatch,
                         const struct dts_bucket *buckets, int bucket_count,
                         struct dts_compute_ops *ops)
{
    bool last = microbatch == layers->point->microbatches - 1;
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
    struct dts_layer_ops layers = {
        .point = point, .plan = plan, .statistics = ops->statistics, .rows = ops->rows};
    dts_layer_ops_begin(&layers);
    dts_build_start(point, plan, 1);
    for (int m = 0; m < point->microbatches; m++) {
        add_forward(&layers, m, buckets, bucket_count, ops);
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
        elements += buckets[b].table < 0 ? buckets[b].elements : 0;
    return dts_plan_buffer(plan, elements, dts_point_wire_bytes(point));
}

struct dts_span dts_bucket_span(const struct dts_bucket *buckets, int bucket, int buffer)
{
    struct dts_span span = {.buffer = buffer, .count = buckets[bucket].elements};
    for (int b = 0; b < bucket; b++)
        if ((buckets[b].table < 0) == (buckets[bucket].table < 0))
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
