/* test_agree_kinds.c -- slow nodes, and nodes of several kinds, in the answer to a question. */
#include "sim/agree_step.h"

static const char scenario[] = "tests/golden/in/small.json";

#define NO_DEVICE "platform.node.device=null"
#define P100_V100                                                                              \
    "platform.node.kinds=[{\"nodes\": 2, \"device\": \"p100\"}, {\"nodes\": 2, \"device\": "   \
    "\"v100\"}]"
#define V100_P100                                                                              \
    "platform.node.kinds=[{\"nodes\": 2, \"device\": \"v100\"}, {\"nodes\": 2, \"device\": "   \
    "\"p100\"}]"
#define SLOW_LAST "platform.node.slow={\"factor\": 1.3, \"count\": 1}"
#define LARGE     "batch.per_device=64" // kernels are most of the step

static const char *const engines[] = {"engine=fluid", "engine=exact"};

static double step_of(const char *const *sets, int devices)
{
    return agree_ask(scenario, sets, "ring", devices).step.total_s;
}

static double parts_of(const struct dts_step *step)
{
    return step->compute_s + step->exposed_comm_s + step->input_s + step->bubble_s +
           step->straggler_s;
}

/* docs/model.md, "Where the time goes". */
static void the_parts_of_a_step_add_up(void)
{
    static const char *const noises[] = {"noise=false", "stack.noise.device_sigma=0.03"};
    for (int i = 0; i < 4; i++) {
        const char *const slow[] = {SLOW_LAST, LARGE, engines[i % 2], noises[i / 2], NULL};
        const char *const kinds[] = {NO_DEVICE, P100_V100,     LARGE, engines[i % 2],
                                     SLOW_LAST, noises[i / 2], NULL};
        for (int k = 0; k < 2; k++) {
            const struct dts_result result = agree_ask(scenario, k ? kinds : slow, "ring", 4);
            CHECK_CLOSE(parts_of(&result.step), result.step.total_s, 1e-9);
            CHECK(result.step.straggler_s > 0);
            CHECK(strstr(result.unlike, "slow") != NULL);
        }
    }
}

/* One of four is slow: all wait for it, and the mean of the kernels is in compute_s. */
static void a_slow_node_holds_up_all_others(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const even[] = {LARGE, engines[e], "noise=false", NULL};
        const char *const slow[] = {LARGE, engines[e], "noise=false", SLOW_LAST, NULL};
        const char *const all[] = {LARGE, engines[e], "noise=false",
                                   "platform.node.slow={\"factor\": 1.3, \"count\": 4}", NULL};
        const struct dts_result e4 = agree_ask(scenario, even, "ring", 4),
                                s4 = agree_ask(scenario, slow, "ring", 4),
                                a4 = agree_ask(scenario, all, "ring", 4);
        CHECK(s4.step.total_s > e4.step.total_s);
        CHECK_CLOSE(s4.step.total_s, a4.step.total_s, 0.01);
        CHECK_NEAR(a4.step.straggler_s, 0, 1e-12); // nobody waits for another
        CHECK_CLOSE(s4.step.compute_s - e4.step.compute_s,
                    (a4.step.compute_s - e4.step.compute_s) / 4, 0.02);
        CHECK_CLOSE(s4.scaling_efficiency_one_device / e4.scaling_efficiency_one_device,
                    e4.step.total_s / s4.step.total_s, 1e-6);
    }
}

static void a_slow_node_without_ranks_changes_nothing(void)
{
    const char *const even[] = {"engine=fluid", NULL}, *const slow[] = {SLOW_LAST, even[0],
                                                                        NULL};
    CHECK_NEAR(step_of(slow, 2), step_of(even, 2), 0);
    CHECK_STRING(agree_ask(scenario, slow, "ring", 2).unlike, "");
}

/* The slowest kind bounds the step, whichever comes first, in both engines. */
static void the_slowest_kind_bounds_the_step(void)
{
    for (int e = 0; e < 2; e++) {
        const char *const first[] = {NO_DEVICE,  P100_V100,     LARGE,
                                     engines[e], "noise=false", NULL},
                          *const last[] = {NO_DEVICE,  V100_P100,     LARGE,
                                           engines[e], "noise=false", NULL},
                          *const all[] = {"platform.node.device=p100", LARGE, engines[e],
                                          "noise=false", NULL};
        const struct dts_result f = agree_ask(scenario, first, "ring", 4),
                                l = agree_ask(scenario, last, "ring", 4);
        CHECK_CLOSE(f.step.total_s, step_of(all, 4), 0.01);
        CHECK_CLOSE(l.step.total_s, f.step.total_s, 0.01);
        CHECK(f.step.straggler_s > 0);
        CHECK(strncmp(f.unlike, "slowest: node kind p100, 2 of 4 devices; v100 takes 0.", 54) ==
              0);
        CHECK(strncmp(l.unlike, f.unlike, 54) == 0);
    }
}

/* Kernels by kernels, not by a ratio. */
static void ranks_on_one_kind_alone_are_as_if_there_were_no_other(void)
{
    const char *const kinds[] = {NO_DEVICE, P100_V100,
                                 "placement={\"kind\": \"listed\", \"nodes\": [2, 3]}", NULL};
    const char *const alone[] = {"platform.node.device=v100",
                                 "placement={\"kind\": \"listed\", \"nodes\": [2, 3]}", NULL};
    CHECK_NEAR(step_of(kinds, 2), step_of(alone, 2), 0);
    CHECK_STRING(agree_ask(scenario, kinds, "ring", 2).unlike, "all on node kind v100");
}

TESTS(TEST(the_parts_of_a_step_add_up), TEST(a_slow_node_holds_up_all_others),
      TEST(a_slow_node_without_ranks_changes_nothing), TEST(the_slowest_kind_bounds_the_step),
      TEST(ranks_on_one_kind_alone_are_as_if_there_were_no_other))
