/* test_agree_input.c -- input in the answer to a question, in both engines: hidden where it is
 * faster than the step, else the step is its rate. */
#include "sim/agree_step.h"

static const char scenario[] = "tests/golden/in/small.json";

#define READS   "dataset.sample_bytes=1e6"
#define JPEG    "dataset.encoding=jpeg"
#define CORES   "platform.node.cores=4"
#define DECODES "stack.input.decode_core_s_per_byte=1e-7" // 100 ms a sample
#define QUIET   "noise=false"

static const char *const engines[] = {"engine=fluid", "engine=exact"};

static double parts_of(const struct dts_step *step)
{
    return step->compute_s + step->exposed_comm_s + step->input_s + step->bubble_s +
           step->straggler_s;
}

/* 4 samples of a device and node, 100 ms each, on 4 cores: 40 samples/s, with any number of
 * nodes, all-reduce or servers. Fixed time of the framework passes beside it. */
static void the_step_is_the_rate_of_the_cores(void)
{
    static const char *const kinds[] = {"strategies[0].kind=allreduce",
                                        "strategies=[{\"kind\": \"ps\", \"name\": \"ring\"}]"};
    for (int i = 0; i < 4; i++)
        for (int devices = 1; devices <= 4; devices *= 2) {
            const char *const sets[] = {READS, JPEG,           CORES,        DECODES,
                                        QUIET, engines[i % 2], kinds[i / 2], NULL};
            const struct dts_result r = agree_ask(scenario, sets, "ring", devices);
            CHECK_CLOSE(r.step.total_s, 4 * 100e-3 / 4, 1e-9);
            CHECK_CLOSE(parts_of(&r.step), r.step.total_s, 1e-9);
            CHECK(r.step.input_s > 0);
            CHECK(strstr(r.why, "input bounds the step") == r.why);
            CHECK(strstr(r.why, "the 4 cores of a node decode 40.0 samples/s") != NULL);
        }
}

/* 4 MB at 1 GB/s are 4 ms, a little more than the kernels: faster ones would change nothing. */
static void input_bounds_the_step_where_it_is_a_little_late(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const sets[] = {READS, "platform.storage={\"node_bytes_per_s\": 1e9}",
                                    QUIET, engines[e], NULL};
        const struct dts_result r = agree_ask(scenario, sets, "ring", 1);
        CHECK_CLOSE(r.step.total_s, 4e-3, 1e-9);
        CHECK(r.step.input_s > 0 && r.step.input_s < r.step.compute_s);
        CHECK(strstr(r.why, "input bounds the step") == r.why);
    }
}

static void faster_input_costs_nothing(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const none[] = {QUIET, engines[e], NULL};
        const char *const fast[] = {READS,
                                    JPEG,
                                    "platform.node.cores=4096",
                                    "stack.input.copies=0",
                                    DECODES,
                                    QUIET,
                                    engines[e],
                                    NULL};
        const struct dts_result without = agree_ask(scenario, none, "ring", 4),
                                with = agree_ask(scenario, fast, "ring", 4);
        CHECK_CLOSE(with.step.total_s, without.step.total_s, 1e-9);
        CHECK_NEAR(with.step.input_s, 0, 1e-12);
    }
}

/* Storage that all share gives half as many samples to each of twice as many devices. */
static void shared_storage_is_divided_among_all(void)
{
    for (int e = 0; e < 2; e++)
        for (int devices = 1; devices <= 4; devices *= 2) {
            const char *const sets[] = {READS, "platform.storage={\"shared_bytes_per_s\": 1e8}",
                                        QUIET, engines[e], NULL};
            const struct dts_result r = agree_ask(scenario, sets, "ring", devices);
            CHECK_CLOSE(r.step.total_s, devices * 4e6 / 1e8, 1e-9);
            CHECK(strstr(r.why, "storage that all nodes share gives 100 samples/s") != NULL);
        }
}

/* What a host hands over one by one comes on top of the step, and of what it waits for. */
static void handing_over_is_not_hidden(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const none[] = {QUIET, engines[e], NULL};
        const char *const feeds[] = {READS, "stack.input.feed_s=1e-3", QUIET, engines[e], NULL};
        const struct dts_result without = agree_ask(scenario, none, "ring", 4),
                                with = agree_ask(scenario, feeds, "ring", 4);
        CHECK_CLOSE(with.step.total_s, without.step.total_s + 4e-3, 1e-9);
        CHECK_CLOSE(with.step.input_s, 4e-3, 1e-9);
        CHECK_CLOSE(with.step.compute_s, without.step.compute_s, 1e-9);
        CHECK_CLOSE(with.bare_total_s, without.bare_total_s, 1e-9);
        CHECK_CLOSE(with.scaling_efficiency_one_device * with.step.total_s,
                    without.scaling_efficiency_one_device * without.step.total_s, 1e-9);
        CHECK(strstr(with.why, "a host hands over, one by one, 1000 samples/s") != NULL);
    }
}

static void without_prefetch_reading_comes_on_top(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const none[] = {QUIET, engines[e], NULL};
        const char *const late[] = {READS,   JPEG,  CORES,      "stack.input.prefetch=false",
                                    DECODES, QUIET, engines[e], NULL};
        CHECK_CLOSE(agree_ask(scenario, late, "ring", 4).step.total_s,
                    agree_ask(scenario, none, "ring", 4).step.total_s + 100e-3, 1e-9);
    }
}

TESTS(TEST(the_step_is_the_rate_of_the_cores),
      TEST(input_bounds_the_step_where_it_is_a_little_late), TEST(faster_input_costs_nothing),
      TEST(shared_storage_is_divided_among_all), TEST(handing_over_is_not_hidden),
      TEST(without_prefetch_reading_comes_on_top))
