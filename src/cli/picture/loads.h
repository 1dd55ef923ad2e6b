/* loads.h -- what links carry in a step, read back from the file that answer/drawn/links.h
 * writes. */
#ifndef DTS_CLI_PICTURE_LOADS_H
#define DTS_CLI_PICTURE_LOADS_H

#include "base/error.h"

struct dts_doc;

enum { DTS_LOADS_SHARES = 100 };

struct dts_loads_kind {
    const char *name, *busiest; // "node*.nic*.out", "node3.nic0.out"
    int count, share_count;
    double bytes;                   // of the busiest
    double share[DTS_LOADS_SHARES]; // of the step, from the busiest on
};

struct dts_loads_link {
    const char *name;
    int from, to;                    // places
    const char *from_name, *to_name; // what they are; NULL: not within a node
    double bytes, share;
};

struct dts_loads {
    struct dts_doc *doc; // owns the words
    int nodes;
    struct dts_loads_kind *kinds; // owned
    int kind_count;
    struct dts_loads_link *links; // owned
    int link_count;               // 0: there are too many
    double most;                  // share of the busiest link
};

bool dts_loads_read(struct dts_loads *loads, const char *path, struct dts_error *err);
void dts_loads_free(struct dts_loads *loads);

#endif
