/* test_fit.c -- the law that a series follows, found again; and what is said beside the points.
 */
#include "check.h"
#include "converge/forecast.h"

/* MLPerf's ResNet-50 by LARS, as convergence/resnet50_lars.json has it; one recipe. */
static const struct dts_seeds resnet[] = {
    {1632, 35, .cv = 0.0329, .interval = 1, .seeds = 17},
    {2048, 38.4, .cv = 0.0085, .interval = 1, .seeds = 10},
    {3264, 35.2, .cv = 0.0213, .interval = 1, .seeds = 15},
    {4096, 40, .cv = 0.0244, .interval = 1, .seeds = 10},
    {8192, 42, .cv = 0.0232, .interval = 1, .seeds = 10},
    {13056, 45.4, .cv = 0.0146, .interval = 1, .seeds = 10},
    {32768, 56, .cv = 0.0116, .interval = 1, .seeds = 10},
    {58880, 79.9, .cv = 0.0122, .interval = 1, .seeds = 10},
    {65536, 84.5, .cv = 0.0109, .interval = 1, .seeds = 10},
    {67840, 85.8571, .cv = 0.0057, .interval = 1, .seeds = 28},
};

enum { RESNET = sizeof(resnet) / sizeof(resnet[0]) };

static struct dts_fit fit_of(const struct dts_seeds *rows, int count)
{
    struct dts_fit fit;
    struct dts_error err = {0};
    if (!CHECK(dts_fit_make(&fit, rows, count, &err)))
        printf("%s\n", err.text);
    return fit;
}

/* By an independent program: least squares of scipy on the same rows. */
static void resnet_has_the_numbers_of_another_program(void)
{
    const struct dts_fit fit = fit_of(resnet, RESNET);
    CHECK_CLOSE(fit.law.e_min, 35.03, 2e-3);
    CHECK_CLOSE(fit.law.b_c, 44160.0, 5e-3);
    CHECK_CLOSE(fit.law.g, 1.068, 5e-3);
    CHECK_CLOSE(exp(dts_fit_spread(&fit, 0)), 36.23 / 35.03, 3e-3);
    CHECK_CLOSE(exp(dts_fit_spread(&fit, 1)), 50120 / 44160.0, 1e-2);
    CHECK_CLOSE(exp(dts_fit_spread(&fit, 2)), 1.231 / 1.068, 1e-2);
    const struct dts_fit_question mean = {16384, .cv = -1, .interval = -1, .seeds = 20};
    const struct dts_forecast forecast = dts_fit_predict(&fit, &mean);
    CHECK_NEAR(forecast.mean, 47.0, 0.05);
    CHECK_NEAR(forecast.low, 44.3, 0.05);
    CHECK_NEAR(forecast.high, 49.9, 0.05);
}

/* Rows by a law, as logs show them, with factors of recipes. */
static int made(const struct dts_law *law, const double *factors, double interval,
                struct dts_seeds *rows)
{
    int count = 0;
    for (double batch = 100; batch < 20000; batch *= 2, count++) {
        const int recipe = factors != NULL ? count % 2 : 0;
        const double need = dts_law_at(law, batch) * (recipe == 1 ? factors[1] : 1);
        rows[count] = (struct dts_seeds){batch,       dts_law_seen(need, 0.03, interval),
                                         .cv = 0.03,  .interval = interval,
                                         .seeds = 10, .recipe = recipe};
    }
    return count;
}

static void a_law_is_found_again(void)
{
    const struct dts_law laws[] = {{100, 1000, 1.105}, {7, 4000, 1.3}, {2e6, 3000, 0.95}};
    for (int i = 0; i < 3; i++)
        for (int grid = 0; grid < 2; grid++) {
            struct dts_seeds rows[DTS_FIT_BATCHES];
            const int count = made(&laws[i], NULL, grid * laws[i].e_min / 10, rows);
            const struct dts_fit fit = fit_of(rows, count);
            CHECK_CLOSE(fit.law.e_min, laws[i].e_min, 0.02);
            CHECK_CLOSE(fit.law.b_c, laws[i].b_c, 0.05);
            CHECK_CLOSE(fit.law.g, laws[i].g, 0.1);
        }
}

