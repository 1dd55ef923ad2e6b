/* test_processor.c -- what Linux tells of the processor. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/processor.h"
#include "check.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* By files with these texts; NULL: there is no such file. */
static double clock_by(const char *highest_khz, const char *cpuinfo)
{
    char folder[] = "/tmp/dtsim_processor_XXXXXX", khz[64], info[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(khz, sizeof(khz), "%s/khz", folder);
    snprintf(info, sizeof(info), "%s/info", folder);
    if (highest_khz != NULL)
        write_file(khz, highest_khz);
    if (cpuinfo != NULL)
        write_file(info, cpuinfo);
    const double hz = dts_processor_clock_hz(khz, info);
    unlink(khz);
    unlink(info);
    rmdir(folder);
    return hz;
}

static const char info[] = "processor\t: 0\nmodel name\t: Made\ncpu MHz\t\t: 2596.144\n"
                           "processor\t: 1\ncpu MHz\t\t: 800\n";

static void the_highest_clock_counts(void)
{
    CHECK_NEAR(clock_by("3700000\n", info), 3.7e9, 1);
    CHECK_NEAR(clock_by(NULL, info), 2596.144e6, 1);
    CHECK_NEAR(clock_by("", info), 2596.144e6, 1);
}

static void what_is_no_clock_is_not_known(void)
{
    CHECK_NEAR(clock_by(NULL, NULL), 0, 0);
    CHECK_NEAR(clock_by("nan\n", "processor\t: 0\n"), 0, 0);
    CHECK_NEAR(clock_by("-5", "cpu MHz\t: fast\n"), 0, 0);
    CHECK_NEAR(clock_by("inf", "cpu MHz 2000\n"), 0, 0);
}

static void the_system_names_its_processor(void)
{
    char name[200], few[4];
    dts_processor_name(name, sizeof(name));
    dts_processor_name(few, sizeof(few));
    CHECK(name[0] != '\0' && strchr(name, '\n') == NULL);
    CHECK(strncmp(name, few, sizeof(few) - 1) == 0 && few[sizeof(few) - 1] == '\0');
}

TESTS(TEST(the_highest_clock_counts), TEST(what_is_no_clock_is_not_known),
      TEST(the_system_names_its_processor))
