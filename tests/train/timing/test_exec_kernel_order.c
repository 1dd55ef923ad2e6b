/* test_exec_kernel_order.c -- in which order what a call meets in a step is written before it.
 */
#include <string.h>

#include "base/os/clock.h"
#include "check.h"
#include "kernels/place.h"
#include "train/model/calls.h"
#include "train/timing/kernel_time.h"

/* What was written: a letter each time. */
static char order[256];

/* By which that is known: where it lies, and how long the others are. */
static const void *flush;
static size_t scratch_bytes, forward_bytes, used_bytes, own_bytes, weights_bytes, values_bytes;

/* What passes between, scratch (of the forward call 'f'), the quarter of it that others use and
 * the rest, weights or their gradients, what layers hand one another. */
static char letter_of(const void *there, size_t bytes)
{
    return there == flush           ? 'p'
           : bytes == scratch_bytes ? 's'
           : bytes == forward_bytes ? 'f'
           : bytes == used_bytes    ? 'u'
           : bytes == own_bytes     ? 'o'
           : bytes == weights_bytes ? 'w'
           : bytes == values_bytes  ? 'v'
                                    : '?';
}

static void note(void *self, void *there, size_t bytes)
{
    const size_t length = strlen(order);
    (void)self;
    if (length + 1 < sizeof(order))
        order[length] = letter_of(there, bytes);
}

/* A CPU that notes what is written. */
static struct dts_space_kind noting;

static const char text[] =
    "{\"name\": \"net\", \"sample\": \"image\", \"input\": [4, 10, 10], \"layers\": ["
    "{\"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 3, \"padding\": 1, \"bias\": false},"
    "{\"kind\": \"conv2d\", \"channels\": 4, \"kernel\": 3, \"padding\": 1, \"bias\": false},"
    "{\"kind\": \"mean_squared_error\"}]}";

static const int batch = 2;

struct fixture {
    struct dts_space *space;
    struct dts_kernel_timer timer;
    struct dts_model model;
    struct dts_layer_call calls[3];
};

static bool begin(struct fixture *f)
{
    static const struct dts_meter meter = {.limit_s = 1e-3, .least = 1};
    const struct dts_space_request request = {.threads = 1, .queues = 1};
    struct dts_error err = {0};
    noting = *dts_space_find("cpu");
    noting.pace = NULL; // every run counts
    noting.touch = note;
    if (!CHECK(dts_model_parse(&f->model, "net", text, &err)))
        return false;
    if (!CHECK(dts_space_open(&f->space, &noting, &request, &err) &&
               dts_kernel_timer_make(&f->timer, &meter, f->space, DTS_FP32, &err)))
        return false;
    f->timer.forward.seconds = f->timer.backward.seconds = 0;
    flush = f->timer.flush;
    dts_model_calls(&f->model, true, f->calls);
    return CHECK(f->calls[0].call.first && !f->calls[1].call.first);
}

static void end(struct fixture *f)
{
    dts_kernel_timer_free(&f->timer);
    dts_space_close(f->space);
    dts_model_free(&f->model);
}

/* Both ways a call has one array of scratch, backward more of it. */
static void take_sizes(const struct fixture *f, const struct dts_op_call *call, bool backward)
{
    const struct dts_operation *op = dts_operation_find(call->op);
    const struct dts_op_version *version = dts_place_version(dts_space_place(f->space), op);
    const size_t back = backward ? version->backward_scratch(call, batch, 1) : 0;
    forward_bytes = version->forward_scratch(call, batch, 1);
    scratch_bytes = backward ? back : forward_bytes;
    CHECK(scratch_bytes > forward_bytes || !backward);
    used_bytes = scratch_bytes / 4 / 64 * 64;
    own_bytes = scratch_bytes - used_bytes;
    weights_bytes = call->params[0] * sizeof(float);
    values_bytes = (size_t)batch * dts_dims_elements(&call->output) * sizeof(float);
    CHECK(scratch_bytes != weights_bytes && scratch_bytes != values_bytes);
}

/* Steps over what is written before so many runs. */
static const char *over(const char *at, int runs, const char *expected)
{
    const size_t length = strlen(expected);
    for (int i = 0; i < runs && strncmp(at, expected, length) == 0; i++)
        at += length;
    return at;
}

/* Before each run that counts: these letters, and no others. */
static void check_order(const struct fixture *f, int layer, bool backward,
                        const char *forward_order, const char *backward_order)
{
    const struct dts_op_call *call = &f->calls[layer].call;
    const struct dts_kernel_work work = {
        .call = call, .batch = batch, .backward = backward, .with_inputs = !call->first};
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_error err = {0};
    const char *at = order;
    take_sizes(f, call, backward);
    memset(order, 0, sizeof(order));
    CHECK(dts_kernel_time(&f->timer, &work, &times, &err));
    at = over(at, times.forward.count, forward_order);
    at = over(at, times.backward.count, backward_order);
    CHECK(times.forward.count > 0 && (times.backward.count > 0) == backward);
    CHECK_STRING(at, "");
}

