/* test_from_rest.c -- a single step is one operation from rest to its end: no engine hides the
 * latency of one collective behind the next, and nothing is faster than its data and its hops
 * allow.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "sim/crossbar.h"
#include "sim/engine.h"

static const double ALPHA_S = 2e-6, BYTES_PER_S = 1e9;

/* The time of one collective of so many fp32 values by an engine; NAN: the algorithm cannot. */
static double alone_s(const char *engine, const struct dts_coll *algorithm,
                      enum dts_coll_kind kind, int size, size_t count, int pieces)
{
    struct crossbar crossbar = {
        .bytes_per_s = BYTES_PER_S, .latency_s = ALPHA_S, .per_node = 1};
    const struct dts_net net = crossbar_net(&crossbar, size);
    struct dts_job job = {.role_count = 1, .ranks = size};
    struct dts_collective c = {.algorithm = algorithm,
                               .shape = {.kind = kind,
                                         .size = size,
                                         .per_node = 1,
                                         .shards = 1,
                                         .pieces = pieces,
                                         .between = dts_coll_find("ring")},
                               .group = {.stride = 1, .size = size},
                               .channels = 1};
    const char *why;
    if (!dts_coll_fits(algorithm, &c.shape, &why) || algorithm->step == NULL)
        return NAN;
    int *endpoints = dts_alloc((size_t)size, sizeof(*endpoints));
    for (int r = 0; r < size; r++)
        endpoints[r] = r;
    job.roles = dts_alloc(1, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = size};
    struct dts_plan *plan = &job.roles[0].plan;
    c.data = (struct dts_span){dts_plan_buffer(plan, count, 4), 0, count};
    dts_plan_collective(plan, DTS_DATA, "alone", c);
    const struct dts_simulation s = {
        .job = &job, .net = &net, .endpoint = endpoints, .steps = 1};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find(engine)->run(&s, &timing, &err));
    CHECK_STRING(err.text, "");
    const double seconds = timing.step_s;
    CHECK_NEAR(timing.ops[0].end_s, seconds, 1e-12);
    CHECK_NEAR(timing.mean_s, seconds, 1e-12);
    CHECK(timing.first_s == 0);
    dts_timing_free(&timing);
    dts_job_free(&job);
    free(endpoints);
    return seconds;
}

/* Data of all reaches all, so it goes over log2(n) hops at least, or over one in each step
 * where members send to all at once; and a port sends or receives factor x S (coll.h). */
static double least_s(const struct dts_coll *coll, enum dts_coll_kind kind, int size,
                      double bytes)
{
    const struct dts_coll_shape shape = {.kind = kind,
                                         .size = size,
                                         .per_node = 1,
                                         .shards = 1,
                                         .pieces = 1,
                                         .between = dts_coll_find("ring")};
    const double hops = fmin(ceil(log2(size)), coll->steps(&shape));
    return fmax(hops * ALPHA_S, dts_coll_bus_factor(kind, size) * bytes / BYTES_PER_S);
}

static void nothing_is_faster_than_its_hops_and_its_data(void)
{
    int tried = 0;
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int kind = 0; kind < DTS_COLL_KINDS; kind++)
            for (int size = 2; size <= 17; size += 3)
                for (size_t count = 1; count <= 1000000; count *= 1000) {
                    const double fluid_s = alone_s("fluid", dts_colls[a], kind, size, count, 1);
                    if (isnan(fluid_s))
                        continue;
                    tried++;
                    const double least = least_s(dts_colls[a], kind, size, 4.0 * (double)count);
                    if (count >= (size_t)size && fluid_s < least * (1 - 1e-9)) {
                        printf("%s, kind %d, %d members, %zu values: %g s < %g s\n",
                               dts_colls[a]->name, kind, size, count, fluid_s, least);
                        CHECK(false);
                    }
                    if (count > 1000)
                        continue;
                    const double flow_s = alone_s("flow", dts_colls[a], kind, size, count, 1);
                    CHECK_CLOSE(fluid_s, flow_s, 1e-6); // both 0 where no part is sent
                }
    CHECK(tried > 100);
}

/* docs/collectives.md: a tree is k = log2(n) hops deep, a chain n - 1 hops long. */
static void a_broadcast_of_a_byte_passes_every_hop(void)
{
    const double byte_s = 4 / BYTES_PER_S;
    CHECK_NEAR(alone_s("fluid", dts_coll_find("tree"), DTS_BROADCAST, 64, 1, 1),
               6 * (ALPHA_S + byte_s), 1e-12);
    CHECK_NEAR(alone_s("fluid", dts_coll_find("ring"), DTS_BROADCAST, 64, 1, 1),
               63 * (ALPHA_S + byte_s), 1e-12);
}

/* (P + n - 2) (alpha + S/(P B)) of a chain in P pieces. */
static void a_chain_in_pieces_is_its_closed_form(void)
{
    const double bytes = 4e6;
    const int pieces = 10, size = 8;
    CHECK_NEAR(alone_s("fluid", dts_coll_find("ring"), DTS_BROADCAST, size, 1000000, pieces),
               (pieces + size - 2) * (ALPHA_S + bytes / pieces / BYTES_PER_S), 1e-9);
}

/* docs/collectives.md: (n - 1) (alpha + S/(n B)), and of a shift alpha + S/B. */
static void parts_take_their_closed_form(void)
{
    const char *const engines[] = {"fluid", "flow"};
    const int sizes[] = {2, 7, 8, 24};
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 4; i++) {
            const int n = sizes[i];
            const double bytes = 4 * 1680000.0; // which all sizes divide
            CHECK_CLOSE(
                alone_s(engines[e], dts_coll_find("pairwise"), DTS_ALLTOALL, n, 1680000, 1),
                (n - 1) * (ALPHA_S + bytes / n / BYTES_PER_S), 1e-7);
            CHECK_CLOSE(alone_s(engines[e], dts_coll_find("ring"), DTS_SHIFT, n, 1680000, 1),
                        ALPHA_S + bytes / BYTES_PER_S, 1e-7);
        }
}

static void bus_factors_are_those_of_nccl_tests(void)
{
    CHECK_NEAR(dts_coll_bus_factor(DTS_ALLREDUCE, 8), 2 * 7 / 8.0, 1e-15);
    CHECK_NEAR(dts_coll_bus_factor(DTS_REDUCE_SCATTER, 8), 7 / 8.0, 1e-15);
    CHECK_NEAR(dts_coll_bus_factor(DTS_ALLGATHER, 8), 7 / 8.0, 1e-15);
    CHECK_NEAR(dts_coll_bus_factor(DTS_BROADCAST, 8), 1, 1e-15);
    CHECK_NEAR(dts_coll_bus_factor(DTS_ALLTOALL, 8), 7 / 8.0, 1e-15);
    CHECK_NEAR(dts_coll_bus_factor(DTS_SHIFT, 8), 1, 1e-15);
    CHECK(dts_coll_bus_factor(DTS_ALLREDUCE, 1) == 0);
    CHECK(dts_coll_bus_factor(DTS_SHIFT, 1) == 0);
}

TESTS(TEST(nothing_is_faster_than_its_hops_and_its_data),
      TEST(a_broadcast_of_a_byte_passes_every_hop), TEST(a_chain_in_pieces_is_its_closed_form),
      TEST(parts_take_their_closed_form), TEST(bus_factors_are_those_of_nccl_tests))
