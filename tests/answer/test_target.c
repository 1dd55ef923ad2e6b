/* test_target.c -- the time to a target: steps of a profile times the step, and the choice
 * among points. */
#include <stdlib.h>

#include "answer/target/frontier.h"
#include "answer/target/target.h"
#include "base/json/library.h"
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

#define TRAINED                                                                                \
    "{\"summary\": \"s\", \"model\": \"mlp\", \"dataset\": \"d\", \"optimizer\": \"sgd\","     \
    " \"target\": \"90 %\", \"sample\": \"image\", \"unit\": \"epochs\", \"epoch_samples\": "  \
    "1000,"                                                                                    \
    " \"trained\": {\"scaling\": \"linear\", \"warm_up\": \"gradual\", \"decay\": \"step\","   \
    " \"batch_norm_samples\": 32}, \"form\": \"constant\", \"source\": \"x\","                 \
    " \"points\": [{\"batch\": 10, \"seeds\": 4, \"mean\": 5}]}"

/* A profile says how its runs were trained; a scenario that says otherwise is doubted, and one
 * that says nothing is not. */
static void rules_of_the_rate_and_spans_of_normalization_are_compared(void)
{
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_layer norm = {.cost = {.sums = 2}};
    struct dts_scenario scenario = {.model = {.name = "mlp"},
                                    .optimizer = &sgd,
                                    .accumulate = 1,
                                    .live = {.compute = "timed"}};
    struct dts_convergence profile;
    struct dts_result result;
    if (!read_profile(TRAINED, &profile))
        return;
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 512;
    result.devices = 4;
    scenario.training.profile = &profile;
    dts_target_fill(&scenario, &result);
    CHECK_STRING(result.target.doubt, "batch 512 is 51.2 times outside the published ones, 10 "
                                      "to 10: nobody is known to have got there with so large "
                                      "a one; only 1 batch is published");
    profile.points[0].seeds.batch = 512;
    scenario.live.compute = "kernels";
    scenario.live.schedule = (struct dts_schedule){.kind = "cosine"};
    scenario.live.scaling.rule = "square_root";
    scenario.model.layers = &norm;
    scenario.model.layer_count = 1;
    dts_target_fill(&scenario, &result);
    CHECK_STRING(
        result.target.doubt,
        "only 1 batch is published; the scaling of the rate of the profile is linear, "
        "not square_root; the warm-up of the profile is gradual, not none; the decay of "
        "the rate of the profile is step, not cosine; batch normalization of the "
        "profile spans 32 samples, not 128");
    scenario.live.schedule = (struct dts_schedule){.kind = "step", .warm_up_epochs = 5};
    scenario.live.scaling.rule = "linear";
    scenario.batch_per_device = 64; // a factor of two
    dts_target_fill(&scenario, &result);
    CHECK_STRING(result.target.doubt, "only 1 batch is published");
    scenario.synchronized = true;
    dts_target_fill(&scenario, &result);
    CHECK_STRING(result.target.doubt, "only 1 batch is published; batch normalization of the "
                                      "profile spans 32 samples, not 512");
    scenario.training.recipe = 1; // of which nothing is said
    profile.recipes[1] = "other";
    dts_target_fill(&scenario, &result);
    CHECK_STRING(result.target.doubt, "only 1 batch is published");
    dts_convergence_free(&profile);
}

static bool is_row(const char *word, const char *(*name)(int i))
{
    for (int i = 0; name(i) != NULL; i++)
        if (strcmp(name(i), word) == 0)
            return true;
    return false;
}

static void check_words(const char *file, const struct dts_trained_by *trained)
{
    const bool good =
        (trained->scaling == NULL || is_row(trained->scaling, dts_scaling_name)) &&
        (trained->decay == NULL || is_row(trained->decay, dts_schedule_name)) &&
        (trained->warm_up == NULL || strcmp(trained->warm_up, "none") == 0 ||
         is_row(trained->warm_up, dts_warm_up_name));
    if (!CHECK(good))
        printf("%s\n", file);
}

