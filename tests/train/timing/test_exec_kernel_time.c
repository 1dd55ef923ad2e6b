/* test_exec_kernel_time.c -- what passes through the caches before a call is timed, and when
 * the call is over. */
#include <math.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/pages.h"
#include "check.h"
#include "train/model/calls.h"
#include "train/timing/beside_time.h"
#include "train/timing/kernel_time.h"
#include "train/timing/update_time.h"

/* A CPU in the place of a device of its own: it counts what is written to have it in caches,
 * and how often somebody waits for kernels, `open_waits` of them before they were all called.
 */
static size_t touched, waits, most_asked, busy_moments, inside, open_waits;
static struct dts_space_kind counting;

static void touch(void *self, void *there, size_t bytes)
{
    (void)self, (void)there;
    touched += bytes;
}

static bool get(void *self, size_t bytes, void **there, struct dts_error *err)
{
    (void)self, (void)err;
    most_asked = bytes > most_asked ? bytes : most_asked;
    *there = dts_pages(bytes); // as what gives it back takes it
    return *there != NULL;
}

static void busy(void *self)
{
    (void)self;
    busy_moments++;
}

static void enter(void *self)
{
    (void)self;
    inside++;
}

static bool leave(void *self, struct dts_error *err)
{
    (void)self, (void)err;
    inside--;
    return true;
}

static bool wait(void *self, int queue, struct dts_error *err)
{
    (void)self, (void)queue, (void)err;
    open_waits += inside;
    waits++;
    return true;
}

static bool copy_in(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err)
{
    (void)self, (void)queue, (void)err;
    memcpy(there, here, bytes);
    return true;
}

static bool pin(void *self, void *here, size_t bytes, struct dts_error *err)
{
    (void)self, (void)here, (void)bytes, (void)err;
    return true;
}

static void unpin(void *self, void *here)
{
    (void)self, (void)here;
}

static bool begin(struct dts_kernel_timer *timer, struct dts_space **space)
{
    static const struct dts_meter meter = {.limit_s = 1e-3, .least = 1};
    const struct dts_space_request request = {.threads = 1, .queues = 1};
    struct dts_error err = {0};
    counting = *dts_space_find("cpu");
    counting.apart = true;
    counting.pace = NULL;
    counting.touch = touch;
    counting.get = get;
    counting.busy = busy;
    counting.enter = enter;
    counting.leave = leave;
    counting.wait = wait;
    counting.copy_in = copy_in;
    counting.pin = pin;
    counting.unpin = unpin;
    return CHECK(dts_space_open(space, &counting, &request, &err) &&
                 dts_kernel_timer_make(timer, &meter, *space, DTS_FP32, &err));
}

static void end(struct dts_kernel_timer *timer, struct dts_space *space)
{
    dts_kernel_timer_free(timer);
    dts_space_close(space);
}

/* So many bytes. */
static size_t written(const struct dts_kernel_timer *timer, double bytes)
{
    touched = 0;
    dts_kernel_timer_flush(timer, &(struct dts_gap){bytes, 0});
    return touched;
}

static void a_call_follows_on_what_the_rest_of_its_step_leaves_in_caches(void)
{
    struct dts_kernel_timer timer;
    struct dts_space *space;
    if (!begin(&timer, &space))
        return;
    CHECK_INT(written(&timer, INFINITY), timer.flush_bytes); // of an unknown network
    CHECK_INT(written(&timer, 4800), 4800);
    CHECK_INT(written(&timer, 0), 0);
    CHECK(!dts_kernel_timer_forgets(&timer, &(struct dts_gap){4800, 0}));
    CHECK(dts_kernel_timer_forgets(&timer, &(struct dts_gap){INFINITY, 0}));
    end(&timer, space);
}

static double flush_s(struct dts_kernel_timer *timer, double gap_s, double pace_took_s)
{
    timer->pace.took_s = pace_took_s;
    const double begin_s = dts_now_s();
    dts_kernel_timer_flush_last(timer, &(struct dts_gap){0, gap_s});
    return dts_now_s() - begin_s;
}

static void what_passes_until_a_run_is_part_of_its_gap(void)
{
    struct dts_kernel_timer timer;
    struct dts_space *space;
    if (!begin(&timer, &space))
        return;
    CHECK(flush_s(&timer, 0.3, 0) >= 0.299);
    CHECK(flush_s(&timer, 0.3, 0.1) >= 0.199);
    CHECK(flush_s(&timer, 60, 1000) < 50); // all of it is still to come
    end(&timer, space);
}

