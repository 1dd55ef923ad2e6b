/* served.h -- what a plan's role of servers has to serve (serve.h): items, and their messages.
 */
#ifndef DTS_PLAN_SERVED_H
#define DTS_PLAN_SERVED_H

#include "plan/plan.h"

/* The operations of an item. */
struct dts_served_item {
    int request, call, reply; // operations of the plan
};

/* The items of a rank: those of which it has a part. Returns how many; NULL: only counts. */
int dts_served_items(const struct dts_role *role, int rank, struct dts_served_item *items);

/* A server for them. */
void dts_served_open(struct dts_server *server, const struct dts_role *role, int rank,
                     int steps);

#endif
