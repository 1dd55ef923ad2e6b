/* test_heap.c -- events come in the order of their times. */
#include <math.h>

#include "check.h"
#include "sim/heap.h"

static void add(struct dts_heap *heap, double at_s, int what)
{
    dts_heap_add(heap, (struct dts_heap_event){.at_s = at_s, .what = what});
}

static void an_empty_heap_has_no_next_event(void)
{
    struct dts_heap heap = {0};
    CHECK(isinf(dts_heap_next(&heap)));
    add(&heap, 1, 0);
    dts_heap_take(&heap);
    CHECK(isinf(dts_heap_next(&heap)));
    dts_heap_free(&heap);
}

/* Times fall and rise; each one is there three times. */
static void times_rise_and_equal_ones_keep_their_order(void)
{
    enum { TIMES = 31, COPIES = 3 };
    struct dts_heap heap = {0};
    for (int copy = 0; copy < COPIES; copy++)
        for (int i = 0; i < TIMES; i++)
            add(&heap, i * 17 % TIMES, copy);
    for (int i = 0; i < TIMES; i++)
        for (int copy = 0; copy < COPIES; copy++) {
            CHECK(dts_heap_next(&heap) == i);
            struct dts_heap_event event = dts_heap_take(&heap);
            CHECK(event.at_s == i);
            CHECK_INT(event.what, copy);
        }
    CHECK_INT(heap.count, 0);
    dts_heap_free(&heap);
}

static void events_may_come_while_others_are_taken(void)
{
    struct dts_heap heap = {0};
    add(&heap, 2, 0);
    add(&heap, 1, 1);
    CHECK_INT(dts_heap_take(&heap).what, 1);
    add(&heap, 2, 2);
    add(&heap, 1.5, 3);
    CHECK_INT(dts_heap_take(&heap).what, 3);
    CHECK_INT(dts_heap_take(&heap).what, 0);
    CHECK_INT(dts_heap_take(&heap).what, 2);
    dts_heap_free(&heap);
}

TESTS(TEST(an_empty_heap_has_no_next_event), TEST(times_rise_and_equal_ones_keep_their_order),
      TEST(events_may_come_while_others_are_taken))
