/* test_agree_step.c -- a whole data-parallel step on both engines: within 1 %, and so the start
 * and the end of every bucket. */
#include "sim/agree.h"
#include "sim/agree_step.h"

static const double one_percent = 0.01;

/* Two trees race for ports (test_agree_alone.c), and pushes and pulls beside all-reduces are
 * mixed traffic: there the engines need not be closer. */
static const double race = 0.03, mixed = 0.15;

/* The bucket whose start or end is furthest off, in percent of the step. */
static void buckets_row(struct agree_case c, const struct dts_job *job,
                        const struct dts_timing *exact, const struct dts_timing *fluid,
                        bool start, double limit)
{
    double worst_exact = 0, worst_fluid = 0, worst = -1;
    const char *label = "";
    for (int r = 0; r < job->role_count; r++)
        for (int o = 0; o < job->roles[r].plan.op_count; o++) {
            const struct dts_op *op = &job->roles[r].plan.ops[o];
            if (op->kind == DTS_OP_CALL)
                continue;
            const struct dts_op_time *e = &exact->ops[exact->first_op[r] + o],
                                     *f = &fluid->ops[fluid->first_op[r] + o];
            double a = start ? e->start_s : e->end_s, b = start ? f->start_s : f->end_s;
            if (fabs(a - b) > worst) {
                worst = fabs(a - b);
                worst_exact = a;
                worst_fluid = b;
                label = op->label;
            }
        }
    char compared[200];
    snprintf(compared, sizeof(compared), "worst %s: %s", start ? "start" : "end", label);
    c.compared = compared;
    agree_row_of(&c, worst_exact, worst_fluid, exact->step_s, limit);
}

/* Of the step, and in parts of it of the start and the end of any bucket. `setting`: what was
 * set beside the scenario and its number of devices; NULL: nothing. */
static void one_point(const char *setting, const struct dts_scene *scene, int strategy,
                      double step, double limit)
{
    struct agree_point point;
    if (agree_point_build(scene, strategy, &point)) {
        struct dts_timing exact = agree_run("flow", &point.simulation);
        struct dts_timing fluid = agree_run("fluid", &point.simulation);
        struct agree_case c = {.machine = scene->platform.name,
                               .operation = scene->scenario.strategies[strategy].name,
                               .devices = point.point.devices,
                               .setting = setting,
                               .compared = "step"};
        CHECK(point.simulation.slowdown > 0);
        agree_row(&c, exact.step_s, fluid.step_s, step);
        buckets_row(c, &point.job, &exact, &fluid, true, limit);
        buckets_row(c, &point.job, &exact, &fluid, false, limit);
        dts_timing_free(&exact);
        dts_timing_free(&fluid);
    }
    agree_point_free(&point);
}

/* ResNet-50 in buckets of 25 MB on 32 devices, with overlap and slowdown. */
static void whole_steps_agree(void)
{
    static const char *const minimal[] = {"platform.network.routing=minimal",
                                          "platform.network.paths=1", NULL};
    struct dts_scene scene;
    agree_table("Whole data-parallel steps");
    if (agree_open("tests/data/agree_big_basin.json", NULL, &scene)) {
        for (int s = 0; s < scene.scenario.strategy_count; s++)
            one_point(NULL, &scene, s, one_percent, one_percent);
        dts_scene_close(&scene);
    }
    if (agree_open("tests/data/agree_theta.json", minimal, &scene)) {
        for (int s = 0; s < scene.scenario.strategy_count; s++)
            one_point(NULL, &scene, s, one_percent, one_percent);
        dts_scene_close(&scene);
    }
    agree_end();
}

/* only: this strategy; NULL: all */
static void by_tensor(int devices, double gbit_per_s, const char *only)
{
    char count[40], rate[60], setting[60];
    snprintf(count, sizeof(count), "devices=[%d]", devices);
    snprintf(rate, sizeof(rate), "platform.nics.bytes_per_s=%g", gbit_per_s / 8 * 1e9);
    snprintf(setting, sizeof(setting), "%g Gb/s", gbit_per_s);
    const char *const sets[] = {count, rate, NULL};
    struct dts_scene scene;
    if (!agree_open("tests/data/agree_by_tensor.json", sets, &scene))
        return;
    for (int s = 0; s < scene.scenario.strategy_count; s++) {
        const char *strategy = scene.scenario.strategies[s].name;
        if (only == NULL || strcmp(only, strategy) == 0)
            one_point(setting, &scene, s, one_percent, one_percent);
    }
    dts_scene_close(&scene);
}

