/* op_steps.h -- the messages of an operation, routed once for all operations of its shape.
 *
 * A collective is steps of a few classes (plan/coll/coll.h, `like`). The steps of a class put
 * the same bytes on the same links, so one of them is routed, message by message, with chunks
 * in place of bytes. An exchange is one step, whose chunks are elements: the buckets of a job
 * go to the same servers in the same proportions. All groups into which a cohort divides run at
 * once and are counted together; an exchange has one class for each far side, all of which are
 * under way together.
 */
#ifndef DTS_SIM_LOAD_OP_STEPS_H
#define DTS_SIM_LOAD_OP_STEPS_H

#include "sim/load/cohort.h"
#include "sim/load/script.h"
#include "sim/load/step_cost.h"

/* A class of steps. */
struct dts_step_class {
    int repeat;
    struct dts_far_side far; // of an exchange
    double chunks;           // of the largest message
    double sent;             // messages of one repetition
    const struct dts_step_traffic *traffic;
};

struct dts_op_steps {
    int cohort;
    const struct dts_role *role;    // of the cohort
    const struct dts_op *op;        // the first of its like
    struct dts_step_class *classes; // owned
    int class_count, steps;
    int *class_of; // by step; owned

    /* Bytes on each link over all steps, per byte of a chunk; owned. */
    struct dts_link_bytes *total;
    int total_count;

    struct dts_script *script; // see dts_op_steps_script(); owned
};

struct dts_op_steps_table; // all of a job

struct dts_op_steps_table *dts_op_steps_table_new(const struct dts_simulation *simulation);
void dts_op_steps_table_free(struct dts_op_steps_table *table);

/* Ranks that fare alike. */
const struct dts_cohorts *dts_op_steps_table_cohorts(const struct dts_op_steps_table *table);

/* The steps of a collective or an exchange of a cohort. Valid until the next call. */
const struct dts_op_steps *dts_op_steps_of(struct dts_op_steps_table *table, int cohort,
                                           const struct dts_op *op);

/* The messages of a collective one by one: for collectives of few messages. */
const struct dts_script *dts_op_steps_script(struct dts_op_steps_table *table,
                                             const struct dts_op_steps *steps);

/* Do two collectives differ in their data only? */
bool dts_op_steps_same(const struct dts_collective *x, const struct dts_collective *y);

/* Elements in the largest message to a cohort of an exchange with these steps, and in the
 * smallest. */
double dts_op_steps_most(const struct dts_op_steps *steps, const struct dts_step_class *class,
                         const struct dts_exchange *x);
double dts_op_steps_least(const struct dts_op_steps *steps, const struct dts_step_class *class,
                          const struct dts_exchange *x);

#endif
