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
    double load;         // sum of rates
    int *flows;          // pairs: message, its hop; owned
    int count, room;     // of pairs
    int bound;           // messages that this link limits
    bool dirty;          // one of several that it limits has left
    int mark;            // of the settling that takes it in
    double left, weight; // while it is filled: room, and parts of those who share it
    double level;        // the rate of those whom it limits; INFINITY: nobody
    int delta_mark;      // of the look that met it
    double delta;        // bytes/s that the look found
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

/* From now on a message moves at another rate. */
void dts_flow_wire_move_on(struct dts_flow *flow, int message, double rate, double slow);

static inline void dts_flow_wire_list_add(struct dts_flow_wire_list *list, int number)
{
    list->of = dts_grow(list->of, &list->room, (size_t)list->count + 1, sizeof(*list->of));
    list->of[list->count++] = number;
}

#endif
