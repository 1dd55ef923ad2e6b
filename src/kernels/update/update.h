/* update.h -- what turns a gradient into new weights, one parameter tensor at a time.
 *
 * Each is a file `<name>.c` with the formula, the reference in double, the host's
 * version in float and the row; cuda versions are in update.cu. Its name, and what it costs,
 * are in `<name>_cost.c` (update_cost.h). Where PyTorch has the rule, the rule is
 * PyTorch's. The gradient is the mean over the global batch, unscaled (reduce.h); weights are
 * fp32 whatever the precision of the kernels: the cast that follows is reduce.h's.
 *
 * In all formulas: w weight, g gradient, t the step (1 is the first), |.| the norm of the whole
 * tensor, and what is kept in the state between steps has a name of its own.
 */
#ifndef DTS_KERNELS_UPDATE_UPDATE_H
#define DTS_KERNELS_UPDATE_UPDATE_H

#include <stddef.h>

#include "kernels/op.h"
#include "kernels/update/update_cost.h"

/* Settings; a rule reads those of its formula. 0 is a value like any other. */
struct dts_update_settings {
    double rate;         // learning rate of this step
    double momentum;     // m
    double beta1, beta2; // of running means; rmsprop's one is beta2
    double epsilon;
    double decay; // of weights
    double trust; // coefficient of LARS and LARC
    long step;    // t >= 1
};

struct dts_update_arrays {
    size_t count;
    void *w;       // double in the reference, float elsewhere
    const void *g; // the same
    void *state;   // dts_update_state_values() of them, zeros before the first step
    void *scratch; // dts_update_scratch_bytes() bytes, for the call alone, aligned to 64
};

typedef void dts_update_fn(const struct dts_update_settings *settings,
                           const struct dts_update_arrays *arrays,
                           const struct dts_place *place);

/* Of an optimizer that keeps n values for each parameter the state is n arrays of `count`, one
 * behind the other. */
struct dts_update {
    const struct dts_optimizer *optimizer;
    int scalars; // values in the state behind the arrays
    bool norms;  // needs scratch, for the sums of norms
    bool apart;  // biases and normalizations have no decay and the plain rate: trust 0
    struct dts_update_settings usual; // without rate and step
    dts_update_fn *reference, *host;
    dts_update_fn *cuda; // NULL in a build without CUDA
};

extern const struct dts_update *const dts_updates[]; // ended by NULL
const struct dts_update *dts_update_find(const char *name);

size_t dts_update_state_values(const struct dts_update *update, size_t count);
size_t dts_update_scratch_bytes(const struct dts_update *update, size_t count);

#endif
