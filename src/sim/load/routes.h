/* routes.h -- which links the messages of a pair of ranks cross; found once, then kept. */
#ifndef DTS_SIM_LOAD_ROUTES_H
#define DTS_SIM_LOAD_ROUTES_H

#include "sim/engine.h"

/* The part of a pair's traffic that crosses a link, over all its paths. */
struct dts_route_share {
    int link;
    float part;
};

struct dts_route {
    const struct dts_route_share *shares;
    int count;
    int by; // transport
    double latency_s;
    size_t pair; // number + 1 of what is kept; 0: is not
};

struct dts_routes;

struct dts_routes *dts_routes_new(const struct dts_simulation *simulation);
void dts_routes_free(struct dts_routes *routes);

/* All paths of a pair of ranks. Keep what will be asked for again, by ranks that send to some
 * dozens at most. Valid until the next call. */
struct dts_route dts_route_find(struct dts_routes *routes, int src, int dst, bool keep);

/* The one path that a message with this number takes, as exact draws it. */
struct dts_route dts_route_draw(struct dts_routes *routes, int src, int dst, unsigned number);

struct dts_link_load {
    int link;
    double weight; // bytes on the link, or how many for a byte of the largest message
};

/* Note that messages with so many bytes take a route. */
void dts_route_add(struct dts_routes *routes, const struct dts_route *route, double bytes);

void dts_route_add_pair(struct dts_routes *routes, size_t pair, double bytes); // that is kept

/* Bytes of data on a link, by the transport that has them. */
struct dts_link_bytes {
    int link;
    double bytes[2];
};

/* What was noted since the last call, by link that is shared. Owned by the caller. */
struct dts_link_bytes *dts_routes_total(struct dts_routes *routes, int *count);

#endif
