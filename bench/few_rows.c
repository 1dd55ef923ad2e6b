/* few_rows.c -- products of few rows by gemm_few.h and by OpenBLAS, in turns, medians; run by
 * bench/few_rows. A line "PRODUCT_OUTPUTSxFEATURES_ROWS ratio GB/s" for each, the three
 * products of a linear layer: OpenBLAS's seconds over ours, and the large matrix's bytes over
 * ours. Those that dts_gemm() leaves to OpenBLAS are marked.
 */
#include <cblas.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/pages.h"
#include "base/rng.h"
#include "base/stats.h"
#include "kernels/product/gemm_few.h"

enum { ROUNDS = 15, MOST_ROWS = 48 };

static const struct {
    size_t outputs, features;
} layers[] = {
    {800, 200},   // state of an LSTM of 200
    {512, 784},   // of an MLP
    {128, 1568},  // of a small network of convolutions
    {1000, 2048}, // the last of ResNet-50
    {4096, 4096}, // of AlexNet and VGG-16
    {4096, 9216}, // of AlexNet
};
static const size_t rows[] = {1, 2, 4, 8, 16, 32, MOST_ROWS};

static float *numbers(size_t count)
{
    float *values = dts_pages(count * sizeof(*values));
    for (size_t i = 0; i < count; i++)
        values[i] = (float)(dts_random(1, 2, i) % 1000) / 500 - 1;
    return values;
}

static double seconds_of(void (*multiply)(const struct dts_gemm *), const struct dts_gemm *p)
{
    const double begin = dts_now_s();
    multiply(p);
    return dts_now_s() - begin;
}

static void compare(const char *name, size_t outputs, size_t features, size_t count,
                    const struct dts_gemm *p, double bytes)
{
    double library[ROUNDS], ours[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        library[round] = seconds_of(dts_gemm_by_library, p);
        ours[round] = seconds_of(dts_gemm_few, p);
    }
    const double ours_s = dts_median(ours, ROUNDS);
    printf("%s_%zux%zu_%zu %.2f %.1f%s\n", name, outputs, features, count,
           dts_median(library, ROUNDS) / ours_s, 1e-9 * bytes / ours_s,
           dts_gemm_is_few(p) ? "" : " (left to OpenBLAS)");
    fflush(stdout);
}

static void compare_layer(size_t outputs, size_t features)
{
    float *w = numbers(outputs * features), *dw = numbers(outputs * features);
    float *x = numbers(MOST_ROWS * features), *dx = numbers(MOST_ROWS * features);
    float *y = numbers(MOST_ROWS * outputs);
    const double bytes = (double)(outputs * features * sizeof(*w));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct dts_gemm forward = {.transpose_b = true,
                                         .m = rows[i],
                                         .n = outputs,
                                         .k = features,
                                         .a = x,
                                         .b = w,
                                         .c = y,
                                         .lda = features,
                                         .ldb = features,
                                         .ldc = outputs};
        struct dts_gemm to_input = forward, to_weights = forward;
        to_input.transpose_b = false;
        to_input.n = to_input.ldc = features;
        to_input.k = to_input.lda = outputs;
        to_input.a = y;
        to_input.c = dx;
        to_weights = to_input;
        to_weights.transpose_a = true;
        to_weights.m = outputs;
        to_weights.k = rows[i];
        to_weights.b = x;
        to_weights.c = dw;
        to_weights.beta = 1;
        compare("forward", outputs, features, rows[i], &forward, bytes);
        compare("to_input", outputs, features, rows[i], &to_input, bytes);
        compare("to_weights", outputs, features, rows[i], &to_weights, 2 * bytes);
    }
    dts_pages_free(w);
    dts_pages_free(dw);
    dts_pages_free(x);
    dts_pages_free(dx);
    dts_pages_free(y);
}

int main(void)
{
    openblas_set_num_threads(1);
    for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
        compare_layer(layers[i].outputs, layers[i].features);
    return 0;
}
