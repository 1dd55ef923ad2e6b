/* phases.h -- trainings that go through phases: sequences or images that grow, batches that do.
 *
 * A phase is the scenario with some values changed ("training.phases"). Each is a scene of its
 * own, and the time of the training is the sum over them.
 */
#ifndef DTS_ANSWER_VARIANTS_PHASES_H
#define DTS_ANSWER_VARIANTS_PHASES_H

#include "answer/scene.h"

/* Opens scene->phases, as many as scene->scenario.training.phase_count, with the changes that
 * the scene was opened with. On failure the scene is to be closed. */
bool dts_phases_open(const struct dts_changes *changes, int k, struct dts_scene *scene,
                     struct dts_error *err);
/* What went wrong with a phase, with the file and the number of the phase before it, unless it
 * has them. */
void dts_phase_name_error(const struct dts_scenario *scenario, int number,
                          const struct dts_error *why, struct dts_error *err);

#endif
