/* test_machines.c -- platforms that ship are the machines that they are named after:
 * interfaces, bisections and links are the published ones; no NIC is behind a slower slot. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "device/device.h"
#include "sim/net/platform/net.h"
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

static double number(const struct dts_cfg *at, const char *key)
{
    struct dts_cfg value = dts_cfg_member(at, key);
    struct dts_error ignored = {0};
    double out = 0;
    if (dts_cfg_is_number(&value))
        dts_cfg_real(&value, 0, 0, &out, &ignored);
    return out;
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

/* What vendors and centres say of a node's interfaces, all together and each way. */
static void interfaces_are_the_published_ones(void)
{
    static const struct {
        const char *name;
        int nodes, devices, nics;
        double gbit_per_s; // of a node
    } machines[] = {
        {"dgx1_v100", 128, 8, 4, 4 * 100},
        {"dgx2", 96, 16, 8, 8 * 100},
        {"dgx_a100", 140, 8, 8, 8 * 200},
        {"dgx_h100", 128, 8, 8, 8 * 400},
        {"selene", 560, 8, 8, 8 * 200},
        {"eos", 576, 8, 8, 8 * 400},
        {"eos_dfw", 1344, 8, 8, 8 * 400},
        {"perlmutter", 1536, 4, 4, 4 * 200},
        {"juwels_booster", 936, 4, 4, 4 * 200},
        {"abci", 1088, 4, 2, 2 * 100},
        {"longhorn", 96, 4, 1, 100},
        {"frontera_rtx", 90, 4, 1, 54.4},
        {"p3_16xlarge", 16, 8, 1, 25},
        {"p3dn_24xlarge", 32, 8, 1, 100},
        {"p4d_24xlarge", 64, 8, 4, 4 * 100},
        {"p5_48xlarge", 64, 8, 8, 32 * 100},
        {"tpu_v3_pod", 1024, 1, 1, 4 * 70 * 8},
        {"tpu_v4_pod", 4096, 1, 1, 6 * 50 * 8},
        {"dgx1_p100", 124, 8, 4, 4 * 100},
        {"oci_bm_gpu4_8", 64, 8, 8, 16 * 100},
        {"hgx_a100_hdr4", 32, 8, 4, 4 * 200},
        {"gcp_a3_ultra", 64, 8, 8, 8 * 400},
        {"jean_zay_v100", 351, 4, 4, 4 * 100},
        {"jean_zay_a100", 52, 8, 4, 4 * 100},
        {"p2_8xlarge", 16, 8, 1, 10},
        {"gce_k80", 8, 8, 1, 16},
    };
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        struct dts_platform platform;
        if (!load_or_fail(&platform, machines[i].name, NULL))
            continue;
        const struct dts_parts_net *net = platform.net.self;
        CHECK_INT(platform.nodes, machines[i].nodes);
        CHECK_INT(platform.devices_per_node, machines[i].devices);
        CHECK_INT(net->of.nics, machines[i].nics);
        CHECK_CLOSE(net->of.nics * net->of.nic_bytes_per_s * 8, machines[i].gbit_per_s * 1e9,
                    1e-12);
        dts_platform_free(&platform);
    }
}

static double bisection(const char *name)
{
    struct dts_platform platform;
    double one_way = 0;
    if (load_or_fail(&platform, name, NULL)) {
        const struct dts_parts_net *net = platform.net.self;
        one_way = net->of.topology->bisection(net->of.topology_self);
        dts_platform_free(&platform);
    }
    return one_way;
}

/* What crosses the middle, one way, where it was published or follows from what was. */
static void bisections_are_the_published_ones(void)
{
    CHECK_CLOSE(bisection("juwels_booster"), 400e12 / 8 / 2, 1e-12); // 400 Tb/s, both ways
    CHECK_CLOSE(bisection("abci"), 32 / 2 * 68 * 12.5e9 / 3,
                1e-5); // a third of 68 ports a rack
    CHECK_CLOSE(bisection("tpu_v3_pod"), 2 * 32 * 70e9, 1e-12);
    CHECK_CLOSE(bisection("tpu_v4_pod"), 2 * 16 * 16 * 50e9, 1e-12);
    CHECK_CLOSE(bisection("dgx_h100"), 128 * 8 * 50e9 / 2, 1e-12); // non-blocking
    CHECK_CLOSE(bisection("dgx2"), 96 * 8 * 12.5e9 / 2, 1e-12);
}

