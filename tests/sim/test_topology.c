/* test_topology.c -- what every topology promises: routes are walks, shares sum to one, numbers
 * of links and bisections follow formulas, uniform traffic loads alike links alike. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "sim/net/topology/topology.h"

/* A topology read from JSON. */
struct made {
    struct dts_doc *doc;
    const struct dts_topology *row;
    void *self;
};

static bool make(struct made *made, const char *kind, const char *json, int ports,
                 struct dts_error *err)
{
    *made = (struct made){.row = dts_topology_find(kind)};
    *err = (struct dts_error){0};
    if (!dts_doc_parse(&made->doc, "test.json", json, err))
        return false;
    struct dts_cfg top = dts_doc_top(made->doc);
    made->self = calloc(1, made->row->size);
    return dts_cfg_read(&top, made->row->fields, made->self, err) &&
           made->row->prepare(made->self, ports, &top, err);
}

static void end(struct made *made)
{
    free(made->self);
    dts_doc_free(made->doc);
}

static bool make_or_fail(struct made *made, const char *kind, const char *json, int ports)
{
    struct dts_error err;
    if (make(made, kind, json, ports, &err))
        return true;
    printf("%s %s: %s\n", kind, json, err.text);
    CHECK(!"can be made");
    end(made);
    return false;
}

#define STAR "{\"latency_us\": 1}"
#define TWO(more)                                                                              \
    "{\"ports_per_leaf\": 4, \"spines\": 3, \"uplink_bytes_per_s\": 1e9, "                     \
    "\"hop_latency_us\": 0.5" more "}"
#define TREE(down, up, more)                                                                   \
    "{\"down\": " down ", \"up\": " up                                                         \
    ", \"link_bytes_per_s\": 1e9, \"hop_latency_us\": 0.1" more "}"
#define TORUS(dims) "{\"dims\": " dims ", \"link_bytes_per_s\": 2e9, \"hop_latency_us\": 0.04}"
#define DRAGON(groups, rows, columns, more)                                                    \
    "{\"groups\": " groups ", \"rows\": " rows ", \"columns\": " columns                       \
    ", \"nodes_per_router\": 2, \"green_lane_bytes_per_s\": 5e9, "                             \
    "\"black_lane_bytes_per_s\": 5e9, \"blue_lane_bytes_per_s\": 4e9, "                        \
    "\"router_latency_us\": 0.1, \"blue_latency_us\": 0.2" more "}"

#define ONE_ROW                                                                                \
    "{\"groups\": 5, \"rows\": 1, \"columns\": 8, \"nodes_per_router\": 2, "                   \
    "\"green_lane_bytes_per_s\": 5e9, \"blue_lane_bytes_per_s\": 4e9, "                        \
    "\"router_latency_us\": 0.1, \"blue_latency_us\": 0.2}"

/* Every row, at several sizes. */
static const struct {
    const char *kind, *json;
    int ports;
} samples[] = {
    {"star", STAR, 7},
    {"two_level", TWO(""), 11},
    {"two_level", TWO(", \"routing\": \"spread\""), 24},
    {"two_level", TWO(""), 3},
    {"fat_tree", "{\"down\": [8], \"hop_latency_us\": 0.1}", 8},
    {"fat_tree", TREE("[4, 3]", "[2]", ""), 12},
    {"fat_tree", TREE("[3, 4, 2]", "[3, 2]", ""), 24},
    {"fat_tree", TREE("[2, 3, 4]", "[2, 3]", ", \"parallel\": [2, 1]"), 24},
    {"fat_tree", TREE("[3, 4, 2]", "[3, 2]", ", \"routing\": \"spread\", \"paths\": 4"), 20},
    {"fat_tree", TREE("[2, 2, 2, 3]", "[2, 3, 2]", ", \"routing\": \"spread\""), 24},
    {"fat_tree", TREE("[4, 2]", "[2]", ", \"parallel\": [3], \"routing\": \"spread\""), 8},
    {"torus", TORUS("[1]"), 1},
    {"torus", TORUS("[7]"), 7},
    {"torus", TORUS("[130]"), 130}, // routes of 65 links
    {"torus", TORUS("[4, 1, 3]"), 12},
    {"torus", TORUS("[4, 2, 3, 2]"), 40},
    {"torus", TORUS("[3, 2, 2, 2, 2]"), 48},
    {"dragonfly", DRAGON("1", "2", "3", ""), 12},
    {"dragonfly", ONE_ROW, 80},
    {"dragonfly", DRAGON("2", "2", "3", ""), 24},
    {"dragonfly", DRAGON("4", "2", "3", ", \"nodes_per_group\": 9"), 36},
    {"dragonfly", DRAGON("5", "1", "4", ", \"routing\": \"minimal\""), 40},
    {"dragonfly", DRAGON("3", "3", "1", ", \"routing\": \"valiant\", \"paths\": 5"), 18},
    {"dragonfly", DRAGON("4", "2", "2", ", \"blue_lanes\": 1, \"valiant_share\": 0.2"), 32},
};

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void check_walk(const struct made *made, int src, int dst, int path)
{
    const struct dts_topology *row = made->row;
    int links[DTS_MAX_TOPOLOGY_ROUTE], at = row->place_of(made->self, src);
    int count = row->route(made->self, src, dst, path, links);
    CHECK(count >= 0 && count <= DTS_MAX_TOPOLOGY_ROUTE);
    for (int i = 0; i < count; i++) {
        int from, to;
        if (!CHECK(links[i] >= 0 && links[i] < row->links(made->self)))
            return;
        row->ends(made->self, links[i], &from, &to);
        CHECK_INT(from, at);
        CHECK(to >= 0 && to < row->places(made->self));
        CHECK(row->capacity(made->self, links[i]) > 0);
        at = to;
    }
    CHECK_INT(at, row->place_of(made->self, dst));
}