/* One all-reduce for each of the 161 tensors of ResNet-50: imagenet_1h on 64 devices, and fewer
 * with 10 and 25 Gb/s, where communication is all that counts. */
static void collectives_of_unlike_sizes_agree(void)
{
    static const char *const imagenet[] = {"noise=false", "devices=64", NULL};
    struct dts_scene scene;
    agree_table("Collectives of unlike sizes in a row");
    if (agree_open("scenarios/imagenet_1h.json", imagenet, &scene)) {
        for (int s = 0; s < scene.scenario.strategy_count; s++)
            if (strstr(scene.scenario.strategies[s].name, "hierarchical_ring") != NULL)
                one_point("imagenet_1h", &scene, s, one_percent, one_percent);
        dts_scene_close(&scene);
    }
    by_tensor(8, 25, NULL);
    by_tensor(16, 10, NULL);
    by_tensor(24, 10, NULL);
    by_tensor(24, 25, NULL);
    by_tensor(32, 10, NULL);
    by_tensor(48, 10, "hierarchical_ring_4");
    agree_end();
}

/* Servers on the workers' nodes: workers beside a server are done with it before the others
 * are, and are ahead of them in the next forward pass. Fluid walks one worker of each cohort
 * (sim/load/cohort.h). */
struct place {
    const char *setting; // as it stands in rows
    const char *sets[AGREE_SETS - 1];
    int devices;
};

static bool open_place(const char *file, const struct place *place, struct dts_scene *scene)
{
    char count[40];
    const char *sets[AGREE_SETS + 1] = {count};
    snprintf(count, sizeof(count), "devices=[%d]", place->devices);
    for (int i = 0; place->sets[i] != NULL; i++)
        sets[1 + i] = place->sets[i];
    return agree_open(file, sets, scene);
}

static void all_on(const char *file, const struct place *place)
{
    struct dts_scene scene;
    if (!open_place(file, place, &scene))
        return;
    for (int s = 0; s < scene.scenario.strategy_count; s++)
        one_point(place->setting, &scene, s, one_percent, one_percent);
    dts_scene_close(&scene);
}

static void servers_on(const char *file, const struct place *place)
{
    struct dts_scene scene;
    if (!open_place(file, place, &scene))
        return;
    for (int s = 0; s < scene.scenario.strategy_count; s++) {
        const char *strategy = scene.scenario.strategies[s].name;
        if (scene.platform.devices_per_node > 1 || strstr(strategy, "in_node") == NULL)
            one_point(place->setting, &scene, s, one_percent, one_percent);
    }
    dts_scene_close(&scene);
}

#define SLOW(rate) "platform.nics.bytes_per_s=" rate
#define TREE_OF_4_MB                                                                           \
    "strategies=[{\"name\": \"tree\", \"kind\": \"allreduce\", \"algorithm\": \"tree\", "      \
    "\"bucket_bytes\": 4e6}]"
#define ONE_PATH      "platform.network.routing=minimal", "platform.network.paths=1"
#define MINIMAL_THETA "platform=theta", "stack=knl_mkl", ONE_PATH
#define FAT_TREE      "platform=summit", "platform.network.routing=d_mod_k"

/* Synchronous parameter servers in buckets of 25 MB: cut evenly or whole on one server
 * (tensor), with the sum in the node before (in_node). */
static void servers_among_the_workers_agree(void)
{
    const struct place places[] = {
        {NULL, {NULL}, 8},
        {NULL, {NULL}, 24},
        {NULL, {NULL}, 32},
        {"minimal routing", {MINIMAL_THETA}, 16},
        {"minimal routing", {MINIMAL_THETA}, 48},
        {"fat tree by d_mod_k", {FAT_TREE}, 12},
        {"fat tree by d_mod_k", {FAT_TREE}, 36},
        {NULL, {"platform=mira"}, 16},
        {NULL, {"platform=mira"}, 32},
    };
    agree_table("Servers on the workers' nodes");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        servers_on("tests/data/agree_ps.json", &places[i]);
    agree_end();
}

/* Rows of a table of 800,000 words beside dense tensors: many small messages, or half of all.
 */
