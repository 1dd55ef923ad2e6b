/* full_exchange.c -- who takes part in an exchange of all with all, and who shares a node. */
#include "sim/load/full_exchange.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"
#include "sim/load/full_spots.h"

enum { MOST_LISTED = 500000 }; // messages; beyond, they are counted by spots

static int members_of(const struct dts_role *role, const struct dts_exchange *x)
{
    int every = x->every > 1 ? x->every : 1;
    return (role->count + every - 1) / every;
}

bool dts_full_exchange_is(const struct dts_role *role, const struct dts_exchange *x)
{
    return !x->relative && (double)x->peer_count * members_of(role, x) > MOST_LISTED;
}

/* Elements of the shard of a rank of the side that shards belong to; 1 of the other side. */
static double part_of_rank(const struct dts_exchange *x, enum dts_part of, int rank)
{
    if (x->part != of)
        return x->part == DTS_WHOLE && of == DTS_SHARD_OF_SELF ? (double)x->data.count : 1;
    size_t first, count;
    dts_coll_span(x->data.count, x->shards, rank - x->shard_base, 1, &first, &count);
    return (double)count;
}

static void add_rank(struct dts_full_side *side, int rank, double part)
{
    if (part == 0) // an empty shard is not sent
        return;
    side->ranks[side->count] = rank;
    side->parts[side->count++] = part;
}

static void open_side(struct dts_full_side *side, int most)
{
    side->ranks = dts_alloc((size_t)most, sizeof(*side->ranks));
    side->parts = dts_alloc((size_t)most, sizeof(*side->parts));
}

static double most_of(const struct dts_full_side *side)
{
    double most = 0;
    for (int i = 0; i < side->count; i++)
        most = fmax(most, side->parts[i]);
    return most;
}

void dts_full_exchange_find(const struct dts_simulation *simulation,
                            const struct dts_cohorts *cohorts, int cohort, int peers,
                            const struct dts_exchange *x, struct dts_full_exchange *full)
{
    const struct dts_role *role = cohorts->all[cohort].role;
    *full = (struct dts_full_exchange){
        .simulation = simulation, .send = x->send, .add = x->add && !x->send};
    open_side(&full->self, members_of(role, x));
    open_side(&full->peer, x->peer_count);
    for (int i = 0; i<role->count; i += x->every> 1 ? x->every : 1)
        if (cohorts->of[role->first + i] == cohort)
            add_rank(&full->self, role->first + i,
                     part_of_rank(x, DTS_SHARD_OF_SELF, role->first + i));
    for (int p = 0; p < x->peer_count; p++) {
        int peer = x->first_peer + p * x->peer_stride;
        if (cohorts->of[peer] == peers)
            add_rank(&full->peer, peer, part_of_rank(x, DTS_SHARD_OF_PEER, peer));
    }
    full->largest = most_of(&full->self) * most_of(&full->peer);
}

void dts_full_exchange_free(struct dts_full_exchange *full)
{
    free(full->self.ranks);
    free(full->self.parts);
    free(full->peer.ranks);
    free(full->peer.parts);
    *full = (struct dts_full_exchange){0};
}

size_t dts_full_exchange_within(const struct dts_full_exchange *full,
                                struct dts_step_message **messages)
{
    struct dts_by_node there;
    size_t count = 0, room = 0;
    *messages = NULL;
    dts_by_node_make(full->simulation, &full->peer, &there);
    for (int i = 0; i < full->self.count; i++) {
        int self = full->self.ranks[i];
        for (int p = dts_by_node_first(&there, self); p >= 0; p = there.next[p]) {
            *messages = dts_grow(*messages, &room, count + 1, sizeof(**messages));
            (*messages)[count++] =
                (struct dts_step_message){self, full->peer.ranks[p], full->send, full->add,
                                          full->self.parts[i] * full->peer.parts[p]};
        }
    }
    dts_by_node_free(&there);
    return count;
}
