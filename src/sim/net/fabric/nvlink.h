/* nvlink.h -- NVLinks between the GPUs of a node, above the PCIe tree that leads to the NICs
 * and to the host's memory: all that the fabrics with NVLink have in common.
 *
 * The links of a node are the NVLinks, then those of the tree; its places those of the tree,
 * then the mesh's own (a switch). A fabric's struct begins with a struct dts_nvlink, and its
 * prepare() ends with dts_nvlink_prepare().
 */
#ifndef DTS_SIM_NET_FABRIC_NVLINK_H
#define DTS_SIM_NET_FABRIC_NVLINK_H

#include "sim/net/fabric/pcie.h"

struct dts_nvlink;

/* How the NVLinks lie. */
struct dts_nvlink_mesh {
    int (*links)(const struct dts_nvlink *net); // NVLinks, directed
    double (*capacity)(const struct dts_nvlink *net, int link);
    void (*name)(const struct dts_nvlink *net, int link, char *name, size_t room);
    /* GPUs, or dts_nvlink_place(). */
    void (*ends)(const struct dts_nvlink *net, int link, int *from, int *to);
    /* Between two GPUs; 0: they have none, and data go by PCIe. */
    int (*route)(const struct dts_nvlink *net, int from, int to, int *links);
    /* Where a GPU is on PCIe; NULL: in order. */
    int (*slot)(const struct dts_nvlink *net, int gpu);
    int links_per_hop; // links of a route for which the latency counts once
    int places;        // of its own
};

struct dts_nvlink {
    double nvlink_bytes_per_s, nvlink_latency_us;
    struct dts_pcie pcie;
    int devices; // from here on by prepare
    const struct dts_nvlink_mesh *mesh;
};

/* `at` is the fabric's object: the tree is its member "pcie". */
bool dts_nvlink_prepare(struct dts_nvlink *net, const struct dts_nvlink_mesh *mesh, int devices,
                        int nics, const struct dts_cfg *at, struct dts_error *err);

int dts_nvlink_place(const struct dts_nvlink *net); // the first of the mesh's own

/* Functions of a struct dts_fabric. */
int dts_nvlink_links(const void *self);
double dts_nvlink_capacity(const void *self, int link);
void dts_nvlink_link_name(const void *self, int link, char *name, size_t room);
int dts_nvlink_places(const void *self);
int dts_nvlink_place_of(const void *self, int port);
void dts_nvlink_inner_name(const void *self, int place, char *name, size_t room);
void dts_nvlink_ends(const void *self, int link, int *from, int *to);
int dts_nvlink_route(const void *self, int from, int to, bool staged, int *links);
double dts_nvlink_latency(const void *self, int from, int to, bool staged);
int dts_nvlink_nic_of(const void *self, int device);
bool dts_nvlink_nics_near(const void *self);

#endif
