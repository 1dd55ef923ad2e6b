/* lars_cost.c -- what an update by LARS costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_lars = {
    .name = "lars",
    .summary = "momentum with a rate for each tensor by its norms: large batches",
    .state_values = 1,
    .momentum = true,
    .flops = 11, // norms 4, scale 1, momentum 6
    .values = 7, // read w, g; read w, g, v, write w, v
};
