/* wire.h -- messages on links that they share max-min: the wire of the engine `flow`.
 *
 * Max-min: each message is as fast as its path alone allows, or is limited by a full link on
 * which none is faster. A link that limits somebody is bound. When messages begin and end, the
 * links that were bound there, and those that would now be too full, are settled with the
 * messages that they limit; all others keep their rates. Then it is seen whether that holds:
 *
 *     a link is too full now                        it is settled, too
 *     a message that changed crosses a bound link   that, too, with whom it limits
 *     one that kept its rate is faster than those   it gets a new rate, too
 *     whom a settled link limits
 *
 * until nothing of this is found. So workers that share a server are settled, not all the
 * servers that they also send to. Rates are settled once a moment.
 *
 * A link that limits many messages has a clock (clock.c): bytes that each of them has had since
 * it was set. A message is over when the clock shows its mark, whatever the rate was meanwhile,
 * so that one more or one less of them changes a number in place of all their dates.
 */
#ifndef DTS_SIM_FLOW_WIRE_H
#define DTS_SIM_FLOW_WIRE_H

#include "base/mem.h"
#include "sim/flow/flow.h"

enum { DTS_FLOW_WIRE_HOPS = 64 }; // lists of places of paths up to this long are used again

struct dts_flow_wire_hop {
    int link;   // of the wire
    float part; // of the message's bytes that cross it
};

struct dts_flow_wire_path {
    double most_bytes_per_s; // a message alone
    int first, count;        // hops; count -1: not asked yet
};

struct dts_flow_wire_link {
    double bytes_per_s;
    double load;         // sum of rates; of a message under another link's clock the highest
    int *flows;          // pairs: message, its hop; owned
    int count, room;     // of pairs
    int bound;           // messages that this link limits
    bool dirty;          // one of several that it limits has left
    int mark;            // of the settling that takes it in
    double left, weight; // while it is filled: room, and parts of those who share it
    double level;        // the rate of those whom it limits; INFINITY: nobody
    int delta_mark;      // of the look that met it
    double delta;        // bytes/s that the look found
    int wait, patience;  // so often it is settled before it gets a clock again; what is left
    struct dts_flow_wire_clock *clock; // owned; NULL: it has none
};

/* While a link has one, no other link that its messages cross limits anybody, and all of these
 * have room for the highest pace. */
struct dts_flow_wire_clock {
    double bytes, at_s;   // what it showed then
    double pace;          // bytes/s: the rate of all its messages
    double left, weight;  // of the link: the room for them, and their parts
    double highest;       // pace
    double least_cap;     // of their paths alone
    double fastest_other; // rate of a message that crosses the link and has another limit
    int turns;            // messages that came and went
    struct dts_flow_queue queue; // messages by mark; owned
};

/* A list of numbers that is filled anew in each settling. */
struct dts_flow_wire_list {
    int *of; // owned
    size_t room;
    int count;
};

struct dts_flow_wire {
    struct dts_map link_numbers;      // plus 1, by link of the network
    struct dts_flow_wire_path *paths; // owned, as all below; of a pair one after another
    struct dts_flow_wire_hop *hops;
    int *first_path; // by pair; -1: not asked yet
    struct dts_flow_wire_link *links;
    size_t path_count, hop_count, link_count, pair_count;
    size_t path_room, hop_room, link_room, pair_room;

    int *backs; // places of messages in the lists of links
    size_t back_count, back_room;
    int free_back[DTS_FLOW_WIRE_HOPS]; // by number of hops: blocks, chained by their first

    struct dts_flow_wire_list dirty, fresh;                   // links; messages without a rate
    struct dts_flow_wire_list met_links, met, grazed, filled; // of the settling under way
    int mark, delta_mark;
};

extern const struct dts_flow_wire_ops dts_flow_wire_ops;

/* Before the first message, and in the end. */
void dts_flow_wire_open(struct dts_flow_wire *wire);
void dts_flow_wire_free(struct dts_flow_wire *wire);

/* The path of a message; valid until the next call. */
const struct dts_flow_wire_path *dts_flow_wire_path_of(const struct dts_flow_wire *wire,
                                                       const struct dts_flow_message *message);

/* wire_paths.c: the number of a path, asked of the network the first time. */
int dts_flow_wire_path_find(struct dts_flow *flow, int pair, int path);

/* settle.c: who gets another rate since messages entered and left; then fill.c: which. */
void dts_flow_wire_settle(struct dts_flow *flow);
void dts_flow_wire_fill(struct dts_flow *flow);

/* clock.c. A message enters, or is over: returns false where the link has no clock, or cannot
 * keep it: then it must be settled. */
bool dts_flow_clock_enter(struct dts_flow *flow, int link, int message);
bool dts_flow_clock_leave(struct dts_flow *flow, int link, int message);
void dts_flow_clock_slow(struct dts_flow *flow, int link, int message, double slow);

/* Set one where many messages are limited, after the link was settled; take it away, before. */
void dts_flow_clock_set(struct dts_flow *flow, int link);
void dts_flow_clock_take(struct dts_flow *flow, int link);

void dts_flow_clock_free(struct dts_flow_wire_clock *clock);

/* Take away the clocks of all links whose messages cross this one. */
void dts_flow_clock_clear(struct dts_flow *flow, int link);

/* From now on a message moves at another rate. */
void dts_flow_wire_move_on(struct dts_flow *flow, int message, double rate, double slow);

static inline void dts_flow_wire_list_add(struct dts_flow_wire_list *list, int number)
{
    list->of = dts_grow(list->of, &list->room, (size_t)list->count + 1, sizeof(*list->of));
    list->of[list->count++] = number;
}

#endif
