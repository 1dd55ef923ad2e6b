/* memory_kernels.c -- how near operations that are bound by memory come to its rate; run by
 * bench/memory_kernels, with the number of threads and the names of some, if not all are meant.
 * For each, forward and backward, a line "name ratio traffic":
 *
 *   ratio    the bytes that it must at least move (each array once) over its seconds, over the
 *            rate of STREAM's triad a = b + 3 c, counted the same way (McCalpin 1995, "Memory
 *            Bandwidth and Machine Balance in Current High Performance Computers")
 *   traffic  the same, but what is written counts twice on both sides: a processor reads a line
 *            of memory before it writes to it
 *
 * With the traffic the triad moves 4 arrays for the 3 that are counted, 1.33; so the ratio of
 * an operation that keeps memory as busy as the triad does is 1.33 over its own surplus:
 *
 *   one array read, one written (relu, forward of normalizations)    3 for 2           0.89
 *   one read, one and a byte of four written (dropout's forward)     3.5 for 2.25      0.86
 *   two read, one written (most ways back)                           4 for 3           1.00
 *   two read, two written (add_relu's way back)                      6 for 4           0.89
 *   one written (global_pool's way back)                             2 for 1           0.67
 *   max_pool's way back                                              2.5 for 1.5       0.80
 *   avg_pool's way back                                              2.25 for 1.25     0.74
 *
 * What goes to memory past the caches (sequence) is not read before, so its traffic is counted
 * too high. STREAM's scale, b = 3 c, shows what the simplest loop over one array read and one
 * written reaches. Neither triad nor scale has streaming stores or software prefetches, so
 * operations that have may be above both.
 *
 * Arrays are larger than the caches. Each run is held against the triad right before it, and of
 * the rounds' ratios the median counts: a busy machine slows both. The fastest of each would
 * favour the triad, which runs once for every operation and so meets more of the quiet moments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/pages.h"
#include "base/rng.h"
#include "base/stats.h"
#include "kernels/op.h"

enum { ROUNDS = 15, BATCH = 16, CHANNELS = 512, SIDE = 56, FEATURES = 784 };

/* What moves, in sizes of x[0]. */
struct moved {
    double all, written;
};

struct kernel {
    const char *name;
    struct dts_op_call call;
    struct moved forward, backward;
};

static const struct kernel kernels[] = {
    {"batch_norm_relu", {.op = "batch_norm", .relu = true, .param_count = 2}, {2, 1}, {3, 1}},
    {"layer_norm", {.op = "layer_norm", .param_count = 2}, {2, 1}, {3, 1}},
    {"rms_norm", {.op = "rms_norm", .param_count = 1}, {2, 1}, {3, 1}},
    {"relu", {.op = "relu"}, {2, 1}, {3, 1}},
    {"gelu", {.op = "gelu"}, {2, 1}, {3, 1}},
    {"relu6", {.op = "relu6"}, {2, 1}, {3, 1}},
    {"hardswish", {.op = "hardswish"}, {2, 1}, {3, 1}},
    {"silu", {.op = "silu"}, {2, 1}, {3, 1}},
    {"sigmoid", {.op = "sigmoid"}, {2, 1}, {3, 1}},
    {"tanh", {.op = "tanh"}, {2, 1}, {3, 1}},
    // a byte of four is the mask
    {"dropout", {.op = "dropout", .rate = 0.1}, {2.25, 1.25}, {2.25, 1}},
    {"add_relu", {.op = "add", .input_count = 2, .relu = true}, {3, 1}, {4, 2}},
    {"multiply", {.op = "multiply", .input_count = 2}, {3, 1}, {5, 2}},
    {"max_pool",
     {.op = "max_pool", .output = {3, {CHANNELS, SIDE / 2, SIDE / 2, 1}}},
     {1.5, 0.5},
     {1.5, 1}},
    {"avg_pool",
     {.op = "avg_pool", .output = {3, {CHANNELS, SIDE / 2, SIDE / 2, 1}}},
     {1.25, 0.25},
     {1.25, 1}},
    {"global_pool", {.op = "global_pool", .output = {1, {CHANNELS, 1, 1, 1}}}, {1, 0}, {1, 1}},
    {"sequence",
     {.op = "sequence", .output = {2, {SIDE * SIDE, CHANNELS, 1, 1}}},
     {2, 1},
     {2, 1}},
};
enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

/* What all share: only the memory counts. */
struct memory {
    size_t count; // values of an array
    float *x[2], *y, *dy, *dx[2], *saved, *scratch, *state, *w, *dw;
    // of the rounds: seconds of the triad, and what the others took, in triads right before
    double triad_s[KERNELS * ROUNDS], scale[KERNELS * ROUNDS];
    double forward[KERNELS][ROUNDS], backward[KERNELS][ROUNDS];
    int triads;
};

static float *fill(size_t count)
{
    enum { DIFFERENT = 1021 };                        // a prime: no pattern meets a window
    float *array = dts_pages(count * sizeof(*array)); // as a network has them
    for (size_t i = 0; i < count; i++)
        array[i] = i < DIFFERENT ? (float)dts_normal(1, 2, i) : array[i % DIFFERENT];
    return array;
}

