/* local.c -- replicas of a mesh that train alone for some steps, as islands do whose links to
 * one another are slow: ranks of a replica do all together in each step, and the ranks that
 * have the same part of the weights in each replica take the mean of it every so many steps
 * (DiLoCo; Douillard et al. 2023, arXiv:2311.08105).
 *
 *     compute  ... | bwd | update |             | outer update | weights
 *     data                        | weights 0 1 |
 *     gather                                                           | all-gather
 */
#include <stdlib.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

bool dts_mesh_read_local(struct dts_mesh *mesh, const struct dts_cfg *at, struct dts_error *err)
{
    const struct dts_synchrony *s = &mesh->synchrony;
    if (!dts_synchrony_prepare(&mesh->synchrony, at, err))
        return false;
    if (s->local_steps == 0)
        return true;
    if (mesh->sizes[DTS_AXIS_DATA] == 1)
        return dts_cfg_fail(at, "local_steps", err,
                            "has no effect without replicas on the axis data: mesh.data is 1%s",
                            mesh->fill == DTS_AXIS_SHARD ? " where mesh.shard is left out"
                                                         : "");
    const bool whole = mesh->sharded == DTS_SHARDED_NOTHING;
    const char *beside =
        mesh->compression != NULL                    ? "compression"
        : mesh->offload != DTS_OFFLOAD_NOTHING       ? "offload"
        : mesh->expert.size > 1                      ? "expert ranks"
        : dts_pipeline_copies(mesh->schedule) > 1    ? "two copies of the network"
        : whole && mesh->sizes[DTS_AXIS_CONTEXT] > 1 ? "context ranks whose state "
                                                       "is not sharded"
        : whole && mesh->sizes[DTS_AXIS_SPATIAL] > 1 ? "spatial ranks whose state "
                                                       "is not sharded"
                                                     : NULL;
    return beside == NULL ||
           dts_cfg_fail(at, "local_steps", err, "cannot act beside %s", beside);
}

/* The fp32 weights that a rank updates: all of the stage, or its shard of each bucket. */
static struct dts_span *updated(struct dts_stage_work *w, const struct dts_bucket *buckets,
                                int count)
{
    const size_t shards = (size_t)w->stage->shape->shards;
    struct dts_span *spans = dts_alloc((size_t)count + 1, sizeof(*spans));
    size_t end = 0;
    for (int b = 0; b < count; b++) {
        spans[b] = dts_bucket_span(buckets, b, DTS_WEIGHTS);
        if (shards == 1)
            continue;
        spans[b].first = end;
        spans[b].count = (spans[b].count + shards - 1) / shards;
        end += spans[b].count;
    }
    if (shards == 1)
        return spans;
    const int own = dts_plan_buffer(w->stage->plan, end, sizeof(float));
    for (int b = 0; b < count; b++)
        spans[b].buffer = own;
    return spans;
}

int dts_stage_average(struct dts_stage_work *w, const struct dts_bucket *buckets, int count,
                      int update)
{
    const struct dts_stage *stage = w->stage;
    const struct dts_synchrony *s = &stage->mesh->synchrony;
    const struct dts_members copies =
        dts_mesh_members(stage->point, stage->shape, DTS_AMONG_COPIES);
    if (s->local_steps == 0 || (copies.group.size == 1 && !s->outer))
        return update;
    struct dts_span *spans = updated(w, buckets, count);
    const struct dts_own_weights mine = {copies, spans, count, dts_stage_kept(w)};
    w->failed = !dts_synchrony_average_weights(s, &stage->mesh->choice, stage->point,
                                               stage->plan, &mine, w->err);
    free(spans);
    if (w->failed)
        return update;
    // Who waits for the weights of a step waits for the update, and for the mean where there is
    // one.
    return dts_plan_call(stage->plan, DTS_COMPUTE, "weights",
                         (struct dts_call){.pass = DTS_COPY, .layer = -1});
}
