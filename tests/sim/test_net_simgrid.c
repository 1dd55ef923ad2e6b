/* test_net_simgrid.c -- platforms that SimGrid reads, broken ones too, and our topologies
 * against SimGrid's own: the same machine, the same flows, the same time. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "plan/plan.h"
#include "sim/engine.h"
#include "sim/net/simgrid_file/net_simgrid.h"
#include "sim/net/topology/topology.h"

#define HEAD                                                                                   \
    "<?xml version='1.0'?>\n"                                                                  \
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"                         \
    "<platform version=\"4.1\">\n"
#define TAIL "</platform>\n"
/* In a zone: as the top of a platform, SimGrid 4.0 dies of a torus or fat tree. */
#define CLUSTER(attributes)                                                                    \
    HEAD "<zone id=\"z\" routing=\"Full\"><cluster id=\"c\" prefix=\"n-\" suffix=\"\" "        \
         "speed=\"1Gf\" " attributes "/></zone>\n" TAIL

enum { MOST = 64 };

/* For the imports that follow, and what the last one had to note. */
static const struct dts_net_hosts *hosts;
static struct dts_error note;

/* Import XML text. `said` is what the message must contain; NULL: it must load. */
static bool import_text(const char *text, struct dts_net *net, const char *said)
{
    char path[] = "/tmp/dtsim-XXXXXX";
    int file = mkstemp(path);
    struct dts_error err = {0};
    note = err;
    bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    bool loaded = written && dts_net_from_simgrid(net, path, hosts, &note, &err);
    close(file);
    unlink(path);
    CHECK(written);
    if (said == NULL) {
        CHECK_STRING(err.text, "");
        return loaded;
    }
    CHECK(!loaded);
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK(strncmp(err.text, path, strlen(path)) == 0);
    CHECK(strchr(err.text, '\n') == NULL);
    if (!CHECK(strstr(err.text, said) != NULL))
        printf("    got \"%s\", want \"%s\"\n", err.text, said);
    return false;
}

static void a_star_has_its_hosts_links_and_routes(void)
{
    struct dts_net net;
    if (!import_text(CLUSTER("radical=\"0-11\" bw=\"125MBps\" lat=\"50us\" bb_bw=\"1GBps\" "
                             "bb_lat=\"10us\""),
                     &net, NULL))
        return;
    int links[DTS_MAX_ROUTE];
    char name[64];
    CHECK_INT(net.devices, 12);
    CHECK_INT(net.nodes, 12);
    CHECK_INT(net.links, 25);
    CHECK_INT(net.ops->route(net.self, 2, 10, 0, links), 3);
    net.ops->link_name(net.self, links[0], name, sizeof(name));
    CHECK_STRING(name, "c_link_2_UP"); // n-2 comes before n-10
    net.ops->link_name(net.self, links[2], name, sizeof(name));
    CHECK_STRING(name, "c_link_10_DOWN");
    CHECK_NEAR(net.ops->capacity(net.self, links[0]), 125e6, 0);
    CHECK_NEAR(net.ops->capacity(net.self, links[1]), 1e9, 0);
    CHECK(net.ops->shared(net.self, links[1]));
    CHECK_NEAR(net.ops->latency(net.self, 2, 10, 0), 110e-6, 1e-15);
    CHECK_INT(net.ops->route(net.self, 2, 2, 0, links), 0);
    CHECK_INT(net.ops->route(net.self, 2, 12 + 2, 0, links), 0); // its own host
    CHECK_INT(net.ops->route(net.self, 12 + 2, 10, 0, links), 3);
    dts_net_free(&net);
}

/* In the order of their names. */
static void hosts_have_their_speeds_and_cores(void)
{
    struct dts_net net;
    if (!import_text(HEAD
                     "<zone id=\"z\" routing=\"Full\">"
                     "<host id=\"b\" speed=\"1Gf\"/>"
                     "<host id=\"a\" speed=\"2.5Gf\" core=\"4\"/>"
                     "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"
                     "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>\n" TAIL,
                     &net, NULL))
        return;
    CHECK_NEAR(net.host_speed[0], 2.5e9, 0);
    CHECK_NEAR(net.host_speed[1], 1e9, 0);
    CHECK_INT(net.host_cores[0], 4);
    CHECK_INT(net.host_cores[1], 1);
    dts_net_free(&net);
}

static void links_that_are_not_shared_stay_so(void)
{
    struct dts_net net;
    if (!import_text(CLUSTER("radical=\"0-2\" bw=\"125MBps\" lat=\"0us\" bb_bw=\"1GBps\" "
                             "bb_lat=\"0us\" bb_sharing_policy=\"FATPIPE\""),
                     &net, NULL))
        return;
    int links[DTS_MAX_ROUTE];
    CHECK_INT(net.ops->route(net.self, 0, 1, 0, links), 3);
    CHECK(net.ops->shared(net.self, links[0]));
    CHECK(!net.ops->shared(net.self, links[1]));
    dts_net_free(&net);
}

