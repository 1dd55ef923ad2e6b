/* message_cost.h -- the messages of a script with data of a size: what each puts on the wire,
 * and what comes before and after it.
 */
#ifndef DTS_SIM_LOAD_MESSAGE_COST_H
#define DTS_SIM_LOAD_MESSAGE_COST_H

#include "sim/load/script.h"

struct dts_message_cost {
    double wire_bytes;        // 0: it is empty, and not sent
    double before_s, after_s; // latency that blocks the sender, and that does not
    double sum_s;             // the receiver's
    bool blocks;              // it waits for the receiver
};

/* By line; owned by the caller. *even: all messages of a lane carry the same for each chunk. */
struct dts_message_cost *dts_script_cost(const struct dts_simulation *simulation,
                                         const struct dts_script *script,
                                         const struct dts_coll_pace *pace, size_t elements,
                                         size_t element_bytes, bool *even);

#endif
