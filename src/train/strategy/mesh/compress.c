/* compress.c -- gradients that travel between replicas as compressed messages
 * (kernels/compress/compress.h), with error feedback: what a message leaves out is kept, 4
 * bytes a parameter.
 *
 *     data   compress 0 | all-reduce 0 | add 0 | compress 1 | ...
 *
 * Messages of 16 bits are summed as they are. Chosen values of two ranks lie at other places:
 * all ranks gather all messages, and each adds them. Kernels of messages run beside those of
 * the network, on the stream of the gradients; what they take from those is left out.
 */
#include <stdio.h>
#include <string.h>

#include "train/strategy/mesh/stage_private.h"

bool dts_mesh_read_compression(struct dts_mesh *mesh, const struct dts_cfg *at,
                               struct dts_error *err)
{
    mesh->compression = mesh->compression_word != NULL
                            ? dts_compression_cost_find(mesh->compression_word)
                            : NULL;
    const bool selects = mesh->compression != NULL && mesh->compression->selects;
    const struct dts_cfg share = dts_cfg_member(at, "compression_share");
    if (dts_cfg_exists(&share) && !selects)
        return dts_cfg_fail(at, "compression_share", err, "has no effect without top_k");
    if (!dts_cfg_exists(&share))
        mesh->compression_share = 0.01; // Aji and Heafield 2017, arXiv:1704.05021: 99 % stay
    if (mesh->compression == NULL || mesh->sharded == DTS_SHARDED_NOTHING)
        return true;
    if (mesh->sharded == DTS_SHARDED_OPTIMIZER)
        return !selects ||
               dts_cfg_fail(at, "compression", err,
                            "must be bf16 or fp16 with a sharded optimizer: messages "
                            "of chosen values cannot be summed on their way");
    return dts_cfg_fail(at, "compression", err,
                        "is not there with sharded gradients, which are summed in each "
                        "microbatch");
}

bool dts_mesh_check_compression(const struct dts_point *point,
                                const struct dts_mesh_shape *shape, struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const char *why = NULL;
    if (mesh->compression == NULL)
        return true;
    if (dts_mesh_replicas(shape) * shape->size[DTS_AXIS_CONTEXT] == 1)
        why = "with one replica";
    else if (!mesh->compression->selects && dts_point_wire_bytes(point) <= 2)
        why = "where gradients travel in 16 bits anyway";
    return why == NULL || dts_point_fail(point, err, "%s: compression: has no effect %s",
                                         point->strategy->name, why);
}

/* Elements of the wire's buffer that a message about so many gradients has. */
static size_t message_count(const struct dts_stage_work *w, size_t count)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    return mesh->compression->bytes(count, mesh->compression_share) /
           w->stage->plan->buffers[w->wire].element_bytes;
}

void dts_stage_wire(struct dts_stage_work *w)
{
    const struct dts_compression_cost *compression = w->stage->mesh->compression;
    struct dts_plan *plan = w->stage->plan;
    w->wire = plan->buffer_count;
    if (compression == NULL)
        return;
    dts_plan_buffer(plan, w->parameters, compression->selects ? sizeof(float) : 2);
    if (compression->selects) // of all copies of a part of the gradients
        plan->buffers[w->wire].count =
            message_count(w, w->parameters) * (size_t)(dts_mesh_replicas(w->stage->shape) *
                                                       w->stage->shape->size[DTS_AXIS_CONTEXT] *
                                                       w->stage->shape->size[DTS_AXIS_SPATIAL]);
}

static struct dts_span messages_of(const struct dts_stage_work *w, struct dts_span span,
                                   int ranks)
{
    if (!w->stage->mesh->compression->selects)
        return (struct dts_span){w->wire, span.first, span.count};
    return (struct dts_span){w->wire, 0, (size_t)ranks * message_count(w, span.count)};
}

static double seconds_of(const struct dts_stage_work *w, double flops, double bytes)
{
    const struct dts_point *point = w->stage->point;
    const struct dts_work work = {.class = DTS_WORK_MEMORY, .flops = flops, .bytes = bytes};
    return dts_device_seconds(point->device, dts_precision_beside(point->scenario->precision),
                              &work);
}

static int add(struct dts_stage_work *w, const char *word, int number, double seconds,
               int after)
{
    char label[32];
    snprintf(label, sizeof(label), "%s %d", word, number);
    const int op =
        dts_plan_call(w->stage->plan, DTS_DATA, label,
                      (struct dts_call){.pass = DTS_COMPRESS, .layer = -1, .seconds = seconds});
    dts_plan_after(w->stage->plan, after);
    return op;
}

static int compress(struct dts_stage_work *w, int number, size_t count, int after)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const struct dts_compress_cost cost =
        mesh->compression->cost(count, mesh->compression_share);
    return add(w, "compress", number, seconds_of(w, cost.flops, cost.bytes), after);
}

static int add_messages(struct dts_stage_work *w, int number, size_t count, int messages,
                        int after)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const struct dts_compress_cost cost =
        mesh->compression->cost(count, mesh->compression_share);
    return add(w, "add", number, messages * seconds_of(w, cost.add_flops, cost.add_bytes),
               after);
}

/* Of messages that cannot be summed all ranks get all, else their sum. */
int dts_stage_sum_messages(struct dts_stage_work *w, int number, struct dts_span span,
                           int after)
{
    const struct dts_mesh *mesh = w->stage->mesh;
    const enum dts_mesh_among copies = dts_stage_copies_of(w, &span);
    const bool selects = mesh->compression->selects;
    const int ranks = dts_stage_group_size(w, copies),
              shards = dts_stage_group_size(w, dts_stage_shards_of(w, &span));
    const struct dts_span messages = messages_of(w, span, ranks);
    int op = compress(w, number, span.count, after);
    if (selects) {
        char label[32];
        snprintf(label, sizeof(label), "all-gather %d", number);
        after = op;
        op = dts_stage_collect(w, DTS_DATA, copies, DTS_ALLGATHER, label, messages);
        if (!w->failed)
            dts_plan_after(w->stage->plan, after);
    } else {
        op = dts_stage_sum(w, DTS_DATA, number, messages, op);
    }
    return w->failed
               ? op
               : add_messages(w, number, span.count / (size_t)shards, selects ? ranks : 1, op);
}
