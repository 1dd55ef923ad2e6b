/* larc_cost.c -- what an update by LARC costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_larc = {
    .name = "larc",
    .summary = "LARS with rates that are at most the global one",
    .state_values = 1,
    .momentum = true,
    .flops = 11, // norms 4, scale 1, momentum 6
    .values = 7, // read w, g; read w, g, v, write w, v
};
