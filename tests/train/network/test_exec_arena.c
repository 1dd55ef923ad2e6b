/* test_exec_arena.c -- arrays that live at the same time never share memory, others do. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "train/network/arena.h"

static void check_apart(const struct dts_lease *leases, int count, size_t size)
{
    for (int i = 0; i < count; i++) {
        const struct dts_lease *a = &leases[i];
        CHECK(a->offset + a->bytes <= size);
        CHECK_INT(a->offset % DTS_ARENA_ALIGN, 0);
        for (int k = 0; k < i; k++) {
            const struct dts_lease *b = &leases[k];
            const bool together = a->birth <= b->death && b->birth <= a->death;
            const bool overlap =
                a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
            CHECK(!(together && overlap));
        }
    }
}

static void arrays_that_live_together_lie_apart(void)
{
    enum { MOST = 60 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct dts_lease leases[MOST];
        const int count = 1 + (int)(dts_random(seed, 0, 0) % MOST);
        size_t needed[100] = {0}, sum = 0, most = 0;
        for (int i = 0; i < count; i++) {
            const int birth = (int)(dts_random(seed, 1, (uint64_t)i) % 80);
            leases[i] = (struct dts_lease){
                .bytes = 1 + dts_random(seed, 2, (uint64_t)i) % 1000,
                .birth = birth,
                .death = birth + (int)(dts_random(seed, 3, (uint64_t)i) % 20),
            };
            sum += leases[i].bytes + DTS_ARENA_ALIGN;
            for (int t = birth; t <= leases[i].death; t++)
                needed[t] += leases[i].bytes;
        }
        for (int t = 0; t < 100; t++)
            most = needed[t] > most ? needed[t] : most;
        const size_t size = dts_arena_place(leases, count);
        check_apart(leases, count, size);
        CHECK(size >= most && size <= sum);
    }
}

static void arrays_that_never_meet_share_memory(void)
{
    struct dts_lease leases[] = {{640, 0, 1, 9}, {640, 2, 3, 9}, {640, 4, 4, 9}};
    CHECK_INT(dts_arena_place(leases, 3), 640);
    struct dts_lease chain[] = {{640, 0, 1, 9}, {640, 1, 2, 9}, {640, 2, 3, 9}};
    CHECK_INT(dts_arena_place(chain, 3), 1280);
}

/* Of a place of 100 bytes at 1000, between moments 5 and 9. */
static void what_others_used_of_a_place_counts_once(void)
{
    struct dts_lease leases[] = {
        {50, 6, 6, 1080},  // ends behind it: 20 bytes
        {30, 2, 7, 990},   // read then: 20
        {10, 7, 8, 1015},  // 5 more
        {200, 1, 5, 1000}, // too early,
        {200, 9, 9, 1000}, // too late,
        {200, 4, 10, 1000} // lives on, and nobody uses it
    };
    const int count = (int)(sizeof(leases) / sizeof(leases[0]));
    const struct dts_lease place = {100, 5, 9, 1000};
    dts_arena_sort(leases, count);
    CHECK_INT(leases[0].offset, 990);
    CHECK_INT(dts_arena_used_between(leases, count, &place), 45);
    const struct dts_lease whole = {10, 5, 9, 1085}, none = {10, 5, 9, 1060};
    CHECK_INT(dts_arena_used_between(leases, count, &whole), 10);
    CHECK_INT(dts_arena_used_between(leases, count, &none), 0);
}

TESTS(TEST(arrays_that_live_together_lie_apart), TEST(arrays_that_never_meet_share_memory),
      TEST(what_others_used_of_a_place_counts_once))
