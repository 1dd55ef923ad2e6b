/* test_here.c -- the device `here` is measured once, kept, and measured again when broken. */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "device/here.h"

static char root[64], folder[96];
static int measured;

static bool plant(void *argument, const char *path, struct dts_error *err)
{
    const struct dts_roofline roofline = {
        .flops_per_s =
            {[DTS_FP32] = 1e11, [DTS_FP64] = 5e10, [DTS_BF16] = 9e10, [DTS_FP16] = 8e10},
        .memory_bytes_per_s = 2e10,
        .call_s = 1e-7,
        .memory_bytes = 8e9,
        .threads = 2,
        .kind = "cpu",
        .name = "a \"CPU\"",
        .library = "BLAS",
        .products = "products",
        .memory = "sums",
        .call = "a product",
    };
    (void)argument;
    measured++;
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return dts_fail(err, DTS_SYSTEM, "%s: cannot be written", path);
    dts_here_print(&roofline, out);
    return fclose(out) == 0;
}

static bool load(const char *where, bool *kept)
{
    struct dts_device device;
    struct dts_error err = {0};
    const bool good = dts_here_load(&device, where, plant, NULL, kept, &err);
    CHECK_STRING(err.text, "");
    if (!good)
        return false;
    CHECK_STRING(device.name, "here");
    CHECK_STRING(device.kind, "cpu");
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP32], 1e11, 0);
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP64], 5e10, 0);
    CHECK_NEAR(device.peak_flops_per_s[DTS_BF16], 9e10, 0);
    CHECK_NEAR(device.peak_flops_per_s[DTS_FP16], 8e10, 0);
    CHECK_NEAR(device.memory_bytes_per_s, 2e10, 0);
    CHECK_NEAR(device.call_s, 1e-7, 0);
    CHECK(device.assumed[DTS_WORK_CONV] && !device.assumed[DTS_WORK_MATMUL]);
    CHECK(strstr(device.summary, "measured on this machine: a \"CPU\", 2 threads, BLAS"));
    dts_device_free(&device);
    return true;
}

static void begin(void)
{
    measured = 0;
    strcpy(root, "/tmp/dtsim_test_XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    snprintf(folder, sizeof(folder), "%s/cache/dtsim", root);
}

/* The only file in the folder; false: there is none. */
static bool kept_file(char *path, size_t room)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    int count = 0;
    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(path, room, "%s/%s", folder, entry->d_name);
            count++;
        }
    if (entries != NULL)
        closedir(entries);
    return count == 1;
}

static void end(void)
{
    char path[512];
    if (kept_file(path, sizeof(path)))
        unlink(path);
    rmdir(folder);
    snprintf(path, sizeof(path), "%s/cache", root);
    rmdir(path);
    CHECK(rmdir(root) == 0);
}

static void the_second_use_does_not_measure(void)
{
    bool kept = false;
    char path[512];
    begin();
    CHECK(load(folder, &kept) && kept);
    CHECK(load(folder, &kept) && kept);
    CHECK_INT(measured, 1);
    CHECK(kept_file(path, sizeof(path)) && strstr(path, "/here-") != NULL);
    end();
}

static void a_broken_file_is_measured_again(void)
{
    bool kept;
    char path[512] = "";
    begin();
    CHECK(load(folder, &kept) && kept_file(path, sizeof(path)));
    CHECK(truncate(path, 40) == 0);
    CHECK(load(folder, &kept) && load(folder, &kept));
    CHECK_INT(measured, 2);
    end();
}

static void without_a_folder_it_is_measured_and_not_kept(void)
{
    bool kept = true;
    begin();
    CHECK(load(NULL, &kept) && !kept);
    CHECK(load("/proc/dtsim", &kept) && !kept);
    CHECK_INT(measured, 2);
    end();
}

/* A disk that is full, as a limit on the size of files: what the folder gives is tried before.
 */
static void a_folder_without_room_is_noticed_before(void)
{
    bool kept = true;
    struct rlimit before, little;
    begin();
    signal(SIGXFSZ, SIG_IGN);
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    little = before;
    little.rlim_cur = 1000;
    struct dts_device device;
    struct dts_error err = {0};
    CHECK(setrlimit(RLIMIT_FSIZE, &little) == 0);
    const bool good = dts_here_load(&device, folder, plant, NULL, &kept, &err);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(!good && strstr(err.text, "no room for what is measured") != NULL);
    CHECK_INT(measured, 0);
    CHECK(load(folder, &kept) && kept);
    end();
}

TESTS(TEST(a_folder_without_room_is_noticed_before), TEST(the_second_use_does_not_measure),
      TEST(a_broken_file_is_measured_again), TEST(without_a_folder_it_is_measured_and_not_kept))
