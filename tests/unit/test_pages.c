/* test_pages.c -- memory for tensors. */
#include <stdint.h>
#include <stdlib.h>

#include "base/pages.h"
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
            free((void *)bytes);
        }
}

static void large_memory_begins_with_a_large_page(void)
{
    void *memory = dts_pages(3 << 20);
    CHECK_INT((uintptr_t)memory % (2 << 20), 0);
    free(memory);
}

TESTS(TEST(memory_is_zeroed_and_begins_with_a_line),
      TEST(large_memory_begins_with_a_large_page))
