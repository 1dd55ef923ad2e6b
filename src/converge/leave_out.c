/* leave_out.c -- leave one batch out. */
#include "converge/leave_out.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stats.h"
#include "converge/form.h"

/* The profile without one batch of a recipe, and without the limited one. */
static void without(const struct dts_convergence *profile, const struct dts_seeds *left,
                    struct dts_convergence *rest)
{
    *rest = *profile;
    rest->point_count = 0;
    for (int i = 0; i < profile->point_count; i++) {
        const struct dts_seeds *seeds = &profile->points[i].seeds;
        const bool same = seeds->batch == left->batch && seeds->recipe == left->recipe;
        if (!same && seeds->batch != profile->fit.limited_batch)
            rest->points[rest->point_count++] = profile->points[i];
    }
}

/* Where a line through two of the points meets the batch: the nearest on both sides, or the two
 * nearest on one. MLPerf's rule for reference points, without its pruning. */
static double line(const struct dts_seeds *points, int count, int left)
{
    int a = left - 1, b = left + 1;
    if (left == 0)
        a = 1, b = 2;
    if (left == count - 1)
        a = count - 3, b = count - 2;
    return dts_on_line(points[left].batch, points[a].batch, points[b].batch, points[a].mean,
                       points[b].mean);
}

static bool leave(const struct dts_convergence *profile, const struct dts_seeds *point,
                  struct dts_convergence *rest, struct dts_left_out *out)
{
    const struct dts_fit_question question = {.batch = point->batch,
                                              .recipe = point->recipe,
                                              .cv = point->cv,
                                              .interval = point->interval,
                                              .seeds = point->seeds};
    struct dts_error err = {0};
    without(profile, point, rest);
    if (!profile->form->fit(rest, &err) ||
        !profile->form->predict(rest, &question, &out->predicted, &err))
        return false;
    out->covered = out->predicted.low <= point->mean && point->mean <= out->predicted.high;
    out->error = out->predicted.mean / point->mean - 1;
    out->linear_error = out->linear / point->mean - 1;
    return true;
}

int dts_leave_one_out(const struct dts_convergence *profile,
                      struct dts_left_out out[DTS_FIT_BATCHES])
{
    struct dts_seeds rows[DTS_FIT_BATCHES], points[DTS_FIT_BATCHES];
    struct dts_convergence *rest;
    int count = 0, left = 0;
    for (int i = 0; i < profile->point_count; i++)
        rows[i] = profile->points[i].seeds;
    count = dts_seeds_merge(rows, profile->point_count, points);
    if (count > 0 && points[count - 1].batch == profile->fit.limited_batch)
        count--;
    if (count < 3 || !profile->form->learns)
        return 0;
    rest = dts_alloc(1, sizeof(*rest));
    for (int i = 0; i < count; i++) {
        out[left] = (struct dts_left_out){.batch = points[i].batch,
                                          .inner = i > 0 && i < count - 1,
                                          .published = points[i].mean,
                                          .linear = line(points, count, i)};
        left += leave(profile, &points[i], rest, &out[left]);
    }
    free(rest);
    return left;
}

struct dts_left_out_score dts_leave_out_score(const struct dts_left_out *all, int count,
                                              bool inner)
{
    struct dts_left_out_score score = {0, 0, NAN, NAN, NAN, NAN};
    double *errors = dts_alloc((size_t)count + 1, sizeof(*errors)),
           *linear = dts_alloc((size_t)count + 1, sizeof(*linear));
    for (int i = 0; i < count; i++) {
        if (all[i].inner != inner)
            continue;
        errors[score.count] = fabs(all[i].error);
        linear[score.count++] = fabs(all[i].linear_error);
        score.covered += all[i].covered;
    }
    if (score.count > 0) {
        score.worst = dts_largest(errors, score.count);
        score.linear_worst = dts_largest(linear, score.count);
        score.median = dts_median(errors, score.count);
        score.linear_median = dts_median(linear, score.count);
    }
    free(errors);
    free(linear);
    return score;
}