static void routes_are_walks_and_shares_sum_to_one(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].ports))
            continue;
        CHECK(made.row->ports(made.self) >= samples[s].ports);
        for (int src = 0; src < samples[s].ports; src++) {
            for (int dst = 0; dst < samples[s].ports; dst++) {
                int paths = made.row->paths(made.self, src, dst);
                double sum = 0;
                for (int path = 0; path < paths; path++) {
                    check_walk(&made, src, dst, path);
                    sum += made.row->share == NULL ? 1.0 / paths
                                                   : made.row->share(made.self, src, dst, path);
                    if (src == dst)
                        CHECK_NEAR(made.row->latency(made.self, src, dst, path), 0, 0);
                }
                CHECK_NEAR(sum, 1, 1e-12);
            }
        }
        end(&made);
    }
}

static void a_picked_path_is_where_its_share_lies(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].ports))
            continue;
        CHECK((made.row->share == NULL) == (made.row->pick == NULL));
        for (int src = 0; made.row->pick != NULL && src < samples[s].ports; src++) {
            for (int dst = 0; dst < samples[s].ports; dst++) {
                double begin = 0;
                for (int path = 0; path < made.row->paths(made.self, src, dst); path++) {
                    double share = made.row->share(made.self, src, dst, path);
                    for (double part = 0.01; part < 1 && share > 0; part += 0.49)
                        CHECK_INT(made.row->pick(made.self, src, dst, begin + part * share),
                                  path);
                    begin += share;
                }
            }
        }
        end(&made);
    }
}

static void every_row_is_among_the_samples(void)
{
    for (int i = 0; dts_topologies[i] != NULL; i++) {
        int found = 0;
        for (int s = 0; s < SAMPLES; s++)
            found += strcmp(samples[s].kind, dts_topologies[i]->name) == 0;
        CHECK(found > 0);
        CHECK(dts_topology_find(dts_topologies[i]->name) == dts_topologies[i]);
        CHECK_STRING(dts_topology_name(i), dts_topologies[i]->name);
    }
    CHECK(dts_topology_find("hypercube") == NULL);
}

static void links_have_names_of_their_own(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].ports))
            continue;
        int count = made.row->links(made.self);
        char(*names)[64] = calloc((size_t)count + 1, sizeof(*names));
        for (int i = 0; i < count; i++) {
            made.row->link_name(made.self, i, names[i], sizeof(names[i]));
            for (int j = 0; j < i; j++)
                CHECK(strcmp(names[i], names[j]) != 0);
        }
        free(names);
        end(&made);
    }
}