static void tables_as_rows_agree(void)
{
    static const struct place places[] = {{NULL, {NULL}, 8}, {NULL, {NULL}, 32}};
    agree_table("Sparse tables as rows");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        all_on("tests/data/agree_rows.json", &places[i]);
    agree_end();
}

/* Synchronous parameter servers on the workers' nodes, and a dedicated one, with messages for
 * each tensor by gRPC. Latency that blocks is as long as the wire is busy here, and takes
 * nothing from others. */
static void small_messages_to_servers_agree(void)
{
    const struct place places[] = {{"minimal routing", {ONE_PATH}, 4},
                                   {"minimal routing", {ONE_PATH}, 11}};
    agree_table("Messages for each tensor by a blocking transport");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        servers_on("tests/data/agree_ps_small.json", &places[i]);
    agree_end();
}

/* AlexNet by Horovod on numbers of devices that are no powers of two.
 * A bucket leaves a fixed time after it is full, or after the one before it is through: each
 * member counts that time for itself, and some are in the next bucket while others, whose
 * messages those hold up, are not through. */
static void buckets_that_leave_in_cycles_agree(void)
{
    static const struct place places[] = {
        {NULL, {NULL}, 10},
        {NULL, {NULL}, 20},
        {NULL, {NULL}, 40},
        {"10 Gb/s, batch 16", {SLOW("1.25e9"), "batch.per_device=16"}, 11},
        {"25 Gb/s, batch 16", {SLOW("3.125e9"), "batch.per_device=16"}, 17},
        {"25 Gb/s, batch 8", {SLOW("3.125e9"), "batch.per_device=8"}, 19},
        {"4 MB, batch 16", {TREE_OF_4_MB, "batch.per_device=16"}, 34},
    };
    agree_table("Buckets that leave in cycles");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        all_on("tests/data/agree_cycles.json", &places[i]);
    agree_end();
}

/* Tensors of up to 411 MB in 64 pieces on each of four channels: 56,288 and 65,024 messages,
 * more than are walked of a ring. In lockstep such trees and chains were up to 13 % too fast.
 */
static void large_tensors_in_pieces_agree(void)
{
#define IN_PIECES(algorithm)                                                                   \
    "strategies=[{\"name\": \"all-reduce\", \"kind\": \"allreduce\", "                         \
    "\"algorithm\": " algorithm "}]"
    static const struct place places[] = {
        {"VGG-16, 10 Gb/s, 4 shards by halving and doubling",
         {SLOW("1.25e9"), "model=vgg16", "stack=mxnet_horovod", "batch.per_device=16",
          IN_PIECES("\"hierarchical\", \"between\": \"halving_doubling\", \"shards\": 4")},
         40},
        {"AlexNet, 10 Gb/s, tree",
         {SLOW("1.25e9"), "stack=pytorch_ddp", "batch.per_device=16", IN_PIECES("\"tree\"")},
         128},
    };
    agree_table("Large tensors in pieces");
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        all_on("tests/data/agree_cycles.json", &places[i]);
    agree_end();
}

/* ResNet-50 in buckets of 25 MB on 24 devices at 10 Gb/s. Two trees race, and servers beside
 * all-reduces are mixed traffic.
 * Sums of a few bytes in the kernels' stream, in all layers, beside the gradients' all-reduces:
 * they pay latency, and leave the links to the others meanwhile. */
static void steps_of_synchronized_normalization_agree(void)
{
    static const char *const slow[] = {"platform.nics.bytes_per_s=1.25e9", NULL};
    struct dts_scene scene;
    agree_table("Synchronized batch normalization");
    if (agree_open("tests/data/agree_synchronized.json", slow, &scene)) {
        for (int s = 0; s < scene.scenario.strategy_count; s++) {
            const char *strategy = scene.scenario.strategies[s].name;
            double limit = strcmp(strategy, "double_tree") == 0 ? race
                           : strcmp(strategy, "ps_4") == 0      ? mixed
                                                                : one_percent;
            one_point("10 Gb/s", &scene, s, fmin(limit, race), limit);
        }
        dts_scene_close(&scene);
    }
    agree_end();
}

TESTS(TEST(whole_steps_agree), TEST(servers_among_the_workers_agree),
      TEST(small_messages_to_servers_agree), TEST(tables_as_rows_agree),
      TEST(collectives_of_unlike_sizes_agree), TEST(buckets_that_leave_in_cycles_agree),
      TEST(large_tensors_in_pieces_agree), TEST(steps_of_synchronized_normalization_agree))
