/* test_figures.c -- what a machine is in a few numbers: the published ones, and those counted
 * over all pairs of ports. */
#include <math.h>
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "sim/net/platform/figures.h"
#include "sim/net/topology/topology.h"

/* The figures of a platform of the library with one change; false: a check failed. */
static bool figures_of(const char *name, const char *path, const char *value,
                       struct dts_platform_figures *figures)
{
    char file[256];
    struct dts_doc *doc;
    struct dts_platform platform;
    struct dts_error err = {0};
    snprintf(file, sizeof(file), DTS_SOURCE "/platforms/%s.json", name);
    if (!CHECK(dts_doc_load(&doc, file, &err)))
        return false;
    if (path != NULL && !CHECK(dts_doc_set(doc, path, value, NULL, &err))) {
        dts_doc_free(doc);
        return false;
    }
    if (!dts_platform_read(&platform, doc, NULL, &err)) {
        printf("%s\n", err.text);
        return CHECK(!"reads");
    }
    bool good = CHECK(dts_platform_figures(&platform, figures));
    dts_platform_free(&platform);
    return good;
}

/* What operators say of their machines, as bytes per second one way. */
static void bisections_are_within_2_percent_of_the_published(void)
{
    static const struct {
        const char *name;
        double published;
    } machines[] = {
        {"theta", 12.1e12}, // said of Theta by ALCF; from memory
        {"juwels_booster",
         400e12 / 16},                 // JSC, configuration page: 400 Tb/s, taken as both ways
        {"tpu_v5e_pod", 1.6e12},       // Google Cloud, TPU v5e: 1.6 TB/s a pod
        {"summit", 4608 * 200e9 / 16}, // OLCF: non-blocking, two EDR rails a node
        {"dgx_h100", 128 * 8 * 400e9 / 16}, // SuperPOD RA-11333-001: full fat tree, 8 NDR rails
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct dts_platform_figures figures;
        if (figures_of(machines[i].name, NULL, NULL, &figures))
            CHECK_CLOSE(figures.bisection_bytes_per_s, machines[i].published, 0.02);
    }
}

/* Theta by hand, from its sizes: 12 groups of 96 routers, each with 15 green and 5 black links
 * and 72 lanes to each of 11 other groups; 5 links from corner to corner of two groups. */
static void theta_is_counted(void)
{
    struct dts_platform_figures theta;
    if (!figures_of("theta", NULL, NULL, &theta))
        return;
    CHECK_INT(theta.nodes, 4392);
    CHECK_INT(theta.devices, 4392);
    CHECK_INT(theta.switches, 12 * 96);
    CHECK_INT(theta.links, 12 * 96 * (15 + 5) + 12 * 11 * 72);
    CHECK_CLOSE(theta.node_injection_bytes_per_s, 10e9, 1e-12);
    CHECK_CLOSE(theta.injection_bytes_per_s, 43.92e12, 1e-12);
    CHECK_STRING(theta.called, "routers");
    CHECK(theta.halves != NULL && theta.surely == DTS_ONE_CUT);
    CHECK_INT(theta.switch_hops, 5);
    CHECK_INT(theta.hops, 7);
    CHECK_CLOSE(theta.latency_s, (6 * 0.1 + 0.1 + 2 * 0.2) * 1e-6, 1e-9);
}

/* Slingshot has three hops (NERSC, "three-hop Dragonfly"), Mira half of each dimension. */
static void diameters_are_the_published_ones(void)
{
    struct dts_platform_figures figures;
    if (figures_of("perlmutter", NULL, NULL, &figures))
        CHECK_INT(figures.switch_hops, 3);
    if (figures_of("mira", NULL, NULL, &figures)) {
        CHECK_INT(figures.switch_hops, 4 + 6 + 8 + 8 + 1);
        CHECK_CLOSE(figures.bisection_bytes_per_s, 2 * (49152 / 16) * 2e9, 1e-12);
        CHECK(figures.surely == DTS_EXACT);
    }
    if (figures_of("summit", NULL, NULL, &figures)) {
        CHECK_INT(figures.hops, 6); // two cables of NICs, two levels up and two down
        CHECK(figures.halves == NULL && figures.surely == DTS_EXACT);
    }
}