/* Latency is that of switches crossed; on a torus, of links. */
static void latency_is_the_sum_of_hops(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].ports))
            continue;
        double hop = strcmp(samples[s].kind, "star") == 0        ? 1
                     : strcmp(samples[s].kind, "two_level") == 0 ? 0.5
                     : strcmp(samples[s].kind, "torus") == 0     ? 0.04
                                                                 : 0.1;
        bool torus = strcmp(samples[s].kind, "torus") == 0;
        for (int src = 0; src < samples[s].ports; src++) {
            for (int dst = 0; dst < samples[s].ports; dst++) {
                for (int p = 0; src != dst && p < made.row->paths(made.self, src, dst); p++) {
                    int links[DTS_MAX_TOPOLOGY_ROUTE];
                    int count = made.row->route(made.self, src, dst, p, links);
                    double want = (count + !torus) * hop;
                    for (int i = 0; i < count; i++) // optical cables of the dragonfly
                        want += strcmp(samples[s].kind, "dragonfly") == 0 &&
                                        made.row->capacity(made.self, links[i]) == 4e9
                                    ? 0.2
                                    : 0;
                    CHECK_NEAR(made.row->latency(made.self, src, dst, p), want * 1e-6, 1e-15);
                }
            }
        }
        end(&made);
    }
}

static void counts_and_bisections_follow_their_formulas(void)
{
    static const struct {
        const char *kind, *json;
        int ports, most_ports, links, places;
        double bisection;
    } wanted[] = {
        {"star", STAR, 7, 7, 0, 1, INFINITY},
        /* 3 leaves x 3 spines, both ways; half of the uplinks */
        {"two_level", TWO(""), 11, 12, 18, 6, 4.5e9},
        /* leaves 8 x 3 up, level 2: 2 x 3 x 2 up; bisection: the tops carry least */
        {"fat_tree", TREE("[3, 4, 2]", "[3, 2]", ""), 24, 24, 2 * (24 + 12), 8 + 6 + 6, 6e9},
        {"fat_tree", TREE("[2, 3, 4]", "[2, 3]", ", \"parallel\": [2, 1]"), 24, 24,
         2 * (12 * 2 * 2 + 8 * 3), 12 + 8 + 6, 12e9},
        /* 2 links a node and dimension; 2 cuts of the 4 x 3 plane of rings of 4 */
        {"torus", TORUS("[4, 3, 3]"), 36, 36, 216, 36, 2 * 9 * 2e9},
        {"torus", TORUS("[4, 1, 2]"), 8, 8, 32, 8, 2 * 2 * 2e9},
        /* per group 2 x 3 x 2 green and 3 x 2 black; 6 x 10 / 3 = 20 lanes for 4 x 3 pairs */
        {"dragonfly", DRAGON("4", "2", "3", ""), 48, 48, 4 * 18 + 12 * 20, 24, 4 * 20 * 4e9},
        {"dragonfly", DRAGON("1", "2", "4", ""), 16, 16, 24 + 8, 8, 2 * 4 * 5e9},
        /* other jobs take three quarters of what is between groups */
        {"dragonfly", DRAGON("4", "2", "3", ", \"background_share\": 0.75"), 48, 48,
         4 * 18 + 12 * 20, 24, 4 * 20 * 1e9},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        struct made made;
        if (!make_or_fail(&made, wanted[i].kind, wanted[i].json, wanted[i].ports))
            continue;
        CHECK_INT(made.row->ports(made.self), wanted[i].most_ports);
        CHECK_INT(made.row->links(made.self), wanted[i].links);
        CHECK_INT(made.row->places(made.self), wanted[i].places);
        if (isinf(wanted[i].bisection))
            CHECK(isinf(made.row->bisection(made.self)));
        else
            CHECK_CLOSE(made.row->bisection(made.self), wanted[i].bisection, 1e-12);
        end(&made);
    }
}

/* Lanes within a group are all there for whoever asks. */
static void other_jobs_take_from_lanes_between_groups(void)
{
    struct made made;
    if (!make_or_fail(&made, "dragonfly", DRAGON("4", "2", "3", ", \"background_share\": 0.75"),
                      48))
        return;
    const int locals = 4 * 18, links = made.row->links(made.self);
    for (int l = 0; l < links; l++) {
        const double capacity = made.row->capacity(made.self, l);
        CHECK(l < locals ? capacity >= 5e9 : capacity == 1e9);
    }
    end(&made);
}

/* What crosses the stated halves, counted over the links, is the bisection. */
static void bisection_is_what_crosses_the_halves(void)
{
    static const struct {
        const char *kind, *json;
        int ports, per_half; // places of the one half
    } cases[] = {
        {"torus", TORUS("[2, 3, 4]"), 24, 12},
        {"dragonfly", DRAGON("4", "2", "3", ""), 48, 12},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct made made;
        if (!make_or_fail(&made, cases[i].kind, cases[i].json, cases[i].ports))
            continue;
        double crossing = 0;
        for (int link = 0; link < made.row->links(made.self); link++) {
            int from, to;
            made.row->ends(made.self, link, &from, &to);
            if (from < cases[i].per_half && to >= cases[i].per_half)
                crossing += made.row->capacity(made.self, link);
        }
        CHECK_CLOSE(made.row->bisection(made.self), crossing, 1e-12);
        end(&made);
    }
}

