/* test_agree_library.c -- collectives at a library's pace: both engines agree, and alone on the
 * machine that the library takes it for, a call takes what the library expects.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "plan/coll/choice/choice.h"
#include "plan/coll/choice/pace.h"
#include "sim/net/platform/platform.h"

#define KIB 1024.
#define MIB 1048576.

struct machine {
    const char *platform;
    struct dts_choice_group group;
};

/* Networks in which all pairs have one path. */
static const struct machine amperes = {"oci_bm_gpu4_8",
                                       {.version = 230,
                                        .gpu = DTS_CHOICE_AMPERE,
                                        .cpu = DTS_CHOICE_AMD,
                                        .per_node = 8,
                                        .nvlinks = 12,
                                        .nvswitch = true,
                                        .nics_near = true,
                                        .nics = 8,
                                        .nic_bytes_per_s = 25e9}};
static const struct machine hoppers = {"gcp_a3_ultra",
                                       {.version = 230,
                                        .gpu = DTS_CHOICE_HOPPER,
                                        .per_node = 8,
                                        .nvlinks = 18,
                                        .nvswitch = true,
                                        .nics_near = true,
                                        .nics = 8,
                                        .nic_bytes_per_s = 50e9}};

static double run(const char *engine, const struct dts_platform *platform,
                  const struct dts_collective *of, double bytes)
{
    const int size = of->group.size;
    const size_t count = (size_t)(bytes / 4);
    struct dts_job job = {.role_count = 1, .ranks = size};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    int *endpoints = dts_alloc((size_t)size, sizeof(*endpoints));
    for (int r = 0; r < size; r++)
        endpoints[r] = r;
    job.roles = dts_alloc(1, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = size};
    struct dts_plan *plan = &job.roles[0].plan;
    struct dts_collective c = *of;
    c.data = (struct dts_span){dts_plan_buffer(plan, count, 4), 0, count};
    dts_plan_collective(plan, DTS_DATA, "call", c);
    const struct dts_simulation s = {.job = &job,
                                     .net = &platform->net,
                                     .endpoint = endpoints,
                                     .steps = 1,
                                     .reduce_bytes_per_s = 1e11}; // the library's has it
    CHECK(dts_engine_find(engine)->run(&s, &timing, &err));
    CHECK_STRING(err.text, "");
    const double seconds = timing.step_s;
    dts_timing_free(&timing);
    dts_job_free(&job);
    free(endpoints);
    return seconds;
}

/* The time of the library is met to `within`. */
static void check_call(const struct machine *machine, int nodes, enum dts_coll_kind kind,
                       double bytes, double within)
{
    struct dts_platform platform;
    struct dts_error err = {0};
    char path[256];
    snprintf(path, sizeof(path), DTS_SOURCE "/platforms/%s.json", machine->platform);
    if (!CHECK(dts_platform_load(&platform, path, NULL, &err)))
        return;
    struct dts_choice_group group = machine->group;
    struct dts_choice choice;
    struct dts_choice_course course;
    group.nodes = nodes;
    dts_choice_find(&group, kind, bytes, &choice);
    const int size = nodes * group.per_node, channels = nodes > 1 ? choice.channels : 1;
    dts_choice_course_find(&group, kind, bytes, &choice, channels, &course);
    const struct dts_collective c = {.algorithm = course.algorithm,
                                     .shape = {.kind = kind,
                                               .size = size,
                                               .per_node = group.per_node,
                                               .shards = 1,
                                               .pieces = course.pieces},
                                     .group = {.stride = 1, .size = size},
                                     .channels = channels,
                                     .pace = course.pace};
    const double fluid_s = run("fluid", &platform, &c, bytes);
    const double exact_s = run("exact", &platform, &c, bytes);
    const int before = check_failures;
    CHECK_CLOSE(fluid_s, exact_s, 0.02);
    CHECK_CLOSE(exact_s, choice.time_s, within);
    if (check_failures > before)
        printf("    %s, %d nodes, kind %d, %g bytes: %s; fluid %g, exact %g s\n",
               machine->platform, nodes, kind, bytes, choice.why, fluid_s, exact_s);
    dts_platform_free(&platform);
}

static void small_calls_take_the_latency(void)
{
    check_call(&amperes, 1, DTS_ALLREDUCE, 64, 0.01);
    check_call(&hoppers, 1, DTS_ALLREDUCE, 64, 0.01);
    check_call(&amperes, 4, DTS_ALLREDUCE, 64,
               0.2); // a path takes more than the library's 2.7 us
    check_call(&hoppers, 4, DTS_ALLREDUCE, 4 * KIB, 0.2);
}

static void trees_and_rings_take_the_time(void)
{
    check_call(&amperes, 4, DTS_ALLREDUCE, MIB, 0.1);
    check_call(&amperes, 4, DTS_ALLREDUCE, 16 * MIB, 0.1);
    check_call(&amperes, 4, DTS_ALLREDUCE, 1024 * MIB, 0.1);
    check_call(&amperes, 4, DTS_REDUCE_SCATTER, 256 * MIB, 0.1);
    check_call(&amperes, 4, DTS_ALLGATHER, 256 * MIB, 0.1);
    check_call(&amperes, 1, DTS_ALLREDUCE, 1024 * MIB, 0.1);
}

static void sums_in_switches_take_the_time(void)
{
    check_call(&hoppers, 1, DTS_ALLREDUCE, 1024 * MIB, 0.1);
    check_call(&hoppers, 2, DTS_ALLREDUCE, 1024 * MIB, 0.1);
    check_call(&hoppers, 4, DTS_ALLREDUCE, 1024 * MIB, 0.1);
}

/* Switches of the network pass each byte once each way, whatever the number of nodes. */
static void sums_in_the_network_take_the_time(void)
{
    struct machine asked = amperes;
    asked.group.sharp = true;
    for (int nodes = 2; nodes <= 16; nodes *= 2) {
        check_call(&asked, nodes, DTS_ALLREDUCE, MIB, 0.1);
        check_call(&asked, nodes, DTS_ALLREDUCE, 64 * MIB, 0.1);
    }
}

TESTS(TEST(small_calls_take_the_latency), TEST(trees_and_rings_take_the_time),
      TEST(sums_in_switches_take_the_time), TEST(sums_in_the_network_take_the_time))
