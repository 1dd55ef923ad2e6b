/* noise_law.c -- quotients of noise scale and critical batch, and the law that follows. */
#include "converge/noise_law.h"

#include <math.h>
#include <stddef.h>

static const char table_1[] = "McCandlish et al. 2018, arXiv:1812.06162, table 1: run averages "
                              "(from memory and a reading note)";
static const char here[] = "measured by dtsim converge, docs/convergence.md";

const struct dts_noise_row dts_noise_rows[] = {
    {"MNIST", "classifier", 900, 200, true, table_1},
    {"CIFAR-10", "classifier", 2000, 900, true, table_1},
    {"Billion Word", "language model", 150000, 100000, true, table_1},
    {"SVHN autoencoder", "autoencoder", 2, 40, false, table_1},
    {"SVHN variational", "autoencoder", 10, 200, false, table_1},
    {"Fashion-MNIST, mlp", "classifier, constant rate", 109, 274, false, here},
    {"Fashion-MNIST, resnet8", "classifier, constant rate", 76.2, 184, false, here},
    {"Fashion-MNIST, fashion_cnn", "classifier, constant rate", 54.1, 102, false, here},
    {0},
};

struct dts_noise_left_out dts_noise_leave_out(const struct dts_noise_row *row)
{
    struct dts_noise_left_out out = {0};
    double logs = 0;
    int count = 0;
    for (const struct dts_noise_row *other = dts_noise_rows; other->name != NULL; other++)
        if (other->basis && other != row) {
            logs += log(other->scale / other->critical_batch);
            count++;
        }
    out.ratio = exp(logs / count);
    out.predicted = row->scale / out.ratio;
    out.low = out.predicted / DTS_NOISE_FACTOR;
    out.high = out.predicted * DTS_NOISE_FACTOR;
    out.covered = out.low <= row->critical_batch && row->critical_batch <= out.high;
    return out;
}

struct dts_law dts_noise_law(const struct dts_noise_run *run, double times)
{
    struct dts_law law = {1, run->scale / DTS_NOISE_RATIO * times, DTS_NOISE_G};
    law.e_min = run->samples / dts_law_at(&law, run->batch);
    return law;
}

struct dts_forecast dts_noise_predict(const struct dts_noise_run *run, double batch)
{
    const double times[] = {1, DTS_NOISE_FACTOR, 1 / DTS_NOISE_FACTOR};
    double at[3];
    for (int i = 0; i < 3; i++) {
        const struct dts_law law = dts_noise_law(run, times[i]);
        at[i] = dts_law_at(&law, batch);
    }
    // below the batch of the run a large b_c is the larger need
    const double low = fmin(at[1], at[2]), high = fmax(at[1], at[2]);
    return (struct dts_forecast){at[0], low, high, log(high / low) / (2 * DTS_FIT_Z80)};
}
