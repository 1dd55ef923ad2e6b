/* test_exec_kernel_time.c -- what passes through the caches before a call is timed. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "exec/kernel_time.h"

/* Up to which byte, by the last line that was written. */
static size_t written(struct dts_kernel_timer *timer, double share, size_t own_bytes)
{
    size_t count = 0;
    memset(timer->flush, 0, timer->flush_bytes);
    dts_kernel_timer_flush(timer, &(struct dts_gap){share, 0}, own_bytes);
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
    CHECK_INT(written(&timer, 1, 400), timer.flush_bytes); // of a network that is not known
    timer.around_bytes = 10000;
    CHECK_INT(written(&timer, 1, 400), 9600); // 150 lines
    CHECK_INT(written(&timer, 0.5, 400), 4800);
    CHECK_INT(written(&timer, 0, 400), 0);
    CHECK_INT(written(&timer, 1, 10000), 0);
    CHECK_INT(written(&timer, 1, 20000), 0);
    timer.around_bytes = 2 * timer.flush_bytes;
    CHECK_INT(written(&timer, 1, 400), timer.flush_bytes);
    dts_kernel_timer_free(&timer);
}

static void memory_is_known_before_it_is_taken(void)
{
    const struct dts_meter meter = {.limit_s = 1e-3, .least = 1};
    const struct dts_op_call call = {
        .op = "linear",
        .input_count = 1,
        .inputs = {{.count = 1, .size = {7}}},
        .output = {.count = 1, .size = {5}},
        .params = {35, 5},
        .param_count = 2,
        .bias = true,
    };
    const struct dts_kernel_work work = {
        .call = &call, .batch = 3, .backward = true, .with_inputs = true};
    struct dts_kernel_timer timer;
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_error err = {0};
    CHECK(dts_kernel_timer_make(&timer, &meter, 1, DTS_FP32, &err));
    CHECK(dts_kernel_time(&timer, &work, &times, &err));
    // x, dx, y, dy; weights, bias and their gradients
    CHECK(times.bytes >= sizeof(float) * (2 * 3 * 7 + 2 * 3 * 5 + 2 * 40));
    CHECK_INT(dts_kernel_bytes(&timer, &work), times.bytes);
    dts_kernel_timer_free(&timer);
}

TESTS(TEST(memory_is_known_before_it_is_taken),
      TEST(a_call_follows_on_what_the_rest_of_its_step_leaves_in_caches))
