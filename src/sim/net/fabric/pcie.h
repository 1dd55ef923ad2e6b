/* pcie.h -- the PCIe tree of a node: a fabric by itself, and the part of those with
 * NVLink that leads to the NICs and to the host's memory.
 *
 *     host memory ----------+                 +---- one pair of links a socket
 *        socket 0 ---- inter-socket ---- socket 1
 *         |     |                         |     |
 *      switch  switch  (or none)       switch  switch
 *       |  |    |  |                    |  |    |  |
 *      devices, evenly in order; NICs on the switches or on the sockets, evenly in order
 *
 * Places are the ports (devices, host, NICs), then the switches, then the sockets.
 */
#ifndef DTS_SIM_NET_FABRIC_PCIE_H
#define DTS_SIM_NET_FABRIC_PCIE_H

#include "base/json/cfg.h"

struct dts_pcie {
    int sockets, switches; // switches 0: devices are on the sockets
    double device_bytes_per_s, uplink_bytes_per_s, socket_bytes_per_s, memory_bytes_per_s;
    double hop_latency_us;
    bool nics_on_switches;
    int devices, nics; // by prepare
};

extern const struct dts_field dts_pcie_fields[];

bool dts_pcie_prepare(struct dts_pcie *pcie, int devices, int nics, const struct dts_cfg *at,
                      struct dts_error *err);
int dts_pcie_links(const struct dts_pcie *pcie);
double dts_pcie_capacity(const struct dts_pcie *pcie, int link);
void dts_pcie_link_name(const struct dts_pcie *pcie, int link, char *name, size_t room);
int dts_pcie_places(const struct dts_pcie *pcie);
void dts_pcie_inner_name(const struct dts_pcie *pcie, int place, char *name, size_t room);
void dts_pcie_ends(const struct dts_pcie *pcie, int link, int *from, int *to);
int dts_pcie_route(const struct dts_pcie *pcie, int from, int to, bool staged, int *links);
double dts_pcie_latency(const struct dts_pcie *pcie, int from, int to, bool staged);
int dts_pcie_nic_of(const struct dts_pcie *pcie, int device);

/* Has each device a NIC under its own switch? */
bool dts_pcie_nics_near(const struct dts_pcie *pcie);

#endif
