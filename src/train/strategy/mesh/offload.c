/* offload.c -- what the memory of the host takes of a rank's state, and what that costs.
 *
 *     compute   bwd h.1 | bwd h.0 |                                         | weights
 *     scatter             h.1 | h.0
 *     offload                  h.1 | h.0 | update on the host | weights back
 *
 * Copies go at what a device reaches while all devices of its node copy. The host reads and
 * writes what its optimizer moves at the bandwidth of its memory, of which each rank of the
 * node has a part.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"
#include "train/strategy/mesh/whole.h"

const char *dts_offload_name(int i)
{
    static const char *const words[] = {"nothing", "optimizer", "parameters", NULL};
    return words[i];
}

bool dts_stage_can_offload(const struct dts_stage *stage, struct dts_error *err)
{
    const struct dts_machine *machine = stage->point->machine;
    if (stage->mesh->offload == DTS_OFFLOAD_NOTHING ||
        (machine->host_link_bytes_per_s > 0 && machine->host_memory_bytes_per_s > 0))
        return true;
    return dts_point_fail(
        stage->point, err,
        "%s: offload: the platform does not say how fast a device reaches its "
        "host, or host_memory_bytes_per_s",
        stage->point->strategy->name);
}

int dts_stage_copy(struct dts_stage_work *w, const char *label, double bytes, int after)
{
    const int op = dts_plan_call(
        w->stage->plan, DTS_OFFLOAD, label,
        (struct dts_call){.pass = DTS_COPY,
                          .layer = -1,
                          .seconds = bytes / w->stage->point->machine->host_link_bytes_per_s});
    if (after >= 0)
        dts_plan_after(w->stage->plan, after);
    return op;
}

int dts_stage_host_update(struct dts_stage_work *w, int after)
{
    const struct dts_point *point = w->stage->point;
    const struct dts_machine *machine = point->machine;
    const struct dts_scenario *s = point->scenario;
    const int each = machine->devices_per_node;
    const double together = point->devices < each ? point->devices : each;
    const double mine = dts_stage_kept(w);
    const double bytes =
        mine * (4 * s->optimizer->values + (double)dts_precision_bytes(s->precision));
    const int op = dts_plan_call(
        w->stage->plan, DTS_OFFLOAD, "update on the host",
        (struct dts_call){.pass = DTS_UPDATE,
                          .layer = -1,
                          .seconds = bytes * together / machine->host_memory_bytes_per_s});
    if (after >= 0) // else the stage has no parameters
        dts_plan_after(w->stage->plan, after);
    return dts_stage_copy(w, "weights from the host",
                          mine * (double)dts_precision_bytes(s->precision), op);
}

/* Bytes of the host for a rank of a stage. */
static double kept_by_host(const struct dts_point *point, const struct dts_mesh_division *d,
                           int stage)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_scenario *s = point->scenario;
    const double bytes = (double)dts_precision_bytes(s->precision);
    double kept = 0;
    for (int c = 0; c < d->pipeline.chunks; c++) {
        const int part = dts_pipeline_place(mesh->schedule, &d->pipeline, stage, c).part;
        for (int experts = 0; experts < 2; experts++) {
            const double all =
                dts_mesh_parameters(point, d, stage, &d->parts[part], experts == 1);
            const int shards = dts_mesh_group(&d->shape, experts == 1 ? DTS_AMONG_EXPERT_SHARDS
                                                                      : DTS_AMONG_SHARDS)
                                   .size;
            kept += all / dts_mesh_dividers(mesh, shards) *
                    ((1 + s->optimizer->state_values) * fmax(bytes, 4) +
                     (double)dts_point_wire_bytes(point)); // updated, and gradients
            if (mesh->offload == DTS_OFFLOAD_PARAMETERS && bytes < 4)
                kept += all / shards * bytes;
        }
    }
    return kept;
}

double dts_mesh_host(const struct dts_point *point, const struct dts_mesh_division *d)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const int each = point->machine->devices_per_node,
              stages = d->shape.size[DTS_AXIS_PIPELINE];
    if (mesh->offload == DTS_OFFLOAD_NOTHING)
        return 0;
    double *of_stage = dts_alloc((size_t)stages, sizeof(*of_stage));
    double *of_node = dts_alloc((size_t)dts_point_nodes(point), sizeof(*of_node)), most = 0;
    for (int s = 0; s < stages; s++)
        of_stage[s] = kept_by_host(point, d, s);
    for (int rank = 0; rank < point->devices; rank++) {
        double *node = &of_node[dts_mesh_device(&d->shape, rank) / each];
        *node += of_stage[rank / d->shape.stage_ranks];
        most = fmax(most, *node);
    }
    free(of_node);
    free(of_stage);
    return most;
}