/* A word that no scenario can say would be compared with every one in vain. */
static void rules_of_files_that_ship_are_rows(void)
{
    static const char *const folders[] = {"convergence", "accuracy"};
    for (int f = 0; f < 2; f++) {
        char **names = dts_library_names(folders[f]);
        CHECK(names[0] != NULL);
        for (int i = 0; names[i] != NULL; i++) {
            struct dts_error err = {0};
            struct dts_convergence profile = {0};
            struct dts_accuracy table = {0};
            char *path = NULL;
            CHECK(dts_library_find(&path, folders[f], names[i], NULL, &err) &&
                  (f == 0 ? dts_convergence_load(&profile, path, &err)
                          : dts_accuracy_load(&table, path, &err)));
            check_words(names[i], f == 0 ? &profile.trained : &table.trained);
            dts_convergence_free(&profile);
            dts_accuracy_free(&table);
            free(path);
            free(names[i]);
        }
        free(names);
    }
}

/* 7 epochs of batch 55, an evaluation each half epoch: fourteen. */
static void evaluations_are_part_of_the_time(void)
{
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_scenario scenario = {
        .model = {.name = "mlp", .forward_flops = 10, .backward_flops = 30},
        .optimizer = &sgd,
        .live = {.compute = "timed"}};
    struct dts_convergence profile;
    struct dts_result result;
    if (!read_profile(text, &profile))
        return;
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.step.compute_s = 0.4;
    result.global_batch = 55;
    result.devices = 4;
    scenario.training.profile = &profile;
    scenario.training.target.evaluation =
        (struct dts_evaluation_words){.seconds = 3, .every = 0.5};
    dts_target_fill(&scenario, &result);
    CHECK_NEAR(result.training.evaluations, 14, 1e-9);
    CHECK_NEAR(result.training.evaluation_s, 42, 1e-9);
    CHECK_NEAR(result.training.time_s, 64 + 42, 1e-9);
    CHECK_NEAR(result.training.device_hours, 4 * 106 / 3600.0, 1e-9);
    const double low_s = 0.5 * result.training.steps_low;
    CHECK(result.training.time_low_s > low_s && result.training.time_low_s < low_s + 42);
    scenario.training.target.evaluation =
        (struct dts_evaluation_words){.samples = 100, .every = 1};
    dts_target_fill(&scenario, &result); // two steps of a quarter of 0.4 s, seven times
    CHECK_NEAR(result.training.evaluation_s, 7 * 2 * 0.1, 1e-9);
    scenario.training.target.evaluation.every = 0; // and the profile does not say
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 55;
    dts_target_fill(&scenario, &result);
    CHECK_NEAR(result.training.time_s, 64, 1e-9);
    CHECK(strstr(result.target.doubt, "no evaluation is counted") != NULL);
    dts_convergence_free(&profile);
}

/* b_c 1,000 within 3.4, e_min 1e6: at 1,000 2^(1/1.1) times that, 1.23 to 4.2 times. */
static void one_run_and_its_noise_scale_are_a_target(void)
{
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_scenario scenario = {.model = {.name = "mlp"},
                                    .optimizer = &sgd,
                                    .dataset = {.samples = 5e5},
                                    .live = {.compute = "timed"}};
    struct dts_result result;
    scenario.training.target.noise_scale =
        (struct dts_noise_run){.scale = 2500, .batch = 1e-3, .samples = 1e6};
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 1000;
    dts_target_fill(&scenario, &result);
    CHECK_CLOSE(result.training.samples, 1e6 * pow(2, 1 / 1.1), 1e-5);
    CHECK_NEAR(result.training.epochs, 2 * pow(2, 1 / 1.1), 1e-4);
    CHECK_NEAR(result.training.steps, 1878, 0);
    CHECK_NEAR(result.training.time_low_s, 0.5 * 1234, 0.5);
    CHECK_NEAR(result.training.time_high_s, 0.5 * 4196, 0.5);
    CHECK_STRING(result.target.region, "diminishing");
    CHECK(strstr(result.target.law, "b_c 1e+03 (294 to 3.4e+03)") != NULL);
    scenario.training.target.staleness = (struct dts_staleness_words){1, 1, "fixed"};
    dts_target_fill(&scenario, &result); // as batch 2,000
    CHECK_CLOSE(result.training.samples, 1e6 * pow(1 + pow(2, 1.1), 1 / 1.1), 1e-5);
}

/* Four workers of batch 10, each an update of its own and three updates late, count as one
 * batch of 40: no more samples than four workers that wait, in as many steps. */
