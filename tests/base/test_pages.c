/* test_pages.c -- memory for tensors. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/pages.h"
#include "check.h"

static void memory_is_zeroed_and_begins_with_a_line(void)
{
    const size_t sizes[] = {0, 1, 63, 4097, (2 << 20) - 1, 2 << 20, (5 << 20) + 3};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (int again = 0; again < 4; again++) { // then from what was released, not zeroed
            volatile unsigned char *bytes = dts_pages(sizes[i]);
            CHECK(bytes != NULL && (uintptr_t)bytes % 64 == 0);
            size_t others = 0;
            for (size_t k = 0; k < sizes[i]; k++) {
                others += bytes[k] != 0;
                bytes[k] = 0xff;
            }
            CHECK_INT(others, 0);
            dts_pages_free((void *)bytes);
        }
}

/* Large pages hold it but for less than a page of 4 KiB at each end. */
static void large_memory_begins_in_a_large_page(void)
{
    void *memory = dts_pages(3 << 20);
    CHECK((uintptr_t)memory % (2 << 20) <= 4096);
    dts_pages_free(memory);
    dts_pages_free(NULL);
}

/* What malloc has given in small pages, and gives again, stays in small pages. Glibc keeps as
 * much as was once freed, from the second time on. */
static void large_memory_is_not_what_malloc_gave_before(void)
{
    enum { BYTES = 16 << 20 };
    for (int i = 0; i < 3; i++) {
        char *before = malloc(BYTES);
        memset(before, 1, BYTES);
        const uintptr_t first = (uintptr_t)before;
        free(before);
        char *memory = dts_pages(3 << 20);
        const bool kept = first < (uintptr_t)sbrk(0);
        CHECK(!kept || (uintptr_t)memory < first || (uintptr_t)memory >= first + BYTES);
        dts_pages_free(memory);
    }
}

/* Of arrays that are used together; the nearest cache of AMD's Zen keeps a line of one of those
 * whose addresses differ by a multiple of 256 MiB. */
static void arrays_begin_at_lines_of_a_page_that_are_apart(void)
{
    enum { ARRAYS = 8, PAGE = 4096, APART = 4 * 64 };
    void *arrays[ARRAYS];
    for (int i = 0; i < ARRAYS; i++) {
        arrays[i] = dts_pages(3 << 20);
        for (int k = 0; k < i; k++) {
            const size_t apart = ((uintptr_t)arrays[i] - (uintptr_t)arrays[k]) % PAGE;
            CHECK(apart >= APART && apart <= PAGE - APART);
        }
    }
    for (int i = 0; i < ARRAYS; i++)
        dts_pages_free(arrays[i]);
}

static void what_does_not_fit_into_an_address_is_not_there(void)
{
    CHECK(dts_pages(SIZE_MAX - 10) == NULL);
}

TESTS(TEST(memory_is_zeroed_and_begins_with_a_line), TEST(large_memory_begins_in_a_large_page),
      TEST(large_memory_is_not_what_malloc_gave_before),
      TEST(arrays_begin_at_lines_of_a_page_that_are_apart),
      TEST(what_does_not_fit_into_an_address_is_not_there))
