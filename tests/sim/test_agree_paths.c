/* test_agree_paths.c -- pairs of ranks with several paths: fluid and flow, which spread each
 * message over all of them, and exact, which puts each on one.
 */
#include "sim/agree.h"

static const char *const placements[] = {"linear", "random"};

/* Members of two trees race for ports, and who is first may hang on rounding
 * (test_agree_alone.c). On the wide network fluid is as far from exact as on the narrow one. */
static const double restless = 0.03;

static const double spread_promised = 0.1; // fluid of flow, where paths overlap in part

/* From rest to the end of the last member: one engine on one network, one on another. */
static void on_two_networks(const char *const engines[2], const struct agree_machine *fluid,
                            const struct agree_machine *exact, const struct dts_coll *algorithm,
                            const char *placement)
{
    enum { RANKS = 32, BYTES = 40 << 20 };
    const struct agree_machine *of[] = {fluid, exact};
    double first_s[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        struct dts_platform platform;
        if (!agree_machine_read(of[i], &platform))
            return;
        struct dts_job job = agree_workers(RANKS, 0);
        int pause = agree_pause(&job);
        bool fits = agree_allreduce(&job, DTS_DATA, algorithm, of[i]->devices, BYTES) >= 0;
        if (fits)
            dts_plan_after(&job.roles[0].plan, pause);
        int *endpoints = agree_endpoints(&platform, &job, placement);
        struct dts_simulation s = {
            .job = &job, .net = &platform.net, .endpoint = endpoints, .steps = 2};
        struct dts_timing timing = agree_run(engines[i], &s);
        first_s[i] = fits ? timing.first_s - agree_pause_s : 0;
        dts_timing_free(&timing);
        free(endpoints);
        dts_job_free(&job);
        dts_platform_free(&platform);
    }
    if (first_s[1] > 0) {
        bool race = strcmp(algorithm->name, "double_tree") == 0 && fluid->devices > 1;
        struct agree_case c = {.machine = fluid->name,
                               .operation = algorithm->name,
                               .devices = RANKS,
                               .bytes = BYTES,
                               .placement = placement};
        if (strcmp(engines[0], "fluid") == 0)
            agree_row(&c, first_s[1], first_s[0], race ? restless : 1e-6);
        else
            CHECK_CLOSE(first_s[0], first_s[1], race ? restless : 1e-6);
    }
}

/* Four spines of which a message uses all alike are as one that is four times as wide, on which
 * exact can put it as it is. */
static void paths_that_are_as_one_are_exact(void)
{
#define SPINES(count, rate)                                                                    \
    "{\"kind\": \"two_level\", \"ports_per_leaf\": 16, \"spines\": " count                     \
    ", \"uplink_bytes_per_s\": " rate ", \"hop_latency_us\": 0, \"routing\": \"spread\"}"
    static const struct agree_machine narrow[] = {{"four spines", SPINES("4", "1e9"), 96, 1, 0,
                                                   true},
                                                  {"four spines, 4 devices a node",
                                                   SPINES("4", "1e9"), 48, 4, 0, false}},
                                      wide[] = {{"", SPINES("1", "4e9"), 96, 1, 0, true},
                                                {"", SPINES("1", "4e9"), 48, 4, 0, false}};
    static const char *const pairs[2][2] = {{"fluid", "flow"}, {"flow", "flow"}};
    agree_table("Several paths that are as one");
    for (int m = 0; m < 2; m++)
        for (int a = 0; dts_colls[a] != NULL; a++)
            for (int p = 0; p < 2 && !dts_colls[a]->by_library; p++)
                for (int e = 0; e < 2; e++)
                    on_two_networks(pairs[e], &narrow[m], &wide[m], dts_colls[a],
                                    placements[p]);
    agree_end();
}

/* Fluid and flow spread a message over all paths, as adaptive routers do with packets; exact
 * draws one, which is another router, and never better. */
static void spread_messages_agree_and_drawn_ones_are_slower(void)
{
    static const struct agree_machine spread = {
        "dragonfly, 8 paths",
        "{\"kind\": \"dragonfly\", \"groups\": 6, \"rows\": 2, \"columns\": 4, "
        "\"nodes_per_router\": 2, \"nodes_per_group\": 16, \"green_lanes\": 1, "
        "\"green_lane_bytes_per_s\": 0.9e9, \"black_lanes\": 2, "
        "\"black_lane_bytes_per_s\": 0.5e9, \"blue_ports_per_router\": 2, "
        "\"blue_lane_bytes_per_s\": 0.7e9, \"router_latency_us\": 1, \"blue_latency_us\": 1, "
        "\"routing\": \"adaptive\", \"valiant_share\": 0.5, \"paths\": 4}",
        96,
        1,
        5,
        true};
    struct dts_platform platform;
    if (!agree_machine_read(&spread, &platform))
        return;
    agree_table("Several paths");
    for (int i = 0; i < 4; i++) {
        double bytes = i < 2 ? 100e6 : 4e6;
        struct dts_job job = agree_workers(48, 0);
        agree_allreduce(&job, DTS_DATA, dts_coll_find("ring"), 1, bytes);
        struct agree_pair pair = agree_both_on(&platform, &job, placements[i % 2]);
        struct agree_case c = {.machine = spread.name,
                               .operation = "ring",
                               .devices = 48,
                               .bytes = bytes,
                               .placement = placements[i % 2]};
        agree_row(&c, pair.exact_first_s, pair.fluid_first_s, spread_promised);
        if (dts_engine_find("exact")->messages_per_s > 0) {
            int *endpoints = agree_endpoints(&platform, &job, placements[i % 2]);
            const struct dts_simulation s = {
                .job = &job, .net = &platform.net, .endpoint = endpoints, .steps = 2};
            struct dts_timing drawn = agree_run("exact", &s);
            CHECK(pair.fluid_first_s < drawn.first_s);
            dts_timing_free(&drawn);
            free(endpoints);
        }
        dts_job_free(&job);
    }
    agree_end();
    dts_platform_free(&platform);
}

TESTS(TEST(paths_that_are_as_one_are_exact),
      TEST(spread_messages_agree_and_drawn_ones_are_slower))
