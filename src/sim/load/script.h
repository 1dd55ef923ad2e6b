/* script.h -- all messages of a collective, of all groups of a cohort, as each member meets
 * them; made once for data of any size.
 */
#ifndef DTS_SIM_LOAD_SCRIPT_H
#define DTS_SIM_LOAD_SCRIPT_H

#include "sim/load/cohort.h"
#include "sim/load/route_shares.h"

/* A message, and the chunks of its channel's part that it carries. */
struct dts_script_message {
    int pair;     // of ranks: a number in `pairs`
    int from, to; // members: ranks counted within the role
    int lane;     // as in dts_message: lane * channels + channel
    int first, count;
    bool add; // the receiver sums it
};

/* A member's messages in one step: some of turn_messages. */
struct dts_turn {
    int step, first, count;
};

struct dts_script {
    const struct dts_role *role;
    const struct dts_collective *collective; // the first of its shape
    int members;                             // of the role; those of other cohorts do nothing
    int steps, message_count;
    int *class_of; // by step: the lowest one with the same traffic; owned, as all below
    struct dts_script_message *messages;
    struct dts_turn *turns; // member after member
    int *first_turn;        // of a member; members + 1 entries
    int *turn_messages; // their numbers, turn by turn: n, a member sends it; ~n, it receives it
    const struct dts_route_shares *pairs; // borrowed: the routes of pairs of ranks
};

/* For collectives of some ten thousand messages: each is written down. Pairs that are new are
 * added; scripts with the same pairs may be walked in one row. */
struct dts_script *dts_script_new(const struct dts_net *net, struct dts_routes *routes,
                                  struct dts_rank_pairs *pairs,
                                  const struct dts_cohorts *cohorts, int cohort,
                                  const struct dts_collective *collective);
void dts_script_free(struct dts_script *script);

#endif
