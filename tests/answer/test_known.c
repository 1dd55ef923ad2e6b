/* test_known.c -- points that were measured level the others: closed forms. */
#include <stdlib.h>

#include "answer/known.h"
#include "base/mem.h"
#include "check.h"

static const char file[] = DTS_SOURCE "/tests/golden/in/small.json";

/* The scenario with a list of measurements, and a training; NULL: as the file has them. */
struct asked {
    struct dts_changes changes;
    struct dts_scene scene;
    struct dts_known_set set;
    struct dts_known *known;
    struct dts_question question;
};

static void ask_for(struct asked *asked, const char *measurements, const char *training,
                    int devices)
{
    struct dts_error err = {0};
    *asked = (struct asked){.changes = {.engine = "fluid"}};
    if (measurements != NULL)
        dts_changes_add_set(&asked->changes, "measurements", strlen("measurements"),
                            measurements);
    if (training != NULL)
        dts_changes_add_set(&asked->changes, "training", strlen("training"), training);
    CHECK(dts_scene_open(&asked->changes, file, 0, &asked->scene, &err));
    CHECK(dts_known_open(&asked->changes, 0, file, &asked->scene, &asked->set, &err));
    CHECK_STRING(err.text, "");
    asked->known = dts_alloc((size_t)asked->set.count + 1, sizeof(*asked->known));
    asked->question = dts_question_of(&asked->scene, 0, devices);
    asked->question.known = asked->known;
    asked->question.known_count =
        dts_known_of(&asked->set, &asked->scene.scenario,
                     asked->scene.scenario.strategies[0].name, asked->known);
}

static void end(struct asked *asked)
{
    free(asked->known);
    dts_known_close(&asked->set);
    dts_scene_close(&asked->scene);
    dts_changes_free(&asked->changes);
}

static void ask(struct asked *asked, const char *measurements, int devices)
{
    ask_for(asked, measurements, NULL, devices);
}

static struct dts_result answer_for(const char *measurements, const char *training, int devices)
{
    struct asked asked;
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    ask_for(&asked, measurements, training, devices);
    dts_estimate_levelled(&asked.question, result);
    CHECK_STRING(result->error.text, "");
    end(&asked);
    const struct dts_result out = *result;
    free(result);
    return out;
}

static struct dts_result answer(const char *measurements, int devices)
{
    return answer_for(measurements, NULL, devices);
}

static const char *measured(char *text, size_t room, const char *format, double a, double b)
{
    snprintf(text, room, format, a, b);
    return text;
}

static const double fixed_s = 1e-3; // of the stack: no kernel

/* One device exchanges nothing: its step is its kernels, and what is fixed. */
static double factor_for(double times, double step_s)
{
    return (times * step_s - fixed_s) / (step_s - fixed_s);
}

static void the_kernels_of_one_device_take_what_was_measured(void)
{
    char text[256];
    const struct dts_result plain = answer(NULL, 1), other = answer(NULL, 4);
    measured(text, sizeof(text), "[{\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g}]",
             3 * plain.step.total_s, 0);
    const struct dts_result one = answer(text, 1), four = answer(text, 4);
    CHECK(isnan(plain.level_kernels) && isnan(plain.level_step));
    const double factor = factor_for(3, plain.step.total_s);
    CHECK_CLOSE(one.level_kernels, factor, 5e-3);
    CHECK_CLOSE(one.step.total_s, 3 * plain.step.total_s, 1e-9);
    CHECK_CLOSE(one.throughput_samples_per_s, plain.throughput_samples_per_s / 3, 1e-9);
    // kernels beside messages are a little slower
    CHECK_CLOSE(four.step.compute_s, fixed_s + factor * (other.step.compute_s - fixed_s), 1e-2);
    CHECK_CLOSE(four.step.comm_s, other.step.comm_s, 5e-3); // messages are as they were
    CHECK_CLOSE(four.step.total_s, four.level_step * four.level_physics_s, 1e-12);
}

static void throughput_and_step_say_the_same(void)
{
    char text[256];
    const struct dts_result plain = answer(NULL, 4);
    measured(text, sizeof(text), "[{\"devices\": 4, \"metric\": \"step_s\", \"value\": %.17g}]",
             1.7 * plain.step.total_s, 0);
    const double by_step = answer(text, 2).step.total_s;
    measured(text, sizeof(text),
             "[{\"devices\": 4, \"metric\": \"throughput_samples_per_s\", \"value\": %.17g}]",
             plain.throughput_samples_per_s / 1.7, 0);
    CHECK_CLOSE(answer(text, 2).step.total_s, by_step, 1e-9);
}

static const char two[] = "[{\"devices\": 4, \"metric\": \"step_s\", \"value\": %.17g},"
                          " {\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g}]";

