/* fabric.h -- what connects the devices of one node with each other, with the host's memory and
 * with the NICs. One file and one row each: none (one device that is the host), pcie (tree with
 * one or two sockets), nvlink_all (all to all), nvlink_cube (hybrid cube mesh), nvswitch,
 * sockets (Summit: triples on NVLink, X-bus between). Those with NVLink share nvlink.h.
 *
 * Ports of a node: 0 .. devices - 1 the devices, devices the host memory, then the NICs.
 */
#ifndef DTS_SIM_NET_FABRIC_FABRIC_H
#define DTS_SIM_NET_FABRIC_FABRIC_H

#include <stddef.h>

#include "base/json/cfg.h"

enum { DTS_MAX_FABRIC_ROUTE = 8 }; // links in one route

struct dts_fabric {
    const char *name, *summary;
    const struct dts_field *fields; // its JSON keys, beside "kind"
    size_t size;                    // of the struct that they fill, allocated zeroed
    bool (*prepare)(void *self, int devices, int nics, const struct dts_cfg *at,
                    struct dts_error *err);
    int (*links)(const void *self); // of one node, directed
    double (*capacity)(const void *self, int link);
    void (*link_name)(const void *self, int link, char *name, size_t room);

    /* Where links begin and end: devices, switches, sockets, numbered from 0. */
    int (*places)(const void *self);
    int (*place_of)(const void *self, int port);
    void (*ends)(const void *self, int link, int *from, int *to);

    /* What a place is that is no port: "PCIe switch 0"; NULL: all such are switches. */
    void (*inner_name)(const void *self, int place, char *name, size_t room);

    /* From port to port; 0 links when they are the same. Staged: between a device and a NIC the
     * data passes through host memory. */
    int (*route)(const void *self, int from, int to, bool staged, int *links);
    double (*latency)(const void *self, int from, int to, bool staged);
    int (*nic_of)(const void *self, int device); // the NIC (0 ..) that this device uses

    /* What a library of collectives asks. NVLinks of a device; NULL: it has none. Of them those
     * that lead straight to another device; NULL: all lead to a switch. Has each device a NIC
     * under its own PCIe switch? NULL: no. */
    int (*nvlinks)(const void *self);
    int (*lanes)(const void *self, int from, int to);
    bool (*nics_near)(const void *self);
};

extern const struct dts_fabric *const dts_fabrics[]; // ended by NULL
const struct dts_fabric *dts_fabric_find(const char *name);
const char *dts_fabric_name(int i);

#endif
