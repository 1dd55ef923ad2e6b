/* test_expected.c -- how far predictions of a class were off is what docs/validation-limits.csv
 * says. */
#include "check.h"

#include <stdlib.h>

#include "answer/validate/expected.h"
#include "train/strategy/strategy.h"

enum { LEAST = 5 };

/* The p90 of a row of the table, and its cases; -1: it has none. */
static double row_of(const char *class, const char *devices, int *cases)
{
    FILE *in = fopen(DTS_SOURCE "/docs/validation-limits.csv", "r");
    char line[256], lead[64];
    double median, p90 = -1;
    *cases = 0;
    if (!CHECK(in != NULL))
        return -1;
    snprintf(lead, sizeof(lead), "%s,%s,", class, devices);
    while (fgets(line, sizeof(line), in) != NULL)
        if (strncmp(line, lead, strlen(lead)) == 0)
            CHECK_INT(sscanf(line + strlen(lead), "%d,%lf,%lf", cases, &median, &p90), 3);
    fclose(in);
    return p90;
}

static void errors_are_those_of_the_table(void)
{
    static const char *const classes[] = {
        "data_parallel", "parameter_server", "collective", "fsdp", "3d", "moe"};
    static const struct {
        int devices;
        const char *band;
    } sizes[] = {{1, "to 32"}, {32, "to 32"}, {33, "to 256"}, {256, "to 256"}, {257, "above"}};
    for (size_t c = 0; c < sizeof(classes) / sizeof(classes[0]); c++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            int cases;
            double want = row_of(classes[c], sizes[i].band, &cases), got = NAN;
            if (cases < LEAST)
                want = row_of(classes[c], "all", &cases);
            CHECK(dts_expected_error(classes[c], sizes[i].devices, &got));
            CHECK_NEAR(got, want, 1e-12);
        }
}

static void classes_that_nobody_published_have_none(void)
{
    double percent = 7;
    CHECK(!dts_expected_error("", 8, &percent));
    CHECK(!dts_expected_error("no_such", 8, &percent));
    CHECK(!dts_expected_error("pipeline", 8, &percent)); // two cases
    CHECK_NEAR(percent, 7, 0);
}

static void every_strategy_says_its_class(void)
{
    for (int i = 0; dts_strategies[i] != NULL; i++)
        CHECK(dts_strategies[i]->validated_as != NULL);
}

TESTS(TEST(errors_are_those_of_the_table), TEST(classes_that_nobody_published_have_none),
      TEST(every_strategy_says_its_class))
