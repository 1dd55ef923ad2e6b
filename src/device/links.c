/* links.c -- "links" of a device file: what joins a device to others and to its host.
 *
 *     "links": {
 *       "peer": {"kind": "NVLink 4", "count": 18, "bytes_per_s": 25e9,
 *                "fabrics": {"nvlink_all": 4, "nvswitch": 8}, "source": "..."},
 *       "pcie": {"generation": 5, "lanes": 16, "source": "..."}
 *     }
 */
#include "device/links.h"

/* Keys of objects inside "links": all are members of the one struct. */
#define KEY(name, member) .key = name, .offset = offsetof(struct dts_device_links, member)

static const struct dts_field fabrics_fields[] = {
    {KEY("nvlink_all", nvlink_all), .type = DTS_INT, .max = 64, .missing = "null",
     .help = "the most devices of a node with links between all pairs"},
    {KEY("nvlink_cube", nvlink_cube), .type = DTS_INT, .max = 64, .missing = "null",
     .help = "devices of a node that is a hybrid cube mesh"},
    {KEY("nvswitch", nvswitch), .type = DTS_INT, .max = 64, .missing = "null",
     .help = "the most devices of a node with switches"},
    {0},
};

static const struct dts_field peer_fields[] = {
    {KEY("kind", kind), .type = DTS_STRING, .help = "what it is called: NVLink 4"},
    {KEY("count", count), .type = DTS_INT, .min = 1, .max = 64,
     .help = "links of one device to others"},
    {KEY("bytes_per_s", bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .help = "of one of them, each way"},
    {KEY("most_per_pair", most_per_pair), .type = DTS_INT, .min = 1, .max = 64,
     .missing = "null", .help = "the most links between two devices; default: count"},
    {.key = "fabrics",
     .offset = 0,
     .type = DTS_OBJECT,
     .fields = fabrics_fields,
     .missing = "null",
     .help = "fabrics of nodes that have them; without: a bridge, which is bought apart"},
    {KEY("torus", torus), .type = DTS_INT, .min = 1, .max = 8, .missing = "null",
     .help = "dimensions of the torus between nodes that they make"},
    {0},
};

static const struct dts_field pcie_fields[] = {
    {KEY("generation", pcie_generation), .type = DTS_INT, .min = 1, .max = 6,
     .help = "of PCI Express"},
    {KEY("lanes", pcie_lanes), .type = DTS_INT, .min = 1, .max = 16, .help = "of the card"},
    {0},
};

const struct dts_field dts_device_links_fields[] = {
    {.key = "peer",
     .offset = 0,
     .type = DTS_OBJECT,
     .fields = peer_fields,
     .missing = "null",
     .help = "links to devices like it: NVLink, Infinity Fabric, ICI"},
    {.key = "pcie",
     .offset = 0,
     .type = DTS_OBJECT,
     .fields = pcie_fields,
     .missing = "null",
     .help = "the link to its host"},
    {0},
};

bool dts_device_links_check(const struct dts_device_links *links, const struct dts_cfg *at,
                            struct dts_error *err)
{
    const struct dts_cfg peer = dts_cfg_member(at, "peer");
    if (links->most_per_pair > links->count)
        return dts_cfg_fail(&peer, "most_per_pair", err, "must be <= count, %d, got %d",
                            links->count, links->most_per_pair);
    if (links->nvlink_all > links->count + 1)
        return dts_cfg_fail(&peer, "fabrics", err,
                            "must have nvlink_all <= %d: one link to each other device; got %d",
                            links->count + 1, links->nvlink_all);
    if (links->torus != 0 && links->count != 2 * links->torus)
        return dts_cfg_fail(&peer, "torus", err, "must be half of count, %d, got %d",
                            links->count, links->torus);
    return true;
}
