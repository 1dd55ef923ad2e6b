/* op.h -- operations that train a network: the numbers themselves, forward and backward.
 *
 * Each has up to three versions of one meaning.
 *
 * - reference: plain loops in double precision: the definition, what gradients are checked on.
 * - host: fast on a CPU, in float; products by OpenBLAS, split among workers.
 * - cuda: fast on a GPU, in float, queued on a stream.
 *
 * One file `<name>.c` holds the formula, the reference and the row, `<name>_cost.c` what it
 * costs (op_cost.h), `<name>_host.c` the fast CPU version where it is more than the loops,
 * `<name>.cu` the GPU's. A row in op.c, nothing else.
 *
 * Layout: a tensor is [batch, ...dims], the last index running fastest, channels before height
 * and width. Weights: conv [out, in / groups, ...kernel], linear [outputs, features] as
 * PyTorch.
 *
 * Who writes what:
 *   forward   writes y, saved
 *   backward  writes dx[i] wherever it is not NULL (overwrites), ADDS to dw[i] where not NULL
 * No array may overlap another, but for an operation with `in_place`: y may be x[0], dx[0] may
 * be dy. Backward may read x only with needs_x, y only with needs_y or where the call has
 * `relu`; otherwise they may be NULL.
 *
 * Halves: all sums of a pass are doubles, so that it makes no difference to speak of in which
 * order ranks add them up. A first half writes nothing but them and gradients of parameters,
 * which are of the rank's own samples; the arrays of both halves are the same, but for scratch.
 *
 * Divided: ranks have parts of a table's rows or of the classes. An embedding gives zeros for
 * the rows of others, so that the ranks' outputs add up to the whole. A loss runs forward in
 * halves: its sums are [ranks, batch x positions, 3], of which the first half writes the block
 * of its rank and zeros elsewhere (to add up is to gather): the largest value here, the sum of
 * exp(x - that), and the target's value or 0. Behind the second half all ranks have the loss;
 * backward runs whole, and makes the gradients of the values that are here.
 *
 * Rows: a mixture with `expert_ranks` and attention with `context_ranks` run in three parts,
 * each way, between which ranks exchange rows of features, all to all. LEAVE writes the rows
 * that go to each rank; WORK replaces those that arrived by what the rank makes of them; they
 * go back, and RETURN makes y, or backward dx. Rows of a mixture are [experts of all ranks,
 * batch, capacity, features]: all that an expert may take of each sample, zeros where it takes
 * less; weights are those of the rank's experts, and all of the router. Of attention x, y and
 * their gradients have a part of the positions, and the rank works on all of them with a part
 * of the heads (attention_parts_host.c); or it gathers keys and values of all, and backward
 * has the sums of their gradients (attention_gather_host.c).
 *
 * Determinism: the same numbers come out for the same number of workers; sums over the batch
 * are in a stated order.
 */
#ifndef DTS_KERNELS_OP_H
#define DTS_KERNELS_OP_H

#include <stdint.h>

#include "kernels/call/op_call.h"
#include "kernels/workers.h"

/* The one place in the project that asks whether this is a build with CUDA. */
#ifdef DTS_HAVE_CUDA
#define DTS_CUDA(...)               __VA_ARGS__
#define DTS_CUDA_FUNCTION(function) function
#else
#define DTS_CUDA(...)                                                                          \
    {                                                                                          \
        NULL, NULL                                                                             \
    }
#define DTS_CUDA_FUNCTION(function) NULL
#endif

/* The arrays of a call: double for the reference, float for host and cuda (device memory
 * there). Tokens and classes (an input of embeddings, the target of cross entropy) are int32.
 */
struct dts_arrays {
    int batch;
    const void *x[DTS_OP_INPUTS];
    void *y;
    const void *w[DTS_OP_PARAMS];
    const void *target; // of a loss
    const void *dy;     // NULL for a loss: backward starts with 1 / batch
    void *dx[DTS_OP_INPUTS];
    void *dw[DTS_OP_PARAMS];
    void *saved;   // kept from forward to backward, saved_bytes() long
    void *scratch; // for the call alone, scratch_bytes() long; aligned to 64 bytes
    void *state;   // what lives from step to step beside parameters: state_bytes() long

    /* Of an operation with `halves`; all ranks have `batch` samples. */
    enum dts_op_part part;
    double *sums; // DTS_OP_SUMS overwrites them, DTS_OP_REST reads what all ranks have together
    int ranks;    // so many of them; DTS_OP_WHOLE: not read

    /* Of an operation that `divides`, where ranks have parts of the rows of its table, or of
     * its classes: the first one that is here, and how many there are in all, which tokens and
     * targets count; all 0: they are all here. Of rotary positions the first position, of
     * attention the first head. */
    size_t first, all;
    struct dts_op_places places; // of dropout on a CPU
    int rank;                    // of those: 0 .. ranks - 1

    float *rows; // that ranks exchange, of a call with `row_values`

    bool training; // forward: statistics of the batch, dropout
    /* Random numbers are drawn by (seed, step, sample, position in the whole sample): the same
     * whatever the ranks. */
    uint64_t seed, step, first_sample;
};

struct dts_mixed;
struct dts_op_cost;

/* Where a call runs. */
struct dts_place {
    struct dts_workers *workers; // host; NULL: the calling thread alone
    void *stream;                // cuda: a cudaStream_t

    /* cuda: a cublasHandle_t on that stream; its math mode allows tf32 or does not. */
    void *blas;

    /* cuda: products round their operands to 16 bits and sum in 32 (mixed.h). NULL: products
     * have 32 bits. */
    const struct dts_mixed *mixed;
};

typedef void dts_op_fn(const struct dts_op_call *call, const struct dts_arrays *arrays,
                       const struct dts_place *place);
typedef size_t dts_op_bytes_fn(const struct dts_op_call *call, int batch, size_t real);

struct dts_op_version {
    dts_op_fn *forward, *backward; // NULL: this version is not there

    /* Bytes of scratch memory; NULL: none. */
    size_t (*forward_scratch)(const struct dts_op_call *call, int batch, int workers);
    size_t (*backward_scratch)(const struct dts_op_call *call, int batch, int workers);
};

struct dts_operation {
    const char *name, *summary;
    bool needs_x, needs_y; // backward reads them
    bool in_place;
    bool loss; // y is one number for each sample; reads target

    /* target has an int32 for each position; else a real for each value of x. */
    bool classes;

    bool tokens;   // x[0] is int32; it has no gradient
    bool products; // multiplies matrices: in mixed precision its weights have 16 bits (mixed.h)
    bool halves;   // in training it can run in two halves (dts_op_part)
    bool divides;  // ranks can have parts of its table or its classes (dts_arrays.first)

    /* Values of the rows that ranks exchange, of a call that does; NULL: none do. */
    size_t (*row_values)(const struct dts_op_call *call, int batch);

    dts_op_bytes_fn *saved_bytes; // real: 8 in the reference, 4 elsewhere; NULL: nothing
    dts_op_bytes_fn *state_bytes; // the same; starts as zeros
    struct dts_op_cost (*cost)(const struct dts_op_call *call); // one of op_cost.h
    struct dts_op_version reference, host, cuda;
};

extern const struct dts_operation *const dts_operations[]; // ended by NULL
const struct dts_operation *dts_operation_find(const char *name);

#endif
