/* test_fabric.c -- what every fabric promises: routes between all ports are walks, and nodes
 * are wired as their makers publish. */
#include <stdlib.h>

#include "check.h"
#include "sim/net/fabric/fabric.h"

struct made {
    struct dts_doc *doc;
    const struct dts_fabric *row;
    void *self;
};

static bool make(struct made *made, const char *kind, const char *json, int devices, int nics,
                 struct dts_error *err)
{
    *made = (struct made){.row = dts_fabric_find(kind)};
    *err = (struct dts_error){0};
    if (!dts_doc_parse(&made->doc, "test.json", json, err))
        return false;
    struct dts_cfg top = dts_doc_top(made->doc);
    made->self = calloc(1, made->row->size);
    return dts_cfg_read(&top, made->row->fields, made->self, err) &&
           made->row->prepare(made->self, devices, nics, &top, err);
}

static void end(struct made *made)
{
    free(made->self);
    dts_doc_free(made->doc);
}

static bool make_or_fail(struct made *made, const char *kind, const char *json, int devices,
                         int nics)
{
    struct dts_error err;
    if (make(made, kind, json, devices, nics, &err))
        return true;
    printf("%s: %s\n", kind, err.text);
    CHECK(!"can be made");
    end(made);
    return false;
}

#define PCIE(sockets, switches, more)                                                          \
    "\"pcie\": {\"sockets\": " sockets ", \"switches\": " switches                             \
    ", \"device_bytes_per_s\": 13e9, \"socket_bytes_per_s\": 38e9, "                           \
    "\"memory_bytes_per_s\": 40e9, \"hop_latency_us\": 0.25" more "}"
#define NVLINK "\"nvlink_bytes_per_s\": 20e9, \"nvlink_latency_us\": 0.6, "
#define CUBE(links, more)                                                                      \
    "{\"links_per_device\": " links ", " NVLINK PCIE("2", "4", "") more "}"
#define SOCKETS(sockets)                                                                       \
    "{\"sockets\": " sockets ", \"gpu_bytes_per_s\": 50e9, \"cpu_bytes_per_s\": 45e9, "        \
    "\"socket_bytes_per_s\": 64e9, \"nic_bytes_per_s\": 16e9, \"memory_bytes_per_s\": 85e9, "  \
    "\"gpu_latency_us\": 0.6, \"cpu_latency_us\": 0.4}"
#define SUMMIT        SOCKETS("2")
#define THREE_SOCKETS SOCKETS("3")

static const struct {
    const char *kind, *json;
    int devices, nics, links;
} samples[] = {
    {"none", "{\"copy_bytes_per_s\": 1e10, \"copy_latency_us\": 1}", 1, 1, 1},
    {"none", "{\"copy_bytes_per_s\": 1e10, \"copy_latency_us\": 1}", 1, 2, 1},
    {"pcie", "{" PCIE("1", "0", "") "}", 1, 1, 2 * (1 + 1 + 1)},
    {"pcie", "{" PCIE("2", "0", "") "}", 4, 2, 2 * (4 + 2 + 2 + 1)},
    {"pcie", "{" PCIE("2", "4", "") "}", 8, 1, 2 * (8 + 1 + 4 + 2 + 1)},
    {"pcie", "{" PCIE("2", "4", ", \"nics_on_switches\": true") "}", 16, 4,
     2 * (16 + 4 + 4 + 2 + 1)},
    {"pcie", "{" PCIE("1", "1", ", \"nics_on_switches\": true") "}", 3, 2, 2 * (3 + 2 + 1 + 1)},
    {"nvlink_all", "{\"links_per_pair\": 4, " NVLINK PCIE("2", "0", "") "}", 4, 2, 12 + 18},
    {"nvlink_all", "{\"links_per_pair\": 1, " NVLINK PCIE("1", "0", "") "}", 1, 1, 0 + 6},
    {"nvlink_cube", CUBE("4", ""), 8, 4, 32 + 2 * (8 + 4 + 4 + 2 + 1)},
    {"nvlink_cube", CUBE("6", ""), 8, 1, 32 + 2 * (8 + 1 + 4 + 2 + 1)},
    {"nvlink_cube", CUBE("6", ", \"indirect\": \"forward\""), 8, 1, 32 + 32},
    {"nvswitch", "{\"links_per_device\": 12, " NVLINK PCIE("2", "4", "") "}", 8, 8,
     16 + 2 * (8 + 8 + 4 + 2 + 1)},
    {"sockets", SUMMIT, 6, 2, 12 + 2 * (6 + 2 + 2) + 2},
    {"sockets", SUMMIT, 4, 1, 4 + 2 * (4 + 1 + 2) + 2},
    {"sockets", THREE_SOCKETS, 6, 3, 6 + 2 * (6 + 3 + 3) + 6},
};

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

