/* test_exec_kernel_time.c -- what passes through the caches before a call is timed. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "exec/kernel_time.h"

/* Up to which byte, by the last line that was written. */
static size_t written(struct dts_kernel_timer *timer, size_t own_bytes)
{
    size_t count = 0;
    memset(timer->flush, 0, timer->flush_bytes);
    dts_kernel_timer_flush(timer, own_bytes);
    for (size_t i = 0; i < timer->flush_bytes; i++)
        if (timer->flush[i] != 0)
            count = i + 64;
    return count;
}

static void a_call_follows_on_what_the_rest_of_its_step_leaves_in_caches(void)
{
    const struct dts_meter meter = {.limit_s = 1, .least = 1};
    struct dts_kernel_timer timer;
    struct dts_error err = {0};
    CHECK(dts_kernel_timer_make(&timer, &meter, 1, DTS_FP32, &err));
    CHECK_INT(written(&timer, 400), timer.flush_bytes); // of a network that is not known
    timer.around_bytes = 10000;
    CHECK_INT(written(&timer, 400), 9600); // 150 lines
    CHECK_INT(written(&timer, 10000), 0);
    CHECK_INT(written(&timer, 20000), 0);
    timer.around_bytes = 2 * timer.flush_bytes;
    CHECK_INT(written(&timer, 400), timer.flush_bytes);
    dts_kernel_timer_free(&timer);
}

TESTS(TEST(a_call_follows_on_what_the_rest_of_its_step_leaves_in_caches))
