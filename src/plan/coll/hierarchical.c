/* hierarchical.c -- inside the nodes first, then between them, then inside again.
 *
 * The data is cut into k shards. Shard j is looked after by one member of each node, its owner:
 * the D members of a node stand on a ring, and o(j) = j D/k. An all-reduce in three phases
 * (k = 1: Goyal et al. 2017, arXiv:1706.02677, section 4):
 *
 *     1  in each node, shard j is summed along a chain that goes once around the ring and ends
 *        at its owner: o + 1 -> o + 2 -> ... -> o
 *     2  the owners of shard j of all nodes sum it with the algorithm `between`; k such groups
 *     3  in each node, shard j is passed on along a chain that begins at its owner:
 *        o -> o + 1 -> ... -> o - 1
 *
 * A chain (chain.h) carries P pieces in P + D - 2 steps. When every member is an owner,
 * one piece keeps the ring full: then P = 1, and phases 1 and 3 are the reduce-scatter and the
 * all-gather of a ring. With N = n/D nodes and a crossbar with latency alpha and bandwidth B in
 * the nodes and between them, S bytes take, for k = 1 and k = D,
 *
 *     2 (P + D - 2) (alpha + S/(P B)) + between(N, S)
 *     2 (D - 1) (alpha + S/(D B))     + between(N, S/D)
 *
 * Reduce-scatter: 1, then 2 as a reduce-scatter. An owner now holds one of N k blocks of the
 * data, but block j N + a and not its own, a k + j: owners trade blocks, then deal out the
 * shares in them. All-gather: the same backwards, then 3. Broadcast: member 0 hands the shards
 * out to the owners of its node, then 2 as a broadcast, then 3. All-to-all: alltoall_levels.c.
 */
#include "plan/coll/alltoall_levels.h"
#include "plan/coll/levels.h"

static bool fits(const struct dts_coll_shape *shape, const char **why)
{
    *why = NULL;
    if (shape->kind == DTS_ALLTOALL)
        return true;
    if (shape->per_node > DTS_COLL_MESSAGES || shape->shards > DTS_COLL_LANES)
        *why = "takes at most 64 members and 32 shards on a node";
    else if (shape->between == NULL)
        *why = "needs an algorithm between nodes";
    if (*why != NULL)
        return false;
    struct dts_coll_shape between;
    dts_levels_between(shape, shape->size / shape->per_node, &between);
    return dts_coll_fits(shape->between, &between, why);
}

static int chunks(const struct dts_coll_shape *shape)
{
    struct dts_levels l;
    if (shape->kind == DTS_ALLTOALL)
        return shape->size;
    dts_levels_find(shape, &l);
    return l.shards * l.shard_chunks;
}

/* The member that is owner j of a node. */
static int owner(const struct dts_levels *l, int node, int j)
{
    return node * l->per_node + j * l->per_owner;
}

static bool is_owner(const struct dts_levels *l, int member)
{
    return member % l->per_owner == 0;
}

static int chain_steps(const struct dts_levels *l)
{
    return dts_chain_steps(&l->chain);
}

static int chain_like(const struct dts_levels *l, int i)
{
    return dts_chain_like(&l->chain, i);
}

static uint64_t chain_state(const struct dts_levels *l, int i)
{
    return dts_chain_state(&l->chain, i);
}

static int chain(const struct dts_levels *l, int member, int i, bool to_owner,
                 struct dts_coll_message *messages)
{
    int at = member % l->per_node;
    int count = dts_chain_step(&l->chain, at, i, to_owner, messages);
    for (int m = 0; m < count; m++)
        messages[m].peer += member - at;
    return count;
}

static int sum(const struct dts_levels *l, int member, int i, struct dts_coll_message *messages)
{
    return chain(l, member, i, true, messages);
}

static int spread(const struct dts_levels *l, int member, int i,
                  struct dts_coll_message *messages)
{
    return chain(l, member, i, false, messages);
}

static int between_steps(const struct dts_levels *l)
{
    return l->between->steps(&l->between_shape);
}

static int between(const struct dts_levels *l, int member, int i,
                   struct dts_coll_message *messages)
{
    if (!is_owner(l, member))
        return 0;
    int node = member / l->per_node, j = member % l->per_node / l->per_owner;
    int count = l->between->step(&l->between_shape, node, i, messages);
    for (int m = 0; m < count; m++) {
        messages[m].peer = owner(l, messages[m].peer, j);
        messages[m].first = j * l->shard_chunks + messages[m].first * l->between_each;
        messages[m].count *= l->between_each;
    }
    return count;
}

static int between_like(const struct dts_levels *l, int i)
{
    return l->between->like(&l->between_shape, i);
}

static uint64_t between_state(const struct dts_levels *l, int i)
{
    return l->between->state != NULL ? l->between->state(&l->between_shape, i) : 0;
}

/* The one step in which blocks change hands between owners. */
static int trade_steps(const struct dts_levels *l)
{
    return l->nodes > 1 && l->shards > 1;
}

static int trade(const struct dts_levels *l, int member, int i,
                 struct dts_coll_message *messages)
{
    (void)i;
    if (!is_owner(l, member))
        return 0;
    int node = member / l->per_node, j = member % l->per_node / l->per_owner;
    int each = l->shard_chunks / l->nodes;
    int held = j * l->nodes + node, own = node * l->shards + j; // blocks
    int holder = owner(l, own % l->nodes, own / l->nodes);
    int taker = owner(l, held / l->shards, held % l->shards);
    if (holder == member)
        return 0;
    bool back = l->kind == DTS_ALLGATHER;
    messages[0] = (struct dts_coll_message){
        .peer = taker, .first = held * each, .count = each, .send = !back};
    messages[1] = (struct dts_coll_message){
        .peer = holder, .first = own * each, .count = each, .send = back};
    return 2;
}