/* Both points are met; between them, and beyond, the quotient follows the rule. */
static void what_is_left_is_a_line_between_logarithms(void)
{
    char text[256];
    const double one_s = 2 * answer(NULL, 1).step.total_s;
    measured(text, sizeof(text), two, 5 * one_s, one_s);
    const struct dts_result one = answer(text, 1), middle = answer(text, 2),
                            four = answer(text, 4);
    CHECK_CLOSE(one.step.total_s, one_s, 1e-9);
    CHECK_CLOSE(four.step.total_s, 5 * one_s, 1e-9);
    CHECK_CLOSE(middle.level_step, sqrt(one.level_step * four.level_step), 1e-9);
    CHECK(strstr(four.basis, "2 measured points") != NULL);
}

/* Of two on as many devices that with the nearest batch levels. */
static void the_nearest_batch_levels(void)
{
    static const char format[] = "[{\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g},"
                                 " {\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g,"
                                 "  \"when\": {\"batch\": {\"per_device\": 4096}}}]";
    char text[512];
    const double plain_s = answer(NULL, 1).step.total_s;
    measured(text, sizeof(text), format, 2 * plain_s, 7);
    const struct dts_result one = answer(text, 1);
    CHECK_CLOSE(one.level_kernels, factor_for(2, plain_s), 5e-3);
    CHECK_CLOSE(one.step.total_s, 2 * plain_s, 1e-9);
}

/* Messages alone take longer than the measurement: kernels are left, and the level does it. */
static void a_step_shorter_than_its_messages_is_met(void)
{
    char text[256];
    const struct dts_result plain = answer(NULL, 4);
    measured(text, sizeof(text), "[{\"devices\": 4, \"metric\": \"step_s\", \"value\": %.17g}]",
             1e-3 * plain.step.total_s, 0);
    const struct dts_result four = answer(text, 4);
    CHECK_CLOSE(four.level_kernels, DTS_LEAST_FACTOR, 1e-12);
    CHECK_CLOSE(four.step.total_s, 1e-3 * plain.step.total_s, 1e-9);
}

/* What the command line changes is asked of the machine that was measured before. */
static void changes_do_not_reach_the_measured_point(void)
{
    char text[256];
    struct asked asked;
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    const double plain_s = answer(NULL, 1).step.total_s;
    measured(text, sizeof(text), "[{\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g}]",
             2 * plain_s, 0);
    ask(&asked, text, 1);
    dts_changes_add_set(&asked.changes, "batch.per_device", strlen("batch.per_device"), "64");
    struct dts_error err = {0};
    struct dts_scene scene;
    CHECK(dts_scene_open(&asked.changes, file, 0, &scene, &err));
    struct dts_question question = dts_question_of(&scene, 0, 1);
    question.known = asked.known;
    question.known_count = asked.question.known_count;
    dts_estimate_levelled(&question, result);
    CHECK_CLOSE(result->level_kernels, factor_for(2, plain_s), 5e-3);
    CHECK_INT(result->global_batch, 64);
    dts_scene_close(&scene);
    end(&asked);
    free(result);
}

static void set(struct dts_changes *changes, const char *path, const char *value)
{
    dts_changes_add_set(changes, path, strlen(path), value);
}

/* The step of a strategy that --set brings, at a point that was measured for every strategy. */
static double step_of_changed(const char *strategies)
{
    struct asked asked = {.changes = {.engine = "auto"}};
    struct dts_error err = {0};
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    struct dts_known known;
    set(&asked.changes, "measurements", "[{\"devices\":4,\"metric\":\"step_s\",\"value\":2}]");
    set(&asked.changes, "noise", "false");
    set(&asked.changes, "strategies", strategies);
    CHECK(dts_scene_open(&asked.changes, file, 0, &asked.scene, &err));
    CHECK(dts_known_open(&asked.changes, 0, file, &asked.scene, &asked.set, &err));
    CHECK_STRING(err.text, "");
    struct dts_question question = dts_question_of(&asked.scene, 0, 4);
    question.known = &known;
    question.known_count = dts_known_of(&asked.set, &asked.scene.scenario,
                                        asked.scene.scenario.strategies[0].name, &known);
    dts_estimate_levelled(&question, result);
    CHECK_STRING(result->error.text, "");
    const double step_s = result->step.total_s;
    dts_known_close(&asked.set);
    dts_scene_close(&asked.scene);
    dts_changes_free(&asked.changes);
    free(result);
    return step_s;
}

/* Also by names that are not in the file, and where flow alone knows the job; not a collective,
 * which has no kernels. */
