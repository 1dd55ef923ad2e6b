/* test_agree_dispatch.c -- the host that issues the calls of a step, in both engines: what it
 * does ahead of the device costs nothing, else the step is its time. */
#include "sim/agree_step.h"

static const char scenario[] = "tests/golden/in/small.json";

#define QUIET "noise=false"

static const char *const engines[] = {"engine=fluid", "engine=exact"};

static double parts_of(const struct dts_step *step)
{
    return step->compute_s + step->exposed_comm_s + step->input_s + step->bubble_s +
           step->straggler_s;
}

static int layers_of(void)
{
    struct dts_scene scene;
    if (!agree_open(scenario, NULL, &scene))
        return 0;
    const int layers = scene.scenario.model.layer_count;
    dts_scene_close(&scene);
    return layers;
}

/* Two calls of a layer, and an update where no server does it; microbatches repeat the calls.
 */
static void the_step_is_the_time_of_a_slow_host(void)
{
    static const char *const kinds[] = {"strategies[0].kind=allreduce",
                                        "strategies=[{\"kind\": \"ps\", \"name\": \"ring\"}]"};
    static const char *const microbatches[] = {"batch.accumulate=1", "batch.accumulate=3"};
    const int layers = layers_of();
    for (int i = 0; i < 8; i++)
        for (int devices = 1; devices <= 4; devices *= 2) {
            const bool servers = i / 4 == 1, three = i / 2 % 2 == 1;
            const char *const sets[] = {"stack.dispatch.call_s=0.01",
                                        microbatches[three],
                                        QUIET,
                                        engines[i % 2],
                                        kinds[servers],
                                        NULL};
            const struct dts_result r = agree_ask(scenario, sets, "ring", devices);
            const int calls = (three ? 3 : 1) * 2 * layers + (servers ? 0 : 1);
            CHECK_CLOSE(r.step.total_s, 0.01 * calls, 1e-9);
            CHECK_CLOSE(parts_of(&r.step), r.step.total_s, 1e-9);
            CHECK_NEAR(r.step.input_s, 0, 1e-12);
            CHECK(devices > 1 || servers || r.step.exposed_comm_s == 0);
            CHECK(strstr(r.why, "the host, which issues the calls of kernels, bounds") != NULL);
            if (!servers) // a device alone waits for its host as long
                CHECK_CLOSE(r.scaling_efficiency_one_device, 1.0, 1e-9);
        }
}

static void a_fast_host_costs_nothing(void)
{
    for (int e = 0; e < 2; e++)
        for (int devices = 1; devices <= 4; devices *= 2) {
            const char *const none[] = {QUIET, engines[e], NULL};
            const char *const fast[] = {"stack.dispatch.call_s=1e-7", QUIET, engines[e], NULL};
            const struct dts_result without = agree_ask(scenario, none, "ring", devices),
                                    with = agree_ask(scenario, fast, "ring", devices);
            CHECK_CLOSE(with.step.total_s, without.step.total_s, 1e-9);
            CHECK_CLOSE(with.step.compute_s, without.step.compute_s, 1e-9);
            CHECK_CLOSE(with.bare_total_s, without.bare_total_s, 1e-9);
        }
}

/* Normalization of all devices' samples has a call more for each of its halves. */
static void halves_are_issued_one_by_one(void)
{
    double halves[2];
    for (int e = 0; e < 2; e++) {
        const char *const sets[] = {"stack.dispatch.call_s=0.01",
                                    "batch_norm=synchronized",
                                    "model=resnet18",
                                    "batch.per_device=1",
                                    QUIET,
                                    engines[e],
                                    NULL};
        struct dts_scene scene;
        if (!agree_open(scenario, sets, &scene))
            return;
        const int layers = scene.scenario.model.layer_count;
        dts_scene_close(&scene);
        const struct dts_result r = agree_ask(scenario, sets, "ring", 2);
        halves[e] = r.step.total_s / 0.01 - 2 * layers - 1;
        CHECK_NEAR(halves[e], 2 * 20, 1e-6); // 20 batch_norm layers, both ways
    }
}

TESTS(TEST(the_step_is_the_time_of_a_slow_host), TEST(a_fast_host_costs_nothing),
      TEST(halves_are_issued_one_by_one))