/* The one step between an owner and the members whose shares are in its block. */
static int deal_steps(const struct dts_levels *l)
{
    return l->per_owner > 1;
}

static int deal(const struct dts_levels *l, int member, int i,
                struct dts_coll_message *messages)
{
    (void)i;
    int first = member - member % l->per_owner;
    int each = l->shard_chunks / (l->nodes * l->per_owner);
    bool back = l->kind == DTS_ALLGATHER, gives = is_owner(l, member);
    int begin = gives ? first + 1 : member, end = gives ? first + l->per_owner : member + 1;
    for (int m = begin; m < end; m++)
        messages[m - begin] = (struct dts_coll_message){
            .peer = gives ? m : first, .first = m * each, .count = each, .send = gives != back};
    return end - begin;
}

/* The one step in which member 0 gives the other owners of its node their shards. */
static int hand_out_steps(const struct dts_levels *l)
{
    return l->shards > 1;
}

static int hand_out(const struct dts_levels *l, int member, int i,
                    struct dts_coll_message *messages)
{
    (void)i;
    if (member >= l->per_node || !is_owner(l, member))
        return 0;
    int self = member / l->per_owner;
    int begin = self == 0 ? 1 : self, end = self == 0 ? l->shards : self + 1;
    for (int j = begin; j < end; j++)
        messages[j - begin] = (struct dts_coll_message){
            .peer = self == 0 ? owner(l, 0, j) : 0,
            .first = j * l->shard_chunks,
            .count = l->shard_chunks,
            .send = self == 0,
        };
    return end - begin;
}

struct phase {
    int (*steps)(const struct dts_levels *l);
    int (*step)(const struct dts_levels *l, int member, int i,
                struct dts_coll_message *messages);
    int (*like)(const struct dts_levels *l, int i); // NULL: a step is only like itself
    uint64_t (*state)(const struct dts_levels *l, int i);
};

enum { PHASES = 4 };

static const struct phase phases[DTS_COLL_KINDS][PHASES] = {
    [DTS_ALLREDUCE] = {{chain_steps, sum, chain_like, chain_state},
                       {between_steps, between, between_like, between_state},
                       {chain_steps, spread, chain_like, chain_state}},
    [DTS_REDUCE_SCATTER] = {{chain_steps, sum, chain_like},
                            {between_steps, between, between_like},
                            {trade_steps, trade, NULL},
                            {deal_steps, deal, NULL}},
    [DTS_ALLGATHER] = {{deal_steps, deal, NULL},
                       {trade_steps, trade, NULL},
                       {between_steps, between, between_like},
                       {chain_steps, spread, chain_like}},
    [DTS_BROADCAST] = {{hand_out_steps, hand_out, NULL},
                       {between_steps, between, between_like},
                       {chain_steps, spread, chain_like}},
};

/* The phase of step *i, which becomes the step within it; *begin the first one of the phase. */
static const struct phase *phase_of(const struct dts_levels *l, int *i, int *begin)
{
    *begin = 0;
    for (const struct phase *phase = phases[l->kind];; phase++) {
        int count = phase->steps(l);
        if (*i < count)
            return phase;
        *i -= count;
        *begin += count;
    }
}

static int steps(const struct dts_coll_shape *shape)
{
    struct dts_levels l;
    if (shape->kind == DTS_ALLTOALL)
        return dts_alltoall_steps(shape);
    dts_levels_find(shape, &l);
    int count = 0;
    for (int p = 0; p < PHASES && phases[l.kind][p].steps != NULL; p++)
        count += phases[l.kind][p].steps(&l);
    return count;
}

static int step(const struct dts_coll_shape *shape, int member, int i,
                struct dts_coll_message *messages)
{
    struct dts_levels l;
    if (shape->kind == DTS_ALLTOALL)
        return dts_alltoall_step(shape, member, i, messages);
    dts_levels_find(shape, &l);
    int begin;
    const struct phase *phase = phase_of(&l, &i, &begin);
    return phase->step(&l, member, i, messages);
}

static int like(const struct dts_coll_shape *shape, int i)
{
    struct dts_levels l;
    if (shape->kind == DTS_ALLTOALL)
        return dts_alltoall_like(shape, i);
    dts_levels_find(shape, &l);
    int begin;
    const struct phase *phase = phase_of(&l, &i, &begin);
    return begin + (phase->like != NULL ? phase->like(&l, i) : i);
}

static uint64_t state(const struct dts_coll_shape *shape, int i)
{
    struct dts_levels l;
    if (shape->kind == DTS_ALLTOALL)
        return 0;
    dts_levels_find(shape, &l);
    int begin;
    const struct phase *phase = phase_of(&l, &i, &begin);
    uint64_t under_way = phase->state != NULL ? phase->state(&l, i) : 0;
    return under_way == 0 ? 0 : under_way * PHASES + (uint64_t)(phase - phases[l.kind]);
}

const struct dts_coll dts_coll_hierarchical = {
    .name = "hierarchical",
    .summary = "inside the nodes, then another algorithm between them",
    .pipelined = true,
    .kinds = (1u << DTS_SHIFT) - 1,
    .fits = fits,
    .chunks = chunks,
    .steps = steps,
    .step = step,
    .like = like,
    .state = state,
};
