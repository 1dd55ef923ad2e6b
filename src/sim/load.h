/* load.h -- what an operation puts on the links, without simulating its messages: its messages
 * are routed once for all sizes (skeleton.h), and take the time that phase.h says.
 */
#ifndef DTS_SIM_LOAD_H
#define DTS_SIM_LOAD_H

#include "sim/period.h"
#include "sim/phase.h"
#include "sim/walk.h"

/* All that one operation sends, of all ranks of its role. */
struct dts_load {
    struct dts_phase *phases; // owned
    int phase_count;
    double sum_s; // of its phases
    double messages;
    struct dts_move move;     // of a collective that is walked; script NULL: it is not
    struct dts_period period; // of a collective that is not
};

/* Counts; keeps what it counted for operations that are alike. */
struct dts_loader;
struct dts_rows;

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation);
void dts_loader_free(struct dts_loader *loader);

/* The load of a collective or of one side of an exchange: the sender's has the links and the
 * latency that blocks, the receiver's only late_s and sum_s.
 * Valid until the loader is freed. */
const struct dts_load *dts_loader_count(struct dts_loader *loader, const struct dts_role *role,
                                        int op);

/* Of the collectives that were counted (row.h). */
struct dts_rows *dts_loader_rows(struct dts_loader *loader);

/* Bytes that the operations counted so far put on each link in one step of the job, by link. */
const double *dts_loader_total(const struct dts_loader *loader);

#endif
