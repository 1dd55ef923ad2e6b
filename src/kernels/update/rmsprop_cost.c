/* rmsprop_cost.c -- what an update by SGD scaled by recent squares costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_rmsprop = {
    .name = "rmsprop",
    .summary = "SGD with momentum, scaled by recent squares",
    .state_values = 2,
    .flops = 13, // d 2, s 4, v 5, w 2
    .values = 7, // read w, g, s, v, write w, s, v
};
