/* momentum_cost.c -- what an update by SGD with momentum costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_momentum = {
    .name = "momentum",
    .summary = "SGD with momentum",
    .state_values = 1,
    .momentum = true,
    .flops = 6,  // d 2, v 2, w 2
    .values = 5, // read w, g, v, write w, v
    .lazy = true,
};
