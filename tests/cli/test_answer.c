/* test_answer.c -- a wrong answer is told at once, with what it must be, in its own unit. */
#include "check.h"

#include "cli/answer.h"
#include "sim/net/platform/platform.h"
#include "sim/net/topology/topology.h"

/* The message for an answer; "": it is good, and `value` is what the file gets. */
static const char *told(const struct dts_wanted *wanted, const char *answer, char *value)
{
    static struct dts_error err;
    err = (struct dts_error){0};
    double scale = wanted->scale != 0 ? wanted->scale : 1;
    bool good = dts_answer_accept(wanted, wanted->key, answer, scale, value, &err);
    return good ? "" : err.text;
}

static void numbers_have_the_limits_of_the_reader(void)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_wanted nodes = {.key = "nodes", .field = dts_platform_field("nodes")};
    CHECK_STRING(told(&nodes, "", value), "nodes: must be a whole number, got \"\"");
    CHECK_STRING(told(&nodes, "many", value), "nodes: must be a whole number, got \"many\"");
    CHECK_STRING(told(&nodes, "4.5", value), "nodes: must be a whole number, got \"4.5\"");
    CHECK_STRING(told(&nodes, "0x10", value), "nodes: must be a whole number, got \"0x10\"");
    CHECK_STRING(told(&nodes, "4], \"x\": [1", value),
                 "nodes: must be a whole number, got \"4], \"x\": [1\"");
    CHECK_STRING(told(&nodes, "0", value), "nodes: must be >= 1, got 0");
    CHECK_STRING(told(&nodes, "1e7", value), "nodes: must be <= 1000000, got 1e7");
    CHECK_STRING(told(&nodes, "1e2", value), "");
    CHECK_STRING(value, "100");
}

static void limits_are_told_in_the_unit_of_the_answer(void)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_wanted rate = {
        .key = "nic-gbit", .field = dts_platform_field("nics.bytes_per_s"), .scale = 1e9 / 8};
    CHECK_STRING(told(&rate, "1e-9", value), "nic-gbit: must be >= 8e-06, got 1e-9");
    CHECK_STRING(told(&rate, "100", value), "");
    CHECK_STRING(value, "12500000000");
}

static void other_values_are_json(void)
{
    char value[DTS_DRAFT_VALUE], large[2 * DTS_DRAFT_VALUE];
    struct dts_wanted down = {.key = "down"};
    CHECK_STRING(told(&down, "20", value), "");
    CHECK_STRING(told(&down, "[20, 4]", value), "");
    CHECK_STRING(value, "[20, 4]");
    CHECK_STRING(told(&down, "20, 4", value),
                 "down: must be JSON, such as 4, true or [4, 2], got \"20, 4\"");
    memset(large, '1', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    CHECK_STRING(told(&down, large, value), "down: must be shorter than 256 bytes");
}

static void words_are_those_of_the_table(void)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_wanted kind = {.key = "topology", .choice = dts_topology_name, .word = true};
    CHECK(strncmp(told(&kind, "ring", value), "no topology \"ring\"", 18) == 0);
    CHECK_STRING(told(&kind, "torus", value), "");
}

static void every_key_of_a_platform_that_is_asked_for_has_a_row(void)
{
    CHECK(dts_platform_field("node.host_memory_bytes") != NULL);
    CHECK(dts_platform_field("nics.latency_us") != NULL);
    CHECK(dts_platform_field("node.host") == NULL);
    CHECK(dts_platform_field("nics") != NULL);
    CHECK(dts_platform_field("nodes.device") == NULL);
}

TESTS(TEST(numbers_have_the_limits_of_the_reader),
      TEST(limits_are_told_in_the_unit_of_the_answer), TEST(other_values_are_json),
      TEST(words_are_those_of_the_table),
      TEST(every_key_of_a_platform_that_is_asked_for_has_a_row))