/* One unit from every port to every other: the load of each link. */
static double *uniform_loads(const struct made *made, int ports)
{
    double *load = calloc((size_t)made->row->links(made->self) + 1, sizeof(*load));
    for (int src = 0; src < ports; src++) {
        for (int dst = 0; dst < ports; dst++) {
            int paths = made->row->paths(made->self, src, dst);
            for (int path = 0; path < paths; path++) {
                int links[DTS_MAX_TOPOLOGY_ROUTE];
                int count = made->row->route(made->self, src, dst, path, links);
                double share = made->row->share == NULL
                                   ? 1.0 / paths
                                   : made->row->share(made->self, src, dst, path);
                for (int i = 0; i < count; i++)
                    load[links[i]] += share;
            }
        }
    }
    return load;
}

static void uniform_traffic_loads_alike_links_alike(void)
{
    static const struct {
        const char *kind, *json;
        int ports, period; // links i and i + period are alike; from `first` on
        int first;
    } cases[] = {
        {"torus", TORUS("[4, 2, 3]"), 24, 6, 0}, // by dimension and direction
        {"torus", TORUS("[8, 4]"), 32, 4, 0},    // half of the ring even: ties divide alike
        {"fat_tree", TREE("[4, 6]", "[4]", ", \"routing\": \"spread\""), 24, 1, 0},
        {"fat_tree", TREE("[4, 6]", "[4]", ""), 24, 1, 0},
        {"two_level", TWO(", \"routing\": \"spread\""), 24, 1, 0},
        {"dragonfly", DRAGON("4", "2", "3", ", \"routing\": \"minimal\", \"paths\": 20"), 48, 1,
         4 * 18}, // the blue ones
    };
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        struct made made;
        if (!make_or_fail(&made, cases[c].kind, cases[c].json, cases[c].ports))
            continue;
        double *load = uniform_loads(&made, cases[c].ports);
        for (int i = cases[c].first; i + cases[c].period < made.row->links(made.self); i++) {
            CHECK(load[i] > 0);
            CHECK_CLOSE(load[i + cases[c].period], load[i], 1e-9);
        }
        free(load);
        end(&made);
    }
}

static void a_torus_goes_the_shorter_way(void)
{
    struct made made;
    int links[DTS_MAX_TOPOLOGY_ROUTE];
    if (!make_or_fail(&made, "torus", TORUS("[8, 5]"), 40))
        return;
    for (int src = 0; src < 40; src++) {
        for (int dst = 0; dst < 40; dst++) {
            int dx = abs(src % 8 - dst % 8), dy = abs(src / 8 - dst / 8);
            int want = (dx < 4 ? dx : 8 - dx) + (dy < 3 ? dy : 5 - dy);
            CHECK_INT(made.row->route(made.self, src, dst, 0, links), want);
        }
    }
    end(&made);
}

/* A fat tree with as many cables up as ports down carries shifts by any distance at full rate
 * when it routes by destination (Zahavi 2010). */
static void d_mod_k_carries_shifts_without_contention(void)
{
    struct made made;
    if (!make_or_fail(&made, "fat_tree", TREE("[4, 4, 4]", "[4, 4]", ""), 64))
        return;
    int *load = calloc((size_t)made.row->links(made.self), sizeof(*load));
    for (int shift = 1; shift < 64; shift++) {
        memset(load, 0, (size_t)made.row->links(made.self) * sizeof(*load));
        int most = 0;
        for (int src = 0; src < 64; src++) {
            int links[DTS_MAX_TOPOLOGY_ROUTE];
            int count = made.row->route(made.self, src, (src + shift) % 64, 0, links);
            for (int i = 0; i < count; i++)
                most = ++load[links[i]] > most ? load[links[i]] : most;
        }
        CHECK_INT(most, 1);
    }
    free(load);
    end(&made);
}

/* With as many paths as a leaf has cables upwards, traffic of a pair leaves the leaf by all of
 * them, however many ways lead on from there. */
