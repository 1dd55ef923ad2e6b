/* test_platform.c -- machines from their files: every shipped platform routes from end to end,
 * has the published sizes, says where its numbers come from; what is changed in the file
 * changes in the network. */
#include <stdlib.h>

#include "base/json/library.h"
#include "base/rng.h"
#include "check.h"
#include "device/here.h"
#include "sim/net/platform/platform.h"

struct change {
    const char *path, *value;
};

/* A shipped platform with changes; ended by a NULL path. */
static bool load(struct dts_platform *platform, const char *name, const struct change *changes,
                 struct dts_error *err)
{
    char path[256];
    struct dts_doc *doc;
    *err = (struct dts_error){0};
    snprintf(path, sizeof(path), DTS_SOURCE "/platforms/%s.json", name);
    if (!dts_doc_load(&doc, path, err))
        return false;
    for (; changes != NULL && changes->path != NULL; changes++) {
        if (!dts_doc_set(doc, changes->path, changes->value, NULL, err)) {
            dts_doc_free(doc);
            return false;
        }
    }
    return dts_platform_read(platform, doc, NULL, err);
}

static bool load_or_fail(struct dts_platform *platform, const char *name,
                         const struct change *changes)
{
    struct dts_error err;
    if (load(platform, name, changes, &err))
        return true;
    printf("%s\n", err.text);
    return CHECK(!"loads");
}

/* The route as links in order; checks that it is a walk between the right places, that the
 * same place is never passed through a link of no capacity, and the sum of the shares. */
static void check_routes(const struct dts_platform *platform, int src, int dst)
{
    const struct dts_net *net = &platform->net;
    int paths = net->ops->paths(net->self, src, dst);
    double sum = 0;
    long begin = -1, finish = -1;
    for (int path = 0; path < paths; path++) {
        int links[DTS_MAX_ROUTE];
        int count = net->ops->route(net->self, src, dst, path, links);
        long at = -1, from, to, first = -1;
        sum += net->ops->share(net->self, src, dst, path);
        CHECK(count <= DTS_MAX_ROUTE);
        CHECK(src == dst ? count == 0 : count > 0);
        for (int i = 0; i < count; i++) {
            if (!CHECK(links[i] >= 0 && links[i] < net->links))
                return;
            CHECK(net->ops->capacity(net->self, links[i]) > 0);
            if (!net->ops->ends(net->self, links[i], &from, &to))
                continue;
            CHECK(at == -1 || from == at);
            first = at == -1 ? from : first;
            at = to;
        }
        CHECK(path == 0 || (first == begin && at == finish)); // all paths join the same places
        begin = first;
        finish = at;
        CHECK((net->ops->latency(net->self, src, dst, path) > 0) == (src != dst));
    }
    CHECK_NEAR(sum, 1, 1e-12);
}

static void every_platform_routes_from_end_to_end(void)
{
    char **names = dts_library_names("platforms");
    int count = 0;
    for (; names[count] != NULL; count++) {
        struct dts_platform platform;
        if (load_or_fail(&platform, names[count], NULL)) {
            const struct dts_net *net = &platform.net;
            uint64_t endpoints = (uint64_t)net->devices + (uint64_t)net->nodes;
            CHECK_STRING(platform.name, names[count]);
            CHECK_INT(net->devices, platform.nodes * platform.devices_per_node);
            for (uint64_t i = 0; i < 300; i++) {
                int src = (int)(dts_random(1, 1, i) % endpoints);
                int dst = (int)(dts_random(1, 2, i) % endpoints);
                check_routes(&platform, src, dst);
            }
            for (int device = 0; device < platform.devices_per_node; device++) {
                check_routes(&platform, 0, device); // within a node, and to its host
                check_routes(&platform, device, net->devices);
                check_routes(&platform, net->devices, device);
            }
            dts_platform_free(&platform);
        }
        free(names[count]);
    }
    free(names);
    CHECK(count >= 10);
}

static void machines_have_their_published_sizes(void)
{
    static const struct {
        const char *name;
        int nodes, devices;
    } sizes[] = {
        {"big_basin", 44, 352},   {"theta", 4392, 4392},      {"mira", 49152, 49152},
        {"summit", 4608, 27648},  {"dlperf_v100", 4, 32},     {"cloud_10g", 16, 256},
        {"cori_knl", 9688, 9688}, {"horovod_p100", 128, 512},
    };
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct dts_platform platform;
        if (!load_or_fail(&platform, sizes[i].name, NULL))
            continue;
        CHECK_INT(platform.nodes, sizes[i].nodes);
        CHECK_INT(platform.net.devices, sizes[i].devices);
        dts_platform_free(&platform);
    }
    /* Mira: two links a node in each of five dimensions, two of the NIC, one of the memory. */
    struct dts_platform mira;
    if (load_or_fail(&mira, "mira", NULL)) {
        CHECK_INT(mira.net.links, 49152 * (10 + 2 + 1));
        dts_platform_free(&mira);
    }
}

