/* test_simgrid_routes.c -- our fat tree and torus against SimGrid's own zones with the same
 * parameters: routes of the same length, over the same links up to their names.
 *
 * "Up to their names" is a bijection: each of our links is always the same one of SimGrid's. In
 * a fat tree SimGrid's routes begin and end with the cables of the hosts, which here belong to
 * the NICs. Half of an even ring is as far either way: there ours divides the traffic and
 * SimGrid does not, so the tori have odd sizes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "sim/net/simgrid_file/net_simgrid.h"
#include "sim/net/topology/topology.h"

struct pair {
    const char *kind, *json;    // ours
    const char *zone, *numbers; // SimGrid's
    int ports, cables;          // links of a host at each end of its routes
};

static bool import(struct dts_net *net, const struct pair *pair, struct dts_error *err)
{
    char path[] = "/tmp/dtsim-test-XXXXXX";
    int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (!CHECK(out != NULL))
        return false;
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n"
            "<zone id=\"z\" routing=\"Full\">" // SimGrid 4.0 dies without
            "<cluster id=\"c\" prefix=\"node-\" suffix=\"\" radical=\"0-%d\" speed=\"1Gf\"\n"
            " bw=\"1GBps\" lat=\"1us\" sharing_policy=\"SPLITDUPLEX\" topology=\"%s\"\n"
            " topo_parameters=\"%s\"/></zone>\n"
            "</platform>\n",
            pair->ports - 1, pair->zone, pair->numbers);
    fclose(out);
    struct dts_error note = {0};
    bool read = dts_net_from_simgrid(net, path, NULL, &note, err);
    unlink(path);
    return read;
}

/* Is `theirs` always the partner of `ours`, and the other way round? */
static bool partners(int *ours_to_theirs, int *theirs_to_ours, int ours, int theirs)
{
    if (ours_to_theirs[ours] == 0 && theirs_to_ours[theirs] == 0) {
        ours_to_theirs[ours] = theirs + 1;
        theirs_to_ours[theirs] = ours + 1;
    }
    return ours_to_theirs[ours] == theirs + 1 && theirs_to_ours[theirs] == ours + 1;
}

static void compare(const struct pair *pair, const struct dts_topology *row, const void *self,
                    const struct dts_net *net)
{
    int *forth = calloc((size_t)row->links(self) + 1, sizeof(*forth));
    int *back = calloc((size_t)net->links + 1, sizeof(*back));
    CHECK_INT(net->devices, pair->ports);
    for (int src = 0; src < pair->ports; src++) {
        for (int dst = 0; dst < pair->ports; dst++) {
            int ours[DTS_MAX_TOPOLOGY_ROUTE], theirs[DTS_MAX_ROUTE];
            if (src == dst)
                continue;
            int count = row->route(self, src, dst, 0, ours);
            CHECK_INT(net->ops->route(net->self, src, dst, 0, theirs),
                      count + 2 * pair->cables);
            for (int i = 0; i < count; i++)
                CHECK(partners(forth, back, ours[i], theirs[i + pair->cables]));
        }
    }
    int used = 0; // SimGrid's network has those links only that some route takes
    for (int link = 0; link < row->links(self); link++)
        used += forth[link] != 0;
    CHECK_INT(net->links, used + 2 * pair->cables * pair->ports);
    free(forth);
    free(back);
}

static void check_pair(const struct pair *pair)
{
    struct dts_net net;
    struct dts_doc *doc;
    struct dts_error err = {0};
    const struct dts_topology *row = dts_topology_find(pair->kind);
    if (!import(&net, pair, &err)) {
        if (err.cause == DTS_UNSUPPORTED)
            SKIP("this build has no SimGrid");
        printf("%s\n", err.text);
        CHECK(!"SimGrid reads it");
        return;
    }
    if (CHECK(dts_doc_parse(&doc, "test.json", pair->json, &err))) {
        struct dts_cfg top = dts_doc_top(doc);
        void *self = calloc(1, row->size);
        if (CHECK(dts_cfg_read(&top, row->fields, self, &err) &&
                  row->prepare(self, pair->ports, &top, &err)))
            compare(pair, row, self, &net);
        free(self);
        dts_doc_free(doc);
    }
    dts_net_free(&net);
}

#define TREE(down, up)                                                                         \
    "{\"down\": " down ", \"up\": " up ", \"link_bytes_per_s\": 1e9, \"hop_latency_us\": 0.1}"
#define TORUS(dims) "{\"dims\": " dims ", \"link_bytes_per_s\": 1e9, \"hop_latency_us\": 0.1}"

static void fat_trees_route_as_simgrids(void)
{
    static const struct pair pairs[] = {
        {"fat_tree", TREE("[4, 3]", "[2]"), "FAT_TREE", "2;4,3;1,2;1,1", 12, 1},
        {"fat_tree", TREE("[3, 4, 2]", "[3, 2]"), "FAT_TREE", "3;3,4,2;1,3,2;1,1,1", 24, 1},
        {"fat_tree", TREE("[4, 2, 3]", "[2, 5]"), "FAT_TREE", "3;4,2,3;1,2,5;1,1,1", 24, 1},
        {"fat_tree", TREE("[2, 2, 2, 3]", "[2, 3, 2]"), "FAT_TREE", "4;2,2,2,3;1,2,3,2;1,1,1,1",
         24, 1},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_pair(&pairs[i]);
}

static void tori_route_as_simgrids(void)
{
    static const struct pair pairs[] = {
        {"torus", TORUS("[7]"), "TORUS", "7", 7, 0},
        {"torus", TORUS("[5, 3]"), "TORUS", "5,3", 15, 0},
        {"torus", TORUS("[3, 5, 3]"), "TORUS", "3,5,3", 45, 0},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_pair(&pairs[i]);
}

TESTS(TEST(fat_trees_route_as_simgrids), TEST(tori_route_as_simgrids))