static void a_recipe_has_a_factor_of_its_own(void)
{
    const struct dts_law law = {100, 1000, 1.105};
    const double factors[] = {1, 1.15};
    struct dts_seeds rows[DTS_FIT_BATCHES];
    const int count = made(&law, factors, 0, rows);
    const struct dts_fit fit = fit_of(rows, count);
    CHECK_INT(fit.numbers, 4);
    CHECK_CLOSE(fit.factors[1], 1.15, 0.02);
    CHECK_CLOSE(fit.law.e_min, 100.0, 0.02);
    struct dts_fit_question asked = {700, .cv = 0.02, .seeds = 20};
    const double first = dts_fit_predict(&fit, &asked).mean;
    asked.recipe = 1;
    CHECK_CLOSE(dts_fit_predict(&fit, &asked).mean / first, fit.factors[1], 1e-9);
}

/* RetinaNet at 4,096: the rate fell, and the steps did not. */
static void a_batch_whose_rate_had_to_fall_is_left_out(void)
{
    struct dts_seeds rows[] = {{1000, 100, .learning_rate = 1, .seeds = 5},
                               {2000, 110, .learning_rate = 2, .seeds = 5},
                               {4000, 130, .learning_rate = 4, .seeds = 5},
                               {8000, 280, .learning_rate = 2.9, .seeds = 5}};
    struct dts_fit fit = fit_of(rows, 4);
    CHECK_NEAR(fit.limited_batch, 8000, 0);
    CHECK_INT(fit.count, 3);
    rows[3].learning_rate = 3.1; // has not fallen below three quarters
    CHECK_NEAR(fit_of(rows, 4).limited_batch, 0, 0);
    rows[3].learning_rate = 2.9;
    rows[3].mean = 240; // 0.92 of the fewest steps: it still pays
    CHECK_NEAR(fit_of(rows, 4).limited_batch, 0, 0);
}

static void rows_of_a_batch_are_one_point(void)
{
    const struct dts_seeds rows[] = {{400, 120, .cv = 0.02, .interval = 4, .seeds = 30},
                                     {100, 90, .cv = 0, .interval = 1, .seeds = 5},
                                     {400, 100, .cv = 0.06, .interval = 8, .seeds = 10}};
    const struct dts_fit fit = fit_of(rows, 3);
    CHECK_INT(fit.count, 2);
    CHECK_NEAR(fit.points[1].mean, 115, 1e-9);
    CHECK_NEAR(fit.points[1].interval, 5, 1e-9);
    CHECK_NEAR(fit.points[1].cv, sqrt(0.0012), 1e-9);
    CHECK_INT(fit.points[1].seeds, 40);
    CHECK_NEAR(fit.points[0].cv, sqrt(0.0012 / 2), 1e-9); // unknown: that of the series
}

static void an_interval_widens_outside_and_for_one_run(void)
{
    const struct dts_fit fit = fit_of(resnet, RESNET);
    struct dts_fit_question asked = {67840, .cv = 0.02, .interval = 1, .seeds = 1};
    double last = dts_fit_predict(&fit, &asked).sd;
    for (int i = 0; i < 5; i++) {
        asked.batch *= 2;
        const double sd = dts_fit_predict(&fit, &asked).sd;
        CHECK(sd > last + 0.01);
        last = sd;
    }
    const double one = dts_fit_predict(&fit, &asked).sd;
    asked.seeds = 20;
    const double mean = dts_fit_predict(&fit, &asked).sd;
    CHECK_NEAR(one * one - mean * mean, 0.02 * 0.02 * 0.95, 1e-12);
}

static void one_batch_is_no_series(void)
{
    const struct dts_seeds rows[] = {{100, 90, .seeds = 5}, {100, 80, .seeds = 5}};
    struct dts_fit fit;
    struct dts_error err = {0};
    CHECK(!dts_fit_make(&fit, rows, 2, &err));
    CHECK_STRING(err.text, "needs points of two batches at the least, has 1");
}

TESTS(TEST(resnet_has_the_numbers_of_another_program), TEST(a_law_is_found_again),
      TEST(a_recipe_has_a_factor_of_its_own), TEST(a_batch_whose_rate_had_to_fall_is_left_out),
      TEST(rows_of_a_batch_are_one_point), TEST(an_interval_widens_outside_and_for_one_run),
      TEST(one_batch_is_no_series))