/* As a GPU. */
static void nothing_waits_for_a_device_that_does_not_tire(void)
{
    struct dts_kernel_timer timer;
    struct dts_space *space;
    if (!begin(&timer, &space))
        return;
    counting.busy = NULL;
    CHECK(flush_s(&timer, 60, 0) < 50);
    CHECK_INT(written(&timer, INFINITY), timer.flush_bytes); // and yet caches are cold
    end(&timer, space);
}

static const struct dts_op_call product = {
    .op = "linear",
    .input_count = 1,
    .inputs = {{.count = 1, .size = {7}}},
    .output = {.count = 1, .size = {5}},
    .params = {35, 5},
    .param_count = 2,
    .bias = true,
};

/* How often one waits, where a step would make a call so long after what it works on was used.
 */
static size_t waits_at(struct dts_kernel_timer *timer, double gap_s, bool backward)
{
    const struct dts_kernel_work work = {.call = &product, .batch = 3, .backward = backward};
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_error err = {0};
    timer->forward = timer->backward = (struct dts_gap){0, gap_s};
    waits = 0;
    CHECK(dts_kernel_time(timer, &work, &times, &err));
    CHECK_INT(times.forward.count, 1); // the meter has enough with one
    CHECK_INT(times.backward.count, backward);
    return waits;
}

static void where_a_step_is_closer_a_run_follows_on_unseen_ones(void)
{
    struct dts_kernel_timer timer;
    struct dts_space *space;
    if (!begin(&timer, &space))
        return;
    timer.pace.took_s = 1e-3;
    timer.behind_step = true; // no other unseen runs
    CHECK(dts_kernel_timer_is_closer(&timer, &(struct dts_gap){0, 5e-4}));
    CHECK(!dts_kernel_timer_is_closer(&timer, &(struct dts_gap){0, 6e-4}));
    CHECK_INT(waits_at(&timer, 5e-4, false), waits_at(&timer, 6e-4, false) + 1);
    CHECK_INT(waits_at(&timer, 5e-4, true), waits_at(&timer, 6e-4, true) + 4); // both, twice
    end(&timer, space);
}

static void memory_is_known_before_it_is_taken(void)
{
    const struct dts_kernel_work work = {
        .call = &product, .batch = 3, .backward = true, .with_inputs = true};
    struct dts_kernel_timer timer;
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_space *space;
    struct dts_error err = {0};
    if (!begin(&timer, &space))
        return;
    CHECK(dts_kernel_time(&timer, &work, &times, &err));
    // x, dx, y, dy; weights, bias and their gradients
    CHECK(times.bytes >= sizeof(float) * (2 * 3 * 7 + 2 * 3 * 5 + 2 * 40));
    CHECK_INT(dts_kernel_bytes(&timer, &work), times.bytes);
    end(&timer, space);
}

/* Bytes of a call that looks rows up. */
static size_t table_bytes(bool apart, bool sparse)
{
    enum { ROWS = 1000, FEATURES = 8, TOKENS = 6 };
    const struct dts_op_call call = {.op = "embedding",
                                     .input_count = 1,
                                     .inputs = {{1, {TOKENS}}},
                                     .output = {2, {TOKENS, FEATURES}},
                                     .params = {ROWS * FEATURES},
                                     .param_count = 1,
                                     .table = ROWS,
                                     .sparse = sparse,
                                     .first = true};
    const struct dts_kernel_work work = {.call = &call, .batch = 2, .backward = true};
    struct dts_kernel_timer timer;
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_space *space;
    struct dts_error err = {0};
    if (!begin(&timer, &space))
        return 0;
    counting.apart = apart;
    CHECK(dts_kernel_time(&timer, &work, &times, &err) && times.backward.count > 0);
    CHECK_INT(dts_kernel_bytes(&timer, &work), times.bytes);
    end(&timer, space);
    return times.bytes;
}

/* Where a network keeps lists of rows, so does the call that is timed. */
static void the_gradient_of_a_sparse_table_is_a_list(void)
{
    const size_t dense = table_bytes(false, false), gradient = 1000 * 8 * sizeof(float);
    CHECK_INT(table_bytes(true, true), dense);
    CHECK(table_bytes(false, true) < dense - gradient + 2000);
    CHECK(table_bytes(false, true) > dense - gradient); // the list
}

static void part_of(const struct dts_kernel_timer *timer, enum dts_kind_of_memory kind,
                    size_t asked)
{
    struct dts_error err = {0};
    void *there;
    most_asked = 0;
    CHECK(dts_kernel_timer_get(timer, kind, 1000, &there, &err));
    CHECK_INT(most_asked, asked);
    dts_space_give_back(timer->space, there);
}