/* NICs bind what half of the nodes send, one switch has no links, and one node no halves. */
static void the_smallest_part_binds(void)
{
    struct dts_platform_figures wide, narrow, one;
    if (!figures_of("theta", NULL, NULL, &wide) ||
        !figures_of("theta", "nics.bytes_per_s", "1e9", &narrow) ||
        !figures_of("dgx2", "nodes", "1", &one))
        return;
    CHECK(narrow.halves == NULL && wide.halves != NULL);
    CHECK_CLOSE(narrow.bisection_bytes_per_s, 4392 / 2 * 1e9, 1e-12);
    CHECK(narrow.surely == DTS_ONE_CUT); // of a dragonfly other halves may carry less
    CHECK_INT(one.hops, 0);
    CHECK_NEAR(one.bisection_bytes_per_s, 0, 0);
    CHECK(one.latency_s > 0 && one.latency_s < 20e-6);
}

/* Every machine has figures that are possible. */
static void every_platform_has_figures(void)
{
    char **names = dts_library_names("platforms");
    for (int i = 0; names[i] != NULL; free(names[i++])) {
        struct dts_platform_figures f;
        if (!figures_of(names[i], NULL, NULL, &f))
            continue;
        CHECK(f.nodes >= 1 && f.devices >= f.nodes && f.switches >= 1 && f.links >= 0);
        CHECK(f.bisection_bytes_per_s <= f.injection_bytes_per_s / 2 * (1 + 1e-12));
        CHECK(f.nodes == 1 || f.bisection_bytes_per_s > 0);
        CHECK(f.latency_s > 0 && f.latency_s < 1e-3);
        CHECK(f.nodes == 1 || f.hops == f.switch_hops + 2);
    }
    free(names);
}

struct sample {
    const char *kind, *json;
    int ports;
};

/* Reads a topology and hands it to a check. */
static void with_topology(const struct sample *sample,
                          void (*check)(const struct dts_topology *row, const void *self,
                                        int ports))
{
    struct dts_doc *doc;
    struct dts_error err = {0};
    const struct dts_topology *row = dts_topology_find(sample->kind);
    void *self = calloc(1, row->size);
    if (CHECK(dts_doc_parse(&doc, "test.json", sample->json, &err))) {
        struct dts_cfg top = dts_doc_top(doc);
        if (CHECK(dts_cfg_read(&top, row->fields, self, &err) &&
                  row->prepare(self, sample->ports, &top, &err)))
            check(row, self, sample->ports);
        dts_doc_free(doc);
    }
    free(self);
}

/* The longest of all routes of all pairs is what the topology says of itself. */
static void check_longest(const struct dts_topology *row, const void *self, int ports)
{
    int most = 0, links[DTS_MAX_TOPOLOGY_ROUTE], said;
    double slowest = 0, said_s;
    for (int src = 0; src < ports; src++)
        for (int dst = 0; dst < ports; dst++)
            for (int path = 0; path < row->paths(self, src, dst); path++) {
                const int count = row->route(self, src, dst, path, links);
                const double latency_s = row->latency(self, src, dst, path);
                most = count > most ? count : most;
                slowest = latency_s > slowest ? latency_s : slowest;
            }
    row->longest(self, &said, &said_s);
    CHECK_INT(said, most);
    CHECK_NEAR(said_s, slowest, 1e-15);
}

enum { NIC = 1500000000 }; // bytes/s of each port's cable, one way

/* What half of the ports, a set of bits, can send to the others: the least cut, over all ways
 * to count the switches to the one side or the other. */
static double least_cut(const struct dts_topology *row, const void *self, int ports,
                        unsigned half)
{
    const int places = row->places(self);
    double least = INFINITY;
    for (unsigned side = 0; side < 1u << places; side++) {
        double cut = 0;
        for (int port = 0; port < ports; port++)
            cut += (half >> port & 1) != (side >> row->place_of(self, port) & 1) ? NIC : 0;
        for (int link = 0; link < row->links(self); link++) {
            int from, to;
            row->ends(self, link, &from, &to);
            cut += (side >> from & 1) && !(side >> to & 1) ? row->capacity(self, link) : 0;
        }
        least = cut < least ? cut : least;
    }
    return least;
}

/* Where a topology says that no halves carry less, none does; where it is exact, one carries
 * that. */
static void check_least(const struct dts_topology *row, const void *self, int ports)
{
    double least = INFINITY;
    for (unsigned half = 0; half < 1u << ports; half++)
        if (__builtin_popcount(half) == ports / 2) {
            const double cut = least_cut(row, self, ports, half);
            least = cut < least ? cut : least;
        }
    const double said = fmin(row->bisection(self), ports / 2 * (double)NIC);
    if (row->surely(self) == DTS_EXACT)
        CHECK_CLOSE(said, least, 1e-12);
    else
        CHECK(row->surely(self) == DTS_AT_LEAST && said <= least && said > 0.5 * least);
}

