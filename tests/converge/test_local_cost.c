/* test_local_cost.c -- what local steps cost, between those that were measured. */
#include "converge/local_cost.h"

#include <math.h>

#include "check.h"

static const struct dts_local_cost known[] = {
    {4, 1.2, 1.1, false}, {8, 1.8, 1.2, true}, {64, 2.4, 1.3, false}, {32, 0.9, 1.4, true}};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static void costs_follow_a_line_in_logarithms(void)
{
    struct dts_local_cost cost;
    for (int i = 0; i < KNOWN; i++) {
        CHECK(dts_local_cost_at(known, KNOWN, known[i].steps, known[i].outer, 64, &cost));
        CHECK_CLOSE(cost.factor, known[i].factor, 1e-12);
        CHECK_CLOSE(cost.within, known[i].within, 1e-12);
    }
    CHECK(
        dts_local_cost_at(known, KNOWN, 16, false, 64, &cost)); // half of the way from 4 to 64
    CHECK_CLOSE(cost.factor, sqrt(1.2 * 2.4), 1e-12);
    CHECK_CLOSE(cost.within, sqrt(1.1 * 1.3), 1e-12);
    CHECK(
        dts_local_cost_at(known, KNOWN, 2, false, 64, &cost)); // from one, which costs nothing
    CHECK_CLOSE(cost.factor, sqrt(1.2), 1e-12);
    CHECK(dts_local_cost_at(known, KNOWN, 16, true, 64, &cost));
    CHECK_CLOSE(cost.factor, sqrt(1.8 * 0.9), 1e-12);
}

static void nothing_is_known_beyond(void)
{
    struct dts_local_cost cost;
    CHECK(!dts_local_cost_at(known, KNOWN, 65, false, 64, &cost));
    CHECK(!dts_local_cost_at(known, KNOWN, 4, true, 64, &cost));
    CHECK(!dts_local_cost_at(known, KNOWN, 33, true, 64, &cost));
    CHECK(!dts_local_cost_at(known, 0, 2, false, 64, &cost));
    CHECK(dts_local_cost_at(known, 0, 1, false, 64, &cost) && cost.factor == 1);
    CHECK(!dts_local_cost_at(known, 0, 1, true, 64, &cost));
}

/* Each for the batches near its own, whose costs are apart. */
static void costs_are_of_their_batch(void)
{
    static const struct dts_local_cost both[] = {
        {4, 1.1, 1, false, 128}, {4, 1.5, 1, false, 512}, {16, 1.2, 1, false, 128}};
    struct dts_local_cost cost;
    CHECK(dts_local_cost_at(both, 3, 4, false, 64, &cost) && cost.factor == 1.1);
    CHECK(dts_local_cost_at(both, 3, 4, false, 255, &cost) && cost.factor == 1.1);
    CHECK(dts_local_cost_at(both, 3, 4, false, 1024, &cost) && cost.factor == 1.5);
    CHECK(dts_local_cost_at(both, 3, 16, false, 128, &cost) && cost.factor == 1.2);
    CHECK(!dts_local_cost_at(both, 3, 16, false, 512, &cost));
    CHECK(!dts_local_cost_at(both, 3, 4, false, 63, &cost));
    CHECK(!dts_local_cost_at(both, 3, 4, false, 1025, &cost));
}

TESTS(TEST(costs_are_of_their_batch), TEST(costs_follow_a_line_in_logarithms),
      TEST(nothing_is_known_beyond))
