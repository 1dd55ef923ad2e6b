/* fit.c -- ln e_min, ln b_c, ln g and ln factors by weighted least squares: Levenberg-Marquardt
 * from four starts, since the evaluation grid makes steps of the curve. */
#include "converge/fit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "converge/spd.h"

static const double g_mean = 0.1, g_sd = 0.2; // of ln g: docs/convergence.md, "The prior"
static const double factor_sd = 0.05;         // of ln factor, about ln 1.05
static const double g_low = -1.5, g_high = 2.1;
static const double nudge = 1e-4; // of logs: wider than rounding, narrower than the steps

enum { ROWS = DTS_FIT_BATCHES + DTS_FIT_RECIPES, STARTS = 4, TRIES = 200 };

static double factor_mean(void)
{
    return log(1.05);
}

static struct dts_law law_of(const double *numbers)
{
    return (struct dts_law){.e_min = exp(numbers[0]),
                            .b_c = exp(numbers[1]),
                            .g = exp(fmin(fmax(numbers[2], g_low), g_high))};
}

double dts_fit_need(const double *logs, double batch, int recipe)
{
    const struct dts_law law = law_of(logs);
    return dts_law_at(&law, batch) * (recipe == 0 ? 1 : exp(logs[2 + recipe]));
}

/* One over the standard deviation of the log of a point: recipes scatter, seeds do, and where
 * all seeds agree the need lies anywhere in an interval. */
static double weight(const struct dts_seeds *point)
{
    double variance = DTS_FIT_SCATTER * DTS_FIT_SCATTER + point->cv * point->cv / point->seeds;
    if (point->cv * point->mean < point->interval / 3) {
        const double share = point->interval / point->mean;
        variance += share * share / 12 / 4;
    }
    return 1 / sqrt(variance);
}

/* Weighted residuals of the points, then of the priors. Returns how many. */
static int residuals(const struct dts_fit *fit, const double *numbers, double *out)
{
    int rows = 0;
    for (int i = 0; i < fit->count; i++) {
        const struct dts_seeds *point = &fit->points[i];
        const double need = dts_fit_need(numbers, point->batch, point->recipe);
        const double seen = dts_law_seen(need, point->cv, point->interval);
        out[rows++] = (log(fmax(seen, DBL_MIN)) - log(point->mean)) * weight(point);
    }
    out[rows++] = (numbers[2] - g_mean) / g_sd;
    for (int k = 3; k < fit->numbers; k++)
        out[rows++] = (numbers[k] - factor_mean()) / factor_sd;
    return rows;
}

/* Half of the sum of squares; the normal matrix and the gradient where they are asked for. */
static double normal_equations(const struct dts_fit *fit, const double *numbers, double *matrix,
                               double *gradient)
{
    const int n = fit->numbers;
    double r[ROWS], up[DTS_FIT_NUMBERS][ROWS], down[ROWS], cost = 0;
    const int rows = residuals(fit, numbers, r);
    for (int i = 0; i < rows; i++)
        cost += r[i] * r[i] / 2;
    if (matrix == NULL)
        return cost;
    for (int k = 0; k < n; k++) {
        double moved[DTS_FIT_NUMBERS];
        memcpy(moved, numbers, (size_t)n * sizeof(*moved));
        moved[k] = numbers[k] + nudge;
        residuals(fit, moved, up[k]);
        moved[k] = numbers[k] - nudge;
        residuals(fit, moved, down);
        for (int i = 0; i < rows; i++)
            up[k][i] = (up[k][i] - down[i]) / (2 * nudge);
    }
    for (int a = 0; a < n; a++) {
        gradient[a] = 0;
        for (int i = 0; i < rows; i++)
            gradient[a] += up[a][i] * r[i];
        for (int b = 0; b < n; b++) {
            matrix[a * n + b] = 0;
            for (int i = 0; i < rows; i++)
                matrix[a * n + b] += up[a][i] * up[b][i];
        }
    }
    return cost;
}

