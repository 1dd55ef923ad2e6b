/* rest.c -- the tensors that are left, where they lie. */
#include "train/live/kernels/tables/rest.h"

/* The layout without tables: as they lie in the network's weights, or in the plan's buffers. */
static struct dts_layout rest_of(const struct dts_live_kernels *k, bool in_buffers)
{
    struct dts_layout rest = {
        .model = &k->point->scenario->model, .lists = true, .but = k->whole_tables};
    dts_layout_add(&rest, &(struct dts_layer_range){0});
    dts_layout_drop_lists(&rest);
    for (int i = 0; in_buffers && i < rest.count; i++)
        rest.tensors[i].offset = rest.tensors[i].gradient;
    return rest;
}

bool dts_live_rest_optimizer(const struct dts_live_kernels *k,
                             struct dts_optimizer_run **optimizer, struct dts_error *err)
{
    struct dts_layout rest = rest_of(k, false);
    const bool good = dts_optimizer_make_of(optimizer, &rest, k->point->scenario->optimizer,
                                            k->space, NULL, err);
    dts_layout_free(&rest);
    return good;
}

bool dts_live_rest_part(const struct dts_live_kernels *k, const struct dts_optimizer_part *part,
                        struct dts_optimizer_run **optimizer, struct dts_error *err)
{
    struct dts_layout rest = rest_of(k, true);
    const bool good =
        dts_optimizer_make_of(optimizer, &rest, k->point->scenario->optimizer, NULL, part, err);
    dts_layout_free(&rest);
    return good;
}
