/* adamw_cost.c -- what an update by AdamW costs. */
#include "kernels/update/update_cost.h"

const struct dts_optimizer dts_optimizer_adamw = {
    .name = "adamw",
    .summary = "Adam, with weight decay apart from the gradient",
    .state_values = 2,
    .flops = 14, // m 3, v 4, decay 1, w 6
    .values = 7, // read w, g, m, v, write w, m, v
};
