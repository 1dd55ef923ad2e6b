/* test_device.c -- device files, precisions, and the roofline. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "device/device.h"

/* A device from text, through a file. */
static bool load(struct dts_device *device, const char *text, struct dts_error *err)
{
    char path[] = "/tmp/dtsim_device_XXXXXX.json";
    const int file = mkstemps(path, 5);
    FILE *stream = fdopen(file, "w");
    fputs(text, stream);
    fclose(stream);
    const bool good = dts_device_load(device, path, err);
    remove(path);
    return good;
}

static void refused(const char *text, const char *message)
{
    struct dts_device device;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    CHECK(!load(&device, text, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    const char *after = strstr(err.text, ".json: ");
    CHECK_STRING(after != NULL ? after + 7 : err.text, message);
    CHECK(device.doc == NULL && device.own_name == NULL);
}

static bool load_named(struct dts_device *device, const char *name)
{
    char *path;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    bool good = dts_library_find(&path, "devices", name, NULL, &err);
    if (good) {
        good = dts_device_load(device, path, &err);
        free(path);
    }
    if (!CHECK(good))
        printf("%s\n", err.text);
    return good;
}

static void every_device_of_the_library_loads(void)
{
    char **names = dts_library_names("devices");
    int count = 0;
    for (; names[count] != NULL; free(names[count++])) {
        struct dts_device device;
        if (!load_named(&device, names[count]))
            continue;
        CHECK_STRING(device.name, names[count]);
        // of the TPU nobody published one in fp32
        CHECK(dts_device_supports(&device,
                                  strcmp(device.kind, "tpu") == 0 ? DTS_BF16 : DTS_FP32));
        CHECK(device.memory_bytes >= 8e9 && device.memory_bytes_per_s >= 4e10);
        for (int i = 0; i < DTS_WORK_CLASSES; i++)
            CHECK(device.efficiency[i] > 0 && device.efficiency[i] <= 1);
        dts_device_free(&device);
        dts_device_free(&device);
    }
    free(names);
    CHECK(count >= 10);
}

static void p100_is_its_data_sheet(void)
{
    struct dts_device device;
    if (!load_named(&device, "p100"))
        return;
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP32], 10.6e12, 0);
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP16], 21.2e12, 0);
    CHECK_NEAR(device.memory_bytes_per_s, 732e9, 0);
    CHECK_NEAR(device.memory_bytes, 16.0 * 1024 * 1024 * 1024, 0);
    CHECK_STRING(device.kind, "gpu");
    dts_device_free(&device);
}

