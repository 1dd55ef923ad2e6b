/* synchrony_keys.h -- what a person says of when ranks meet (synchrony.h). */
#ifndef DTS_TRAIN_STRATEGY_SYNCHRONY_KEYS_H
#define DTS_TRAIN_STRATEGY_SYNCHRONY_KEYS_H

#include <stdbool.h>

enum { DTS_MOST_LOCAL_STEPS = 10000 };

struct dts_synchrony {
    int local_steps, local_after; // local_steps 0: gradients are summed in each step
    double outer_rate, outer_momentum;
    const char *average;
    int delay, delay_first, delay_last; // the latter 0: all gradients are late
    bool outer, pairs, passing;         // follow from these; passing: AD-PSGD
};

#endif
