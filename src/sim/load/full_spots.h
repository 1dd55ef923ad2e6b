/* full_spots.h -- the ranks of one side of an exchange of all with all, by node and by spot;
 * private to full_exchange.c and full_between.c. */
#ifndef DTS_SIM_LOAD_FULL_SPOTS_H
#define DTS_SIM_LOAD_FULL_SPOTS_H

#include "sim/load/full_exchange.h"

/* Members (places in the list of a side) by the node that they are on. */
struct dts_by_node {
    const struct dts_simulation *simulation;
    int *first; // by node; -1: nobody; owned
    int *next;  // by member; -1: the last; owned
};

void dts_by_node_make(const struct dts_simulation *simulation, const struct dts_full_side *side,
                      struct dts_by_node *by);
void dts_by_node_free(struct dts_by_node *by);

int dts_by_node_of(const struct dts_simulation *simulation, int rank); // its node

/* The first member on the node of a rank, which may be of another side. */
static inline int dts_by_node_first(const struct dts_by_node *by, int rank)
{
    return by->first[dts_by_node_of(by->simulation, rank)];
}

/* Members that are alike to others on other nodes. */
struct dts_spot_members {
    struct dts_spot spot;
    int first, count; // in dts_spots.order
    double parts;     // their sum
};

struct dts_spots {
    struct dts_spot_members *all; // owned, as all below
    int count;
    int *of;    // by member: its spot
    int *order; // members, spot after spot
};

void dts_spots_make(const struct dts_simulation *simulation, const struct dts_full_side *side,
                    struct dts_spots *spots);
void dts_spots_free(struct dts_spots *spots);

#endif
