/* walk.h -- collectives message by message, as exact runs them, but for these operations alone:
 * no kernels, no other streams.
 *
 * Each member does its turns one after another, and then those of the next collective. A
 * message waits for its latency, and for the receiver, where the transport blocks; then it
 * moves at the rate that the others leave to it (flows.h); what arrives is summed. Time jumps
 * from one event to the next.
 */
#ifndef DTS_SIM_LOAD_WALK_H
#define DTS_SIM_LOAD_WALK_H

#include "sim/load/script.h"

enum { DTS_ROW_MOST = 2 }; // collectives in a row

/* A collective of a row: the messages of its shape, and its data. */
struct dts_move {
    const struct dts_script *script;
    size_t elements, element_bytes;
    const struct dts_coll_pace *pace; // of the plan
};

/* What passes between a member's end of one collective and its begin of the next one: so much,
 * and all until then, by member, from the first one's end; until_s NULL: no more. */
struct dts_walk_gap {
    double least_s;
    const double *until_s;
};

/* The last one of a row of collectives. */
struct dts_row {
    /* From the last member's end of the collective before it, or from the begin of a collective
     * alone, to the last member's end. */
    double after_s;

    double before_s; // from 0 to the last member's end of the one before it; 0: one alone
    double spread_s; // from the first member's end to the last one's
};

/* Of collectives of one role in a row, where each member begins the next one as soon as it is
 * done and `between` has passed. By member, in seconds: begun_s when it begins the first one
 * (NULL: all at 0), ended_s when it has done each, and then when it began
 * the last one ((count + 1) x members, filled in; NULL: not asked for; who has no part: 0).
 */
struct dts_row dts_walk_row(const struct dts_simulation *simulation,
                            const struct dts_move *moves, int count, const double *begun_s,
                            const struct dts_walk_gap *between, double *ended_s);

#endif
