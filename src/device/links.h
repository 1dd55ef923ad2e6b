/* links.h -- "links" of a device file: what joins a device to others and to its host. */
#ifndef DTS_DEVICE_LINKS_H
#define DTS_DEVICE_LINKS_H

#include "base/json/cfg.h"

/* How a device reaches others of its node and its host; 0 and NULL: not stated. Predictions
 * take the platform's links: these are what a platform with this device is begun with. */
struct dts_device_links {
    const char *kind;    // "NVLink 4"
    int count;           // of one device, to others like it
    double bytes_per_s;  // of one of them, each way
    int most_per_pair;   // between two devices; 0: as many as there are
    int nvlink_all;      // the most devices of a node that links between all pairs join, ...
    int nvlink_cube;     // ... a hybrid cube mesh, ...
    int nvswitch;        // ... switches
    int torus;           // dimensions of the torus that they make; 0: none
    int pcie_generation; // 1 ..
    int pcie_lanes;
};

extern const struct dts_field dts_device_links_fields[]; // of struct dts_device_links

/* Do they go together? at: "links". */
bool dts_device_links_check(const struct dts_device_links *links, const struct dts_cfg *at,
                            struct dts_error *err);

#endif
