/* served.c -- the items of a role of servers. */
#include "plan/served.h"

#include "plan/run.h"

/* Has the rank a part of what an exchange moves? */
static bool has_part(const struct dts_role *role, int rank, const struct dts_exchange *x)
{
    struct dts_exchange one = *x;
    struct dts_message message;
    one.peer_count = one.peer_count > 0 ? 1 : 0;
    return dts_exchange_messages(role, &one, rank, &message) > 0;
}

int dts_served_items(const struct dts_role *role, int rank, struct dts_served_item *items)
{
    const struct dts_plan *plan = &role->plan;
    int count = 0;
    for (int o = 0; o + 2 < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->kind != DTS_OP_EXCHANGE || op->exchange.send ||
            !has_part(role, rank, &op->exchange))
            continue;
        if (items != NULL)
            items[count] = (struct dts_served_item){o, o + 1, o + 2};
        count++;
    }
    return count;
}

void dts_served_open(struct dts_server *server, const struct dts_role *role, int rank,
                     int steps)
{
    const struct dts_plan *plan = &role->plan;
    const int peers = plan->op_count > 0 ? plan->ops[0].exchange.peer_count : 0;
    dts_server_open(server, &role->serve, peers, dts_served_items(role, rank, NULL), steps);
}