/* A device file for each. */
static void devices_of_platforms_exist(void)
{
    char **names = dts_library_names("platforms");
    for (int i = 0; names[i] != NULL; i++) {
        struct dts_platform platform;
        struct dts_error err = {0};
        char *path = NULL;
        if (load_or_fail(&platform, names[i], NULL)) {
            const bool here = strcmp(platform.device, DTS_HERE) == 0; // has no file
            if (!here && !dts_library_find(&path, "devices", platform.device, NULL, &err))
                printf("%s\n", err.text);
            CHECK(here || path != NULL);
            free(path);
            dts_platform_free(&platform);
        }
        free(names[i]);
    }
    free(names);
}

/* Numbers of an object and of those inside it that no "source" covers. */
static int unsourced(const struct dts_cfg *at, bool covered)
{
    int count = 0;
    const char *key;
    struct dts_cfg source = dts_cfg_member(at, "source");
    covered = covered || dts_cfg_is_string(&source);
    for (size_t i = 0; (key = dts_cfg_key(at, i)) != NULL; i++) {
        struct dts_cfg value = dts_cfg_member(at, key), said = dts_cfg_member(&source, key);
        /* Defaults that the reader wrote, and counts that say themselves. */
        bool plain = strcmp(key, "nodes") == 0 || strcmp(key, "devices") == 0 ||
                     strcmp(key, "count") == 0 || strcmp(key, "switches") == 0;
        bool known = covered || plain || dts_cfg_exists(&said);
        if (dts_cfg_is_object(&value))
            count += unsourced(&value, covered);
        else if (dts_cfg_is_number(&value) && !known && ++count > 0)
            printf("no source: %s\n", key);
    }
    return count;
}

static void every_number_has_its_source(void)
{
    char **names = dts_library_names("platforms");
    for (int i = 0; names[i] != NULL; i++) {
        char path[256];
        struct dts_doc *doc;
        struct dts_error err = {0};
        snprintf(path, sizeof(path), DTS_SOURCE "/platforms/%s.json", names[i]);
        if (CHECK(dts_doc_load(&doc, path, &err))) {
            struct dts_cfg top = dts_doc_top(doc);
            if (unsourced(&top, false) > 0)
                CHECK(!names[i]);
            dts_doc_free(doc);
        }
        free(names[i]);
    }
    free(names);
}

static bool is_assumed(const struct dts_platform *platform, const char *path)
{
    for (int i = 0; i < platform->assumed_count; i++)
        if (strcmp(platform->assumed[i], path) == 0)
            return true;
    return false;
}

static void assumptions_are_listed_by_path(void)
{
    struct dts_platform platform;
    if (!load_or_fail(&platform, "big_basin", NULL))
        return;
    CHECK(is_assumed(&platform, "nics.latency_us"));
    CHECK(is_assumed(&platform, "node.fabric.pcie.switches"));
    CHECK(is_assumed(&platform, "storage"));
    CHECK(is_assumed(&platform, "transports.between")); // the row of gloo says so
    CHECK(!is_assumed(&platform, "nics.bytes_per_s"));
    dts_platform_free(&platform);
}

/* Capacity of the link with this name on the route; 0: the route does not have it. */
static double on_route(const struct dts_platform *platform, int src, int dst, const char *name)
{
    const struct dts_net *net = &platform->net;
    int links[DTS_MAX_ROUTE], count = net->ops->route(net->self, src, dst, 0, links);
    for (int i = 0; i < count; i++) {
        char got[96];
        net->ops->link_name(net->self, links[i], got, sizeof(got));
        if (strcmp(got, name) == 0)
            return net->ops->capacity(net->self, links[i]);
    }
    return 0;
}

