/* load.h -- what an operation puts on the links, without simulating its messages: its messages
 * are routed once for all sizes (op_steps.h), and take the time that step_cost.h says.
 */
#ifndef DTS_SIM_LOAD_LOAD_H
#define DTS_SIM_LOAD_LOAD_H

#include "sim/load/cohort.h"
#include "sim/load/lockstep.h"
#include "sim/load/step_cost.h"
#include "sim/load/walk.h"

/* All that one operation of a cohort sends. */
struct dts_load {
    /* By class of steps: those of a collective follow one another, those of an exchange are
     * under way at once; owned. */
    struct dts_step_cost *costs;
    int cost_count;

    struct dts_far_side *far; // of an exchange, by class; owned
    double sum_s;             // of all steps of a collective
    double messages;
    double work;                  // to walk it: as that of so many messages with one path
    double tied;                  // messages between nodes, each times those of its step
    struct dts_move move;         // of a collective that is walked; script NULL: it is not
    struct dts_lockstep lockstep; // of a collective that is not, or takes long to walk
};

/* Counts; keeps what it counted for operations that are alike. */
struct dts_loader;
struct dts_rows;

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation);
void dts_loader_free(struct dts_loader *loader);

/* Ranks that fare alike. Valid until the loader is freed. */
const struct dts_cohorts *dts_loader_cohorts(const struct dts_loader *loader);

/* The load of a collective or of one side of an exchange of a cohort: the sender's has the
 * links and the latency that blocks, the receiver's only late_s and sum_s. Valid until the
 * loader is freed. */
const struct dts_load *dts_loader_count(struct dts_loader *loader, int cohort, int op);

/* Counts all operations, and finds the narrow links of their costs. */
void dts_loader_narrow(struct dts_loader *loader);

/* Of the collectives that were counted (row.h). */
struct dts_rows *dts_loader_rows(struct dts_loader *loader);

/* Bytes that the operations counted so far put on each link in one step of the job, by link. */
const double *dts_loader_total(const struct dts_loader *loader);

#endif
