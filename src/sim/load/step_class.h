/* step_class.h -- the traffic of the steps of an operation (op_steps.h), class by class.
 *
 * Classes with the same messages in proportion share their traffic (step_traffic.h). A hash of
 * the messages finds it; where a collective says what is under way (coll.h, `state`), a hash of
 * that finds it without the messages.
 */
#ifndef DTS_SIM_LOAD_STEP_CLASS_H
#define DTS_SIM_LOAD_STEP_CLASS_H

#include "sim/load/cohort.h"
#include "sim/load/op_steps.h"

struct dts_step_classes; // all of a job, with its router

struct dts_step_classes *dts_step_classes_new(const struct dts_simulation *simulation);
void dts_step_classes_free(struct dts_step_classes *classes);

/* The router and the cohorts belong to the classes. */
struct dts_router *dts_step_classes_router(struct dts_step_classes *classes);
const struct dts_cohorts *dts_step_classes_cohorts(const struct dts_step_classes *classes);

/* Fills the class that `step` of a collective belongs to, for all groups in a cohort;
 * class->repeat is set. `messages` has room for the messages of a member. */
void dts_step_classes_collective(struct dts_step_classes *classes, int cohort,
                                 const struct dts_collective *collective, int step,
                                 struct dts_coll_message *messages,
                                 struct dts_step_class *class);

/* An exchange is one step, with a class for each far side. Makes all of them; the caller owns
 * them. Returns how many there are. */
int dts_step_classes_exchange(struct dts_step_classes *classes, int cohort,
                              const struct dts_exchange *exchange,
                              struct dts_step_class **made);

#endif
