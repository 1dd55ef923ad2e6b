/* novograd_cost.c -- what an update by NovoGrad costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_novograd = {
    .name = "novograd",
    .summary = "momentum of gradients that are normalized tensor by tensor",
    .state_values = 1,
    .flops = 9,  // norm 2, m 5, update 2
    .values = 6, // read g; read w, g, m, write w, m
};
