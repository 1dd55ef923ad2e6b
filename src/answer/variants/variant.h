/* variant.h -- a scene with some values changed, as a scene of its own: a phase of its
 * training, a neighbour. */
#ifndef DTS_ANSWER_VARIANTS_VARIANT_H
#define DTS_ANSWER_VARIANTS_VARIANT_H

#include "answer/scene.h"

/* Reads `variant`: the document of `scene`, which was opened with combination k of `changes`,
 * with `own` changed, too. */
bool dts_variant_read(const struct dts_changes *changes, int k, const struct dts_scene *scene,
                      const struct dts_changes *own, struct dts_scene *variant,
                      struct dts_error *err);

/* What went wrong with a variant, with the file and "LIST[number]" before it, unless it has
 * them. */
void dts_variant_name_error(const struct dts_scenario *scenario, const char *list, int number,
                            const struct dts_error *why, struct dts_error *err);

#endif