static void a_changed_rate_changes_the_links(void)
{
    struct dts_platform platform;
    const struct change faster[] = {{"nics.bytes_per_s", "12.5e9"}, {0}};
    if (load_or_fail(&platform, "big_basin", NULL)) {
        CHECK_CLOSE(on_route(&platform, 0, 8, "node0.nic0.out"), 6.25e9, 0);
        CHECK(on_route(&platform, 0, 8, "node0.memory0.up") > 0); // gloo is staged
        CHECK_CLOSE(on_route(&platform, 0, 8, "node1.nic0.in"), 6.25e9, 0);
        CHECK_CLOSE(on_route(&platform, 0, 1, "node0.nvlink0-1"), 20e9, 0);
        dts_platform_free(&platform);
    }
    if (load_or_fail(&platform, "big_basin", faster)) {
        CHECK_CLOSE(on_route(&platform, 0, 8, "node0.nic0.out"), 12.5e9, 0);
        dts_platform_free(&platform);
    }
}

static void latency_is_that_of_all_parts(void)
{
    struct dts_platform platform;
    if (!load_or_fail(&platform, "big_basin", NULL))
        return;
    const struct dts_net *net = &platform.net;
    int host = net->devices;
    /* memory and NIC, two NICs, the switch, NIC and memory: staging costs hosts nothing */
    CHECK_CLOSE(net->ops->latency(net->self, host, host + 1, 0),
                (2 * 0.25 + 2 * 0.6 + 1.5 + 2 * 0.25) * 1e-6, 1e-12);
    /* GPU, switch, in and out of memory, NIC: 5 links of PCIe on each side */
    CHECK_CLOSE(net->ops->latency(net->self, 0, 8, 0),
                (5 * 0.25 + 2 * 0.6 + 1.5 + 5 * 0.25) * 1e-6, 1e-12);
    CHECK_CLOSE(net->ops->latency(net->self, 0, 1, 0), 0.6e-6, 1e-12);
    CHECK_CLOSE(dts_net_alpha(net, 0, 8, 0, 1e6), 5.2e-6 + 25e-6, 1e-12);
    dts_platform_free(&platform);
}

static void a_transport_limits_flows_and_hosts(void)
{
    struct dts_platform platform;
    const struct change grpc[] = {{"transports.between", "grpc"}, {0}};
    if (!load_or_fail(&platform, "big_basin", grpc))
        return;
    const struct dts_net *net = &platform.net;
    int links[DTS_MAX_ROUTE], unshared = 0, host = net->devices;
    CHECK_CLOSE(on_route(&platform, 0, host + 1, "flow.between"), 0.9e9, 0);
    CHECK_CLOSE(on_route(&platform, 0, host + 1, "node0.host.between.out"), 2.6e9, 0);
    CHECK_CLOSE(on_route(&platform, 0, host + 1, "node1.host.between.in"), 2.6e9, 0);
    CHECK_CLOSE(on_route(&platform, 9, host, "node1.host.between.out"), 2.6e9, 0);
    CHECK_NEAR(on_route(&platform, 0, 1, "flow.between"), 0, 0);
    int count = net->ops->route(net->self, 0, host + 1, 0, links);
    for (int i = 0; i < count; i++)
        unshared += !net->ops->shared(net->self, links[i]);
    CHECK_INT(unshared, 1);
    CHECK(dts_net_blocks(net, 0, 8) && !dts_net_blocks(net, 0, 1));
    dts_platform_free(&platform);
}

/* Which transport goes between nodes of that machine, and whether the stack's is not used. */
static void check_between(const char *machine, const struct dts_stack_moves *stack,
                          const char *between, bool unused)
{
    struct dts_platform platform;
    struct dts_error err = {0};
    char path[200];
    snprintf(path, sizeof(path), DTS_SOURCE "/platforms/%s.json", machine);
    if (!CHECK(dts_platform_load(&platform, path, stack, &err)))
        return;
    CHECK_STRING(platform.net.transports[DTS_BETWEEN].name, between);
    CHECK((platform.stack_between != NULL) == unused);
    CHECK(platform.stack_moves[DTS_BETWEEN] ==
          (dts_cfg_exists(&stack->between) && strcmp(between, "tcp_ec2") != 0));
    dts_platform_free(&platform);
}

static void a_stack_replaces_the_transports(void)
{
    struct dts_platform platform;
    struct dts_doc *doc;
    struct dts_error err = {0};
    const char *text = "{\"within\": \"pcie\", \"between\": {\"name\": \"verbs\"}}";
    if (!CHECK(dts_doc_parse(&doc, "stack.json", text, &err)))
        return;
    const struct dts_cfg top = dts_doc_top(doc), none = dts_cfg_member(&top, "x");
    struct dts_stack_moves stack = {dts_cfg_member(&top, "within"),
                                    dts_cfg_member(&top, "between"), false};
    const char *path = DTS_SOURCE "/platforms/big_basin.json";
    if (CHECK(dts_platform_load(&platform, path, &stack, &err))) {
        CHECK_STRING(platform.net.transports[DTS_WITHIN].name, "pcie");
        CHECK_NEAR(on_route(&platform, 0, 8, "node0.memory0.up"), 0, 0); // not staged
        dts_platform_free(&platform);
    }
    check_between("big_basin", &stack, "verbs", false); // Gloo is software, not a network
    check_between("cloud_10g", &stack, "tcp_ec2", true);
    stack.asked = true;
    check_between("cloud_10g", &stack, "verbs", false);
    stack.between = none;
    check_between("big_basin", &stack, "gloo", false);
    dts_doc_free(doc);
}

