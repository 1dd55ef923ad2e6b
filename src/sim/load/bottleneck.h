/* bottleneck.h -- which links the messages of a step wait for, operation by operation: in a
 * collective each class of steps has its own narrowest link, and a whole step may have several.
 */
#ifndef DTS_SIM_LOAD_BOTTLENECK_H
#define DTS_SIM_LOAD_BOTTLENECK_H

#include "sim/load/load.h"

/* Links of one kind, "node3.nic0.out" and "node5.nic1.out", count as one. */
struct dts_bottleneck {
    char link[64]; // one of them; "": no link, but the most that a single flow may have

    /* Messages of the job's first role are on the wire so long, and this is what limits them.
     */
    double seconds;
};

/* Of the ranks of the first role that are longest on the wire in a step, the longest first.
 * Returns how many of `room` are filled. Operations that overlap are counted each by itself, so
 * the sum may be longer than the communication. */
int dts_bottlenecks_find(const struct dts_simulation *simulation, struct dts_loader *loader,
                         struct dts_bottleneck *found, int room);

#endif
