/* fair_private.h -- what the files of fair.h share: fair.c has the question and what is left of
 * the last one, fair_links.c what happens on links, fair_rounds.c the rounds.
 */
#ifndef DTS_SIM_FLUID_FAIR_PRIVATE_H
#define DTS_SIM_FLUID_FAIR_PRIVATE_H

#include "sim/fluid/fair.h"
#include "sim/fluid/numbers.h"

enum { NONE = -1 };

/* A flow on a link, in the list of the link's. */
struct fair_crossing {
    int flow;
    double weight;
};

struct fair_link {
    double capacity;                 // once something has crossed it
    struct fair_crossing *crossings; // in the order of the question; owned
    size_t count, room;
    double use;   // of the capacity, by all rates
    bool suspect; // is full, for all that is known
    int round;    // in which it was full; NONE: in none
    double ratio; // the rate at which it was
    bool dirty;   // what happens on it is not what did last time; below: as of this round
    double left, weight;
    int open; // crossings without a rate yet
};

/* A flow that is asked for. */
struct fair_flow {
    const struct dts_step_cost *cost;
    double most; // that it can have, or a little more than a link of its has
    double rate;
    int index;    // in the question
    int round;    // of the last question in which it stopped; NONE: in none
    int now;      // of this question; NONE: none yet, or in what has become of `round`
    bool loose;   // does not stop there
    bool touched; // crosses a dirty link
    bool stops;   // in this round
};

/* Those of each round, e.g. its flows: sorted[first[r]] and on. */
struct by_round {
    struct dts_numbers round, first, sorted; // round: of each, as they were
};

struct turn; // fair_links.c

struct dts_fair {
    const struct dts_net *net;
    struct fair_link *links;
    struct fair_flow *flows; // with those that are free again
    size_t flow_count, flow_room;
    struct dts_numbers free_flows, used; // links that were ever crossed
    struct dts_numbers members, before;  // flows of the question, and of the last one, in order
    struct dts_numbers come;             // of members: new ones
    struct dts_numbers changed;          // links that another flow crosses than last time

    struct dts_numbers suspects;

    struct dts_numbers full;   // links that have a round
    double *rates, *old_rates; // of rounds
    size_t rate_room, old_rate_room;
    int rounds, old_rounds;
    struct by_round flows_of, full_of; // the old ones
    int passed;                        // old rounds that were gone through
    struct dts_numbers became;         // their new numbers
    struct dts_numbers dirty, open;    // open: those of them that have crossings without a rate
    struct dts_numbers loose, stopping, leaving;
    struct turn *turns;
    size_t turn_room;
};

/* From this round on what happens on it is looked at. */
void dts_fair_make_dirty(struct dts_fair *fair, int link);

/* The same for those that the flow crosses. Links that were not full are left out: they have no
 * say until they are suspects. */
void dts_fair_make_links_dirty(struct dts_fair *fair, const struct fair_flow *flow);

/* A flow with this weight has this rate from now on. */
void dts_fair_take(struct fair_link *link, double weight, double rate);

/* In the rounds so far; in which of them, by their new numbers. */
bool dts_fair_has_rate(const struct dts_fair *fair, const struct fair_flow *flow);
int dts_fair_round_of(const struct dts_fair *fair, const struct fair_flow *flow);

/* All rounds, until all have a rate. */
void dts_fair_pass_rounds(struct dts_fair *fair);

#endif
