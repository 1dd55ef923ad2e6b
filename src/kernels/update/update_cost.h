/* update_cost.h -- rules that turn a gradient g into a new weight w, with what one update costs
 * for each parameter.
 *
 * Each stands in `<name>_cost.c`, in the letters of the formula in `<name>.c`,
 * which carries it out. Counted as a fused kernel does it: every tensor is read and written
 * once in a pass, scalars (learning rate, bias corrections) are ready, and weight decay is part
 * of it. The rules that scale by norms of whole tensors (LARS, LARC, LAMB, NovoGrad) need a
 * pass before the update.
 */
#ifndef DTS_KERNELS_UPDATE_UPDATE_COST_H
#define DTS_KERNELS_UPDATE_UPDATE_COST_H

#include <stdbool.h>

struct dts_optimizer {
    const char *name, *summary;
    int state_values;     // kept for each parameter: momentum 1, Adam 2
    double flops, values; // of an update, per parameter: operations, memory accesses
    bool momentum;        // v = m v + ...: an m that may differ from update to update
    bool lazy;            // may leave rows of a table alone that have no gradient (docs/ops.md)
};

extern const struct dts_optimizer dts_optimizer_sgd;
extern const struct dts_optimizer dts_optimizer_momentum;
extern const struct dts_optimizer dts_optimizer_nesterov;
extern const struct dts_optimizer dts_optimizer_rmsprop;
extern const struct dts_optimizer dts_optimizer_adam;
extern const struct dts_optimizer dts_optimizer_adamw;
extern const struct dts_optimizer dts_optimizer_lars;
extern const struct dts_optimizer dts_optimizer_larc;
extern const struct dts_optimizer dts_optimizer_lamb;
extern const struct dts_optimizer dts_optimizer_novograd;

#endif
