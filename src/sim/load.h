/* load.h -- what an operation puts on the links, without simulating its messages: its messages
 * are routed once for all sizes (skeleton.h), and take the time that phase.h says.
 */
#ifndef DTS_SIM_LOAD_H
#define DTS_SIM_LOAD_H

#include "sim/phase.h"

/* All that one operation sends, of all ranks of its role. */
struct dts_load {
    struct dts_phase *phases; // owned
    int phase_count;
    double share;    // of the sum of its phases: its period (period.h), when its stream is free
    double period_s; // alone; 0: an exchange
    double tail_s;   // from then until the last member is done
    double rest_s; // its period is longer: from the last member's end until its stream is free
    double messages;
};

/* Counts; keeps what it counted for operations that are alike. */
struct dts_loader;

struct dts_loader *dts_loader_new(const struct dts_simulation *simulation);
void dts_loader_free(struct dts_loader *loader);

/* The load of a collective or of one side of an exchange: the sender's has the links and the
 * latency that blocks, the receiver's only late_s and sum_s.
 * Valid until the loader is freed. */
const struct dts_load *dts_loader_count(struct dts_loader *loader, const struct dts_role *role,
                                        int op);

/* Bytes that the operations counted so far put on each link in one step of the job, by link. */
const double *dts_loader_total(const struct dts_loader *loader);

#endif