/* The last to use scratch before the first call of a step was backward: all that the update
 * moves has passed since. Before other calls their neighbours have just used it. */
static void scratch_is_older_than_the_update_before_the_first_call_alone(void)
{
    struct fixture f = {.space = NULL};
    if (!begin(&f))
        return;
    check_order(&f, 0, false, "spv", "");
    check_order(&f, 1, false, "psv", "");
    check_order(&f, 0, true, "fpv", "psv");
    check_order(&f, 1, true, "pfv", "psvv"); // and the gradients that it makes
    end(&f);
}

/* What of a small network is still in the caches: outputs are older than weights. */
static void an_update_lies_before_a_call_that_finds_its_weights(void)
{
    struct fixture f = {.space = NULL};
    if (!begin(&f))
        return;
    f.timer.forward.bytes = f.timer.backward.bytes = 1 << 20;
    check_order(&f, 0, false, "pwspv", "");
    check_order(&f, 1, false, "pwpsv", "");
    check_order(&f, 0, true, "pwwfpv", "psv");
    check_order(&f, 1, true, "pwwpfv", "psvv");
    end(&f);
}

/* What others do not use of it is as old as the weights. */
static void scratch_that_others_do_not_use_is_older(void)
{
    struct fixture f = {.space = NULL};
    if (!begin(&f))
        return;
    f.timer.reuse = (struct dts_reuse){1, 0.25};
    check_order(&f, 1, true, "pfv", "opuvv");
    f.timer.reuse = (struct dts_reuse){1, 0};
    check_order(&f, 1, true, "pfv", "spvv");
    end(&f);
}

/* A device apart, on which runs are seen from outside. */
static int runs;

static void enter(void *self)
{
    (void)self;
    runs++;
}

static bool leave(void *self, struct dts_error *err)
{
    (void)self;
    return err != NULL;
}

static bool wait_for(void *self, int queue, struct dts_error *err)
{
    (void)self;
    return queue == 0 && err != NULL;
}

static bool copy_in(void *self, int queue, void *there, const void *here, size_t bytes,
                    struct dts_error *err)
{
    (void)self;
    memcpy(there, here, bytes);
    return queue == 0 && err != NULL;
}

/* Of a call, both ways, when one run of each counts; `last_s`: what one took before, or 0. */
static int runs_of(struct fixture *f, bool behind_step, double last_s)
{
    const struct dts_kernel_work work = {
        .call = &f->calls[1].call, .batch = batch, .backward = true, .with_inputs = true};
    struct dts_kernel_times times = {.bytes = 0};
    struct dts_error err = {0};
    f->timer.meter.limit_s = 0;
    f->timer.forward.seconds = f->timer.backward.seconds = 1e-3;
    f->timer.behind_step = behind_step;
    times.forward.count = last_s > 0;
    times.forward.seconds[0] = last_s;
    runs = 0;
    CHECK(dts_kernel_time(&f->timer, &work, &times, &err));
    return runs;
}

/* Of the runs of a call behind no step those that are more, pairs of both ways. */
static int more_runs(struct fixture *f, double last_s)
{
    const double begin_s = dts_now_s();
    const int more = runs_of(f, false, last_s) - 4;
    CHECK_INT(more % 2, 0);
    CHECK(more == 0 || dts_now_s() - begin_s >= DTS_SHORT_RUN_S);
    return more;
}

/* One before those of each way, and where no step was before as many of both as last 5 ms. */
static void a_short_call_behind_no_step_runs_unseen_first(void)
{
    struct fixture f = {.space = NULL};
    if (!begin(&f))
        return;
    noting.apart = true;
    noting.enter = enter;
    noting.leave = leave;
    noting.wait = wait_for;
    noting.copy_in = copy_in;
    CHECK_INT(runs_of(&f, true, 0), 4);
    CHECK(more_runs(&f, 0) >= 2);
    CHECK(more_runs(&f, 4e-3) >= 2);
    CHECK_INT(more_runs(&f, 6e-3), 0);
    f.timer.pace.took_s = 1; // the two that count follow on both ways: one more is enough
    CHECK_INT(runs_of(&f, false, 0), 2 + 4 + 4);
    noting.apart = false;
    end(&f);
}

TESTS(TEST(scratch_is_older_than_the_update_before_the_first_call_alone),
      TEST(an_update_lies_before_a_call_that_finds_its_weights),
      TEST(scratch_that_others_do_not_use_is_older),
      TEST(a_short_call_behind_no_step_runs_unseen_first))
