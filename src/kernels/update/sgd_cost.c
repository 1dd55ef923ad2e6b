/* sgd_cost.c -- what an update by SGD costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_sgd = {
    .name = "sgd",
    .summary = "stochastic gradient descent",
    .flops = 4,  // d 2, w 2
    .values = 3, // read w, g, write w
    .lazy = true,
};