static void broken_files_are_refused_with_their_line(void)
{
    struct dts_net net;
    import_text("", &net, ":1: ");
    import_text("hello\n", &net, ":1: ");
    import_text(HEAD "<cluster\n", &net, ": ");
    import_text(HEAD "<clutser/>\n" TAIL, &net, ":4: ");
    import_text(CLUSTER("radical=\"0-2\" bw=\"fast\" lat=\"0us\""), &net, ":4: ");
    import_text(HEAD TAIL, &net, "must have 1 to ");
    import_text(HEAD "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                     "<host id=\"b\" speed=\"1Gf\"/></zone>\n" TAIL,
                &net, "route from a to b: SimGrid cannot find it");
    import_text(HEAD "<zone id=\"z\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/>"
                     "<host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"
                     "<link id=\"l\" bandwidth=\"1GBps\" latency=\"0us\"/>"
                     "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route></zone>\n" TAIL,
                &net, "route from a to c: SimGrid cannot find it");
}

#define CABLE(id)       "<link id=\"" id "\" bandwidth=\"1GBps\" latency=\"1us\"/>"
#define HOST(id)        "<host id=\"" id "\" speed=\"1Gf\"/>"
#define ROUTE(a, b, by) "<route src=\"" a "\" dst=\"" b "\"><link_ctn id=\"" by "\"/></route>"
static const char chain[] =
    HEAD "<config><prop id=\"smpi/host-speed\" value=\"1f\"/></config>\n"
         "<zone id=\"z\" routing=\"Floyd\">" HOST("a-1") HOST("a-2") HOST("a-10") HOST("lone")
             CABLE("x") CABLE("y") ROUTE("a-1", "a-2", "x")
                 ROUTE("a-2", "a-10", "y") "</zone>\n" TAIL;

/* Only chosen hosts need routes; those of a Floyd zone are put together from others. */
static void hosts_are_chosen_by_prefix_or_in_a_list(void)
{
    struct dts_net net;
    int links[DTS_MAX_ROUTE];
    const char *const listed[] = {"a-10", "a-1"}, *const twice[] = {"a-1", "a-1"};
    import_text(chain, &net, "route from a-1 to lone: SimGrid cannot find it");
    hosts = &(struct dts_net_hosts){.prefix = "b"};
    import_text(chain, &net, "none of its 4 hosts begins with \"b\"");
    hosts = &(struct dts_net_hosts){.names = twice, .count = 2};
    import_text(chain, &net, "there is no host \"a-1\", or it is named twice");
    hosts = &(struct dts_net_hosts){.prefix = "a-"};
    if (import_text(chain, &net, NULL)) {
        CHECK_INT(net.devices, 3);
        CHECK_INT(net.links, 2);
        CHECK_INT(net.ops->route(net.self, 0, 2, 0, links), 2);
        CHECK_NEAR(net.ops->latency(net.self, 0, 2, 0), 2e-6, 1e-15);
        dts_net_free(&net);
    }
    hosts = &(struct dts_net_hosts){.names = listed, .count = 2};
    if (import_text(chain, &net, NULL)) {
        char name[64];
        CHECK_INT(net.devices, 2);
        CHECK_INT(net.ops->route(net.self, 0, 1, 0, links), 2);
        net.ops->link_name(net.self, links[0], name, sizeof(name));
        CHECK_STRING(name, "y");
        dts_net_free(&net);
    }
    hosts = NULL;
    CHECK(strstr(note.text, "not used: <config> (smpi/host-speed)") != NULL);
}