/* Peaks without sparsity, from the data sheets that the files name. */
static void cards_are_their_data_sheets(void)
{
    static const struct {
        const char *name;
        enum dts_precision precision;
        double flops_per_s, memory_gib, memory_bytes_per_s;
        int links, pcie_generation; // 0: none
        double link_bytes_per_s;
    } cards[] = {
        {"a100_pcie_40gb", DTS_TF32, 156e12, 40, 1555e9, 12, 4, 25e9},
        {"a100_pcie_80gb", DTS_BF16, 312e12, 80, 1935e9, 12, 4, 25e9},
        {"h100_pcie", DTS_BF16, 1513e12 / 2, 80, 2000e9, 12, 5, 25e9},
        {"h100", DTS_BF16, 1979e12 / 2, 80, 3350e9, 18, 5, 25e9},
        {"h200", DTS_BF16, 1979e12 / 2, 141, 4800e9, 18, 5, 25e9},
        {"b200", DTS_BF16, 36e15 / 8 / 2, 180, 64e12 / 8, 18, 5, 50e9},
        {"l4", DTS_FP16, 242e12 / 2, 24, 300e9, 0, 4, 0},
        {"l40s", DTS_FP16, 362.05e12, 48, 864e9, 0, 4, 0},
        {"a10", DTS_FP16, 125e12, 24, 600e9, 0, 4, 0},
        {"t4", DTS_FP16, 65e12, 16, 320e9, 0, 3, 0},
        {"quadro_rtx5000", DTS_FP16, 89.2e12, 16, 448e9, 1, 3, 25e9},
        {"rtx3090", DTS_FP32, 35.6e12, 24, 936e9, 4, 4, 14.0625e9},
        {"rtx4090", DTS_FP16, 165.2e12, 24, 1008e9, 0, 4, 0},
        {"titan_xp", DTS_FP32, 2 * 3840 * 1.582e9, 12, 547.7e9, 0, 3, 0},
        {"gtx1080ti", DTS_FP32, 2 * 3584 * 1.582e9, 11, 484e9, 0, 3, 0},
        {"tpu_v3", DTS_BF16, 123e12, 32, 900e9, 4, 0, 70e9},
        {"tpu_v4", DTS_BF16, 275e12, 32, 1200e9, 6, 0, 50e9},
        {"tpu_v5e", DTS_BF16, 197e12, 16, 819e9, 4, 0, 50e9},
        {"tpu_v5p", DTS_BF16, 459e12, 95, 2765e9, 6, 0, 100e9},
        {"mi250x", DTS_FP16, 383e12 / 2, 128 / 2, 3.2e12 / 2, 8, 4, 50e9},
        {"mi300x", DTS_BF16, 1307.4e12, 192, 5.3e12, 7, 5, 64e9},
        {"v100", DTS_FP16, 125e12, 16, 900e9, 6, 3, 25e9},
        {"p100", DTS_FP16, 21.2e12, 16, 732e9, 4, 3, 20e9},
    };
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
        struct dts_device device;
        if (!load_named(&device, cards[i].name))
            continue;
        CHECK_CLOSE(device.peak_flops_per_s[cards[i].precision], cards[i].flops_per_s, 1e-3);
        CHECK_NEAR(device.memory_bytes, cards[i].memory_gib * 1024 * 1024 * 1024, 0);
        CHECK_NEAR(device.memory_bytes_per_s, cards[i].memory_bytes_per_s, 0);
        CHECK_INT(device.links.count, cards[i].links);
        CHECK_INT(device.links.pcie_generation, cards[i].pcie_generation);
        CHECK_NEAR(device.links.bytes_per_s, cards[i].link_bytes_per_s, 0);
        dts_device_free(&device);
    }
}

static void what_is_derived_from_published_times_is_not_assumed(void)
{
    struct dts_device device;
    if (load_named(&device, "p100")) {
        CHECK(!device.assumed[DTS_WORK_CONV] && device.assumed[DTS_WORK_MATMUL] &&
              device.assumed[DTS_WORK_MEMORY]);
        CHECK_INT(device.assumed_path_count, 3);
        dts_device_free(&device);
    }
    if (load_named(&device, "h100")) {
        CHECK(device.assumed[DTS_WORK_CONV]);
        dts_device_free(&device);
    }
}

static void precisions_have_names_and_sizes(void)
{
    CHECK_STRING(dts_precision_name(DTS_FP32), "fp32");
    CHECK(dts_precision_name(DTS_PRECISIONS) == NULL && dts_precision_name(-1) == NULL);
    for (int i = 0; i < DTS_PRECISIONS; i++)
        CHECK_INT(dts_precision_find(dts_precision_name(i)), i);
    CHECK_INT(dts_precision_find("fp7"), -1);
    CHECK_INT(dts_precision_bytes(DTS_TF32), 4);
    CHECK_INT(dts_precision_bytes(DTS_BF16), 2);
}

#define REST                                                                                   \
    ", \"memory\": {\"bytes\": 1e9, \"bytes_per_s\": 1e9}, \"efficiency\": {\"conv\": 0.5, "   \
    "\"matmul\": 0.25, \"memory\": 0.8}, \"call_s\": 1e-5"

/* The device file's keys and the table of precisions say the same names. */
static void every_precision_can_be_a_peak(void)
{
    for (int i = 0; i < DTS_PRECISIONS; i++) {
        char text[512];
        snprintf(
            text, sizeof(text),
            "{\"summary\": \"s\", \"kind\": \"gpu\", \"peak_flops_per_s\": {\"%s\": 7}" REST
            "}",
            dts_precision_name(i));
        struct dts_device device;
        struct dts_error err = {.cause = DTS_NO_ERROR};
        if (!CHECK(load(&device, text, &err))) {
            printf("%s\n", err.text);
            continue;
        }
        for (int other = 0; other < DTS_PRECISIONS; other++)
            CHECK_NEAR(device.peak_flops_per_s[other], other == i ? 7 : 0, 0);
        dts_device_free(&device);
    }
}

