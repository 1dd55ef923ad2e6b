/* bones.h -- the classes of steps of which skeletons are made (skeleton.h): each gets a
 * pattern, and those with the same messages in proportion share one. What is the same is known
 * by a hash of the messages; or, where a collective says what is under way (coll.h, `state`),
 * without them.
 */
#ifndef DTS_SIM_LOAD_BONES_H
#define DTS_SIM_LOAD_BONES_H

#include "sim/load/cohort.h"
#include "sim/load/skeleton.h"

struct dts_bones; // all of a job, with its router

struct dts_bones *dts_bones_new(const struct dts_simulation *simulation);
void dts_bones_free(struct dts_bones *bones);
struct dts_router *dts_bones_router(struct dts_bones *bones); // that it keeps, as the next one
const struct dts_cohorts *dts_bones_cohorts(const struct dts_bones *bones);

/* Fill the bone of a class of steps, `repeat` times `step`, of the groups in a cohort;
 * `messages` has room for those of a member. */
void dts_bones_collective(struct dts_bones *bones, int cohort,
                          const struct dts_collective *collective, int step,
                          struct dts_coll_message *messages, struct dts_bone *bone);

/* Those of an exchange, which is one step: one for each far side. They are
 * owned by the caller. Returns how many. */
int dts_bones_exchange(struct dts_bones *bones, int cohort, const struct dts_exchange *exchange,
                       struct dts_bone **made);

#endif