static void paths_of_a_pair_leave_a_leaf_by_many_cables(void)
{
    struct made made;
    if (!make_or_fail(&made, "fat_tree",
                      TREE("[4, 4, 4]", "[4, 8]", ", \"routing\": \"spread\", \"paths\": 4"),
                      64))
        return;
    int *load = calloc((size_t)made.row->links(made.self), sizeof(*load));
    for (int dst = 16; dst < 64; dst++) { // over the top
        memset(load, 0, (size_t)made.row->links(made.self) * sizeof(*load));
        int most = 0;
        CHECK_INT(made.row->paths(made.self, 0, dst), 4);
        for (int path = 0; path < 4; path++) {
            int links[DTS_MAX_TOPOLOGY_ROUTE];
            const int count = made.row->route(made.self, 0, dst, path, links);
            for (int i = 0; i < count; i++)
                most = ++load[links[i]] > most ? load[links[i]] : most;
        }
        CHECK_INT(most, 1);
    }
    free(load);
    end(&made);
}

/* Theta's published ports: 14,400 of rank 1, 14,400 of rank 2 and 9,600 of rank 3 are as many
 * as ten groups of 96 routers have. A rank-2 link has three lanes. */
static void aries_has_the_ports_that_theta_publishes(void)
{
    struct made made;
    const char *json =
        "{\"groups\": 10, \"rows\": 6, \"columns\": 16, \"nodes_per_router\": 4, "
        "\"green_lane_bytes_per_s\": 5.25e9, \"black_lane_bytes_per_s\": 5.25e9, "
        "\"blue_lane_bytes_per_s\": 4.7e9, \"router_latency_us\": 0.1}";
    if (!make_or_fail(&made, "dragonfly", json, 3624))
        return;
    double green = 0, black = 0, blue = 0;
    for (int link = 0; link < made.row->links(made.self); link++) {
        double capacity = made.row->capacity(made.self, link);
        green += capacity == 5.25e9;
        black += capacity == 3 * 5.25e9 ? 3 : 0;
        blue += capacity == 4.7e9;
    }
    CHECK_NEAR(green, 14400, 0);
    CHECK_NEAR(black, 14400, 0);
    CHECK_NEAR(blue, 10 * 9 * (960 / 9), 0); // 106 lanes to each of 9 peers: 9,540 of 9,600
    CHECK_INT(made.row->ports(made.self), 3840);
    end(&made);
}

static void blue_lanes_are_spread_over_all_routers(void)
{
    struct made made;
    if (!make_or_fail(&made, "dragonfly", DRAGON("4", "2", "3", ""), 48))
        return;
    int out[24] = {0}, in[24] = {0};
    for (int link = 4 * 18; link < made.row->links(made.self); link++) {
        int from, to;
        made.row->ends(made.self, link, &from, &to);
        out[from]++;
        in[to]++;
    }
    for (int router = 0; router < 24; router++) {
        CHECK_INT(out[router], 10);
        CHECK_INT(in[router], 10);
    }
    end(&made);
}

/* Non-minimal paths between groups go by a third one: two blue links; minimal ones have one. */
static void valiant_paths_go_by_a_third_group(void)
{
    struct made made;
    if (!make_or_fail(&made, "dragonfly", DRAGON("5", "2", "3", ""), 60))
        return;
    for (int src = 0; src < 60; src++) {
        for (int dst = 0; dst < 60; dst++) {
            if (src / 12 == dst / 12)
                continue;
            for (int path = 0; path < made.row->paths(made.self, src, dst); path++) {
                int links[DTS_MAX_TOPOLOGY_ROUTE], blue = 0;
                int count = made.row->route(made.self, src, dst, path, links);
                for (int i = 0; i < count; i++)
                    blue += made.row->capacity(made.self, links[i]) == 4e9;
                CHECK_INT(blue, path < 15 ? 1 : 2); // 6 x 10 / 4 lanes
            }
        }
    }
    end(&made);
}

