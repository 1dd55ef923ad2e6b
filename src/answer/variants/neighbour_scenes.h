/* neighbour_scenes.h -- the neighbours of a scenario as scenes: each is the scenario with what
 * the neighbour says, and without neighbours. */
#ifndef DTS_ANSWER_VARIANTS_NEIGHBOUR_SCENES_H
#define DTS_ANSWER_VARIANTS_NEIGHBOUR_SCENES_H

#include "answer/scene.h"

/* Opens scene->neighbours, as many as the scenario has, with the changes that the scene was
 * opened with. On failure the scene is to be closed. */
bool dts_neighbour_scenes_open(const struct dts_changes *changes, int k,
                               struct dts_scene *scene, struct dts_error *err);

#endif