static void check_walk(const struct made *made, int from, int to, bool staged)
{
    const struct dts_fabric *row = made->row;
    int links[DTS_MAX_FABRIC_ROUTE], at = row->place_of(made->self, from);
    int count = row->route(made->self, from, to, staged, links);
    CHECK(count >= 0 && count <= DTS_MAX_FABRIC_ROUTE);
    for (int i = 0; i < count; i++) {
        int first, last;
        if (!CHECK(links[i] >= 0 && links[i] < row->links(made->self)))
            return;
        row->ends(made->self, links[i], &first, &last);
        CHECK_INT(first, at);
        CHECK(last >= 0 && last < row->places(made->self));
        CHECK(row->capacity(made->self, links[i]) > 0);
        at = last;
    }
    CHECK_INT(at, row->place_of(made->self, to));
    CHECK((row->latency(made->self, from, to, staged) > 0) == (count > 0));
}

static void routes_between_all_ports_are_walks(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        int ports = samples[s].devices + 1 + samples[s].nics;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].devices,
                          samples[s].nics))
            continue;
        CHECK_INT(made.row->links(made.self), samples[s].links);
        for (int from = 0; from < ports; from++) {
            for (int to = 0; to < ports; to++) {
                check_walk(&made, from, to, false);
                check_walk(&made, from, to, true);
            }
        }
        end(&made);
    }
}

static void every_row_is_among_the_samples(void)
{
    for (int i = 0; dts_fabrics[i] != NULL; i++) {
        int found = 0;
        for (int s = 0; s < SAMPLES; s++)
            found += strcmp(samples[s].kind, dts_fabrics[i]->name) == 0;
        CHECK(found > 0);
        CHECK(dts_fabric_find(dts_fabric_name(i)) == dts_fabrics[i]);
    }
    CHECK(dts_fabric_find("omnipath") == NULL);
}

static void links_have_names_of_their_own(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].devices,
                          samples[s].nics))
            continue;
        char names[128][64];
        int count = made.row->links(made.self);
        CHECK(count <= 128);
        for (int i = 0; i < count; i++) {
            made.row->link_name(made.self, i, names[i], sizeof(names[i]));
            for (int j = 0; j < i; j++)
                CHECK(strcmp(names[i], names[j]) != 0);
        }
        end(&made);
    }
}

static void devices_share_nics_evenly(void)
{
    for (int s = 0; s < SAMPLES; s++) {
        struct made made;
        int users[16] = {0};
        if (!make_or_fail(&made, samples[s].kind, samples[s].json, samples[s].devices,
                          samples[s].nics))
            continue;
        for (int device = 0; device < samples[s].devices; device++) {
            int nic = made.row->nic_of(made.self, device);
            if (CHECK(nic >= 0 && nic < samples[s].nics))
                users[nic]++;
        }
        if (samples[s].devices % samples[s].nics == 0)
            for (int nic = 0; nic < samples[s].nics; nic++)
                CHECK_INT(users[nic], samples[s].devices / samples[s].nics);
        end(&made);
    }
}

/* A GPU has 4 or 6 NVLinks, and neighbours in our numbering are direct: with 6 links at twice
 * the rate. */
static void the_cube_has_a_ring_over_neighbours(void)
{
    static const struct {
        const char *json;
        double links, ring;
    } cubes[] = {{CUBE("4", ""), 4, 20e9}, {CUBE("6", ""), 6, 40e9}};
    for (int c = 0; c < 2; c++) {
        struct made made;
        if (!make_or_fail(&made, "nvlink_cube", cubes[c].json, 8, 1))
            continue;
        for (int gpu = 0; gpu < 8; gpu++) {
            double out = 0;
            int links[DTS_MAX_FABRIC_ROUTE], direct = 0;
            CHECK_INT(made.row->route(made.self, gpu, (gpu + 1) % 8, false, links), 1);
            CHECK_CLOSE(made.row->capacity(made.self, links[0]), cubes[c].ring, 1e-12);
            CHECK_INT(made.row->route(made.self, gpu, (gpu + 7) % 8, false, links), 1);
            for (int peer = 0; peer < 8; peer++) {
                int count = made.row->route(made.self, gpu, peer, false, links);
                direct += count == 1;
                out += count == 1 ? made.row->capacity(made.self, links[0]) : 0;
            }
            CHECK_INT(direct, 4);
            CHECK_CLOSE(out, cubes[c].links * 20e9, 1e-12);
        }
        end(&made);
    }
}

static void gpus_without_a_link_use_pcie_or_a_neighbour(void)
{
    struct made made;
    int links[DTS_MAX_FABRIC_ROUTE];
    if (make_or_fail(&made, "nvlink_cube", CUBE("4", ""), 8, 1)) {
        CHECK(made.row->route(made.self, 0, 4, false, links) > 2);
        for (int i = 0; i < 4; i++)
            CHECK(links[i] >= 32);
        end(&made);
    }
    if (make_or_fail(&made, "nvlink_cube", CUBE("4", ", \"indirect\": \"forward\""), 8, 1)) {
        CHECK_INT(made.row->route(made.self, 0, 4, false, links), 2);
        CHECK(links[0] < 32 && links[1] < 32);
        CHECK_NEAR(made.row->latency(made.self, 0, 4, false), 1.2e-6, 1e-15);
        end(&made);
    }
}

