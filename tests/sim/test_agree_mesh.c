/* test_agree_mesh.c -- a whole step of each kind of mesh on both engines, on five networks. */
#include "sim/agree.h"
#include "sim/agree_step.h"

/* Of all rows. On a dragonfly the slowest rank of a stage is another one at each boundary, and
 * fluid, for which a stage is one, waits for the slowest everywhere. */
static const double median = 0.005, ninth = 0.02, worst = 0.1, worst_dragonfly = 0.15;

struct machine {
    const char *name, *sets[3];
};

/* Each pair of ranks has one path, so that exact draws none. */
static const struct machine machines[] = {
    {"dgx_a100", {"platform=dgx_a100", "platform.network.paths=1"}},
    {"theta",
     {"platform=theta", "platform.network.routing=minimal", "platform.network.paths=1"}},
    {"mira", {"platform=mira"}},
    {"cloud_10g", {"platform=cloud_10g"}},
    {"big_basin", {"platform=big_basin"}},
};

static double errors[AGREE_ROWS];
static int count;

static void one_point(const struct dts_scene *scene, int strategy)
{
    struct agree_point point;
    if (agree_point_build(scene, strategy, &point)) {
        struct dts_timing exact = agree_run("flow", &point.simulation);
        struct dts_timing fluid = agree_run("fluid", &point.simulation);
        const struct agree_case c = {.machine = scene->platform.name,
                                     .operation = scene->scenario.strategies[strategy].name,
                                     .devices = point.point.devices,
                                     .compared = "step"};
        const bool dragonfly = strcmp(scene->platform.name, "theta") == 0;
        errors[count++] = fabs(
            agree_row(&c, exact.step_s, fluid.step_s, dragonfly ? worst_dragonfly : worst));
        dts_timing_free(&exact);
        dts_timing_free(&fluid);
    }
    agree_point_free(&point);
}

static void all_meshes(const char *file, const struct machine *m, int devices)
{
    char number[40];
    const char *sets[AGREE_SETS] = {number};
    struct dts_scene scene;
    snprintf(number, sizeof(number), "devices=[%d]", devices);
    for (int i = 0; i < 3 && m->sets[i] != NULL; i++)
        sets[1 + i] = m->sets[i];
    if (!agree_open(file, sets, &scene))
        return;
    for (int s = 0; s < scene.scenario.strategy_count; s++)
        one_point(&scene, s);
    dts_scene_close(&scene);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void all_agree(const char *table, const char *file)
{
    agree_table(table);
    count = 0;
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        for (int devices = 8; devices <= 32; devices *= 2)
            all_meshes(file, &machines[i], devices);
    qsort(errors, (size_t)count, sizeof(*errors), by_size);
    CHECK(count > 100);
    if (!(errors[count / 2] <= median && errors[count * 9 / 10] <= ninth))
        printf("median %.3g %%, nine in ten %.3g %%\n", 100 * errors[count / 2],
               100 * errors[count * 9 / 10]);
    CHECK(errors[count / 2] <= median && errors[count * 9 / 10] <= ninth);
    agree_end();
}

static void meshes_agree(void)
{
    all_agree("Meshes", "tests/data/agree_mesh.json");
}

static void meshes_of_images_agree(void)
{
    all_agree("Meshes of images", "tests/data/agree_images.json");
}

TESTS(TEST(meshes_agree), TEST(meshes_of_images_agree))