static void what_hides_from_a_limit_is_refused(void)
{
    struct dts_net net;
    char deep[16384] = HEAD;
    import_text(CLUSTER("radical=\"0-&#50;000000\" bw=\"1Bps\" lat=\"0us\""), &net,
                ":4: the entity &#50; is not accepted");
    import_text(CLUSTER("radical=\"0-&many;\" bw=\"1Bps\" lat=\"0us\""), &net,
                ":4: the entity");
    import_text(CLUSTER("radical=\"0-3\" bw=\"1Bps\" lat=\"0us\" bw_file=\"<\""), &net, ":4: ");
    import_text(HEAD "<!-- <config> -->\n<!-- no end", &net, ":5: <!-- has no end");
    import_text(HEAD "<![CDATA[<config>]]>\n" TAIL, &net, ":4: ");
    import_text("<!DOCTYPE platform [<!ENTITY n \"9\">]><platform version=\"4.1\"/>", &net,
                ":1: a <!DOCTYPE with definitions");
    import_text(HEAD "<config>\n<prop id=\"Tracing/Filename\" value=\"x\"/></config>" TAIL,
                &net, ":5: <config>: Tracing/Filename is not accepted");
    import_text(HEAD
                "<cluster id=\"c\" radical=\"0-60000\"/>\n<cluster radical=\"0-60000\"/>" TAIL,
                &net, ":5: radical: must name at most 100000 hosts in all, names 120002");
    import_text(HEAD "<cluster id=\"c\" radical=\"0_3\"/>" TAIL, &net, ":4: radical: must be");
    for (int i = 0; i < 100; i++)
        strcat(deep, "<zone id=\"z\" routing=\"Full\">\n");
    import_text(deep, &net, ":103: more than 100 tags are open within another");
}

/* A zone without links, as simulators of schedules use them: said, and nothing else. */
static void routes_by_coordinates_may_have_no_links(void)
{
    struct dts_net net;
    int links[DTS_MAX_ROUTE];
    if (!import_text(HEAD "<zone id=\"z\" routing=\"Vivaldi\">"
                          "<host id=\"a\" coordinates=\"0 0 0\" speed=\"1Gf\"/>"
                          "<host id=\"b\" coordinates=\"0 0 0\" speed=\"1Gf\"/></zone>" TAIL,
                     &net, NULL))
        return;
    CHECK_INT(net.ops->route(net.self, 0, 1, 0, links), 0);
    CHECK(strstr(note.text, "2 of 2 routes have no link") != NULL);
    dts_net_free(&net);
}

static void missing_files_are_refused(void)
{
    struct dts_net net;
    struct dts_error err = {0};
    CHECK(!dts_net_from_simgrid(&net, "/nowhere/at/all.xml", NULL, &note, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, "/nowhere/at/all.xml: No such file or directory");
    err = (struct dts_error){0};
    CHECK(!dts_net_from_simgrid(&net, "/", NULL, &note, &err));
    CHECK_STRING(err.text, "/: must be a file");
}

/* A topology with a cable of its own for each port, or none (a torus). */
struct wired {
    const struct dts_topology *row;
    void *self;
    double nic_bytes_per_s, nic_latency_s; // 0 bytes/s: no such cable
    int ports;
};

static double wired_capacity(const void *self, int link)
{
    const struct wired *w = self;
    int nics = 2 * w->ports;
    return link < nics ? w->nic_bytes_per_s : w->row->capacity(w->self, link - nics);
}

static int wired_route(const void *self, int src, int dst, int path, int *links)
{
    const struct wired *w = self;
    bool nics = w->nic_bytes_per_s > 0;
    int count = 0;
    if (nics)
        links[count++] = 2 * src;
    int hops = w->row->route(w->self, src, dst, path, links + count);
    for (int h = 0; h < hops; h++)
        links[count++] += 2 * w->ports;
    if (nics)
        links[count++] = 2 * dst + 1;
    return count;
}

static int one_path(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return 1;
}

static double wired_latency(const void *self, int src, int dst, int path)
{
    const struct wired *w = self;
    return 2 * w->nic_latency_s + w->row->latency(w->self, src, dst, path);
}

static int between(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return DTS_BETWEEN;
}

/* Ring and halving-doubling with ranks all over the machine. */
static double time_on(const struct dts_net *net, int ranks, unsigned seed, const char *name)
{
    int endpoints[MOST];
    for (int r = 0; r < ranks; r++)
        endpoints[r] = r;
    dts_shuffle(endpoints, ranks, seed, 0);
    while (strcmp(name, "ring") != 0 && (ranks & (ranks - 1)) != 0)
        ranks--; // to a power of two
    struct dts_job job = {.role_count = 1, .ranks = ranks};
    job.roles = dts_alloc(1, sizeof(*job.roles));
    job.roles[0] = (struct dts_role){.name = "worker", .count = ranks};
    size_t count = 1000 * (size_t)ranks;
    struct dts_collective c = {.algorithm = dts_coll_find(name),
                               .shape = {.kind = DTS_ALLREDUCE,
                                         .size = ranks,
                                         .per_node = 1,
                                         .shards = 1,
                                         .pieces = 1},
                               .group = {.stride = 1, .size = ranks},
                               .channels = 1};
    c.data = (struct dts_span){dts_plan_buffer(&job.roles[0].plan, count, 4), 0, count};
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "all-reduce", c);

    struct dts_simulation s = {.job = &job, .net = net, .endpoint = endpoints, .steps = 2};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find("exact")->run(&s, &timing, &err));
    CHECK_STRING(err.text, "");
    double step_s = timing.step_s;
    dts_timing_free(&timing);
    dts_job_free(&job);
    return step_s;
}