static void the_roofline_takes_the_slower_of_compute_and_memory(void)
{
    const struct dts_device device = {
        .name = "toy",
        .peak_flops_per_s = {[DTS_FP32] = 1e12, [DTS_FP16] = 4e12},
        .memory_bytes_per_s = 1e11,
        .efficiency =
            {[DTS_WORK_CONV] = 0.5, [DTS_WORK_MATMUL] = 0.25, [DTS_WORK_MEMORY] = 0.8},
        .call_s = 1e-5,
    };
    const struct dts_work conv = {DTS_WORK_CONV, 1e9, 1e6},
                          matmul = {DTS_WORK_MATMUL, 1e9, 1e6};
    const struct dts_work copy = {DTS_WORK_MEMORY, 1e6, 8e8}, none = {DTS_WORK_CONV, 0, 0};
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &conv), 1e-5 + 2e-3, 1e-12);
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP16, &conv), 1e-5 + 5e-4, 1e-12);
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &matmul), 1e-5 + 4e-3, 1e-12);
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &copy), 1e-5 + 1e-2, 1e-12);
    CHECK_NEAR(dts_device_seconds(&device, DTS_FP32, &none), 0, 0);
    const struct dts_work both = {DTS_WORK_MATMUL, 1e9, 8e7,
                                  .apart = true}; // one, then the other
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &both), 1e-5 + 4e-3 + 1e-3, 1e-12);
}

/* Two units, tiles of at most 256 x 128: a product of one such tile fills half of the device.
 */
static void products_fill_units_in_waves(void)
{
    const struct dts_device whole = {.units = 0}, two = {.units = 2};
    CHECK_CLOSE(dts_device_filled(&whole, 1, 1), 1.0, 1e-12);
    CHECK_CLOSE(dts_device_filled(&two, 512, 128), 1.0, 1e-12);   // a tile of 256 x 128 each
    CHECK_CLOSE(dts_device_filled(&two, 256, 128), 0.95, 1e-12);  // 128 x 128 each, slower
    CHECK_CLOSE(dts_device_filled(&two, 128, 128), 0.85, 1e-12);  // 128 x 64 each
    CHECK_CLOSE(dts_device_filled(&two, 64, 64), 0.7 / 2, 1e-12); // one has nothing to do
    CHECK_CLOSE(dts_device_filled(&two, 32, 64), 0.7 / 4,
                1e-12); // and half of the tile is empty
    CHECK_CLOSE(dts_device_filled(&two, 768, 128), 0.95, 1e-12); // three waves of 128 x 128
    CHECK(dts_device_filled(&two, 512e6, 128) > 0.999);
}

/* The share that fills the device partly takes the longer, the rest does not. */
static void a_product_that_fills_half_takes_twice_as_long(void)
{
    const struct dts_device device = {
        .peak_flops_per_s = {[DTS_FP32] = 1e12},
        .memory_bytes_per_s = 1e12,
        .efficiency = {[DTS_WORK_MATMUL] = 0.5, [DTS_WORK_MEMORY] = 1},
        .units = 2,
    };
    struct dts_work work = {DTS_WORK_MATMUL, 1e9, 0, 64, 64, 1};
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &work), 2e-3 * 2 / 0.7, 1e-12);
    work.filling = 0.25;
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &work), 2e-3 * (0.75 + 0.5 / 0.7), 1e-12);
    work.rows = 0; // not known: all of the device
    CHECK_CLOSE(dts_device_seconds(&device, DTS_FP32, &work), 2e-3, 1e-12);
}