/* Links of a node: up to the first that does not have its name. */
static int node_links(const struct dts_platform *platform)
{
    char name[96] = "node0.";
    int count = 0;
    for (; strncmp(name, "node0.", 6) == 0; count++)
        platform->net.ops->link_name(platform->net.self, count, name, sizeof(name));
    return count - 1;
}

/* Rails: side by side in one network, apart in one network, each a network of its own. */
static void rails_are_cabled_as_the_file_says(void)
{
    static const struct {
        const char *rails;
        int cables; // of the topology, from GPU 0 (rail 0) to GPU 7 of the next node (rail 3)
    } cases[] = {{"by_node", 0}, {"by_rail", 2}, {"separate", 0}};
    for (int i = 0; i < 3; i++) {
        struct dts_platform platform;
        const struct change change[] = {{"nics.rails", cases[i].rails}, {0}};
        if (!load_or_fail(&platform, "dgx1_v100", change))
            continue;
        const struct dts_net *net = &platform.net;
        for (int src = 0; src < 8; src++) {
            for (int dst = 8; dst < 16; dst++)
                check_routes(&platform, src, dst);
            check_routes(&platform, src, net->devices + 1);
        }
        int links[DTS_MAX_ROUTE], cables = 0;
        int count = net->ops->route(net->self, 0, 15, 0, links);
        for (int k = 0; k < count; k++)
            cables += links[k] >= net->nodes * node_links(&platform);
        CHECK_INT(cables, cases[i].cables);
        dts_platform_free(&platform);
    }
    struct dts_platform one, apart;
    const struct change separate[] = {{"nics.rails", "separate"}, {0}};
    if (load_or_fail(&one, "dgx1_v100", NULL) && load_or_fail(&apart, "dgx1_v100", separate)) {
        int tree = 2 * 36 * 18; // links of one fat tree
        CHECK_INT(apart.net.links - one.net.links, 3 * tree);
        dts_platform_free(&one);
        dts_platform_free(&apart);
    }
}