static void updates_of_workers_that_wait_for_nobody_are_small_and_late(void)
{
    const struct dts_optimizer sgd = {.name = "sgd"};
    struct dts_scenario scenario = {
        .model = {.name = "mlp"}, .optimizer = &sgd, .live = {.compute = "timed"}};
    struct dts_convergence profile;
    struct dts_result result;
    if (!read_profile(text, &profile))
        return;
    scenario.training.profile = &profile;
    profile.staleness.factor = 1.25; // 40 within 34 and 47.5: batches that are known
    dts_result_init(&result);
    result.step.total_s = 0.5;
    result.global_batch = 40;
    dts_target_fill(&scenario, &result);
    const double samples = result.training.samples;
    CHECK_CLOSE(samples, 1e3 * (5 + 4 / 3.0), 1e-12);
    result.update_batch = 10;
    result.staleness =
        (struct dts_stale){.mean = 3, .median = 3, .p95 = 3, .most = 3, .used = 1};
    dts_target_fill(&scenario, &result);
    CHECK_CLOSE(result.training.samples, samples, 1e-12);
    CHECK_NEAR(result.training.steps, 159, 0);               // of 40 samples
    CHECK_CLOSE(result.staleness_steps, 159 / 125.0, 1e-12); // 5,000 samples at 10 in time
    CHECK(strstr(result.target.late, "4 updates in a step; the batch of one counts as 4") !=
          NULL);

    /* Backup workers: three of four gradients count, and these have seen the newest weights. */
    result.update_batch = 30;
    result.update_in_time = true;
    result.staleness =
        (struct dts_stale){.mean = 0.5, .median = 0, .p95 = 1, .most = 1, .used = 0.75};
    dts_target_fill(&scenario, &result);
    CHECK_CLOSE(result.training.samples, 1e3 * (5 + 4 * 20 / 90.0), 1e-12); // batch 30
    CHECK_NEAR(result.training.steps, 197, 0);                              // 5,889 over 30
    CHECK_NEAR(result.staleness_steps, 1, 1e-12);
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
    struct dts_frontier found[5];
    for (int i = 0; i < 5; i++) {
        dts_result_init(&points[i]);
        points[i].training.time_s = i < 4 ? times[i] : NAN;
        points[i].training.device_hours = i < 4 ? hours[i] : NAN;
    }
    const struct dts_report report = {.points = points, .count = 5};
    CHECK_INT(dts_frontiers_find(&report, found), 1);
    CHECK_INT(found[0].shortest - points, 3);
    CHECK_INT(found[0].leanest - points, 0);
    CHECK_INT(found[0].knee - points, 1); // 80, where the others have 100, 90 and 180
    points[0].error.cause = points[3].error.cause = DTS_BAD_INPUT;
    CHECK_INT(dts_frontiers_find(&report, found), 1);
    CHECK_INT(found[0].shortest - points, 2);
    CHECK_INT(found[0].leanest - points, 1);
    points[1].error.cause = DTS_BAD_INPUT;
    CHECK_INT(dts_frontiers_find(&report, found), 0); // one is no choice
}

/* The shortest time to one target says nothing of the other. */
static void points_of_unlike_targets_are_not_compared(void)
{
    static const char *const goals[] = {"a loss of 2.1", "a loss of 2", "a loss of 2.1",
                                        "a loss of 2",   "75.9 %",      "a loss of 2.1"};
    static const double times[] = {100, 500, 50, 400, 1, 70};
    enum { POINTS = 6 };
    struct dts_result points[POINTS];
    struct dts_frontier found[POINTS];
    for (int i = 0; i < POINTS; i++) {
        dts_result_init(&points[i]);
        snprintf(points[i].target.goal, sizeof(points[i].target.goal), "%s", goals[i]);
        points[i].training.time_s = points[i].training.device_hours = times[i];
    }
    const struct dts_report report = {.points = points, .count = POINTS};
    CHECK_INT(dts_frontiers_find(&report, found), 2); // of 75.9 % there is one point
    CHECK_STRING(found[0].target, "a loss of 2.1");
    CHECK_INT(found[0].shortest - points, 2);
    CHECK_STRING(found[1].target, "a loss of 2");
    CHECK_INT(found[1].shortest - points, 3);
}

TESTS(TEST(points_of_unlike_targets_are_not_compared),
      TEST(a_target_takes_its_steps_times_the_step), TEST(what_the_points_do_not_tell_is_said),
      TEST(evaluations_are_part_of_the_time),
      TEST(updates_of_workers_that_wait_for_nobody_are_small_and_late),
      TEST(one_run_and_its_noise_scale_are_a_target), TEST(rules_of_files_that_ship_are_rows),
      TEST(rules_of_the_rate_and_spans_of_normalization_are_compared),
      TEST(energy_and_cost_are_those_of_whole_nodes),
      TEST(the_frontier_has_the_shortest_the_leanest_and_the_knee))