#define RATES                                                                                  \
    "\"nodes_per_router\": 2, \"green_lane_bytes_per_s\": 5e9, "                               \
    "\"black_lane_bytes_per_s\": 5e9, \"blue_lane_bytes_per_s\": 4e9, "                        \
    "\"router_latency_us\": 0.1, \"blue_latency_us\": 0.2, \"routing\": \"minimal\"}"
#define TREE ", \"link_bytes_per_s\": 1e9, \"hop_latency_us\": 0.1}"
#define LEAF ", \"spines\": 3, \"uplink_bytes_per_s\": 1e9, \"hop_latency_us\": 0.5}"
#define RING ", \"link_bytes_per_s\": 2e9, \"hop_latency_us\": 0.04}"

static void the_longest_route_is_the_longest_of_all(void)
{
    static const struct sample samples[] = {
        {"star", "{\"latency_us\": 1}", 7},
        {"two_level", "{\"ports_per_leaf\": 4" LEAF, 4},
        {"two_level", "{\"ports_per_leaf\": 4" LEAF, 12},
        {"fat_tree", "{\"down\": [8], \"hop_latency_us\": 0.1}", 8},
        {"fat_tree", "{\"down\": [3, 4, 2], \"up\": [3, 2]" TREE, 24},
        {"fat_tree", "{\"down\": [3, 4, 1], \"up\": [3, 2]" TREE, 12},
        {"torus", "{\"dims\": [7]" RING, 7},
        {"torus", "{\"dims\": [4, 1, 3]" RING, 12},
        {"torus", "{\"dims\": [4, 2, 3, 2]" RING, 48},
        {"dragonfly", "{\"groups\": 1, \"rows\": 2, \"columns\": 3, " RATES, 12},
        {"dragonfly", "{\"groups\": 1, \"rows\": 1, \"columns\": 1, " RATES, 2},
        {"dragonfly", "{\"groups\": 4, \"rows\": 2, \"columns\": 3, " RATES, 48},
        {"dragonfly", "{\"groups\": 5, \"rows\": 1, \"columns\": 4, " RATES, 40},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
        with_topology(&samples[i], check_longest);
}

static void no_other_halves_carry_less_where_it_is_said(void)
{
    static const struct sample samples[] = {
        {"star", "{\"latency_us\": 1}", 6},
        {"two_level",
         "{\"ports_per_leaf\": 2, \"spines\": 2, \"uplink_bytes_per_s\": 1e9, "
         "\"hop_latency_us\": 0.5}",
         8},
        {"two_level",
         "{\"ports_per_leaf\": 3, \"spines\": 1, \"uplink_bytes_per_s\": 2e9, "
         "\"hop_latency_us\": 0.5}",
         6},
        {"fat_tree", "{\"down\": [2, 2, 2], \"up\": [2, 1]" TREE, 8},
        {"fat_tree", "{\"down\": [4, 2], \"up\": [3]" TREE, 8},
        {"fat_tree", "{\"down\": [2, 3], \"up\": [2]" TREE, 6},
        {"fat_tree", "{\"down\": [2, 3], \"up\": [1]" TREE, 6},
        {"two_level",
         "{\"ports_per_leaf\": 2, \"spines\": 2, \"uplink_bytes_per_s\": 7e8, "
         "\"hop_latency_us\": 0.5}",
         6},
        {"torus", "{\"dims\": [8], \"link_bytes_per_s\": 3e8, \"hop_latency_us\": 1}", 8},
        {"torus", "{\"dims\": [4, 2], \"link_bytes_per_s\": 3e8, \"hop_latency_us\": 1}", 8},
        {"torus", "{\"dims\": [4, 3], \"link_bytes_per_s\": 1e8, \"hop_latency_us\": 1}", 12},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
        with_topology(&samples[i], check_least);
}

TESTS(TEST(bisections_are_within_2_percent_of_the_published), TEST(theta_is_counted),
      TEST(diameters_are_the_published_ones), TEST(the_smallest_part_binds),
      TEST(every_platform_has_figures), TEST(the_longest_route_is_the_longest_of_all),
      TEST(no_other_halves_carry_less_where_it_is_said))
