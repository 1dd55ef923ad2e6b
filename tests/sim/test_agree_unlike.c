/* test_agree_unlike.c -- ranks that compute at unlike speeds, on both engines. */
#include "sim/agree.h"
#include "sim/agree_step.h"

enum { RANKS = 16, LAYERS = 4, HOWS = 3 };

static const double layer_s = 4e-3, update_s = 1e-3;
static const char *const hows[HOWS] = {"one slow rank", "half of the ranks slow", "all unlike"};

static void set_factors(int how, int ranks, double *factor)
{
    for (int r = 0; r < ranks; r++)
        factor[r] = how == 0   ? (r == ranks - 1 ? 1.3 : 1)
                    : how == 1 ? (r < ranks / 2 ? 1 : 1.6)
                               : 1 + 0.05 * (r * 5 % ranks);
}

/* Forward, and backward with a sum of each layer beside it; the update waits for all. */
static bool add_training(struct dts_job *job, const char *algorithm, double bytes)
{
    struct dts_plan *plan = &job->roles[0].plan;
    int sums[LAYERS];
    agree_kernel(job, DTS_FORWARD, LAYERS * layer_s / 2);
    for (int l = 0; l < LAYERS; l++) {
        int backward = agree_kernel(job, DTS_BACKWARD, layer_s);
        sums[l] = agree_allreduce(job, DTS_DATA, dts_coll_find(algorithm), 1, bytes);
        if (!CHECK(sums[l] >= 0))
            return false;
        dts_plan_after(plan, backward);
    }
    agree_kernel(job, DTS_UPDATE, update_s);
    for (int l = 0; l < LAYERS; l++)
        dts_plan_after(plan, sums[l]);
    return true;
}

/* Steps, and the mean of the ranks' kernels. */
static void compare(struct agree_case c, const struct dts_simulation *s, double limit,
                    double compute_limit)
{
    struct dts_timing exact = agree_run("flow", s), fluid = agree_run("fluid", s);
    c.compared = "step";
    agree_row(&c, exact.step_s, fluid.step_s, limit);
    c.compared = "compute";
    agree_row(&c, exact.compute_s, fluid.compute_s, compute_limit);
    dts_timing_free(&exact);
    dts_timing_free(&fluid);
}

static void compare_sums(const char *algorithm, double slowdown, double limit,
                         double compute_limit)
{
    static const struct agree_machine machine = {"star", AGREE_STAR("0"), 32, 1, 0, false};
    static const double bytes[] = {1e5, 4e6, 2e7};
    struct dts_platform platform;
    double factor[RANKS];
    if (!agree_machine_read(&machine, &platform))
        return;
    for (size_t i = 0; i < HOWS * sizeof(bytes) / sizeof(bytes[0]); i++) {
        const int how = (int)i % HOWS;
        struct dts_job job = agree_workers(RANKS, 0);
        if (!add_training(&job, algorithm, bytes[i / HOWS]))
            break;
        int *endpoints = agree_endpoints(&platform, &job, "linear");
        set_factors(how, RANKS, factor);
        struct dts_simulation s = {.job = &job,
                                   .net = &platform.net,
                                   .endpoint = endpoints,
                                   .steps = 4,
                                   .slowdown = slowdown,
                                   .compute_factor = factor};
        compare((struct agree_case){.machine = machine.name,
                                    .operation = algorithm,
                                    .devices = RANKS,
                                    .bytes = bytes[i / HOWS],
                                    .setting = hows[how]},
                &s, limit, compute_limit);
        free(endpoints);
        dts_job_free(&job);
    }
    dts_platform_free(&platform);
}

static const double exactly = 1e-6, one_percent = 0.01, race = 0.03; // two trees race for ports

/* A rank that waits for a slower one to send is as slow as one that sends: exact knows for how
 * long, fluid goes by the last one. */
static const double waiting = 0.05;

/* Where communication hides, and where it does not. */
static void sums_wait_for_the_slowest(void)
{
    agree_table("Ranks of unlike speed");
    compare_sums("ring", 0, exactly, exactly);
    compare_sums("halving_doubling", 0, exactly, exactly);
    compare_sums("tree", 0, exactly, exactly);
    compare_sums("binary_blocks", 0, exactly, exactly);
    compare_sums("double_tree", 0, race, exactly);
    agree_end();
}

static void kernels_beside_sums_are_slower(void)
{
    agree_table("Ranks of unlike speed beside slower kernels");
    compare_sums("ring", 0.1, exactly, waiting);
    compare_sums("halving_doubling", 0.1, exactly, waiting);
    agree_end();
}

/* Servers answer when all workers have pushed. */
static void servers_wait_for_the_slowest(void)
{
    struct dts_scene scene;
    agree_table("Workers of unlike speed and servers");
    if (!agree_open("tests/data/agree_ps_small.json", NULL, &scene))
        return;
    for (int i = 0; i < scene.scenario.strategy_count; i++) {
        struct agree_point p;
        if (agree_point_build(&scene, i, &p)) {
            double *factor = dts_alloc((size_t)p.job.ranks, sizeof(*factor));
            for (int r = 0; r < p.job.ranks; r++)
                factor[r] = 1; // servers
            set_factors(i % HOWS, p.job.roles[0].count, factor);
            p.simulation.compute_factor = factor;
            compare((struct agree_case){.machine = scene.platform.name,
                                        .operation = p.point.strategy->name,
                                        .devices = p.point.devices,
                                        .setting = hows[i % HOWS]},
                    &p.simulation, one_percent, waiting);
            free(factor);
        }
        agree_point_free(&p);
    }
    agree_end();
    dts_scene_close(&scene);
}

TESTS(TEST(sums_wait_for_the_slowest), TEST(kernels_beside_sums_are_slower),
      TEST(servers_wait_for_the_slowest))