/* A platform says what the device file says: NVLinks, their rate, no more than PCIe has. */
static void links_of_nodes_are_those_of_their_devices(void)
{
    static const double x16[] = {0, 4e9, 8e9, 15.75e9, 31.51e9, 63.02e9, 121e9};
    char **names = dts_library_names("platforms");
    int nvlinks = 0;
    for (int i = 0; names[i] != NULL; free(names[i++])) {
        struct dts_platform platform;
        struct dts_device device;
        struct dts_error err = {0};
        char path[256];
        if (!load_or_fail(&platform, names[i], NULL))
            continue;
        snprintf(path, sizeof(path), DTS_SOURCE "/devices/%s.json", platform.device);
        if (dts_device_load(&device, path, &err)) {
            struct dts_cfg top = dts_doc_top(platform.doc), node = dts_cfg_member(&top, "node"),
                           fabric = dts_cfg_member(&node, "fabric"),
                           pcie = dts_cfg_member(&fabric, "pcie");
            const int pairs = (int)number(&fabric, "links_per_pair");
            const int own = (int)number(&fabric, "links_per_device");
            const double rate = number(&fabric, "nvlink_bytes_per_s"),
                         slot = number(&pcie, "device_bytes_per_s");
            CHECK(own == 0 || own == device.links.count);
            CHECK(pairs * (platform.devices_per_node - 1) <= device.links.count);
            CHECK(rate == 0 || rate == device.links.bytes_per_s);
            // the switches of a DSS 8440 are of PCIe 3, its devices of PCIe 4
            const bool older = strcmp(names[i], "dell_dss8440") == 0;
            const double most = x16[device.links.pcie_generation - older];
            const bool slots =
                device.links.pcie_generation > 0; // of a CPU's ranks they are memory
            CHECK(slot == 0 || !slots || (slot > 0.6 * most && slot < most));
            nvlinks += rate > 0;
            dts_device_free(&device);
        }
        dts_platform_free(&platform);
    }
    free(names);
    CHECK(nvlinks >= 10);
}

/* NVIDIA says 2.4 TB/s of DGX-2 and 3.6 TB/s of DGX H100, both ways. */
static void switches_in_a_node_have_the_published_bisection(void)
{
    static const struct {
        const char *name;
        int devices;
        double both_ways;
    } nodes[] = {{"dgx2", 16, 2.4e12}, {"dgx_h100", 8, 3.6e12}, {"eos", 8, 3.6e12}};
    for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
        struct dts_platform platform;
        if (!load_or_fail(&platform, nodes[i].name, NULL))
            continue;
        CHECK_CLOSE(nodes[i].devices * on_route(&platform, 0, 1, "node0.nvlink0.out"),
                    nodes[i].both_ways, 1e-12);
        dts_platform_free(&platform);
    }
}

/* A slot of PCIe 3 under a NIC of 400 Gb/s is told; none that ships has one. */
static void a_slower_slot_is_told(void)
{
    const struct change slow[] = {{"node.fabric.pcie.device_bytes_per_s", "12.8e9"}, {0}};
    struct dts_platform platform;
    struct dts_error note = {0};
    char **names = dts_library_names("platforms");
    for (int i = 0; names[i] != NULL; free(names[i++])) {
        if (!load_or_fail(&platform, names[i], NULL))
            continue;
        CHECK(!dts_platform_slow_slot(&platform, &note));
        dts_platform_free(&platform);
    }
    free(names);
    if (!load_or_fail(&platform, "dgx_h100", slow))
        return;
    CHECK(dts_platform_slow_slot(&platform, &note));
    CHECK(strstr(note.text, ": nics.bytes_per_s: a NIC of 50 GB/s is behind a PCIe slot of "
                            "12.8 GB/s, which is all that it can carry") != NULL);
    dts_platform_free(&platform);
    const struct change summit[] = {{"node.fabric.nic_bytes_per_s", "8e9"}, {0}};
    if (load_or_fail(&platform, "summit", summit)) {
        note = (struct dts_error){0};
        CHECK(dts_platform_slow_slot(&platform, &note));
        dts_platform_free(&platform);
    }
}

TESTS(TEST(interfaces_are_the_published_ones), TEST(bisections_are_the_published_ones),
      TEST(links_of_nodes_are_those_of_their_devices),
      TEST(switches_in_a_node_have_the_published_bisection), TEST(a_slower_slot_is_told))
