/* whole.h -- what is whole on a device for a while, though ranks divide it (docs/model.md,
 * "Memory of a mesh"). Bytes of one rank. */
#ifndef DTS_TRAIN_STRATEGY_MESH_WHOLE_H
#define DTS_TRAIN_STRATEGY_MESH_WHOLE_H

#include "train/strategy/mesh/mesh.h"

/* memory.c: what a rank of a stage has of the weights of a part: of experts, or of all else. */
double dts_mesh_parameters(const struct dts_point *point, const struct dts_mesh_division *d,
                           int number, const struct dts_part_of_model *part, bool experts);

/* whole.c: bytes that are whole on a device while a round computes, though ranks divide them.
 */
struct dts_whole {
    double weights;  // of the round, and of those that are gathered ahead of it
    double gradient; // of the round, before it is scattered
};

static inline double dts_whole_bytes(const struct dts_whole *whole)
{
    return whole->weights + whole->gradient;
}

/* While backward is in the round of a layer of a stage's part. Without reshard_after_forward no
 * weights: they are there all the time. */
struct dts_whole dts_mesh_whole(const struct dts_point *point,
                                const struct dts_mesh_division *d, int number,
                                const struct dts_part_of_model *part, int layer);

/* Bytes of the weights of these layers when they are gathered; 0: they never are. */
double dts_mesh_gathered(const struct dts_point *point, const struct dts_mesh_division *d,
                         int number, const struct dts_part_of_model *layers);

/* offload.c: what the ranks of a node keep on its host, where that is the most: weights that
 * the host updates, their state, gradients that arrive. Devices lie as they are numbered. */
double dts_mesh_host(const struct dts_point *point, const struct dts_mesh_division *d);

#endif
