/* test_agree_axes.c -- meshes with context and expert ranks take as long in both engines. */
#include "agree_step.h"

static const char scenario[] = "tests/data/agree_axes.json";

/* To 1 % of the step, where a message has one path: nodes of 16 on a star. */
static void engines_agree(void)
{
    static const char *const fluid[] = {"engine=fluid", NULL}, *const exact[] = {"engine=exact",
                                                                                 NULL};
    struct dts_scene scene;
    if (!agree_open(scenario, NULL, &scene))
        return;
    for (int i = 0; i < scene.scenario.strategy_count; i++)
        for (int devices = 16; devices <= 32; devices *= 2) {
            const char *name = scene.scenario.strategies[i].name;
            const double f = agree_ask(scenario, fluid, name, devices).step.total_s;
            const double e = agree_ask(scenario, exact, name, devices).step.total_s;
            if (!CHECK_CLOSE(f, e, 0.01))
                printf("%s: fluid %.6g s, exact %.6g s\n", name, f, e);
        }
    dts_scene_close(&scene);
}

TESTS(TEST(engines_agree))
