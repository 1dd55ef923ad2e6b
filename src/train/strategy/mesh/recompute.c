/* recompute.c -- what a stage does not keep for backward, and computes again.
 *
 * A number of blocks is meant as Megatron-LM does (--recompute-num-layers): by "block" the
 * first so many blocks of each part of the network are computed again, one by one; by "uniform"
 * all are, so many at once, and what comes into the first of them is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "train/strategy/mesh/stage_private.h"

static const char *const words[] = {"none", "selective", "full", NULL};

static const char *word_name(int i)
{
    return words[i];
}

enum { BLOCK, UNIFORM };

static const char *method_name(int i)
{
    static const char *const methods[] = {"block", "uniform", NULL};
    return methods[i];
}

const struct dts_field dts_mesh_recompute_fields[] = {
    {DTS_KEY(struct dts_mesh_again_keys, layers), .type = DTS_INT, .min = 1, .max = 4096,
     .help = "blocks that are computed again"},
    {DTS_KEY(struct dts_mesh_again_keys, method), .type = DTS_STRING, .choice = method_name,
     .missing = "\"block\"",
     .help = "block: so many of each part of the network; uniform: all, so many at once"},
    {0},
};

bool dts_mesh_read_recompute(struct dts_mesh *mesh, const struct dts_cfg *at,
                             struct dts_error *err)
{
    const struct dts_cfg here = dts_cfg_member(at, "recompute");
    struct dts_mesh_again_keys keys = {0};
    int word = 0;
    mesh->recompute_cfg = (struct dts_cfg){0}; // its parents end here
    if (dts_cfg_exists(&here) && !dts_cfg_is_object(&here) &&
        !dts_cfg_choice(&here, word_name, &word, err))
        return false;
    mesh->recompute = (enum dts_keeps)word;
    if (!dts_cfg_is_object(&here))
        return true;
    if (!dts_cfg_read(&here, dts_mesh_recompute_fields, &keys, err))
        return false;
    mesh->recompute = DTS_KEEPS_ENTRY;
    mesh->again_layers = keys.layers;
    mesh->again_uniform = strcmp(keys.method, method_name(UNIFORM)) == 0;
    return !mesh->again_uniform || keys.layers == 1 ||
           mesh->sharded != DTS_SHARDED_PARAMETERS ||
           dts_cfg_fail(&here, "method", err,
                        "must be block where weights are gathered block by block");
}

void dts_mesh_recompute_name(const struct dts_mesh *mesh, char *name, size_t size)
{
    if (mesh->again_layers > 0)
        snprintf(name, size, "_%s%d", method_name(mesh->again_uniform ? UNIFORM : BLOCK),
                 mesh->again_layers);
    else if (mesh->recompute != DTS_KEEPS_ALL)
        snprintf(name, size, "_%s", words[mesh->recompute]);
}

/* Of a layer, of which block of its part (-1: of none). */
static enum dts_keeps keeps_of(const struct dts_mesh *mesh, const struct dts_layer *layer,
                               int block)
{
    if (mesh->recompute == DTS_KEEPS_ENDS)
        return strcmp(layer->kind->name, "attention") == 0 ? DTS_KEEPS_ENDS : DTS_KEEPS_ALL;
    const bool all = mesh->again_layers == 0 || mesh->again_uniform;
    const bool again = block >= 0 && (all || block < mesh->again_layers);
    return mesh->recompute == DTS_KEEPS_ENTRY && again ? DTS_KEEPS_ENTRY : DTS_KEEPS_ALL;
}

static bool same_round(const struct dts_model *m, int a, int b)
{
    const size_t length = dts_round_length(m->layers[a].name);
    return length == dts_round_length(m->layers[b].name) &&
           (length == 0 || strncmp(m->layers[a].name, m->layers[b].name, length) == 0);
}

/* Of the layers of a part. Returns its blocks. */
static int fill_part(const struct dts_mesh *mesh, const struct dts_model *m,
                     const struct dts_part_of_model *part, struct dts_mesh_again *again)
{
    const int at_once = mesh->again_uniform ? mesh->again_layers : 1;
    int blocks = 0;
    for (int l = part->first; l <= part->last; l++) {
        const bool in_block = dts_round_length(m->layers[l].name) > 0;
        const bool begins = l == part->first || !same_round(m, l, l - 1);
        const bool joins = !begins || (in_block && blocks % at_once != 0);
        blocks += in_block && begins;
        again[l].unit = joins && l > part->first ? again[l - 1].unit : l;
        again[l].keeps = keeps_of(mesh, &m->layers[l], in_block ? blocks - 1 : -1);
    }
    return blocks;
}

bool dts_mesh_again_find(const struct dts_point *point, const struct dts_part_of_model *parts,
                         int count, struct dts_mesh_again **again, struct dts_error *err)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_model *m = &point->scenario->model;
    int most = 0;
    *again = dts_alloc((size_t)m->layer_count, sizeof(**again));
    for (int i = 0; i < count; i++) {
        const int blocks = fill_part(mesh, m, &parts[i], *again);
        most = blocks > most ? blocks : most;
    }
    return mesh->again_layers <= most ||
           dts_point_fail(point, err,
                          "%s: recompute.layers: must be at most %d, the blocks of a stage's "
                          "part, got %d",
                          point->strategy->name, most, mesh->again_layers);
}

double dts_mesh_repeated_flops(const struct dts_point *point)
{
    const struct dts_mesh *mesh = point->strategy->self;
    const struct dts_model *m = &point->scenario->model;
    struct dts_mesh_division d = {.parts = NULL};
    struct dts_error ignored = {0};
    double flops = 0;
    const bool some = mesh->again_layers > 0 && !mesh->again_uniform;
    if (some && !dts_mesh_divide(point, &d, &ignored))
        return 0;
    for (int l = 0; l < m->layer_count; l++) {
        const int block = dts_round_length(m->layers[l].name) > 0 ? 0 : -1;
        const enum dts_keeps keeps =
            some ? d.again[l].keeps : keeps_of(mesh, &m->layers[l], block);
        flops += keeps != DTS_KEEPS_ALL ? m->layers[l].cost.product_flops : 0;
    }
    if (some)
        dts_mesh_division_free(&d);
    return flops;
}
