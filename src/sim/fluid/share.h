/* share.h -- how operations that run at the same time share links: max-min fair, per flow.
 *
 * What is shared is a link, and a flow gets its share; the flows of one operation move at one
 * rate, because each of its steps ends with the slowest (one share per operation would
 * be wrong). With rate r_o of the largest message of operation o and weight w_ol on link l:
 *
 *     sum over o of w_ol r_o <= capacity_l,   r as large as possible, the smallest first.
 */
#ifndef DTS_SIM_FLUID_SHARE_H
#define DTS_SIM_FLUID_SHARE_H

#include "sim/load/load.h"

struct dts_sharer; // room for one network

struct dts_sharer *dts_sharer_new(const struct dts_net *net);
void dts_sharer_free(struct dts_sharer *sharer);

/* rates[i] becomes the bytes/s of the largest message of costs[i], all under way together.
 * What was asked is remembered by the addresses of the costs: they stay where and as they are,
 * as long as the sharer. */
void dts_share(struct dts_sharer *sharer, const struct dts_step_cost *const costs[], int count,
               double rates[]);

#endif
