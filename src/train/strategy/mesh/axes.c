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

/* Lines: the axes, and experts behind them. */
enum { EXPERTS = DTS_AXES, LINES };

/* Gradients are summed over spatial, context, shard and data in one go, or in two. That counts
 * where replicas are, or else where positions are divided. */
static int line_of(const struct dts_mesh_shape *shape, const struct dts_op *op)
{
    if (op->kind == DTS_OP_EXCHANGE)
        return DTS_AXIS_PIPELINE;
    if (op->stream == DTS_COMPUTE)
        return DTS_AXIS_TENSOR;
    if (op->stream == DTS_EXPERT)
        return EXPERTS;
    if (op->stream == DTS_SPATIAL)
        return DTS_AXIS_SPATIAL;
    if (op->stream == DTS_CONTEXT || dts_mesh_replicas(shape) == 1)
        return shape->size[DTS_AXIS_CONTEXT] > 1 ? DTS_AXIS_CONTEXT : DTS_AXIS_SPATIAL;
    const bool scatters = op->collective.shape.kind != DTS_ALLREDUCE;
    const int first = scatters ? DTS_AXIS_SHARD : DTS_AXIS_DATA;
    return shape->size[first] > 1 ? first : DTS_AXIS_SHARD + DTS_AXIS_DATA - first;
}

static void count(const struct dts_job *job, const struct dts_mesh_shape *shape,
                  double bytes[LINES])
{
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind != DTS_OP_CALL)
                bytes[line_of(shape, op)] += sent_bytes(&job->roles[r], op) *
                                             dts_when_share(&op->when) * job->roles[r].count /
                                             job->ranks;
        }
}

static void add_line(const struct dts_point *point, const char *name, int size, int stride,
                     double bytes, struct dts_text *text)
{
    const int each = point->machine->devices_per_node;
    const char *where = stride * size <= each ? "in a node"
                        : stride >= each      ? "between nodes"
                                              : "in and between nodes";
    dts_text_add(text, "%-8s %5d ranks, stride %4d, %s: a rank sends %.4g MB in a step\n", name,
                 size, stride, where, bytes / 1e6);
}

/* How strips lie, and where they end. */
static void add_strips(const struct dts_point *point, struct dts_text *text)
{
    const struct dts_model *m = &point->scenario->model;
    struct dts_mesh_division d;
    struct dts_error ignored = {0};
    bool first = true;
    if (!dts_mesh_divide(point, &d, &ignored))
        return;
    for (int a = 0; a < DTS_OP_AXES; a++) {
        if (d.cut.grid[a] == 1)
            continue;
        dts_text_add(text, "%s%d parts of the %s", first ? "         " : " x ", d.cut.grid[a],
                     dts_cut_axis_name(&m->input, a));
        first = false;
    }
    dts_text_add(text, ", up to %s\n",
                 d.cut.whole_from < 0 ? "the end" : m->layers[d.cut.whole_from].name);
    dts_mesh_division_free(&d);
}

void dts_mesh_describe(const struct dts_point *point, const struct dts_job *job,
                       struct dts_text *text)
{
    struct dts_mesh_shape shape;
    struct dts_error ignored = {0}; // building has asked before
    double bytes[LINES] = {0};
    if (!dts_mesh_shape_find(point, &shape, &ignored))
        return;
    count(job, &shape, bytes);
    for (int axis = 0; axis < DTS_AXES; axis++) {
        if (shape.size[axis] > 1)
            add_line(point, dts_axis_name(axis), shape.size[axis], shape.stride[axis],
                     bytes[axis], text);
        if (shape.size[axis] > 1 && axis == DTS_AXIS_SPATIAL)
            add_strips(point, text);
    }
    const struct dts_group experts = dts_mesh_group(&shape, DTS_AMONG_EXPERT);
    if (experts.size > 1)
        add_line(point, "expert", experts.size, dts_mesh_device(&shape, experts.stride),
                 bytes[EXPERTS], text);
}
