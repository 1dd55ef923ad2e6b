/* test_cache_size.c -- what a core's caches keep. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/cache_size.h"
#include "check.h"

enum { MOST = 5, NAME = 128 };

static double of_caches(const char *const texts[], int count)
{
    char folder[] = "/tmp/dtsim_caches_XXXXXX", caches[MOST][NAME], sizes[MOST][NAME + 8];
    CHECK(mkdtemp(folder) != NULL);
    for (int i = 0; i < count; i++) {
        snprintf(caches[i], NAME, "%s/index%d", folder, i);
        snprintf(sizes[i], NAME + 8, "%s/size", caches[i]);
        CHECK(mkdir(caches[i], 0700) == 0);
        FILE *file = fopen(sizes[i], "w");
        CHECK(file != NULL && fputs(texts[i], file) >= 0 && fclose(file) == 0);
    }
    const double bytes = dts_last_cache_bytes(folder);
    for (int i = 0; i < count; i++) {
        unlink(sizes[i]);
        rmdir(caches[i]);
    }
    rmdir(folder);
    return bytes;
}

static void the_largest_cache_of_a_core_counts(void)
{
    CHECK_NEAR(of_caches((const char *[]){"32K\n", "32K\n", "512K\n", "32768K\n"}, 4), 33554432,
               0);
    CHECK_NEAR(of_caches((const char *[]){"48K\n", "105M\n"}, 2), 110100480, 0);
    CHECK_NEAR(of_caches((const char *[]){"4096"}, 1), 4096, 0);
}

static void what_is_no_size_is_not_known(void)
{
    CHECK_NEAR(of_caches(NULL, 0), 0, 0);
    CHECK_NEAR(of_caches((const char *[]){"", "-3K\n", "large\n", "nan\n", "inf\n"}, 5), 0, 0);
}

TESTS(TEST(the_largest_cache_of_a_core_counts), TEST(what_is_no_size_is_not_known))
