/* walk.h -- a collective message by message, as exact runs it, but for this one operation
 * alone: no kernels, no other streams.
 *
 * Each member does its turns one after another. A message waits for its latency, and for the
 * receiver, where the transport blocks; then it moves at the rate that the others leave to it
 * (flows.h); what arrives is summed. Time jumps from one event to the next.
 */
#ifndef DTS_SIM_WALK_H
#define DTS_SIM_WALK_H

#include "sim/period.h"
#include "sim/script.h"

/* The latency and the period of a collective of this shape over so many elements of so many
 * bytes. */
struct dts_period dts_walk_collective(const struct dts_simulation *simulation,
                                      const struct dts_script *script, size_t elements,
                                      size_t element_bytes);

#endif
