/* test_leave_out.c -- each batch predicted from the others. */
#include "check.h"
#include "converge/form.h"
#include "converge/leave_out.h"

/* A profile by a law without noise. */
static void make(struct dts_convergence *profile, const struct dts_law *law, int count)
{
    *profile = (struct dts_convergence){.unit = "samples", .form = dts_convergence_forms[0]};
    for (int i = 0; i < count; i++) {
        const double batch = 100 * pow(3, i);
        profile->points[i].seeds =
            (struct dts_seeds){batch, dts_law_at(law, batch), .cv = 0.01, .seeds = 5};
    }
    profile->point_count = count;
    struct dts_error err = {0};
    CHECK(profile->form->fit(profile, &err));
}

static void batches_of_a_law_are_predicted_from_the_others(void)
{
    static struct dts_convergence profile;
    struct dts_left_out out[DTS_FIT_BATCHES];
    make(&profile, &(struct dts_law){1e6, 1500, 1.105}, 6);
    const int count = dts_leave_one_out(&profile, out);
    CHECK_INT(count, 6);
    for (int i = 0; i < count; i++) {
        CHECK_INT(out[i].inner, i > 0 && i < 5);
        CHECK(fabs(out[i].error) < (out[i].inner ? 0.005 : 0.03));
        CHECK(out[i].covered);
    }
    /* The line knows what is left: 900 between 300 and 2,700. */
    const double batches[] = {300, 2700};
    CHECK_NEAR(out[2].linear,
               dts_law_at(&profile.fit.law, batches[0]) +
                   (900 - 300) / (2700.0 - 300) *
                       (dts_law_at(&profile.fit.law, batches[1]) -
                        dts_law_at(&profile.fit.law, batches[0])),
               2e4);
    CHECK(fabs(out[2].linear_error) > 0);
}

/* The prediction of a batch does not know it. */
static void a_batch_that_is_left_out_changes_nothing(void)
{
    static struct dts_convergence profile;
    struct dts_left_out before[DTS_FIT_BATCHES], after[DTS_FIT_BATCHES];
    make(&profile, &(struct dts_law){1e6, 1500, 1.105}, 6);
    dts_leave_one_out(&profile, before);
    profile.points[2].seeds.mean *= 2;
    dts_leave_one_out(&profile, after);
    CHECK(after[2].predicted.mean == before[2].predicted.mean);
    CHECK(after[2].linear == before[2].linear);
    CHECK(after[3].predicted.mean != before[3].predicted.mean);
    CHECK(!after[2].covered);
}

static void scores_are_of_inner_or_of_outer_batches(void)
{
    const struct dts_left_out all[] = {{.inner = false, .error = -0.5, .linear_error = 0.1},
                                       {.inner = true, .error = 0.1, .covered = true},
                                       {.inner = true, .error = -0.3, .linear_error = 0.2},
                                       {.inner = true, .error = 0.2, .covered = true}};
    struct dts_left_out_score score = dts_leave_out_score(all, 4, true);
    CHECK_INT(score.count, 3);
    CHECK_INT(score.covered, 2);
    CHECK_NEAR(score.median, 0.2, 1e-12);
    CHECK_NEAR(score.worst, 0.3, 1e-12);
    CHECK_NEAR(score.linear_worst, 0.2, 1e-12);
    score = dts_leave_out_score(all, 4, false);
    CHECK_INT(score.count, 1);
    CHECK_NEAR(score.worst, 0.5, 1e-12);
    CHECK(isnan(dts_leave_out_score(all, 0, false).median));
}

static void two_batches_are_no_series(void)
{
    static struct dts_convergence profile;
    struct dts_left_out out[DTS_FIT_BATCHES];
    make(&profile, &(struct dts_law){1e6, 1500, 1.105}, 2);
    CHECK_INT(dts_leave_one_out(&profile, out), 0);
}

TESTS(TEST(batches_of_a_law_are_predicted_from_the_others),
      TEST(a_batch_that_is_left_out_changes_nothing),
      TEST(scores_are_of_inner_or_of_outer_batches), TEST(two_batches_are_no_series))
