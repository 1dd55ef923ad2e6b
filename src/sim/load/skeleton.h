/* skeleton.h -- the messages of an operation, routed once for all operations of its shape.
 *
 * A collective is steps of a few classes (plan/coll/coll.h, `like`). The steps of a class put
 * the same bytes on the same links, so one of them is routed, message by message, with chunks
 * in place of bytes. An exchange is one step, whose chunks are elements: the buckets of a job
 * go to the same servers in the same proportions. All groups into which a cohort divides run at
 * once and are counted together; an exchange has one class for each far side, all of which are
 * under way together.
 */
#ifndef DTS_SIM_LOAD_SKELETON_H
#define DTS_SIM_LOAD_SKELETON_H

#include "sim/load/cohort.h"
#include "sim/load/phase.h"
#include "sim/load/script.h"

/* A class of steps. */
struct dts_bone {
    int repeat;
    struct dts_far_side far; // of an exchange
    double chunks;           // of the largest message
    double sent;             // messages of one repetition
    const struct dts_pattern *pattern;
};

struct dts_skeleton {
    int cohort;
    const struct dts_role *role; // of the cohort
    const struct dts_op *op;     // the first of its like
    struct dts_bone *bones;      // owned
    int bone_count, steps;
    int *bone_of;                // by step; owned
    struct dts_link_load *total; // bytes on each link over all steps, at the best
    int total_count;             // efficiency, per byte of a chunk; owned
    struct dts_script *script;   // see dts_skeleton_script(); owned
};

struct dts_skeletons; // all of a job

struct dts_skeletons *dts_skeletons_new(const struct dts_simulation *simulation);
void dts_skeletons_free(struct dts_skeletons *skeletons);

/* Ranks that fare alike. */
const struct dts_cohorts *dts_skeletons_cohorts(const struct dts_skeletons *skeletons);

/* That of a collective or an exchange of a cohort. Valid until the next call. */
const struct dts_skeleton *dts_skeleton_of(struct dts_skeletons *skeletons, int cohort,
                                           const struct dts_op *op);

/* The messages of a collective one by one: for few. */
const struct dts_script *dts_skeleton_script(struct dts_skeletons *skeletons,
                                             const struct dts_skeleton *skeleton);

/* Do two collectives differ in their data only? */
bool dts_skeleton_same(const struct dts_collective *x, const struct dts_collective *y);

/* Elements in the largest message to a cohort of an exchange with this skeleton, and in a
 * message at least. */
double dts_skeleton_most(const struct dts_skeleton *skeleton, const struct dts_bone *bone,
                         const struct dts_exchange *x);
double dts_skeleton_least(const struct dts_skeleton *skeleton, const struct dts_bone *bone,
                          const struct dts_exchange *x);

#endif