static struct memory new_memory(void)
{
    struct memory m = {.count = (size_t)BATCH * CHANNELS * SIDE * SIDE};
    for (int i = 0; i < 2; i++) {
        m.x[i] = fill(m.count);
        m.dx[i] = fill(m.count);
    }
    m.y = fill(m.count);
    m.dy = fill(m.count);
    m.saved = fill(m.count);
    m.scratch = dts_pages(4 << 20);
    m.state = dts_alloc(1 << 12, sizeof(float));
    m.w = fill(FEATURES);
    m.dw = fill(FEATURES);
    return m;
}

/* An image in and out; features behind one another for what is normalized by them. */
static struct dts_op_call call_of(const struct kernel *kernel)
{
    struct dts_op_call call = kernel->call;
    const struct dts_dims image = {3, {CHANNELS, SIDE, SIDE, 1}};
    const struct dts_dims rows = {2, {CHANNELS * SIDE * SIDE / FEATURES, FEATURES, 1, 1}};
    const bool by_features = call.param_count > 0 && !call.relu;
    if (call.input_count == 0)
        call.input_count = 1;
    for (int i = 0; i < call.input_count; i++)
        call.inputs[i] = by_features ? rows : image;
    if (call.output.count == 0)
        call.output = call.inputs[0];
    call.window = (struct dts_op_call_window){
        .kernel = {3, 3, 1}, .stride = {2, 2, 1}, .dilation = {1, 1, 1}, .before = {1, 1, 0}};
    for (int i = 0; i < call.param_count; i++)
        call.params[i] = by_features ? FEATURES : CHANNELS;
    return call;
}

static void triad_part(void *argument, int worker, int workers)
{
    struct memory *m = argument;
    size_t first;
    const size_t count = dts_share_of(m->count, worker, workers, &first);
    float *restrict a = m->dx[1] + first;
    const float *restrict b = m->x[0] + first, *restrict c = m->x[1] + first;
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + 3 * c[i];
}

static void scale_part(void *argument, int worker, int workers)
{
    struct memory *m = argument;
    size_t first;
    const size_t count = dts_share_of(m->count, worker, workers, &first);
    float *restrict b = m->dx[1] + first;
    const float *restrict c = m->x[0] + first;
    for (size_t i = 0; i < count; i++)
        b[i] = 3 * c[i];
}

/* The seconds of a triad, and of a scale right behind it. */
static double time_streams(struct memory *m, const struct dts_place *place)
{
    const double begin = dts_now_s();
    dts_workers_run(place->workers, triad_part, m);
    const double middle = dts_now_s();
    dts_workers_run(place->workers, scale_part, m);
    m->triad_s[m->triads] = middle - begin;
    m->scale[m->triads] = (dts_now_s() - middle) / (middle - begin);
    return m->triad_s[m->triads++];
}

static void time_kernel(struct memory *m, int i, int round, const struct dts_place *place)
{
    const struct dts_op_call call = call_of(&kernels[i]);
    const struct dts_operation *op = dts_operation_find(call.op);
    struct dts_arrays a = {
        .batch = BATCH,
        .x = {m->x[0], m->x[1]},
        .y = m->y,
        .w = {m->w, m->w},
        .dy = m->dy,
        .dx = {m->dx[0], m->dx[1]},
        .dw = {m->dw, m->dw},
        .saved = m->saved,
        .scratch = m->scratch,
        .state = m->state,
        .training = true,
    };
    const double triad_s = time_streams(m, place), begin = dts_now_s();
    op->host.forward(&call, &a, place);
    const double middle = dts_now_s();
    op->host.backward(&call, &a, place);
    m->forward[i][round] = (middle - begin) / triad_s;
    m->backward[i][round] = (dts_now_s() - middle) / triad_s;
}

/* Whether it is among the names that the command has. */
static bool is_meant(const struct kernel *kernel, int argc, char **argv)
{
    bool meant = argc <= 2;
    for (int i = 2; i < argc; i++)
        meant = meant || strcmp(argv[i], kernel->name) == 0;
    return meant;
}

static void print(const char *name, const char *way, int threads, struct moved moved,
                  double *of_rounds)
{
    const double triads = dts_median(of_rounds, ROUNDS); // 3 arrays each, or 4
    printf("%s_%s_%dthread_vs_triad %.2f %.2f\n", name, way, threads, moved.all / 3 / triads,
           (moved.all + moved.written) / 4 / triads);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const struct dts_place place = {.workers = dts_workers_new(threads)};
    static struct memory m;
    m = new_memory();
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < KERNELS; i++)
            if (is_meant(&kernels[i], argc, argv))
                time_kernel(&m, i, round, &place);
    if (m.triads == 0) {
        fprintf(stderr, "memory_kernels: no operation of that name\n");
        return 2;
    }
    printf("# triad: %.1f GB/s, scale: %.2f of it\n",
           3e-9 * (double)(m.count * sizeof(float)) / dts_median(m.triad_s, m.triads),
           2.0 / 3 / dts_median(m.scale, m.triads));
    for (int i = 0; i < KERNELS; i++) {
        const struct kernel *k = &kernels[i];
        if (!is_meant(k, argc, argv))
            continue;
        print(k->name, "forward", threads, k->forward, m.forward[i]);
        print(k->name, "backward", threads, k->backward, m.backward[i]);
    }
    return 0;
}
