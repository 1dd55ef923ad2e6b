/* test_placement.c -- where ranks and servers sit: every kind places each rank on a device of
 * its own, as its name says. */
#include <stdlib.h>

#include "check.h"
#include "sim/net/platform/platform.h"

static bool load(struct dts_platform *platform)
{
    struct dts_error err = {0};
    if (dts_platform_load(platform, DTS_SOURCE "/platforms/big_basin.json", NULL, &err))
        return true;
    printf("%s\n", err.text);
    return CHECK(!"loads");
}

/* Places and checks; NULL when refused. The caller frees. */
static int *place(const struct dts_platform *platform, const struct dts_placement *placement,
                  int devices, int hosts, bool dedicated, struct dts_error *err)
{
    int *endpoints = NULL;
    *err = (struct dts_error){0};
    if (!dts_place(platform, placement, devices, hosts, dedicated ? hosts : 0, &endpoints, err))
        return NULL;
    bool used[352] = {false}, busy[44] = {false};
    for (int i = 0; i < devices; i++) {
        if (!CHECK(endpoints[i] >= 0 && endpoints[i] < 352))
            continue;
        CHECK(!used[endpoints[i]]);
        used[endpoints[i]] = busy[endpoints[i] / 8] = true;
    }
    for (int i = devices; i < devices + hosts; i++) {
        if (!CHECK(endpoints[i] >= 352 && endpoints[i] < 352 + 44))
            continue;
        CHECK(busy[endpoints[i] - 352] == !dedicated);
    }
    return endpoints;
}

static const int chosen[] = {7, 3, 11, 0, 42, 5, 6, 8, 9, 10, 12, 13};

static struct dts_placement kind_of(const char *name)
{
    return (struct dts_placement){.kind = name, .seed = 3, .nodes = chosen, .node_count = 12};
}

static void every_rank_has_a_device_of_its_own(void)
{
    struct dts_platform platform;
    struct dts_error err;
    if (!load(&platform))
        return;
    for (int k = 0; dts_placement_name(k) != NULL; k++) {
        struct dts_placement placement = kind_of(dts_placement_name(k));
        const int sizes[] = {1, 5, 8, 9, 16, 61, 64};
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            for (int dedicated = 0; dedicated < 2; dedicated++) {
                int *endpoints = place(&platform, &placement, sizes[i], 4, dedicated, &err);
                if (!CHECK(endpoints != NULL))
                    printf("%s\n", err.text);
                free(endpoints);
            }
        }
    }
    dts_platform_free(&platform);
}

static void kinds_place_as_their_names_say(void)
{
    struct dts_platform platform;
    struct dts_error err;
    if (!load(&platform))
        return;
    struct dts_placement linear = kind_of("linear"), dealt = kind_of("round_robin");
    struct dts_placement listed = kind_of("listed"), random = kind_of("random");
    int *at = place(&platform, &linear, 20, 5, false, &err);
    for (int i = 0; i < 20; i++)
        CHECK_INT(at[i], i);
    for (int i = 0; i < 5; i++)
        CHECK_INT(at[20 + i], 352 + i % 3); // three nodes hold the workers
    free(at);
    at = place(&platform, &dealt, 20, 2, true, &err);
    for (int i = 0; i < 20; i++)
        CHECK_INT(at[i], i % 3 * 8 + i / 3);
    CHECK_INT(at[20], 352 + 3);
    CHECK_INT(at[21], 352 + 4);
    free(at);
    at = place(&platform, &listed, 20, 1, true, &err);
    for (int i = 0; i < 20; i++)
        CHECK_INT(at[i], chosen[i / 8] * 8 + i % 8);
    CHECK_INT(at[20], 352 + chosen[3]);
    free(at);
    at = place(&platform, &random, 352, 0, false, &err);
    int moved = 0;
    for (int i = 0; i < 352; i++) {
        CHECK_INT(at[i] % 8, i % 8); // devices of a node stay together
        CHECK_INT(at[i] / 8, at[i / 8 * 8] / 8);
        moved += at[i] != i;
    }
    CHECK(moved > 176);
    free(at);
    dts_platform_free(&platform);
}

