/* axes.c -- a mesh in words: where each axis runs, and what a rank sends along it in a step. */
#include "base/text.h"
#include "plan/run.h"
#include "train/strategy/mesh/mesh.h"

/* Of one role; of a collective what an algorithm sends that moves no more than it must. */
static double sent_bytes(const struct dts_role *role, const struct dts_op *op)
{
    if (op->kind == DTS_OP_CALL)
        return 0;
    const struct dts_buffer *buffers = role->plan.buffers;
    if (op->kind == DTS_OP_EXCHANGE)
        return op->exchange.send ? (double)op->exchange.data.count *
                                       (double)buffers[op->exchange.data.buffer].element_bytes
                                 : 0;
    const struct dts_collective *c = &op->collective;
    return (double)c->data.count * (double)buffers[c->data.buffer].element_bytes *
           dts_coll_bus_factor(c->shape.kind, c->shape.size);
}

static enum dts_axis axis_of(const struct dts_mesh_shape *shape, const struct dts_op *op)
{
    if (op->kind == DTS_OP_EXCHANGE)
        return DTS_AXIS_PIPELINE;
    if (op->stream == DTS_COMPUTE)
        return DTS_AXIS_TENSOR;
    const bool shard = op->collective.group.stride == shape->size[DTS_AXIS_TENSOR] &&
                       shape->size[DTS_AXIS_SHARD] > 1;
    return shard ? DTS_AXIS_SHARD : DTS_AXIS_DATA;
}

static void count(const struct dts_job *job, const struct dts_mesh_shape *shape,
                  double bytes[DTS_AXES])
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind != DTS_OP_CALL)
                bytes[axis_of(shape, op)] +=
                    sent_bytes(&job->roles[r], op) * job->roles[r].count / job->ranks;
        }
}

void dts_mesh_describe(const struct dts_point *point, const struct dts_job *job,
                       struct dts_text *text)
{
    struct dts_mesh_shape shape;
    struct dts_error ignored = {0}; // building has asked before
    double bytes[DTS_AXES] = {0};
    if (!dts_mesh_shape_find(point, &shape, &ignored))
        return;
    count(job, &shape, bytes);
    const int each = point->machine->devices_per_node;
    for (int axis = 0; axis < DTS_AXES; axis++) {
        const int size = shape.size[axis], stride = shape.stride[axis];
        if (size == 1)
            continue;
        const char *where = stride * size <= each ? "in a node"
                            : stride >= each      ? "between nodes"
                                                  : "in and between nodes";
        dts_text_add(text, "%-8s %5d ranks, stride %4d, %s: a rank sends %.4g MB in a step\n",
                     dts_axis_name(axis), size, stride, where, bytes[axis] / 1e6);
    }
}
