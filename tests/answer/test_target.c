/* test_target.c -- the time to a target: steps of a profile times the step, and the choice
 * among points. */
#include "answer/target/frontier.h"
#include "answer/target/target.h"
#include "check.h"

static const char text[] =
    "{\"summary\": \"s\", \"model\": \"mlp\", \"dataset\": \"d\", \"optimizer\": \"sgd\","
    " \"target\": \"90 %\", \"sample\": \"image\", \"unit\": \"epochs\", \"epoch_samples\": "
    "1000,"
    " \"form\": \"points\", \"source\": \"x\","
    " \"points\": [{\"batch\": 10, \"seeds\": 4, \"mean\": 5}, {\"batch\": 100, \"seeds\": 4, "
    "\"mean\": 9}]}";

static bool read_profile(const char *words, struct dts_convergence *profile)
{
    struct dts_error err = {0};
    struct dts_doc *doc;
    return CHECK(dts_doc_parse(&doc, "x.json", words, &err) &&
                 dts_convergence_read(profile, doc, &err));
}

static void a_target_takes_its_steps_times_the_step(void)
{
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_scenario scenario = {.model = {.name = "mlp"}, .optimizer = &sgd};
    struct dts_convergence profile;
    struct dts_result result;
    if (!read_profile(text, &profile))
        return;
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 55;
    result.devices = 4;
    dts_target_fill(&scenario, &result);
    CHECK(isnan(result.training.time_s)); // no target
    scenario.training.profile = &profile;
    dts_target_fill(&scenario, &result);
    CHECK_NEAR(result.training.epochs, 7, 1e-12);
    CHECK_NEAR(result.training.steps, 128, 0); // 7,000 samples of 55
    CHECK_NEAR(result.training.time_s, 64, 1e-12);
    CHECK_NEAR(result.training.device_hours, 4 * 64 / 3600.0, 1e-12);
    CHECK(result.training.time_low_s < 64 && result.training.time_high_s > 64);
    CHECK_STRING(result.target.doubt, "only 2 batches are published");
    scenario.model.name = "lstm";
    scenario.dataset.samples = 1011;
    dts_target_fill(&scenario, &result);
    CHECK_STRING(result.target.doubt,
                 "only 2 batches are published; the model of the profile is mlp, not lstm; an "
                 "epoch of the profile has 1000 samples, not 1011");
    dts_result_init(&result);
    result.global_batch = 101;
    dts_target_fill(&scenario, &result);
    CHECK(isnan(result.training.steps));
    CHECK(strstr(result.target.doubt, "says nothing of batch 101") != NULL);
    dts_convergence_free(&profile);
}

/* Two batches of which the larger needs a millionth: no law does that. */
static void what_the_points_do_not_tell_is_said(void)
{
    static const char falling[] =
        "{\"summary\": \"s\", \"model\": \"mlp\", \"dataset\": \"d\", \"optimizer\": \"sgd\","
        " \"target\": \"90 %\", \"sample\": \"image\", \"unit\": \"samples\", \"source\": "
        "\"x\","
        " \"points\": [{\"batch\": 10, \"seeds\": 4, \"mean\": 1e9}, "
        "{\"batch\": 1000000, \"seeds\": 4, \"mean\": 1000}]}";
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_scenario scenario = {.model = {.name = "mlp"}, .optimizer = &sgd};
    struct dts_convergence profile;
    struct dts_result result;
    if (!read_profile(falling, &profile))
        return;
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 100;
    scenario.training.profile = &profile;
    dts_target_fill(&scenario, &result);
    CHECK(strstr(result.target.law, "b_c not told by the points") != NULL);
    CHECK(result.training.steps > 0 && isnan(result.training.epochs));
    dts_convergence_free(&profile);
}

static void energy_and_cost_are_those_of_whole_nodes(void)
{
    struct dts_platform platform = {.power_w = 5000};
    struct dts_result result;
    dts_result_init(&result);
    result.nodes = 3;
    dts_spending_fill(&platform, &result);
    CHECK(isnan(result.training.energy_kwh)); // no training
    result.training.time_s = 7200;
    dts_spending_fill(&platform, &result);
    CHECK_NEAR(result.training.energy_kwh, 30, 1e-12);
    CHECK(isnan(result.training.cost)); // no price
    platform.price_per_hour = 25;
    dts_spending_fill(&platform, &result);
    CHECK_NEAR(result.training.cost, 150, 1e-12);
}

static void the_frontier_has_the_shortest_the_leanest_and_the_knee(void)
{
    static const double times[] = {100, 40, 30, 20}, hours[] = {1, 2, 3, 9};
    struct dts_result points[5];
    struct dts_frontier found;
    for (int i = 0; i < 5; i++) {
        dts_result_init(&points[i]);
        points[i].training.time_s = i < 4 ? times[i] : NAN;
        points[i].training.device_hours = i < 4 ? hours[i] : NAN;
    }
    const struct dts_report report = {.points = points, .count = 5};
    CHECK(dts_frontier_find(&report, &found));
    CHECK_INT(found.shortest - points, 3);
    CHECK_INT(found.leanest - points, 0);
    CHECK_INT(found.knee - points, 1); // 80, where the others have 100, 90 and 180
    points[0].error.cause = points[3].error.cause = DTS_BAD_INPUT;
    CHECK(dts_frontier_find(&report, &found));
    CHECK_INT(found.shortest - points, 2);
    CHECK_INT(found.leanest - points, 1);
    points[1].error.cause = DTS_BAD_INPUT;
    CHECK(!dts_frontier_find(&report, &found)); // one is no choice
}

TESTS(TEST(a_target_takes_its_steps_times_the_step), TEST(what_the_points_do_not_tell_is_said),
      TEST(energy_and_cost_are_those_of_whole_nodes),
      TEST(the_frontier_has_the_shortest_the_leanest_and_the_knee))
