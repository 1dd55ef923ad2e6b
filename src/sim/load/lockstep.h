/* lockstep.h -- how soon a collective that is too large to be walked (row.h) can follow another
 * one on the same stream: in lockstep.
 *
 * The members of a chain or a tree do not end a collective at the same time: who is done goes
 * on to the next one while the rest still works. A collective that takes L alone then costs
 * less than L in a row of its like: its period P, the time from one to the next. A ring has P =
 * L; a broadcast along a chain of n members in p pieces has L = (p + n - 2) t and P = p t.
 */
#ifndef DTS_SIM_LOAD_LOCKSTEP_H
#define DTS_SIM_LOAD_LOCKSTEP_H

#include "plan/plan.h"

struct dts_lockstep {
    double latency_s; // L: alone, from the first member's begin to the last one's end
    double period_s;  // P: from the end of one to the end of the next, back to back
};

/* A step of a collective: how long a member sends, and how long until its message is there. */
struct dts_step_time {
    double stay_s, hop_s;
};

/* Walks all steps of the members of one group twice in a row. A collective of more than
 * 20,000 messages (a ring through hundreds) is not walked: L = P = sum_s. */
struct dts_lockstep dts_lockstep_find(const struct dts_role *role,
                                      const struct dts_collective *collective,
                                      const struct dts_step_time *steps_s, double sum_s);

#endif
