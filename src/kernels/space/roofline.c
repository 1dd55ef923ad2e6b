/* roofline.c -- this CPU's peaks: matrix products, memory rate, call, through OpenBLAS. */
#include <cblas.h>
#include <unistd.h>

#include "base/measure/measure.h"
#include "base/os/clock.h"
#include "base/os/pages.h"
#include "base/os/processor.h"
#include "kernels/mixed.h"
#include "kernels/space/roofline.h"

enum {
    SIDE = 1024, // of the matrices: 2 x 10^9 operations, tens of milliseconds on one core
    TINY = 4,
    TINY_CALLS = 1000,         // in one timing: the clock does not see a single one
    LENGTH = 32 * 1024 * 1024, // 256 MiB each: larger than the caches of one socket
};

struct operands {
    float *single[3];
    double *x, *y;
    uint16_t *half[2]; // zeros
    void *scratch;
    enum dts_half format;
};

/* The same product as a layer in mixed precision. */
static const struct dts_op_call mixed_call = {
    .op = "linear",
    .input_count = 1,
    .inputs = {{1, {SIDE, 1, 1, 1}}},
    .output = {1, {SIDE, 1, 1, 1}},
    .params = {(size_t)SIDE * SIDE},
    .param_count = 1,
};

static void product16(void *argument)
{
    const struct operands *o = argument;
    const struct dts_mixed mixed = {o->format, 1};
    const struct dts_arrays arrays = {.batch = SIDE,
                                      .x = {o->half[0]},
                                      .y = o->half[1],
                                      .w = {o->single[0]},
                                      .scratch = o->scratch};
    dts_mixed_forward(dts_operation_find(mixed_call.op), &mixed, &mixed_call, &arrays,
                      &(struct dts_place){.workers = NULL});
}

static void product32(void *argument)
{
    const struct operands *o = argument;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, o->single[0],
                SIDE, o->single[1], SIDE, 0, o->single[2], SIDE);
}

static void product64(void *argument)
{
    const struct operands *o = argument;
    double *c = o->y + SIDE * SIDE;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, o->x, SIDE,
                o->y, SIDE, 0, c, SIDE);
}

static void sum_of_vectors(void *argument)
{
    const struct operands *o = argument;
    cblas_daxpy(LENGTH, 1e-9, o->x, 1, o->y, 1);
}

static void tiny_products(void *argument)
{
    const struct operands *o = argument;
    for (int i = 0; i < TINY_CALLS; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, TINY, TINY, TINY, 1,
                    o->single[0], TINY, o->single[1], TINY, 0, o->single[2], TINY);
}

/* Memory as a network's. */
static bool make_operands(struct operands *o)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        o->single[i] = dts_pages((size_t)SIDE * SIDE * sizeof(float));
        good = good && o->single[i] != NULL;
    }
    const size_t scratch =
        dts_mixed_forward_scratch(dts_operation_find(mixed_call.op), &mixed_call, SIDE,
                                  &(struct dts_place){.workers = NULL});
    for (int i = 0; i < 2; i++) {
        o->half[i] = dts_pages((size_t)SIDE * SIDE * sizeof(uint16_t));
        good = good && o->half[i] != NULL;
    }
    o->scratch = dts_pages(scratch);
    o->x = dts_pages((size_t)LENGTH * sizeof(double));
    o->y = dts_pages((size_t)LENGTH * sizeof(double));
    if (!good || o->scratch == NULL || o->x == NULL || o->y == NULL)
        return false;
    for (int i = 0; i < 3 * SIDE * SIDE; i++) // written, so that the pages are there
        o->single[i / (SIDE * SIDE)][i % (SIDE * SIDE)] = 1.0f / (float)(i % 7 + 1);
    for (int i = 0; i < LENGTH; i++)
        o->x[i] = o->y[i] = 1.0 / (i % 7 + 1);
    return true;
}

static void free_operands(struct operands *o)
{
    for (int i = 0; i < 3; i++)
        dts_pages_free(o->single[i]);
    for (int i = 0; i < 2; i++)
        dts_pages_free(o->half[i]);
    dts_pages_free(o->scratch);
    dts_pages_free(o->x);
    dts_pages_free(o->y);
}

static void tell(void (*begins)(const char *what), const char *what)
{
    if (begins != NULL)
        begins(what);
}

static void measure_all(struct operands *o, double budget_s, void (*begins)(const char *what),
                        struct dts_roofline *out)
{
    const struct dts_meter meter = {.limit_s = budget_s, .least = 7, .spread = 0.01};
    const double flops = 2.0 * SIDE * SIDE * SIDE;
    struct dts_measured time;
    tell(begins, "matrix product in fp32");
    dts_measure(&meter, product32, o, &time);
    out->flops_per_s[DTS_FP32] = flops / time.median_s;
    tell(begins, "matrix product in fp64");
    dts_measure(&meter, product64, o, &time);
    out->flops_per_s[DTS_FP64] = flops / time.median_s;
    tell(begins, "matrix product in bf16");
    o->format = DTS_HALF_BF16;
    dts_measure(&meter, product16, o, &time);
    out->flops_per_s[DTS_BF16] = flops / time.median_s;
    tell(begins, "matrix product in fp16");
    o->format = DTS_HALF_FP16;
    dts_measure(&meter, product16, o, &time);
    out->flops_per_s[DTS_FP16] = flops / time.median_s;
    tell(begins, "memory");
    dts_measure(&meter, sum_of_vectors, o, &time);
    out->memory_bytes_per_s = 24.0 * LENGTH / time.median_s;
    tell(begins, "call");
    dts_measure(&meter, tiny_products, o, &time);
    out->call_s = time.median_s / TINY_CALLS;
}

bool dts_roofline_measure(struct dts_roofline *out, struct dts_roofline_words *words,
                          int threads, double budget_s, void (*begins)(const char *what),
                          struct dts_error *err)
{
    struct operands operands = {.scratch = NULL};
    if (threads > 0)
        openblas_set_num_threads(threads);
    dts_processor_name(words->name, sizeof(words->name));
    snprintf(words->library, sizeof(words->library), "%s", openblas_get_config());
    *out = (struct dts_roofline){
        .memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
        .threads = openblas_get_num_threads(),
        .kind = "cpu",
        .name = words->name,
        .library = words->library,
        .products = "median of square matrix products, sgemm and dgemm; 16 bits: sgemm, with "
                    "the casts of what is read and written",
        .memory = "bytes: all that the system has. Rate: median of y = a x + y (daxpy) over "
                  "vectors larger than the caches, 24 bytes an element",
        .call = "a product of 4 x 4 matrices; what a framework adds is not in it",
    };
    const bool good = make_operands(&operands) ||
                      dts_fail(err, DTS_SYSTEM, "no memory to measure this machine in");
    if (good)
        measure_all(&operands, budget_s, begins, out);
    free_operands(&operands);
    return good;
}
