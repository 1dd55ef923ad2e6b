/* lamb_cost.c -- what an update by LAMB, where u is kept between its passes, costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_lamb = {
    .name = "lamb",
    .summary = "Adam with a rate for each tensor by its norms: large batches",
    .state_values = 2,
    .flops = 19,  // m 3, v 4, u 6, norms 4, update 2
    .values = 10, // read w, g, m, v, write m, v, u; read w, u, write w
};
