/* role_messages.c -- finds the messages between roles, and how busy the links are that they
 * take. */
#include "sim/load/role_messages.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/run.h"

bool dts_exchange_same(const struct dts_exchange *x, const struct dts_exchange *y)
{
    return x->send == y->send && x->relative == y->relative && x->first_peer == y->first_peer &&
           x->peer_stride == y->peer_stride && x->peer_count == y->peer_count &&
           x->every == y->every && x->ring_first == y->ring_first &&
           x->ring_size == y->ring_size && x->part == y->part && x->add == y->add &&
           (x->part == DTS_WHOLE || (x->shards == y->shards && x->shard_base == y->shard_base));
}

/* How many exchanges of the plan are like this one; 0: it is not the first of them. */
static int count_alike(const struct dts_plan *plan, int number)
{
    int count = 0;
    for (int o = 0; o < plan->op_count; o++) {
        if (plan->ops[o].kind != DTS_OP_EXCHANGE ||
            !dts_exchange_same(&plan->ops[o].exchange, &plan->ops[number].exchange))
            continue;
        if (o < number)
            return 0;
        count++;
    }
    return count;
}

static void note(const struct dts_simulation *simulation, struct dts_role_messages *all,
                 int rank, int op, int times, const struct dts_message *message)
{
    const struct dts_net *net = simulation->net;
    int self = simulation->endpoint[rank], peer = simulation->endpoint[message->peer];
    struct dts_role_message m = {.rank = rank,
                                 .op = op,
                                 .peer = message->peer,
                                 .times = times,
                                 .src = message->send ? self : peer,
                                 .dst = message->send ? peer : self,
                                 .send = message->send};
    m.transport = net->ops->transport(net->self, m.src, m.dst);
    m.latency_s = dts_net_latency(net, m.src, m.dst);
    all->one_path &= net->ops->paths(net->self, m.src, m.dst) == 1;
    all->all = dts_grow(all->all, &all->room, all->count + 1, sizeof(*all->all));
    all->all[all->count++] = m;
}

/* The messages of the exchanges of the job, of those that are alike once. */
static void note_all(const struct dts_simulation *simulation, struct dts_role_messages *all)
{
    const struct dts_job *job = simulation->job;
    struct dts_message *messages = NULL;
    size_t room = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int o = 0; o < role->plan.op_count; o++) {
            const struct dts_op *op = &role->plan.ops[o];
            int times = op->kind == DTS_OP_EXCHANGE ? count_alike(&role->plan, o) : 0;
            if (times == 0)
                continue;
            messages =
                dts_grow(messages, &room, (size_t)op->exchange.peer_count, sizeof(*messages));
            for (int rank = role->first; rank < role->first + role->count; rank++) {
                int count = dts_exchange_messages(role, &op->exchange, rank, messages);
                for (int m = 0; m < count; m++)
                    note(simulation, all, rank, o, times, &messages[m]);
            }
        }
    }
    free(messages);
}

/* How busy the links are that each message takes. Messages that spread over several paths
 * spread their load, too. */
static void find_loads(const struct dts_simulation *simulation, struct dts_role_messages *all)
{
    const struct dts_net *net = simulation->net;
    int links[DTS_MAX_ROUTE];
    if (!all->one_path)
        return;
    int *flows = dts_alloc((size_t)net->links, sizeof(*flows)); // by link
    for (size_t i = 0; i < all->count; i++) {
        const struct dts_role_message *m = &all->all[i];
        int hops = m->send ? net->ops->route(net->self, m->src, m->dst, 0, links) : 0;
        for (int h = 0; h < hops; h++)
            flows[links[h]]++;
    }
    for (size_t i = 0; i < all->count; i++) {
        struct dts_role_message *m = &all->all[i];
        int hops = net->ops->route(net->self, m->src, m->dst, 0, links);
        for (int h = 0; h < hops; h++)
            m->load_s =
                fmax(m->load_s, flows[links[h]] / net->ops->capacity(net->self, links[h]));
    }
    free(flows);
}

void dts_role_messages_find(const struct dts_simulation *simulation,
                            struct dts_role_messages *messages)
{
    *messages = (struct dts_role_messages){.one_path = true};
    note_all(simulation, messages);
    find_loads(simulation, messages);
}

void dts_role_messages_free(struct dts_role_messages *messages)
{
    free(messages->all);
    *messages = (struct dts_role_messages){0};
}

double dts_role_messages_count(const struct dts_job *job)
{
    double messages = 0;
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_EXCHANGE && count_alike(&job->roles[r].plan, o) > 0)
                messages += (double)op->exchange.peer_count * job->roles[r].count;
        }
    return messages;
}
