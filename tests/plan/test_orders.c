/* test_orders.c -- cycles through a node whose links lead from device to device. */
#include "plan/orders.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef unsigned char mesh[DTS_ORDERED][DTS_ORDERED];

static struct dts_orders found(mesh lanes, int members)
{
    struct dts_orders orders;
    dts_orders_find((const unsigned char(*)[DTS_ORDERED])lanes, members, &orders);
    return orders;
}

static void connect(mesh lanes, int a, int b, int count)
{
    lanes[a][b] = lanes[b][a] = (unsigned char)count;
}

static void all_to_all(mesh lanes, int members, int count)
{
    memset(lanes, 0, sizeof(mesh));
    for (int a = 0; a < members; a++)
        for (int b = 0; b < a; b++)
            connect(lanes, a, b, count);
}

/* DGX-1, numbered along its ring (sim/net/fabric/nvlink_cube.c). */
static void cube(mesh lanes, int on_ring)
{
    memset(lanes, 0, sizeof(mesh));
    for (int q = 0; q < 8; q += 4)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < a; b++)
                connect(lanes, q + a, q + b, 1);
    for (int a = 0; a < 4; a++)
        connect(lanes, a, 7 - a, 1);
    for (int a = 0; a < 8; a++)
        connect(lanes, a, (a + 1) % 8, on_ring);
}

/* Each order is a cycle of all members over links, and together they take no lane twice. Where
 * equal cycles were made one, each stands for cycles / count of them. */
static void check_orders(mesh lanes, const struct dts_orders *orders)
{
    int taken[DTS_ORDERED][DTS_ORDERED] = {{0}};
    const int each = orders->cycles / orders->count;
    CHECK_INT(orders->cycles % orders->count, 0);
    for (int o = 0; o < orders->count; o++) {
        unsigned seen = 0;
        CHECK_INT(orders->member[o][0], 0);
        for (int p = 0; p < orders->members; p++) {
            const int m = orders->member[o][p];
            seen |= 1u << m;
            CHECK_INT(orders->place[o][m], p);
            taken[m][orders->member[o][(p + 1) % orders->members]] += each;
        }
        CHECK_INT(seen, (1u << orders->members) - 1);
    }
    for (int a = 0; a < DTS_ORDERED; a++)
        for (int b = 0; b < DTS_ORDERED; b++)
            CHECK(taken[a][b] <= lanes[a][b]);
}

static void four_volta_have_six_cycles(void)
{
    mesh lanes;
    struct dts_orders orders;
    all_to_all(lanes, 4, 2);
    orders = found(lanes, 4);
    CHECK_INT(orders.cycles, 6); // all 24 lanes are in use
    CHECK_INT(orders.count, 6);
    check_orders(lanes, &orders);
}

static void more_lanes_are_more_equal_cycles(void)
{
    mesh lanes;
    struct dts_orders orders;
    all_to_all(lanes, 4, 4); // four A100
    orders = found(lanes, 4);
    CHECK_INT(orders.cycles, 12);
    CHECK_INT(orders.count, 6);
    check_orders(lanes, &orders);
}

static void cubes_have_four_and_six_cycles(void)
{
    mesh lanes;
    struct dts_orders orders;
    cube(lanes, 1);
    orders = found(lanes, 8); // P100
    CHECK_INT(orders.cycles, 4);
    check_orders(lanes, &orders);
    cube(lanes, 2);
    orders = found(lanes, 8); // V100
    CHECK_INT(orders.cycles, 6);
    check_orders(lanes, &orders);
}

static void no_cycle_is_no_order(void)
{
    mesh lanes;
    struct dts_orders orders;
    memset(lanes, 0, sizeof(lanes));
    connect(lanes, 0, 1, 2);
    connect(lanes, 1, 2, 2);
    orders = found(lanes, 3); // a chain
    CHECK_INT(orders.count, 0);
    all_to_all(lanes, 2, 2);
    orders = found(lanes, 2); // one way there is
    CHECK_INT(orders.count, 0);
}

TESTS(TEST(four_volta_have_six_cycles), TEST(more_lanes_are_more_equal_cycles),
      TEST(cubes_have_four_and_six_cycles), TEST(no_cycle_is_no_order))