/* Staged data passes through host memory: in and out of it. */
static void staging_passes_through_memory(void)
{
    static const struct {
        const char *kind, *json;
        int devices;
        double memory;
    } cases[] = {
        {"pcie", "{" PCIE("2", "4", ", \"nics_on_switches\": true") "}", 8, 40e9},
        {"nvlink_cube", CUBE("6", ""), 8, 40e9},
        {"sockets", SUMMIT, 6, 85e9},
    };
    for (int c = 0; c < 3; c++) {
        struct made made;
        int links[DTS_MAX_FABRIC_ROUTE], nic = cases[c].devices + 1;
        if (!make_or_fail(&made, cases[c].kind, cases[c].json, cases[c].devices, 2))
            continue;
        for (int staged = 0; staged < 2; staged++) {
            int touched = 0, count = made.row->route(made.self, 0, nic, staged == 1, links);
            for (int i = 0; i < count; i++)
                touched += made.row->capacity(made.self, links[i]) == cases[c].memory;
            CHECK_INT(touched, staged ? 2 : 0);
        }
        end(&made);
    }
}

/* GPUs of a switch talk below it, those of other sockets over the bus between them. */
static void pcie_takes_the_lowest_common_way(void)
{
    struct made made;
    int links[DTS_MAX_FABRIC_ROUTE];
    if (!make_or_fail(&made, "pcie", "{" PCIE("2", "4", "") "}", 8, 1))
        return;
    CHECK_INT(made.row->route(made.self, 0, 1, false, links), 2); // one switch
    CHECK_INT(made.row->route(made.self, 0, 2, false, links), 4); // one socket
    CHECK_INT(made.row->route(made.self, 0, 4, false, links), 5); // both
    CHECK_CLOSE(made.row->capacity(made.self, links[2]), 38e9, 1e-12);
    end(&made);
}

static void summit_crosses_the_bus_between_triples(void)
{
    struct made made;
    int links[DTS_MAX_FABRIC_ROUTE];
    if (!make_or_fail(&made, "sockets", SUMMIT, 6, 2))
        return;
    CHECK_INT(made.row->route(made.self, 0, 2, false, links), 1);
    CHECK_CLOSE(made.row->capacity(made.self, links[0]), 50e9, 1e-12);
    CHECK_INT(made.row->route(made.self, 2, 3, false, links), 3);
    CHECK_CLOSE(made.row->capacity(made.self, links[1]), 64e9, 1e-12);
    CHECK_INT(made.row->nic_of(made.self, 2), 0);
    CHECK_INT(made.row->nic_of(made.self, 3), 1);
    end(&made);
}

static void bad_values_are_refused_in_one_line(void)
{
    static const struct {
        const char *kind, *json;
        int devices;
        const char *want;
    } bad[] = {
        {"none", "{\"copy_bytes_per_s\": 1e10, \"copy_latency_us\": 1}", 2,
         "test.json: kind: \"none\" needs 1 device on a node, got 2"},
        {"pcie", "{" PCIE("3", "0", "") "}", 2, "test.json: pcie.sockets: must be <= 2, got 3"},
        {"pcie", "{" PCIE("2", "3", "") "}", 2,
         "test.json: pcie.switches: must be a multiple of the 2 sockets, got 3"},
        {"pcie", "{" PCIE("2", "0", ", \"nics_on_switches\": true") "}", 2,
         "test.json: pcie.nics_on_switches: must be false where switches is 0"},
        {"nvlink_cube", CUBE("4", ""), 4,
         "test.json: kind: \"nvlink_cube\" needs 8 devices on a node, got 4"},
        {"nvlink_cube", CUBE("5", ""), 8, "test.json: links_per_device: must be 4 or 6, got 5"},
        {"sockets", SUMMIT, 5,
         "test.json: sockets: must divide the 5 devices of a node, got 2"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct made made;
        struct dts_error err;
        CHECK(!make(&made, bad[i].kind, bad[i].json, bad[i].devices, 1, &err));
        CHECK_STRING(err.text, bad[i].want);
        end(&made);
    }
}

TESTS(TEST(routes_between_all_ports_are_walks), TEST(every_row_is_among_the_samples),
      TEST(links_have_names_of_their_own), TEST(devices_share_nics_evenly),
      TEST(the_cube_has_a_ring_over_neighbours),
      TEST(gpus_without_a_link_use_pcie_or_a_neighbour), TEST(staging_passes_through_memory),
      TEST(pcie_takes_the_lowest_common_way), TEST(summit_crosses_the_bus_between_triples),
      TEST(bad_values_are_refused_in_one_line))