static void the_seed_decides_the_random_order(void)
{
    struct dts_platform platform;
    struct dts_error err;
    if (!load(&platform))
        return;
    struct dts_placement first = kind_of("random"), second = kind_of("random");
    second.seed = 4;
    int *a = place(&platform, &first, 64, 0, false, &err);
    int *b = place(&platform, &first, 64, 0, false, &err);
    int *c = place(&platform, &second, 64, 0, false, &err);
    CHECK(memcmp(a, b, 64 * sizeof(*a)) == 0);
    CHECK(memcmp(a, c, 64 * sizeof(*a)) != 0);
    free(a);
    free(b);
    free(c);
    dts_platform_free(&platform);
}

/* Devices 0 to 5 of node 0 and host 2 are another job's: what is left of a node is used, nodes
 * of their own are free ones. */
static void what_other_jobs_have_stays_theirs(void)
{
    struct dts_platform platform;
    struct dts_error err;
    bool taken[352 + 44] = {true, true, true, true, true, true};
    if (!load(&platform))
        return;
    taken[352 + 2] = true;
    struct dts_placement linear = kind_of("linear"), dealt = kind_of("round_robin");
    linear.taken = dealt.taken = taken;
    int *at = place(&platform, &linear, 10, 2, true, &err);
    for (int i = 0; i < 10; i++)
        CHECK_INT(at[i], 6 + i);
    CHECK_INT(at[10], 352 + 3);
    CHECK_INT(at[11], 352 + 4);
    free(at);
    at = place(&platform, &dealt, 20, 0, false, &err);
    const int nodes[] = {1, 3, 4};
    for (int i = 0; i < 20; i++)
        CHECK_INT(at[i], nodes[i % 3] * 8 + i / 3);
    free(at);
    linear.file = "job.json";
    CHECK(place(&platform, &linear, 347, 0, false, &err) == NULL);
    CHECK_STRING(err.text,
                 "job.json: needs 347 devices, but beside other jobs big_basin has 346 "
                 "left, and 42 free nodes");
    CHECK(place(&platform, &linear, 336, 2, true, &err) == NULL);
    CHECK_STRING(err.text,
                 "job.json: needs 336 devices, and nodes for servers, but beside other "
                 "jobs big_basin has 346 left, and 42 free nodes");
    dts_platform_free(&platform);
}

static void what_does_not_fit_is_refused_in_one_line(void)
{
    static const int twice[] = {1, 2, 1}, beyond[] = {1, 44}, two[] = {1, 2};
    static const struct {
        struct dts_placement placement;
        int devices, hosts;
        bool dedicated;
        const char *want;
    } bad[] = {
        {{.kind = "linear"},
         353,
         0,
         false,
         "big_basin.json: platform has 44 nodes, the job needs 45"},
        {{.kind = "linear"},
         352,
         1,
         true,
         "big_basin.json: platform has 44 nodes, the job needs 45"},
        {{.kind = "listed", .nodes = twice, .node_count = 3},
         8,
         0,
         false,
         "job.json: placement.nodes[2]: node 1 is listed twice"},
        {{.kind = "listed", .nodes = beyond, .node_count = 2},
         8,
         0,
         false,
         "job.json: placement.nodes[1]: must be a node of the platform, which has 44, got 44"},
        {{.kind = "listed", .nodes = two, .node_count = 2},
         17,
         0,
         false,
         "job.json: placement.nodes: lists 2, the job needs 3"},
        {{.kind = "scattered"},
         8,
         0,
         false,
         "job.json: placement.kind: there is no \"scattered\""},
    };
    struct dts_platform platform;
    if (!load(&platform))
        return;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct dts_placement placement = bad[i].placement;
        struct dts_error err;
        placement.file = "job.json";
        CHECK(place(&platform, &placement, bad[i].devices, bad[i].hosts, bad[i].dedicated,
                    &err) == NULL);
        CHECK(strstr(err.text, bad[i].want) != NULL);
        CHECK_INT(err.cause, DTS_BAD_INPUT);
    }
    dts_platform_free(&platform);
}

TESTS(TEST(every_rank_has_a_device_of_its_own), TEST(kinds_place_as_their_names_say),
      TEST(the_seed_decides_the_random_order), TEST(what_other_jobs_have_stays_theirs),
      TEST(what_does_not_fit_is_refused_in_one_line))
