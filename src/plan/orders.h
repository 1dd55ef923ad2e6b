/* orders.h -- in which orders the channels of a collective visit the members of a node whose
 * links lead from device to device: cycles that share no link, so that all links work.
 */
#ifndef DTS_PLAN_ORDERS_H
#define DTS_PLAN_ORDERS_H

enum { DTS_ORDERS = 16, DTS_ORDERED = 8 }; // the most orders, and members

/* Orders of the members of one node: channel c takes number c % count. */
struct dts_orders {
    int count, members;
    int cycles; // that share no link; more than count where links are several lanes alike
    signed char member[DTS_ORDERS][DTS_ORDERED]; // at a place; member 0 is at place 0
    signed char place[DTS_ORDERS][DTS_ORDERED];  // of a member
};

/* lanes[a][b]: links from member a to member b, and as many back. No member more than
 * DTS_ORDERED, or no cycle through all of them: count 0. */
void dts_orders_find(const unsigned char lanes[DTS_ORDERED][DTS_ORDERED], int members,
                     struct dts_orders *orders);

#endif
