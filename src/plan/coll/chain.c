/* chain.c -- chains around a ring, in pieces. */
#include "plan/coll/chain.h"

int dts_chain_steps(const struct dts_chain *chain)
{
    return chain->size == 1 ? 0 : chain->pieces + chain->size - 2;
}

/* With every member an owner and one piece, each step moves a shard over each edge of the ring.
 * Else all hops of all chains are busy from step size - 2 on, until the last piece begins. */
int dts_chain_like(const struct dts_chain *chain, int i)
{
    if (chain->shards == chain->size && chain->pieces == 1)
        return 0;
    int full = chain->size - 2;
    return i >= full && i < chain->pieces ? full : i;
}

uint64_t dts_chain_state(const struct dts_chain *chain, int i)
{
    int lowest = i - chain->pieces + 1, last = chain->size - 2;
    int from = lowest > 0 ? lowest : 0, to = i < last ? i : last;
    return ((uint64_t)from << 16 | (uint64_t)to) + 1;
}

int dts_chain_step(const struct dts_chain *chain, int member, int i, bool to_owner,
                   struct dts_coll_message *messages)
{
    int size = chain->size, each = chain->shard_chunks / chain->pieces, count = 0;
    for (int j = 0; j < chain->shards; j++) {
        int start = j * (size / chain->shards) + to_owner; // the first to send
        int sending = (member - start + 2 * size) % size;  // as which hop, if it is one
        int receiving = (sending + size - 1) % size;
        int sent = i - sending, received = i - receiving; // pieces
        if (sending <= size - 2 && sent >= 0 && sent < chain->pieces)
            messages[count++] = (struct dts_coll_message){
                .peer = (member + 1) % size,
                .first = j * chain->shard_chunks + sent * each,
                .count = each,
                .send = true,
                .lane = j,
            };
        if (receiving <= size - 2 && received >= 0 && received < chain->pieces)
            messages[count++] = (struct dts_coll_message){
                .peer = (member + size - 1) % size,
                .first = j * chain->shard_chunks + received * each,
                .count = each,
                .add = to_owner,
                .lane = j,
            };
    }
    return count;
}
