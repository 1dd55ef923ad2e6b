/* chain.h -- chains around a ring of members, in pieces; several at once.
 *
 * The members stand on a ring. Shard j of the data has an owner, member j size/shards, and goes
 * once around the ring along a chain of size - 1 hops, either to its owner and summed on the
 * way, or from its owner and copied. Piece p makes its h-th hop in step p + h:
 *
 *     owner 0 of 4, 2 pieces, from the owner    step   0     1     2     3
 *                                               0 -> 1 p0    p1
 *                                               1 -> 2       p0    p1
 *                                               2 -> 3             p0    p1
 *
 * Shards begin together and travel in a lane each.
 */
#ifndef DTS_PLAN_COLL_CHAIN_H
#define DTS_PLAN_COLL_CHAIN_H

#include "plan/coll/coll.h"

struct dts_chain {
    int size, shards, pieces; // shards divide size
    int shard_chunks;         // pieces divide them
};

int dts_chain_steps(const struct dts_chain *chain);
int dts_chain_like(const struct dts_chain *chain, int i);

/* The hops under way in step i, as a number for any number of pieces (coll.h, `state`). */
uint64_t dts_chain_state(const struct dts_chain *chain, int i);

/* The messages of a member in step i; to_owner: summed on the way. At most two for each shard.
 * Peers are members of the ring. */
int dts_chain_step(const struct dts_chain *chain, int member, int i, bool to_owner,
                   struct dts_coll_message *messages);

#endif
