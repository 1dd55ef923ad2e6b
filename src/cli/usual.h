/* usual.h -- what is usual where a fabric or a topology asks for a value that a person who
 * describes a cluster may not know. What the device's file says of its links is taken from
 * there; the rest is marked ASSUMED in the file that is written.
 */
#ifndef DTS_CLI_USUAL_H
#define DTS_CLI_USUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "device/device.h"

/* What is known of the cluster. */
struct dts_shape {
    int ports;                       // of the network: nodes times interfaces
    double nic_bytes_per_s;          // of one interface
    int devices;                     // of a node
    const struct dts_device *device; // that nodes hold
    const char *fabric;              // of a node; NULL: not known yet
};

struct dts_usual {
    char value[256];  // as JSON
    char source[192]; // "ASSUMED", or the device that says so
    bool always;      // worth writing even where the key has a default
};

/* The usual value of a key; false: there is none. */
bool dts_usual(const struct dts_shape *shape, const char *key, struct dts_usual *usual);

/* What connects the devices of a node, as `value`: a row of dts_fabrics. */
void dts_usual_fabric(const struct dts_shape *shape, struct dts_usual *usual);

/* How messages move in a node with this fabric: a row of dts_transports. */
const char *dts_usual_within(const char *fabric);

/* All links of a device whose links make the network between nodes, as of one interface, in
 * Gbit/s; false: they do not. */
bool dts_usual_nic_gbit(const struct dts_shape *shape, struct dts_usual *usual);

#endif