/* One damped step from `numbers`. False where none is found: they are at the bottom. */
static bool improve(const struct dts_fit *fit, double *numbers, double *cost, double *damping)
{
    const int n = fit->numbers;
    double matrix[DTS_FIT_NUMBERS * DTS_FIT_NUMBERS], gradient[DTS_FIT_NUMBERS];
    normal_equations(fit, numbers, matrix, gradient);
    for (; *damping < 1e12; *damping *= 4) {
        double damped[DTS_FIT_NUMBERS * DTS_FIT_NUMBERS], step[DTS_FIT_NUMBERS],
            moved[DTS_FIT_NUMBERS];
        memcpy(damped, matrix, sizeof(damped));
        for (int k = 0; k < n; k++)
            damped[k * n + k] += *damping * (matrix[k * n + k] + 1e-9);
        if (!dts_spd_factor(damped, n))
            continue;
        memcpy(step, gradient, sizeof(step));
        dts_spd_solve(damped, n, step);
        double far = 0;
        for (int k = 0; k < n; k++) {
            moved[k] = numbers[k] - step[k];
            far = fmax(far, fabs(step[k]));
        }
        const double better = normal_equations(fit, moved, NULL, NULL);
        if (isfinite(better) && better < *cost) {
            memcpy(numbers, moved, (size_t)n * sizeof(*numbers));
            *cost = better;
            *damping = fmax(*damping / 9, 1e-9);
            return far > 1e-9;
        }
        if (far < 1e-9)
            return false;
    }
    return false;
}

static double descend(const struct dts_fit *fit, double *numbers)
{
    double damping = 1e-3, cost = normal_equations(fit, numbers, NULL, NULL);
    for (int i = 0; i < TRIES && improve(fit, numbers, &cost, &damping); i++)
        ;
    return cost;
}

static void take(struct dts_fit *fit, const double *numbers)
{
    const int n = fit->numbers;
    double matrix[DTS_FIT_NUMBERS * DTS_FIT_NUMBERS], gradient[DTS_FIT_NUMBERS];
    memcpy(fit->logs, numbers, sizeof(fit->logs));
    fit->law = law_of(numbers);
    fit->factors[0] = 1;
    for (int k = 3; k < n; k++)
        fit->factors[k - 2] = exp(numbers[k]);
    normal_equations(fit, numbers, matrix, gradient);
    for (int k = 0; k < n; k++)
        matrix[k * n + k] += 1e-9; // what nothing tells is unknown, not infinite
    dts_spd_factor(matrix, n);
    for (int k = 0; k < n; k++) {
        double column[DTS_FIT_NUMBERS] = {0};
        column[k] = 1;
        dts_spd_solve(matrix, n, column);
        memcpy(fit->covariance[k], column, sizeof(column));
    }
}

/* The points that count, and how many numbers they have. */
static bool prepare(struct dts_fit *fit, const struct dts_seeds *rows, int count,
                    struct dts_error *err)
{
    *fit = (struct dts_fit){.numbers = 3};
    fit->count = dts_seeds_merge(rows, count, fit->points);
    if (fit->count > 0 && fit->points[fit->count - 1].limited)
        fit->limited_batch = fit->points[--fit->count].batch;
    if (fit->count < 1 || fit->points[0].batch == fit->points[fit->count - 1].batch)
        return dts_fail(err, DTS_BAD_INPUT, "needs points of two batches at the least, has %d",
                        fit->count < 1 ? 0 : 1);
    for (int i = 0; i < fit->count; i++)
        if (fit->points[i].recipe + 3 > fit->numbers)
            fit->numbers = fit->points[i].recipe + 3;
    return true;
}

bool dts_fit_make(struct dts_fit *fit, const struct dts_seeds *rows, int count,
                  struct dts_error *err)
{
    if (!prepare(fit, rows, count, err))
        return false;
    const double first = fit->points[0].batch, last = fit->points[fit->count - 1].batch;
    const double middle =
        (fit->points[(fit->count - 1) / 2].batch + fit->points[fit->count / 2].batch) / 2;
    const double starts[STARTS] = {first / 2, middle, last * 2, last * 10};
    double least = INFINITY, lowest = INFINITY, best[DTS_FIT_NUMBERS] = {0};
    for (int i = 0; i < fit->count; i++)
        least = fmin(least, fit->points[i].mean);
    for (int s = 0; s < STARTS; s++) {
        double numbers[DTS_FIT_NUMBERS] = {log(least) - 0.1, log(starts[s]), g_mean};
        for (int k = 3; k < fit->numbers; k++)
            numbers[k] = factor_mean();
        const double cost = descend(fit, numbers);
        if (cost < lowest) {
            lowest = cost;
            memcpy(best, numbers, sizeof(best));
        }
    }
    if (!isfinite(lowest))
        return dts_fail(err, DTS_BAD_INPUT, "no law fits its points");
    take(fit, best);
    return true;
}

double dts_fit_spread(const struct dts_fit *fit, int i)
{
    return DTS_FIT_Z80 * sqrt(fit->covariance[i][i]);
}
