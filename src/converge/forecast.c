/* forecast.c -- a prediction at one batch: the law, what near batches have in common (a
 * Gaussian process in ln B), and how sure it is. */
#include "converge/forecast.h"

#include <math.h>
#include <string.h>

#include "converge/spd.h"

static const double amplitude = 0.05, length = 1; // in logs; of ln B
static const double nugget = 0.008;               // of one point, besides its seeds
static const double widening = 0.18;              // of ln for each e-fold outside the batches

static double kernel(double batch, double other)
{
    return amplitude * amplitude * exp(-fabs(log(batch / other)) / length);
}

/* The factor of the kernel matrix of the points. */
static void factor(const struct dts_fit *fit, double *matrix)
{
    const int n = fit->count;
    for (int i = 0; i < n; i++) {
        const struct dts_seeds *point = &fit->points[i];
        for (int j = 0; j <= i; j++)
            matrix[i * n + j] = kernel(point->batch, fit->points[j].batch);
        matrix[i * n + i] += point->cv * point->cv / point->seeds + nugget * nugget;
    }
    dts_spd_factor(matrix, n); // positive by the nugget
}

/* The log by which a point is above the law. */
static double residual(const struct dts_fit *fit, const struct dts_seeds *point)
{
    const double need = dts_fit_need(fit->logs, point->batch, point->recipe);
    return log(point->mean / dts_law_seen(need, point->cv, point->interval));
}

/* What the points near a batch say beyond the law, and the variance that they leave. */
static double process(const struct dts_fit *fit, double batch, double *variance)
{
    double matrix[DTS_FIT_BATCHES * DTS_FIT_BATCHES], near[DTS_FIT_BATCHES],
        solved[DTS_FIT_BATCHES], shift = 0, known = 0;
    factor(fit, matrix);
    for (int i = 0; i < fit->count; i++)
        near[i] = solved[i] = kernel(batch, fit->points[i].batch);
    dts_spd_solve(matrix, fit->count, solved);
    for (int i = 0; i < fit->count; i++) {
        shift += solved[i] * residual(fit, &fit->points[i]);
        known += solved[i] * near[i];
    }
    *variance = fmax(amplitude * amplitude - known, 0);
    return shift;
}

/* Variance of the ln of the law by that of its numbers. Half an interval stands for the grid,
 * whose steps have no useful slope. */
static double law_variance(const struct dts_fit *fit, const struct dts_fit_question *question,
                           double interval)
{
    const double nudge = 0.02;
    double slope[DTS_FIT_NUMBERS], variance = 0;
    for (int k = 0; k < fit->numbers; k++) {
        double moved[DTS_FIT_NUMBERS], at[2];
        for (int side = 0; side < 2; side++) {
            memcpy(moved, fit->logs, sizeof(moved));
            moved[k] += side == 0 ? -nudge : nudge;
            at[side] =
                log(dts_fit_need(moved, question->batch, question->recipe) + interval / 2);
        }
        slope[k] = (at[1] - at[0]) / (2 * nudge);
    }
    for (int i = 0; i < fit->numbers; i++)
        for (int j = 0; j < fit->numbers; j++)
            variance += slope[i] * fit->covariance[i][j] * slope[j];
    return variance;
}

static const struct dts_seeds *nearest(const struct dts_fit *fit, double batch)
{
    const struct dts_seeds *found = &fit->points[0];
    for (int i = 1; i < fit->count; i++)
        if (fabs(log(fit->points[i].batch / batch)) < fabs(log(found->batch / batch)))
            found = &fit->points[i];
    return found;
}

/* ln of how far a batch is outside the known ones; 0: inside. */
static double outside(const struct dts_fit *fit, double batch)
{
    return fmax(0, fmax(log(batch / fit->points[fit->count - 1].batch),
                        log(fit->points[0].batch / batch)));
}

struct dts_forecast dts_fit_predict(const struct dts_fit *fit,
                                    const struct dts_fit_question *question)
{
    const struct dts_seeds *like = nearest(fit, question->batch);
    const double cv = question->cv >= 0 ? question->cv : like->cv;
    const double interval = question->interval >= 0 ? question->interval : like->interval;
    const double need = dts_fit_need(fit->logs, question->batch, question->recipe);
    double variance;
    const double shift = process(fit, question->batch, &variance);
    const double mean = dts_law_seen(need, cv, interval) * exp(shift);
    const double beyond = widening * outside(fit, question->batch), share = interval / mean;
    variance += law_variance(fit, question, interval) + beyond * beyond;
    variance += DTS_FIT_SCATTER * DTS_FIT_SCATTER + cv * cv / question->seeds;
    if (cv * mean < interval / 2) // where in the interval the need lies shows in no seed
        variance += share * share / 12;
    const double sd = sqrt(variance), factor_of_80 = exp(DTS_FIT_Z80 * sd);
    return (struct dts_forecast){mean, mean / factor_of_80, mean * factor_of_80, sd};
}
