/* input.h -- what samples cost on their way to a device, in seconds of a step.
 *
 *     storage -> cores of the host, which decode -> memory of the host -> device
 *
 * All devices of a node share its storage, cores and memory, and all nodes a file system.
 * Samples go through one behind the other, so that the slowest of these bounds them. What the
 * stack says about its pipeline decides what of it happens while the step before computes.
 */
#ifndef DTS_TRAIN_STRATEGY_INPUT_H
#define DTS_TRAIN_STRATEGY_INPUT_H

#include "train/strategy/build.h"

enum dts_input_part {
    DTS_INPUT_SHARED,  // storage that all nodes share
    DTS_INPUT_STORAGE, // storage of a node
    DTS_INPUT_CORES,
    DTS_INPUT_MEMORY,
    DTS_INPUT_FEED, // handing over, one sample after another
    DTS_INPUT_PARTS
};

struct dts_input {
    double seconds[DTS_INPUT_PARTS]; // that each alone needs for the samples of a step; 0: not
                                     // modelled
    double samples[DTS_INPUT_PARTS]; // that it needs them for: of a node, or of all
    double ahead_s;                  // while the step before computes
    double here_s;                   // while nothing computes
    enum dts_input_part bound;       // the part that needs longest, but for feeding
};

struct dts_input dts_point_input(const struct dts_point *point);

/* The most samples of a step that devices of one node need. */
double dts_point_node_samples(const struct dts_point *point);

#endif
