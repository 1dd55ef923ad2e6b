/* adam_cost.c -- what an update by Adam costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_adam = {
    .name = "adam",
    .summary = "Adam, with weight decay as part of the gradient",
    .state_values = 2,
    .flops = 15, // d 2, m 3, v 4, w 6
    .values = 7, // read w, g, m, v, write w, m, v
    .lazy = true,
};