static void bad_files_are_refused_in_one_line(void)
{
    static const struct {
        const char *name;
        struct change change;
        const char *want;
    } bad[] = {
        {"big_basin", {"nodes", "0"}, "nodes: must be >= 1, got 0"},
        {"big_basin",
         {"node.devices", "4"},
         "node.fabric.kind: \"nvlink_cube\" needs 8 devices on a node, got 4"},
        {"big_basin", {"node.devices", "many"}, "node.devices: must be a whole number"},
        {"big_basin", {"node.fabric.kind", "nvlink_cub"}, "did you mean nvlink_cube?"},
        {"big_basin", {"node.fabric.nvlinks", "4"}, "node.fabric.nvlinks: unknown key"},
        {"big_basin", {"node.fabric", "null"}, "node.fabric"},
        {"big_basin", {"nics.bytes_per_s", "0"}, "nics.bytes_per_s: must be >= 1000, got 0"},
        {"big_basin", {"nics.count", "0"}, "nics.count: must be >= 1, got 0"},
        {"big_basin", {"nics.rails", "both"}, "nics.rails: must be one of by_node, by_rail, "},
        {"big_basin", {"nics", "null"}, "nics"},
        {"big_basin", {"network.kind", "sta"}, "network.kind: must be one of star, "},
        {"big_basin",
         {"network.ports", "43"},
         "network.ports: must be >= 44 for all nodes, got 43"},
        {"big_basin", {"network", "7"}, "network"},
        {"big_basin", {"transports.between", "glo"}, "did you mean gloo?"},
        {"big_basin", {"transports", "{}"}, "transports.within: missing"},
        {"big_basin", {"storage.node_bytes_per_s", "-1"}, "must be >= 0, got -1"},
        {"big_basin",
         {"nics.source.latency", "guess"},
         "nics.source.latency: there is no such key beside \"source\""},
        {"big_basin", {"nics.source", "7"}, "nics.source: "},
        {"theta",
         {"network.groups", "11"},
         "network.groups: must be >= 12 for all nodes, 366 in a group; got 11"},
        {"mira",
         {"network.dims[0]", "4"},
         "network.dims: must have a product >= 49152 for all nodes, got 24576"},
        {"mira",
         {"node.devices", "2"},
         "node.fabric.kind: \"none\" needs 1 device on a node, got 2"},
        {"summit",
         {"nodes", "6000"},
         "network.down: must have a product >= 12000 for all nodes, got 11664"},
        {"summit",
         {"node.fabric.sockets", "4"},
         "node.fabric.sockets: must divide the 6 devices of a node, got 4"},
        {"big_basin",
         {"network", "{\"kind\": \"simgrid_xml\", \"file\": \"/x.xml\"}"},
         "nics: must be left out where network.kind is \"simgrid_xml\""},
    };
    const struct change fabric_too[] = {
        {"nics", "null"},
        {"network", "{\"kind\": \"simgrid_xml\", \"file\": \"/x.xml\"}"},
        {0}};
    struct dts_platform none;
    struct dts_error why;
    CHECK(!load(&none, "big_basin", fabric_too, &why));
    CHECK(strstr(why.text, "node.fabric: must be left out where network.kind is") != NULL);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct dts_platform platform;
        struct dts_error err;
        const struct change changes[] = {bad[i].change, {0}};
        if (!CHECK(!load(&platform, bad[i].name, changes, &err))) {
            printf("accepted: %s=%s\n", bad[i].change.path, bad[i].change.value);
            dts_platform_free(&platform);
            continue;
        }
        if (!CHECK(strstr(err.text, bad[i].want) != NULL))
            printf("got: %s\nwant: %s\n", err.text, bad[i].want);
        CHECK(strstr(err.text, ".json: ") != NULL && strchr(err.text, '\n') == NULL);
        CHECK_INT(err.cause, DTS_BAD_INPUT);
    }
}

static void devices_slow_one_another_down_as_the_file_says(void)
{
    const struct change said[] = {
        {"node.compute",
         "{\"together\": [1, 1.25, 2], \"communicating\": 0.5, \"messages\": 9}"},
        {0}};
    const struct change silent[] = {{"node.compute", "{}"}, {0}};
    const struct change wrong[] = {{"node.compute", "{\"together\": [1, 0.5]}"}, {0}};
    struct dts_platform platform;
    struct dts_error err;
    if (!load_or_fail(&platform, "big_basin", said))
        return;
    CHECK_NEAR(dts_platform_together(&platform, 1), 1, 0);
    CHECK_NEAR(dts_platform_together(&platform, 2), 1.25, 0);
    CHECK_NEAR(dts_platform_together(&platform, 8), 2, 0); // beyond the list: its last
    CHECK_NEAR(platform.communicating, 0.5, 0);
    CHECK_NEAR(platform.messages, 9, 0);
    dts_platform_free(&platform);
    if (!load_or_fail(&platform, "big_basin", silent))
        return;
    CHECK_NEAR(dts_platform_together(&platform, 8), 1, 0);
    CHECK_NEAR(platform.communicating, 0, 0);
    CHECK_NEAR(platform.messages, 0, 0);
    dts_platform_free(&platform);
    if (!load_or_fail(&platform, "big_basin", NULL))
        return;
    CHECK_NEAR(dts_platform_together(&platform, 8), 1, 0);
    CHECK(platform.communicating < 0); // the stack's counts
    dts_platform_free(&platform);
    CHECK(!load(&platform, "big_basin", wrong, &err));
    CHECK(strstr(err.text, "node.compute.together[1]: must be >= 1, got 0.5") != NULL);
}

static void a_missing_file_is_refused(void)
{
    struct dts_platform platform;
    struct dts_error err = {0};
    CHECK(!dts_platform_load(&platform, "/nowhere/x.json", NULL, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
}

TESTS(TEST(every_platform_routes_from_end_to_end), TEST(machines_have_their_published_sizes),
      TEST(devices_of_platforms_exist), TEST(every_number_has_its_source),
      TEST(assumptions_are_listed_by_path), TEST(a_changed_rate_changes_the_links),
      TEST(latency_is_that_of_all_parts), TEST(a_transport_limits_flows_and_hosts),
      TEST(a_stack_replaces_the_transports), TEST(rails_are_cabled_as_the_file_says),
      TEST(bad_files_are_refused_in_one_line), TEST(a_missing_file_is_refused),
      TEST(devices_slow_one_another_down_as_the_file_says))