static void compare(struct wired *ours, const char *json, const char *xml)
{
    static const struct dts_transport plain = {
        .name = "plain", .efficiency = 1, .blocking = true};
    static const struct dts_net_ops ops = {
        .capacity = wired_capacity,
        .paths = one_path,
        .route = wired_route,
        .latency = wired_latency,
        .transport = between,
    };
    struct dts_error err = {0};
    struct dts_doc *doc;
    struct dts_net theirs;
    if (!CHECK(dts_doc_parse(&doc, "topology", json, &err)))
        return;
    struct dts_cfg at = dts_doc_top(doc);
    ours->self = dts_alloc(1, ours->row->size);
    if (CHECK(dts_cfg_read(&at, ours->row->fields, ours->self, &err)) &&
        CHECK(ours->row->prepare(ours->self, ours->ports, &at, &err)) &&
        import_text(xml, &theirs, NULL)) {
        struct dts_net net = {.ops = &ops,
                              .self = ours,
                              .devices = ours->ports,
                              .nodes = ours->ports,
                              .devices_per_node = 1,
                              .links = 2 * ours->ports + ours->row->links(ours->self),
                              .transports = {plain, plain}};
        CHECK_INT(theirs.devices, ours->ports);
        for (int src = 0; src < ours->ports; src++)
            for (int dst = 0; dst < ours->ports; dst++) {
                int links[DTS_MAX_ROUTE];
                if (src == dst)
                    continue;
                CHECK_INT(wired_route(ours, src, dst, 0, links),
                          theirs.ops->route(theirs.self, src, dst, 0, links));
                CHECK_CLOSE(wired_latency(ours, src, dst, 0),
                            theirs.ops->latency(theirs.self, src, dst, 0), 1e-12);
            }
        for (unsigned seed = 1; seed <= 4; seed++) {
            static const char *const names[] = {"ring", "halving_doubling"};
            const char *name = names[seed % 2];
            CHECK_CLOSE(time_on(&net, ours->ports, seed, name),
                        time_on(&theirs, ours->ports, seed, name), 1e-6);
        }
        dts_net_free(&theirs);
    }
    CHECK_STRING(err.text, "");
    free(ours->self);
    dts_doc_free(doc);
}

static void our_fat_tree_is_simgrids(void)
{
    struct wired tree = {.row = dts_topology_find("fat_tree"),
                         .nic_bytes_per_s = 1e9,
                         .nic_latency_s = 0.5e-6, // and each of the switches 1 us: one a link
                         .ports = 16};
    compare(&tree,
            "{\"down\": [4, 4], \"up\": [2], \"parallel\": [2],"
            " \"link_bytes_per_s\": [1e9], \"hop_latency_us\": 1, \"routing\": \"d_mod_k\"}",
            CLUSTER("radical=\"0-15\" bw=\"1GBps\" lat=\"1us\" topology=\"FAT_TREE\" "
                    "topo_parameters=\"2;4,4;1,2;1,2\""));
    tree.ports = 24;
    compare(
        &tree,
        "{\"down\": [2, 3, 4], \"up\": [3, 2], \"parallel\": [1, 1],"
        " \"link_bytes_per_s\": [1e9, 1e9], \"hop_latency_us\": 1, \"routing\": \"d_mod_k\"}",
        CLUSTER("radical=\"0-23\" bw=\"1GBps\" lat=\"1us\" topology=\"FAT_TREE\" "
                "topo_parameters=\"3;2,3,4;1,3,2;1,1,1\""));
}

static void our_torus_is_simgrids(void)
{
    struct wired torus = {.row = dts_topology_find("torus"), .ports = 45};
    compare(&torus,
            "{\"dims\": [3, 5, 3], \"link_bytes_per_s\": 1e9,"
            " \"hop_latency_us\": 1}",
            CLUSTER("radical=\"0-44\" bw=\"1GBps\" lat=\"1us\" topology=\"TORUS\" "
                    "topo_parameters=\"3,5,3\""));
}

TESTS(TEST(hosts_have_their_speeds_and_cores), TEST(hosts_are_chosen_by_prefix_or_in_a_list),
      TEST(what_hides_from_a_limit_is_refused), TEST(routes_by_coordinates_may_have_no_links),
      TEST(a_star_has_its_hosts_links_and_routes), TEST(links_that_are_not_shared_stay_so),
      TEST(broken_files_are_refused_with_their_line), TEST(missing_files_are_refused),
      TEST(our_fat_tree_is_simgrids), TEST(our_torus_is_simgrids))
