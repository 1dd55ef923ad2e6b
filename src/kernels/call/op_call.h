/* op_call.h -- one call of an operation: which, on what shapes, with what settings. No data.
 *
 * A layer describes itself by a call (train/model/layer/layer.h), an operation carries it out
 * (kernels/op.h), a profile keeps the seconds of calls by their key. Two calls with equal keys
 * are the same work.
 */
#ifndef DTS_KERNELS_CALL_OP_CALL_H
#define DTS_KERNELS_CALL_OP_CALL_H

#include "kernels/call/dims.h"

enum { DTS_OP_INPUTS = 16, DTS_OP_PARAMS = 4, DTS_OP_AXES = DTS_DIMS - 1 };

/* A window that slides over [channels, ...axes]. Axes that are not used have kernel, stride and
 * dilation 1 and before 0; in a call without a window all are 0. The padding behind follows
 * from the output's size. */
struct dts_op_call_window {
    int kernel[DTS_OP_AXES], stride[DTS_OP_AXES], dilation[DTS_OP_AXES];
    int before[DTS_OP_AXES]; // padding before the first value
};

struct dts_op_call {
    const char *op; // a row of dts_ops: "conv"; borrowed, a literal
    int input_count;
    struct dts_dims inputs[DTS_OP_INPUTS], output; // of one sample
    size_t params[DTS_OP_PARAMS];                  // values of each parameter tensor
    int param_count;

    /* Settings; 0 where the operation has no use for them. */
    struct dts_op_call_window window;
    int groups;  // of a convolution; 1: all channels mix
    int heads;   // of attention, and of rotary positions
    int experts; // of a mixture, and how many of them a position goes to
    int chosen;
    int expert_ranks;  // ranks that have parts of the experts, as many each; 0: one has all
    int context_ranks; // of attention: ranks that have parts of the positions; 0: one has all
    bool gathered;     // which gather keys and values; else they trade positions for heads
    size_t before;     // of gathered attention: keys before that of the first query's position
    int select;        // positions that are kept
    size_t table;  // rows among which its input chooses, each as long as one of the output's
    size_t offset; // of a slice: values of its axis before the first that is kept
    int axes[DTS_DIMS]; // of a permutation: for each axis of the output, which of the input it
                        // was
    int ignored;        // class that a loss leaves out beside those below 0; 0: no other
    bool bias;          // the last parameter is added
    bool causal;        // attention sees what came before
    bool fused;      // it is counted as one kernel that keeps no scores; what runs is the same
    bool relu;       // the output is max(0, .): fused into the operation before it
    bool inside;     // a mean counts what is inside of the input alone, no padding
    bool last;       // a factor for each value of the last size, not for each channel
    bool sparse;     // the gradient of its table is a list of the rows that occur
    bool auxiliary;  // of a loss: an evaluation leaves it out
    bool normalized; // shares of the chosen experts sum to 1
    bool first;      // nothing before it learns: backward makes no gradients of inputs
    double rate;     // share that dropout zeroes
    double slope;    // of a leaky ReLU
    double capacity; // of an expert, over an even share of a sample's positions; 0: no limit
    double base;     // of rotary positions: what wavelengths grow with
    double epsilon;  // of a normalization: added to what a root is taken of; 0: PyTorch's, 1e-5
    double weight;   // of a loss: what it and its gradient are multiplied by; 0: 1
};

/* Where values of a part of a sample are in the whole: value p is value first + p / row x
 * whole_row + p % row. row 0: they are all here. */
struct dts_op_places {
    size_t first, row, whole_row;
};

static inline size_t dts_op_place(const struct dts_op_places *places, size_t value)
{
    if (places->row == 0)
        return value;
    return places->first + value / places->row * places->whole_row + value % places->row;
}

/* How much of a call runs. An operation over the samples of all ranks runs in two halves,
 * between which the ranks add up their sums. */
enum dts_op_part {
    DTS_OP_WHOLE,
    DTS_OP_SUMS, // until this rank's sums are there
    DTS_OP_REST, // from the sums of all ranks on

    /* Of a mixture whose experts are on several ranks, and of attention over positions of
     * several ranks, which exchange rows (op.h). */
    DTS_OP_LEAVE,  // until rows go to other ranks
    DTS_OP_WORK,   // what the rank does to the rows that arrived
    DTS_OP_RETURN, // from the rows that came back on
};

static inline double dts_op_epsilon(const struct dts_op_call *call)
{
    return call->epsilon > 0 ? call->epsilon : 1e-5;
}

/* Positions of a sample that an expert takes at the most. */
static inline size_t dts_op_capacity(const struct dts_op_call *call, size_t positions)
{
    if (call->capacity <= 0)
        return positions;
    const double even = (double)positions * call->chosen / call->experts;
    const double most = call->capacity * even;
    const size_t whole = (size_t)most + (most > (double)(size_t)most);
    return whole < positions ? whole : positions;
}

static inline double dts_op_weight(const struct dts_op_call *call)
{
    return call->weight > 0 ? call->weight : 1;
}

/* Characters of the longest key, and of what is in it, each with what stands before. */
enum {
    DTS_OP_KEY_SIZE = sizeof("x18446744073709551615") - 1,
    DTS_OP_KEY_INT = sizeof("x-2147483648") - 1,
    DTS_OP_KEY_REAL = sizeof(" -1.23457e-308") - 1,
    DTS_OP_KEY_WORD = sizeof(" dilation") - 1,
    DTS_OP_KEY_NAME = 32, // of an operation
    DTS_OP_KEY_SHAPES = (DTS_OP_INPUTS + 2) * DTS_DIMS * DTS_OP_KEY_SIZE + sizeof(" > ") - 1,
    DTS_OP_KEY_WINDOW = 4 * (DTS_OP_KEY_WORD + DTS_OP_AXES * DTS_OP_KEY_INT),
    DTS_OP_KEY_AXES = DTS_OP_KEY_WORD + DTS_DIMS * DTS_OP_KEY_INT,
    DTS_OP_KEY_NUMBERS =
        7 * (DTS_OP_KEY_WORD + DTS_OP_KEY_INT) + 3 * (DTS_OP_KEY_WORD + DTS_OP_KEY_REAL),
    DTS_OP_KEY_FLAGS = 7 * DTS_OP_KEY_WORD,
    DTS_OP_KEY_ROOM = DTS_OP_KEY_NAME + DTS_OP_KEY_SHAPES + DTS_OP_KEY_WINDOW +
                      DTS_OP_KEY_AXES + DTS_OP_KEY_NUMBERS + DTS_OP_KEY_FLAGS
};

/* The call in words, the same for the same work, without the batch: "conv 64x56x56 > 64x56x56
 * kernel 3x3 before 1x1". Never cut: two calls may differ in the last word alone. */
struct dts_op_call_key {
    char chars[DTS_OP_KEY_ROOM];
};
struct dts_op_call_key dts_op_call_key(const struct dts_op_call *call);

#endif
