/* optimizer.h -- the rule that changes a model's weights, with its state for each tensor.
 *
 * It works on arrays that lie as those of the network do (network.h), whoever owns them: a
 * worker updates the network's own, a server those that it keeps.
 */
#ifndef DTS_TRAIN_NETWORK_OPTIMIZER_H
#define DTS_TRAIN_NETWORK_OPTIMIZER_H

#include "base/error.h"
#include "kernels/embedding/sparse.h"
#include "kernels/reduce/loss_scale.h"
#include "kernels/space/mirror.h"
#include "kernels/update/update.h"
#include "train/network/layout.h"

struct dts_optimizer_run;

/* For all parameter tensors of a model. Fails where no update has that name
 * (DTS_UNSUPPORTED) or memory is missing. */
bool dts_optimizer_make(struct dts_optimizer_run **run, const struct dts_model *model,
                        const struct dts_optimizer *optimizer, struct dts_error *err);
void dts_optimizer_free(struct dts_optimizer_run *run); // NULL: nothing

/* The same for a network whose gradients of sparse tables are lists of rows: the gradients of a
 * step are laid out without those tables, whose rows dts_optimizer_rows updates. */
bool dts_optimizer_make_sparse(struct dts_optimizer_run **run, const struct dts_model *model,
                               const struct dts_optimizer *optimizer, struct dts_error *err);

/* The same for weights and gradients that lie in that space: steps work there. Fails
 * (DTS_UNSUPPORTED) where rows of a sparse table would have to be updated one by one, and that
 * is not a CPU. */
bool dts_optimizer_make_there(struct dts_optimizer_run **run, const struct dts_model *model,
                              const struct dts_optimizer *optimizer, struct dts_space *space,
                              struct dts_error *err);

/* For a part of all parameters, `count` values from `first` on, as a server keeps it: steps
 * change no others. Fails (DTS_UNSUPPORTED) where the rule looks at whole tensors and the part
 * cuts one; `what` names the part in that message. */
bool dts_optimizer_make_part(struct dts_optimizer_run **run, const struct dts_model *model,
                             const struct dts_optimizer *optimizer, size_t first, size_t count,
                             const char *what, struct dts_error *err);

/* For the tensors of a layout, in that space, as dts_optimizer_make_there() does, or for a part
 * of them, `count` values from `first` on; part NULL: all. Layout and model are not
 * looked at later. */
struct dts_optimizer_part {
    size_t first, count;
    const char *what; // names the part in messages
};
bool dts_optimizer_make_of(struct dts_optimizer_run **run, const struct dts_layout *layout,
                           const struct dts_optimizer *optimizer, struct dts_space *space,
                           const struct dts_optimizer_part *part, struct dts_error *err);

/* One update of all tensors. Of a sparse table only rows are updated whose gradient is not all
 * zeros, and without decay: what a list would do (optimizer_rows.h). Where the rule says so
 * (kernels/update/update.h, `apart`), biases and what belongs to normalizations are updated
 * without decay and trust; else every tensor alike. */
void dts_optimizer_step(struct dts_optimizer_run *run,
                        const struct dts_update_settings *settings, float *weights,
                        const float *gradients, struct dts_workers *workers);

/* One update of the rows of a list: the gradient of that layer's sparse table. */
void dts_optimizer_rows(struct dts_optimizer_run *run,
                        const struct dts_update_settings *settings, float *weights, int layer,
                        const struct dts_sparse *rows, struct dts_workers *workers);

/* Gradients that it is for *= factor: a sum over ranks becomes a mean. */
void dts_optimizer_scale(const struct dts_optimizer_run *run, float factor, float *gradients,
                         struct dts_workers *workers);

/* Are all gradients that it is for finite? What a loss scale follows
 * (kernels/reduce/loss_scale.h). */
bool dts_optimizer_finite(const struct dts_optimizer_run *run, const float *gradients,
                          struct dts_workers *workers);

/* What is kept from step to step, for checkpoints: here, as far as it was fetched. */
float *dts_optimizer_state(struct dts_optimizer_run *run, size_t *count);
const struct dts_mirror *dts_optimizer_mirror(const struct dts_optimizer_run *run);

/* What is kept, as one rank that has the whole model keeps it, which is what files hold: so
 * many values. `give` copies what is here to its place among them, but for copies of other
 * stages' tensors, `take` copies it from there. Both look at what is here: fetched before,
 * stored behind. */
size_t dts_optimizer_whole(const struct dts_optimizer_run *run, const struct dts_model *model);
void dts_optimizer_give(const struct dts_optimizer_run *run, float *whole);
void dts_optimizer_take(struct dts_optimizer_run *run, float *whole);

/* Settings that the rule is usually run with; rate and step are the caller's. */
const struct dts_update_settings *dts_optimizer_usual(const struct dts_optimizer_run *run);

#endif