static void bad_values_are_refused_in_one_line(void)
{
    static const struct {
        const char *kind, *json, *want;
        int ports;
    } bad[] = {
        {"star", "{\"latency_us\": -1}", "test.json: latency_us: must be >= 0, got -1", 4},
        {"star", "{\"latency_us\": 1, \"ports\": 3}",
         "test.json: ports: must be >= 4 for all nodes, got 3", 4},
        {"torus", TORUS("[4, 3]"),
         "test.json: dims: must have a product >= 13 for all nodes, got 12", 13},
        {"torus", TORUS("[2002]"),
         "test.json: dims: must have a sum of at most 2000, which are routes of 1000 links, "
         "got "
         "1001 links: more dimensions have shorter routes",
         9},
        {"torus", TORUS("[400, 400, 400]"),
         "test.json: dims: must be less: the network has 384000000 links, more than 16777216",
         9},
        {"dragonfly", DRAGON("2", "256", "256", ""),
         "test.json: columns: must be less: the network has 68157440 links, more than 16777216",
         9},
        {"dragonfly", DRAGON("8000", "30", "30", ""),
         "test.json: groups: must be less: the network has 481592000 links, more than 16777216",
         9},
        {"dragonfly",
         "{\"groups\": 2, \"rows\": 2, \"columns\": 2, \"nodes_per_router\": 2, "
         "\"green_lane_bytes_per_s\": 5e9, \"blue_lane_bytes_per_s\": 4e9, "
         "\"router_latency_us\": 0.1}",
         "test.json: black_lane_bytes_per_s: missing (there are 2 rows): of a lane between two "
         "routers of a column, each way",
         9},
        {"fat_tree", TREE("[4, 6000]", "[6000]", ""),
         "test.json: up: must be less: the network has 72000000 links, more than 16777216", 9},
        {"two_level",
         "{\"ports_per_leaf\": 1, \"spines\": 4096, \"uplink_bytes_per_s\": 1e9, "
         "\"hop_latency_us\": 0.5}",
         "test.json: spines: must be less: the network has 81920000 links, more than 16777216",
         10000},
        {"torus", TORUS("[0]"), "test.json: dims[0]: must be >= 1, got 0", 9},
        {"fat_tree", TREE("[4, 3]", "[2, 2]", ""),
         "test.json: up: must have 1 elements, one fewer than \"down\"; has 2", 9},
        {"fat_tree", TREE("[4, 3]", "[2]", ""),
         "test.json: down: must have a product >= 13 for all nodes, got 12", 13},
        {"fat_tree", TREE("[]", "[]", ""), "test.json: down: must have at least one level", 1},
        {"fat_tree", TREE("[4, 3]", "[2]", ", \"routing\": \"random\""),
         "test.json: routing: must be one of d_mod_k, spread, got \"random\"", 9},
        {"dragonfly", DRAGON("3", "2", "2", ""),
         "test.json: groups: must be >= 4 for all nodes, 8 in a group; got 3", 25},
        {"dragonfly", DRAGON("3", "2", "2", ", \"blue_lanes\": 21"),
         "test.json: blue_lanes: must be <= 20: 4 routers have 10 ports each for 2 groups; got "
         "21",
         24},
        {"dragonfly", DRAGON("3", "2", "2", ", \"nodes_per_group\": 9"),
         "test.json: nodes_per_group: must be <= 8, got 9", 24},
        {"dragonfly", DRAGON("3", "2", "2", ", \"background_share\": 1"),
         "test.json: background_share: must be <= 0.99, got 1", 24},
        {"dragonfly", DRAGON("1", "2", "2", ", \"background_share\": 0.5"),
         "test.json: background_share: has no effect on one group: there are no lanes to "
         "others",
         8},
        {"dragonfly", DRAGON("42", "2", "2", ""),
         "test.json: groups: must be <= 41, the ports of a group to others and itself; got 42",
         24},
        {"two_level", "{\"ports_per_leaf\": 4, \"spines\": 0}",
         "test.json: spines: must be >= 1, got 0", 4},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct made made;
        struct dts_error err;
        CHECK(!make(&made, bad[i].kind, bad[i].json, bad[i].ports, &err));
        CHECK_STRING(err.text, bad[i].want);
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        end(&made);
    }
}

TESTS(TEST(other_jobs_take_from_lanes_between_groups),
      TEST(routes_are_walks_and_shares_sum_to_one), TEST(a_picked_path_is_where_its_share_lies),
      TEST(every_row_is_among_the_samples), TEST(links_have_names_of_their_own),
      TEST(latency_is_the_sum_of_hops), TEST(counts_and_bisections_follow_their_formulas),
      TEST(bisection_is_what_crosses_the_halves), TEST(uniform_traffic_loads_alike_links_alike),
      TEST(a_torus_goes_the_shorter_way), TEST(d_mod_k_carries_shifts_without_contention),
      TEST(paths_of_a_pair_leave_a_leaf_by_many_cables),
      TEST(aries_has_the_ports_that_theta_publishes),
      TEST(blue_lanes_are_spread_over_all_routers), TEST(valiant_paths_go_by_a_third_group),
      TEST(bad_values_are_refused_in_one_line))