static void memory_lies_in_large_pages_where_all_of_the_network_does(void)
{
    const size_t large = dts_large_pages(1);
    struct dts_kernel_timer timer;
    struct dts_space *space;
    if (!begin(&timer, &space))
        return;
    timer.weights_bytes = large - 1;
    timer.values_bytes = large;
    part_of(&timer, DTS_OF_WEIGHTS, 1000);
    part_of(&timer, DTS_OF_GRADIENTS, 1000);
    part_of(&timer, DTS_OF_VALUES, large);
    timer.weights_bytes = large;
    part_of(&timer, DTS_OF_WEIGHTS, large);
    part_of(&timer, DTS_OF_GRADIENTS, large);
    timer.values_bytes--;
    part_of(&timer, DTS_OF_VALUES, 1000);
    end(&timer, space);
}

static void the_processor_is_awake_before_each_run(void)
{
    const struct dts_op_call clear = dts_call_gradient_clear(100);
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_kernel_timer timer;
    struct dts_space *space;
    struct dts_error err = {0};
    if (!begin(&timer, &space))
        return;
    timer.forward.seconds = 0;
    busy_moments = 0;
    CHECK(dts_beside_time(&timer, &clear, 1, &times, &err));
    CHECK(busy_moments >= (size_t)times.forward.count);
    end(&timer, space);
}

static const char text[] = "{\"name\": \"net\", \"sample\": \"vector\", \"input\": [3], "
                           "\"layers\": [{\"kind\": \"linear\", \"outputs\": 4}, "
                           "{\"kind\": \"mean_squared_error\"}]}";

/* How often one waits while an update is timed, behind the runs that there are. */
static int waits_of_update(struct dts_runs *updates)
{
    struct dts_kernel_timer timer;
    struct dts_space *space;
    struct dts_model model;
    struct dts_error err = {0};
    if (!begin(&timer, &space) || !CHECK(dts_model_parse(&model, "net", text, &err)))
        return 0;
    waits = 0;
    CHECK(dts_update_time(&timer, &model, dts_optimizer_find("adam"), updates, &err));
    dts_model_free(&model);
    end(&timer, space);
    return (int)waits;
}

/* As often as one waits, that is after the flush, and after the run. */
static void a_run_ends_when_the_device_is_done(void)
{
    const struct dts_op_call clear = dts_call_gradient_clear(100);
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_kernel_timer timer;
    struct dts_space *space;
    struct dts_error err = {0};
    if (!begin(&timer, &space))
        return;
    CHECK(timer.meter.pace == NULL); // every run counts
    waits = open_waits = 0;
    CHECK(dts_beside_time(&timer, &clear, 1, &times, &err));
    CHECK(times.forward.count >= 1);
    CHECK_INT(waits, 1 + 2 * times.forward.count); // one to warm up
    end(&timer, space);
    struct dts_runs updates = {.count = 1, .seconds = {1}}; // a long one: none goes unseen
    const int update_waits = waits_of_update(&updates);
    CHECK(updates.count >= 2);
    CHECK_INT(update_waits, 1 + 2 * (updates.count - 1));
    CHECK_INT(open_waits, 0);
}

/* Of a short one, behind as many as last 5 ms, each behind a flush. */
static void a_short_update_runs_unseen_first(void)
{
    struct dts_runs updates = {.count = 0};
    const double begin_s = dts_now_s();
    const int update_waits = waits_of_update(&updates);
    CHECK(dts_now_s() - begin_s >= DTS_SHORT_RUN_S);
    CHECK(updates.count >= 1);
    const int unseen = update_waits - 1 - 2 * updates.count;
    CHECK(unseen >= 2);
    CHECK_INT(unseen % 2, 0);
}

TESTS(TEST(the_gradient_of_a_sparse_table_is_a_list), TEST(a_run_ends_when_the_device_is_done),
      TEST(a_short_update_runs_unseen_first), TEST(memory_is_known_before_it_is_taken),
      TEST(what_passes_until_a_run_is_part_of_its_gap),
      TEST(nothing_waits_for_a_device_that_does_not_tire),
      TEST(where_a_step_is_closer_a_run_follows_on_unseen_ones),
      TEST(memory_lies_in_large_pages_where_all_of_the_network_does),
      TEST(the_processor_is_awake_before_each_run),
      TEST(a_call_follows_on_what_the_rest_of_its_step_leaves_in_caches))
