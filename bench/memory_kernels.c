/* memory_kernels.c -- how near operations come to the memory's rate. For each, forward and
 * backward, a line "name ratio": the bytes that it must at least move (each array once) over
 * its seconds, over the rate of STREAM's triad a = b + 3 c, counted the same way (McCalpin
 * 1995, "Memory Bandwidth and Machine Balance in Current High Performance Computers").
 *
 *     bench/memory_kernels [THREADS]
 *
 * Arrays are larger than the caches. Rounds of all take turns, of each the fastest counts: the
 * machine may be busy, the program cannot be faster than it is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "ops/op.h"

enum { ROUNDS = 7, BATCH = 64 };

struct bench {
    const char *name;
    struct dts_op_call call;
    double forward_arrays, backward_arrays; // moved, in sizes of x[0]
    struct dts_arrays a;
    const struct dts_op *op;
    double forward_s, backward_s;
};

static void *fill(size_t count)
{
    float *array = dts_alloc(count, sizeof(*array));
    float some[1021]; // a prime: no pattern meets a window
    for (uint64_t i = 0; i < 1021; i++)
        some[i] = (float)dts_normal(1, 2, i);
    for (size_t i = 0; i < count; i++)
        array[i] = some[i % 1021];
    return array;
}

/* Arrays are shared by all: only the memory counts. */
struct memory {
    void *x[2], *y, *dy, *dx[2], *saved, *scratch, *state;
};

static void set_up(struct bench *b, struct memory *m)
{
    b->op = dts_op_find(b->call.op);
    b->forward_s = b->backward_s = INFINITY;
    b->a = (struct dts_arrays){.batch = BATCH,
                               .x = {m->x[0], m->x[1]},
                               .y = m->y,
                               .dy = m->dy,
                               .dx = {m->dx[0], m->dx[1]},
                               .saved = m->saved,
                               .scratch = m->scratch,
                               .state = m->state,
                               .training = true};
    for (int i = 0; i < b->call.param_count; i++) {
        b->a.w[i] = fill(b->call.params[i]);
        b->a.dw[i] = fill(b->call.params[i]);
    }
}

static void time_one(struct bench *b, const struct dts_place *place)
{
    double begin = dts_now_s();
    b->op->host.forward(&b->call, &b->a, place);
    b->forward_s = fmin(b->forward_s, dts_now_s() - begin);
    begin = dts_now_s();
    b->op->host.backward(&b->call, &b->a, place);
    b->backward_s = fmin(b->backward_s, dts_now_s() - begin);
}

struct triad {
    float *a;
    const float *b, *c;
    size_t count;
};

static void triad_part(void *argument, int worker, int workers)
{
    const struct triad *t = argument;
    size_t first;
    const size_t count = dts_share_of(t->count, worker, workers, &first);
    float *restrict a = t->a + first;
    const float *restrict b = t->b + first, *restrict c = t->c + first;
    for (size_t i = 0; i < count; i++)
        a[i] = b[i] + 3 * c[i];
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const struct dts_dims image = {3, {64, 56, 56, 1}}, half = {3, {64, 28, 28, 1}};
    const struct dts_dims tokens = {2, {256, 784, 1, 1}};
    const size_t count = BATCH * dts_dims_elements(&image);
    const struct dts_op_call_window window = {
        .kernel = {3, 3, 1}, .stride = {2, 2, 1}, .dilation = {1, 1, 1}, .before = {1, 1, 0}};
#define ONE(shape)                                                                             \
    .input_count = 1, .inputs = {shape}, .output = shape
    struct bench benches[] = {
        {"batch_norm_relu",
         {.op = "batch_norm", ONE(image), .params = {64, 64}, .param_count = 2, .relu = true},
         2,
         3},
        {"layer_norm",
         {.op = "layer_norm", ONE(tokens), .params = {784, 784}, .param_count = 2},
         2,
         3},
        {"rms_norm", {.op = "rms_norm", ONE(tokens), .params = {784}, .param_count = 1}, 2, 3},
        {"relu", {.op = "relu", ONE(image)}, 2, 3},
        {"gelu", {.op = "gelu", ONE(image)}, 2, 3},
        {"silu", {.op = "silu", ONE(image)}, 2, 3},
        {"sigmoid", {.op = "sigmoid", ONE(image)}, 2, 3},
        {"tanh", {.op = "tanh", ONE(image)}, 2, 3},
        {"dropout", {.op = "dropout", ONE(image), .rate = 0.1}, 2.25, 2.25},
        {"add_relu",
         {.op = "add", .input_count = 2, .inputs = {image, image}, .output = image, .relu = true},
         3,
         4},
        {"multiply",
         {.op = "multiply", .input_count = 2, .inputs = {image, image}, .output = image},
         3,
         5},
        {"max_pool",
         {.op = "max_pool", .input_count = 1, .inputs = {image}, .output = half, .window = window},
         1.5,
         1.5},
        {"avg_pool",
         {.op = "avg_pool", .input_count = 1, .inputs = {image}, .output = half, .window = window},
         1.25,
         1.25},
        {"global_pool",
         {.op = "global_pool", .input_count = 1, .inputs = {image}, .output = {1, {64, 1, 1, 1}}},
         1,
         1},
        {"sequence",
         {.op = "sequence", .input_count = 1, .inputs = {image}, .output = {2, {3136, 64, 1, 1}}},
         2,
         2},
    };
#undef ONE
    const int n = (int)(sizeof(benches) / sizeof(benches[0]));
    struct memory m = {{fill(count), fill(count)},    fill(count), fill(count),
                       {fill(count), fill(count)},    fill(count), fill(1 << 20),
                       dts_alloc(1 << 10, sizeof(float))};
    struct dts_workers *workers = dts_workers_new(threads);
    const struct dts_place place = {.workers = workers};
    struct triad triad = {m.dx[1], m.x[0], m.x[1], count};
    double triad_s = INFINITY;
    for (int i = 0; i < n; i++)
        set_up(&benches[i], &m);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < n; i++) {
            const double begin = dts_now_s();
            dts_workers_run(workers, triad_part, &triad);
            triad_s = fmin(triad_s, dts_now_s() - begin);
            time_one(&benches[i], &place);
        }
    const double bytes = (double)count * sizeof(float), rate = 3 * bytes / triad_s;
    printf("triad_%dthread %.2f GB/s\n", threads, rate / 1e9);
    for (int i = 0; i < n; i++) {
        const struct bench *b = &benches[i];
        printf("%s_forward_%dthread %.2f\n", b->name, threads,
               b->forward_arrays * bytes / b->forward_s / rate);
        printf("%s_backward_%dthread %.2f\n", b->name, threads,
               b->backward_arrays * bytes / b->backward_s / rate);
    }
    return 0;
}