static void a_measurement_is_of_every_strategy(void)
{
    static const double close = 2e-3; // of the search
    CHECK_CLOSE(step_of_changed("[{\"name\": \"g\", \"kind\": \"allreduce\"}]"), 2.0, close);
    CHECK_CLOSE(step_of_changed("[{\"kind\": \"ps\", \"servers\": 1, \"synchronous\": false}]"),
                2.0, close);
    CHECK_CLOSE(step_of_changed("[{\"kind\": \"allreduce\", \"local_steps\": 1, "
                                "\"average\": \"asynchronous_pairs\"}]"),
                2.0, close);
    CHECK(step_of_changed("[{\"kind\": \"collective\", \"bytes\": 1e6}]") < 0.1);
}

/* Goyal's server of 8 devices took 0.235 s, their communication in it. */
static void an_anchor_of_several_devices_is_met_as_a_whole(void)
{
    static const char word[] = DTS_SOURCE "/scenarios/imagenet_1h.json";
    struct asked asked = {.changes = {.engine = "fluid"}};
    struct dts_error err = {0};
    struct dts_result *result = dts_alloc(1, sizeof(*result));
    CHECK(dts_scene_open(&asked.changes, word, 0, &asked.scene, &err));
    CHECK(dts_known_open(&asked.changes, 0, word, &asked.scene, &asked.set, &err));
    CHECK_INT(asked.set.count, 1);
    CHECK(asked.set.of_anchor);
    for (int s = 0; s < asked.scene.scenario.strategy_count; s++) {
        struct dts_known known;
        struct dts_question question = dts_question_of(&asked.scene, s, 8);
        CHECK_INT(dts_known_of(&asked.set, &asked.scene.scenario,
                               asked.scene.scenario.strategies[s].name, &known),
                  1);
        question.known = &known;
        question.known_count = 1;
        dts_estimate_levelled(&question, result);
        // the published one is the stack's own; others differ by their messages
        CHECK_CLOSE(result->step.total_s, 0.235, s == 0 ? 1e-4 : 1e-2);
        CHECK(result->level_kernels > 0.9 && result->level_kernels < 1);
    }
    free(result);
    dts_known_close(&asked.set);
    dts_scene_close(&asked.scene);
}

/* Each phase at the level of the point with its batch; of another network with its network. */
static void phases_are_levelled_each_by_its_own_point(void)
{
    static const char phases[] =
        "{\"phases\": [{\"steps\": 10}, {\"steps\": 20, \"set\": {\"batch.per_device\": 64}},"
        " {\"steps\": 30, \"set\": {\"model.input\": [1100]}}]}";
    static const char format[] = "[{\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g},"
                                 " {\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g,"
                                 "  \"when\": {\"batch.per_device\": 64}}]";
    static const char of_network[] =
        "[{\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g},"
        " {\"devices\": 1, \"metric\": \"step_s\", \"value\": %.17g,"
        "  \"when\": {\"batch.per_device\": 64, \"model.input\": [1100]}}]";
    char text[512];
    const struct dts_result plain = answer_for(NULL, phases, 1);
    CHECK_INT(plain.phase_count, 3);
    const double first_s = plain.phases[0].step_s, second_s = plain.phases[1].step_s;
    CHECK(isnan(plain.phases[0].level_kernels));
    CHECK_CLOSE(plain.training.time_s,
                10 * first_s + 20 * second_s + 30 * plain.phases[2].step_s, 1e-12);

    measured(text, sizeof(text), format, 2 * first_s, 5 * second_s);
    const struct dts_result both = answer_for(text, phases, 1);
    CHECK_CLOSE(both.phases[0].step_s, 2 * first_s, 1e-9);
    CHECK_CLOSE(both.phases[1].step_s, 5 * second_s, 1e-9);
    CHECK_CLOSE(both.phases[1].level_kernels, factor_for(5, second_s), 5e-3);
    CHECK_CLOSE(both.training.time_s,
                10 * 2 * first_s + 20 * 5 * second_s + 30 * both.phases[2].step_s, 1e-9);
    CHECK_CLOSE(both.step.total_s, 2 * first_s, 1e-9); // that of the scenario as it stands

    measured(text, sizeof(text), of_network, 2 * first_s, 7);
    const struct dts_result large = answer_for(text, phases, 1);
    CHECK_CLOSE(large.phases[1].level_kernels, both.phases[0].level_kernels, 1e-9);
    CHECK(large.phases[2].level_kernels > 100);
}

TESTS(TEST(phases_are_levelled_each_by_its_own_point),
      TEST(an_anchor_of_several_devices_is_met_as_a_whole),
      TEST(the_kernels_of_one_device_take_what_was_measured),
      TEST(throughput_and_step_say_the_same), TEST(what_is_left_is_a_line_between_logarithms),
      TEST(the_nearest_batch_levels), TEST(a_step_shorter_than_its_messages_is_met),
      TEST(changes_do_not_reach_the_measured_point), TEST(a_measurement_is_of_every_strategy))
