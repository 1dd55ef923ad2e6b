/* again.h -- layers that run forward once more, before backward, since what they make was not
 * kept (Chen et al. 2016, arXiv:1604.06174; of attention alone: Korthikanti et al. 2022,
 * arXiv:2205.05198).
 */
#ifndef DTS_TRAIN_MODEL_AGAIN_H
#define DTS_TRAIN_MODEL_AGAIN_H

#include <stdbool.h>

/* Layers first .. last run again just before the backward call of layer `before`, which is last
 * or one behind it. */
struct dts_again {
    int first, last, before;
    bool inside; // of one layer: its backward call begins with it, and nobody else calls it
};

#endif
