/* kernel_trial.h -- a call that is timed, with its arrays; private to kernel_*.c. */
#ifndef DTS_TRAIN_TIMING_KERNEL_TRIAL_H
#define DTS_TRAIN_TIMING_KERNEL_TRIAL_H

#include "kernels/embedding/sparse.h"
#include "kernels/op.h"
#include "train/timing/kernel_time.h"

/* All arrays of a kind, one behind the other. */
struct dts_kernel_piece {
    void *there; // owned; NULL while bytes are counted
    size_t bytes;
};

/* One call with its arrays. */
struct dts_kernel_trial {
    const struct dts_kernel_timer *timer;
    const struct dts_operation *op;
    const struct dts_op_version *version; // of the place
    const struct dts_op_call *call;
    struct dts_arrays a;
    struct dts_kernel_piece pieces[DTS_KINDS_OF_MEMORY];
    int arrays;  // taken
    bool failed; // memory was missing
    void *fresh; // written just before the call
    size_t fresh_bytes, bytes;
    size_t scratch_forward, scratch_backward; // bytes, of the same memory
    bool backward;
    bool lists;             // the gradient of its table is a list, as in a network there
    struct dts_sparse rows; // that list, owned
    bool now_backward;      // the next run
};

struct dts_kernel_trial dts_kernel_trial_of(const struct dts_kernel_timer *timer,
                                            const struct dts_kernel_work *work);

/* Bytes alone, of all pieces and of each: nothing is taken. */
void dts_kernel_trial_count(struct dts_kernel_trial *t, bool with_inputs);

/* Arrays with random numbers; `failed` where memory is missing. */
void dts_kernel_trial_take(struct dts_kernel_trial *t, bool with_inputs);
void dts_kernel_trial_free(struct dts_kernel_trial *t);

/* Bytes of scratch, whichever way takes more. */
size_t dts_kernel_trial_scratch(const struct dts_kernel_trial *t);

/* Bytes of a value that layers hand one another. */
size_t dts_kernel_trial_real(const struct dts_kernel_trial *t);

#endif
