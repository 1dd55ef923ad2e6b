/* platform.h -- a machine from its JSON file: node, NICs, network, storage. docs/platforms.md
 * says every key.
 */
#ifndef DTS_SIM_NET_PLATFORM_PLATFORM_H
#define DTS_SIM_NET_PLATFORM_PLATFORM_H

#include "base/json/keys.h"
#include "sim/engine.h"

struct dts_net_hosts;

struct dts_storage {
    double shared_bytes_per_s; // all nodes together; 0: not stated
    double node_bytes_per_s; // one node from the shared system, or its local SSD; 0: not stated
};

/* What a library of collectives finds out about a node. */
enum { DTS_MESHED = 8 }; // the most devices of a mesh that it cuts channels from

struct dts_platform_node {
    const char *cpu; // "intel", "amd"; NULL: it does not say
    int nics;        // 0: the network was imported
    double nic_plugin_latency_s;
    bool nics_near;
    bool sharp;                                  // the network's switches sum
    int nvlinks;                                 // of a device
    bool nvswitch;                               // they lead to a switch; else to other devices
    unsigned char lanes[DTS_MESHED][DTS_MESHED]; // NVLinks from device to device
};

enum { DTS_MOST_KINDS = 64 };

/* Nodes that hold the same device, one behind the other. */
struct dts_node_kind {
    int nodes;
    const char *device; // device file
};

struct dts_platform {
    const char *name;    // the file's "name"
    const char *summary; // one line
    const char *device; // device file that its nodes hold, the first of them where kinds differ
    int nodes;
    int devices_per_node;
    int cores;                // of the host of a node, not hardware threads; 0: not stated
    double host_memory_bytes; // of one node
    double host_memory_bytes_per_s; // bandwidth of it
    double power_w;                 // of a node that trains; 0: not stated
    double price_per_hour;          // of a node, in any currency; 0: not stated

    /* Kernels take together[n - 1] times as long when n devices of a node compute; owned. NULL:
     * not stated. */
    double *together;
    size_t together_count;

    /* Messages of a device take 1 + messages times as long while its kernels run. Kernels take
     * 1 + communicating times as long while messages travel; < 0: not stated. */
    double messages, communicating;

    struct dts_node_kind *kinds; // of nodes, which add up to `nodes`; owned
    int kind_count;              // 0: all nodes hold `device`

    /* Kernels of a node take so many times as long, by node; owned. NULL: none is slow. */
    double *node_factor;

    char hosts_note[192]; // what the file of the network says of hosts and is not used; "": all

    bool stack_moves[2];       // by DTS_WITHIN, DTS_BETWEEN: the transport is the stack's
    const char *stack_between; // the stack's name that the network cannot do; NULL: none such

    struct dts_storage storage;
    struct dts_platform_node node;
    double nic_bytes_per_s;  // of one NIC; 0: the network was imported
    double slot_bytes_per_s; // what a node carries to it; 0: it is on the device, or imported
    struct dts_net net;

    /* Paths of the values whose "source" says assumed: "nics.latency_us". */
    const char *assumed[32];
    int assumed_count;

    struct dts_doc *doc;           // owned
    char *network_file;            // owned; that its network was imported from; NULL: none
    struct dts_error network_note; // what of it is not used; no cause: nothing to say
};

/* The transports of a stack. They go before those of a platform, but for one between nodes
 * that needs RDMA where the platform has sockets, unless a person asks for it. */
struct dts_stack_moves {
    struct dts_cfg within, between;
    bool asked; // a person says `between`, not the library
};

/* Says the file that a value is assumed, by its path? */
bool dts_platform_assumes(const struct dts_platform *platform, const char *path);

/* Read a platform file and build its network. stack NULL: the platform's own transports. */
bool dts_platform_load(struct dts_platform *platform, const char *path,
                       const struct dts_stack_moves *stack, struct dts_error *err);
/* The same from a document that was loaded (and changed). Takes it over, also on failure. */
bool dts_platform_read(struct dts_platform *platform, struct dts_doc *doc,
                       const struct dts_stack_moves *stack, struct dts_error *err);
void dts_platform_free(struct dts_platform *platform);

/* Can the engine do what the platform says? */
bool dts_platform_suits(const struct dts_platform *platform, const struct dts_engine *engine,
                        struct dts_error *err);

/* Is a NIC behind a PCIe slot that carries less? Then the line that says so. */
bool dts_platform_slow_slot(const struct dts_platform *platform, struct dts_error *note);

/* How much longer kernels take when `devices` of a node compute at once; 1: not stated. */
double dts_platform_together(const struct dts_platform *platform, int devices);

/* The node that an endpoint, a device or a host, is in. */
int dts_platform_node_of(const struct dts_platform *platform, int endpoint);

/* The number of the kind that a node is of, in `kinds`; 0 where there are none. */
int dts_platform_kind_of(const struct dts_platform *platform, int node);

/* The row of a key that all platform files have: "node.devices", "nics.latency_us"; NULL: it
 * has no row of its own. */
const struct dts_field *dts_platform_field(const char *path);

/* Print what `dtsim help platform` says. */
void dts_platform_keys(struct dts_keys *keys);

/* The same of transports at two paths, of a stack. */
void dts_platform_transport_keys(struct dts_keys *keys, const char *within,
                                 const char *between);

/* Networks that come from a file of another program, not from a topology:
 * "network": {"kind": "...", "file": "...", "hosts": ...}. The reader sets all of *net but its
 * transports; `hosts` chooses (net_simgrid.h). */
struct dts_net_import {
    const char *kind, *summary;
    bool (*load)(struct dts_net *net, const char *path, const struct dts_net_hosts *hosts,
                 struct dts_error *note, struct dts_error *err);
};

extern const struct dts_net_import *const dts_net_imports[]; // ended by NULL

const char *dts_rails_name(int i); // how the rails of a node are cabled

/* Where ranks sit. */
struct dts_placement {
    const char *kind; // "linear", "round_robin", "random", "listed"
    unsigned long seed;
    const int *nodes; // listed: nodes in order; borrowed
    int node_count;
    const char *file; // that asks for it, for messages

    /* By endpoint: devices and hosts that other jobs have; borrowed. NULL: none has any. Free
     * devices of a node are used one by one; round_robin takes free nodes alone. */
    const bool *taken;
};

const char *dts_placement_name(int i);

/* Endpoints for `devices` ranks on devices, and for `hosts` more on node hosts (parameter
 * servers). apart: the last so many of these are on nodes that nobody else uses, one a node;
 * the others on the workers' nodes, round and round. *endpoints is allocated (devices + hosts
 * ints); the caller frees it.
 */
bool dts_place(const struct dts_platform *platform, const struct dts_placement *placement,
               int devices, int hosts, int apart, int **endpoints, struct dts_error *err);

#endif
