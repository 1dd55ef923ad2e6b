/* net_simgrid.h -- a SimGrid XML platform as a network, for both engines.
 *
 * Its hosts, ordered by name ("node-2" before "node-10"), become nodes with one device each;
 * the host endpoint of a node is the same place. Links and routes are those that SimGrid finds;
 * one path for each pair. Speeds of hosts are noted (dts_net.host_speed); disks and traces are
 * not used. The transports add nothing: efficiency 1, no overhead, latency blocks; the caller
 * may replace them.
 */
#ifndef DTS_SIM_NET_SIMGRID_FILE_NET_SIMGRID_H
#define DTS_SIM_NET_SIMGRID_FILE_NET_SIMGRID_H

#include "sim/net/net.h"

/* The hosts of a file that become nodes. */
struct dts_net_hosts {
    const char *prefix;       // those whose names begin with it; NULL: see names
    const char *const *names; // these, in this order; NULL: all
    size_t count;
};

/* SimGrid reads the file in a child process. Messages begin with the path. hosts: NULL for all;
 * only pairs of chosen ones need routes. *note becomes a line about what is not used. */
bool dts_net_from_simgrid(struct dts_net *net, const char *path,
                          const struct dts_net_hosts *hosts, struct dts_error *note,
                          struct dts_error *err);

#endif
