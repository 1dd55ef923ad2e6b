/* flows_private.h -- the state of messages under way, shared by flows.c and flows_settle.c. */
#ifndef DTS_SIM_LOAD_FLOWS_PRIVATE_H
#define DTS_SIM_LOAD_FLOWS_PRIVATE_H

#include "sim/load/flows.h"

enum { NONE = -1 };

#define DTS_FLOW_NEARLY (1 + 1e-12) // rates this close are one

struct flow {
    int pair, tag;
    int first;     // of its crossings
    int next_free; // of the same pair
    int place;     // in the heap
    int mark;      // of the last settling that met it
    double left_bytes, since_s, rate, new_rate, end_s;
};

/* A flow on a link, in the list of the link's flows. */
struct crossing {
    int flow, before, after;
};

struct link {
    int first;           // crossing
    int flows;           // how many
    double wanted;       // by them, each at its most
    bool shared;         // that was more than the link has, when it was settled last
    bool dirty;          // a flow began or ended since
    int mark;            // of the last settling that met it
    double left, weight; // while it is settled
};

struct dts_flows {
    const struct dts_route_shares *pairs;
    struct flow *flows;
    struct crossing *crossings;
    size_t flow_room, crossing_room;
    int flow_count, crossing_count;
    int *free_of_pair; // a flow that has ended, and its crossings; by pair
    struct link *links;
    int *heap; // flows, the first to end on top
    size_t heap_room;
    int heap_count;
    int *dirty, dirty_count; // links
    int *met_links, met_link_count;
    int *met; // flows
    size_t met_room;
    int met_count, mark;
};

/* It ends at another time than it was to. */
void dts_flow_move(struct dts_flows *flows, int flow, double end_s);

#endif