static void a_precision_without_a_peak_is_refused_with_those_that_have_one(void)
{
    struct dts_device device;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    if (!load_named(&device, "p100"))
        return;
    CHECK(dts_device_check(&device, DTS_FP16, &err));
    CHECK(!dts_device_check(&device, DTS_TF32, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, "p100 cannot compute in tf32; it has fp32, fp16, fp64");
    dts_device_free(&device);
}

static void names_of_files_are_fit_to_be_printed(void)
{
    static const char *const cases[][2] = {
        {"devices/p100.json", "p100"},
        {"p100", "p100"},
        {"a/.json", ".json"},
        {"a/", ""},
        {"a/red\x1b[31m\nforged: line.json", "red\\u001B[31m\\nforged: line"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *name = dts_file_name(cases[i][0]);
        CHECK_STRING(name, cases[i][1]);
        free(name);
    }
}

static void bad_files_are_refused_in_one_line(void)
{
    struct dts_device device;
    struct dts_error err = {.cause = DTS_NO_ERROR};
    CHECK(!dts_device_load(&device, "/nowhere/p100.json", &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
#define KIND "{\"summary\": \"s\", \"kind\": \"gpu\", \"peak_flops_per_s\": "
    refused("{\"kind\": \"gpu\"}", "summary: missing (one line for `dtsim list`)");
    refused("{\"summary\": \"s\", \"kind\": \"npu\"}",
            "kind: must be one of gpu, cpu, tpu, got \"npu\" (did you mean gpu?)");
    refused(KIND "{}" REST "}", "peak_flops_per_s: must have a precision above 0");
    refused(KIND "{\"fp32\": -1}" REST "}", "peak_flops_per_s.fp32: must be >= 0, got -1");
    refused(KIND "{\"fp32\": 1e12, \"fp16\": 1e-300}" REST "}",
            "peak_flops_per_s.fp16: must be 0 or >= 1, got 1e-300");
    refused(KIND "{\"fp31\": 1}" REST "}",
            "peak_flops_per_s.fp31: unknown key (did you mean fp32?)");
    refused(KIND "{\"fp32\": 1}" REST ", \"assumed\": [\"efficiency\", \"efficiency.fft\"]}",
            "assumed[1]: must be the path of a value, got \"efficiency.fft\"");
    refused(KIND "{\"fp32\": 1}" REST ", \"assumed\": [\"a\", \"a\", \"a\", \"a\", \"a\", "
                 "\"a\", \"a\", \"a\", \"a\"]}",
            "assumed: must have at most 8 paths, got 9");
    refused(KIND "{\"fp32\": 1}, \"memory\": {\"bytes\": 0, \"bytes_per_s\": 1}}",
            "memory.bytes: must be >= 1, got 0");
#define PEER "{\"fp32\": 1}" REST ", \"links\": {\"peer\": {\"kind\": \"x\", \"count\": 4, "
    refused(KIND "{\"fp32\": 1}" REST ", \"links\": {\"nvlink\": {}}}",
            "links.nvlink: unknown key (expected one of: peer, pcie)");
    refused(KIND "{\"fp32\": 1}" REST ", \"links\": {\"pcie\": {\"generation\": 7}}}",
            "links.pcie.generation: must be <= 6, got 7");
    refused(KIND "{\"fp32\": 1}" REST ", \"links\": {\"peer\": {\"kind\": \"x\"}}}",
            "links.peer.count: missing (links of one device to others)");
    refused(
        KIND PEER "\"bytes_per_s\": 1e9, \"fabrics\": {\"nvlink_all\": 8}}}}",
        "links.peer.fabrics: must have nvlink_all <= 5: one link to each other device; got 8");
    refused(KIND PEER "\"bytes_per_s\": 1e9, \"torus\": 3}}}",
            "links.peer.torus: must be half of count, 4, got 3");
    refused(KIND PEER "\"bytes_per_s\": 1e9, \"most_per_pair\": 5}}}",
            "links.peer.most_per_pair: must be <= count, 4, got 5");
#undef PEER
#undef KIND
}

TESTS(TEST(every_device_of_the_library_loads), TEST(p100_is_its_data_sheet),
      TEST(cards_are_their_data_sheets),
      TEST(what_is_derived_from_published_times_is_not_assumed),
      TEST(precisions_have_names_and_sizes), TEST(every_precision_can_be_a_peak),
      TEST(the_roofline_takes_the_slower_of_compute_and_memory),
      TEST(products_fill_units_in_waves), TEST(a_product_that_fills_half_takes_twice_as_long),
      TEST(a_precision_without_a_peak_is_refused_with_those_that_have_one),
      TEST(names_of_files_are_fit_to_be_printed), TEST(bad_files_are_refused_in_one_line))
