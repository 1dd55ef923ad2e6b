/* nesterov_cost.c -- what an update by SGD with Nesterov's momentum costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_nesterov = {
    .name = "nesterov",
    .summary = "SGD with Nesterov's momentum",
    .state_values = 1,
    .momentum = true,
    .flops = 8,  // d 2, v 2, d + m v 2, w 2
    .values = 5, // read w, g, v, write w, v
};
