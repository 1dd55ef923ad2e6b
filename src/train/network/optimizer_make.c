/* optimizer_make.c -- optimizers for the whole model. */
#include "train/network/optimizer.h"

/* For the whole model. */
static bool make(struct dts_optimizer_run **run, const struct dts_model *model,
                 const struct dts_optimizer *optimizer, struct dts_space *space, bool lists,
                 const struct dts_optimizer_part *part, struct dts_error *err)
{
    struct dts_layout layout = {.model = model, .lists = lists};
    dts_layout_add(&layout, &(struct dts_layer_range){0});
    const bool good = dts_optimizer_make_of(run, &layout, optimizer, space, part, err);
    dts_layout_free(&layout);
    return good;
}

bool dts_optimizer_make_part(struct dts_optimizer_run **run, const struct dts_model *model,
                             const struct dts_optimizer *optimizer, size_t first, size_t count,
                             const char *what, struct dts_error *err)
{
    const struct dts_optimizer_part part = {first, count, what};
    return make(run, model, optimizer, NULL, false, &part, err);
}

bool dts_optimizer_make(struct dts_optimizer_run **run, const struct dts_model *model,
                        const struct dts_optimizer *optimizer, struct dts_error *err)
{
    return make(run, model, optimizer, NULL, false, NULL, err);
}

bool dts_optimizer_make_sparse(struct dts_optimizer_run **run, const struct dts_model *model,
                               const struct dts_optimizer *optimizer, struct dts_error *err)
{
    return make(run, model, optimizer, NULL, true, NULL, err);
}

bool dts_optimizer_make_there(struct dts_optimizer_run **run, const struct dts_model *model,
                              const struct dts_optimizer *optimizer, struct dts_space *space,
                              struct dts_error *err)
{
    return make(run, model, optimizer, space, false, NULL, err);
}
