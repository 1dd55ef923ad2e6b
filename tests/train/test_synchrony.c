/* test_synchrony.c -- plans of ranks that do not sum gradients in each step: what acts when,
 * what it waits for, what it takes and keeps, and what is refused.
 */
#include "plan/check.h"
#include "train/model/model.h"
#include "train/strategy/coll_choice.h"
#include "train/strategy/delay.h"
#include "train/strategy/synchrony.h"

#include "point.h"

static struct dts_device device;

static void begin(struct fixture *f)
{
    struct dts_error err = {0};
    set_up(f);
    CHECK(dts_device_load(&device, DTS_SOURCE "/devices/v100.json", &err));
    f->point.device = &device;
}

static void end(struct fixture *f)
{
    forget(f);
    dts_device_free(&device);
}

static bool acts_as(const struct dts_when *when, int every, int at, long from)
{
    return when->every == every && when->at == at && when->from == from && when->until == 0;
}

static void weights_meet_after_each_so_manieth_update(void)
{
    struct fixture f;
    struct dts_error err = {0};
    begin(&f);
    struct dts_job job =
        job_of(&f, "allreduce", "{\"local_steps\": 5, \"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int update = find_op(plan, "update"), average = find_op(plan, "average");
    CHECK(dts_job_check(&job, &err));
    CHECK_INT(plan->op_count, 1 + 2 * LAYERS + 1 + 3 + 1);
    CHECK_INT((int)plan->buffers[DTS_WEIGHTS].element_bytes, 4);
    CHECK(acts_as(&plan->ops[update].when, 0, 0, 0));
    CHECK(acts_as(&plan->ops[average].when, 5, 4, 0));
    for (int b = 0; b < 3; b++) {
        char label[32];
        snprintf(label, sizeof(label), "weights %d", b);
        const int op = find_op(plan, label);
        CHECK(acts_as(&plan->ops[op].when, 5, 4, 0));
        CHECK(waits(plan, op, update, false) && waits(plan, average, op, false));
        CHECK_INT(plan->ops[op].collective.data.buffer, DTS_WEIGHTS);
        CHECK_INT(plan->ops[op].collective.group.size, 8);
    }
    const double bytes = 2 * 4.0 * PARAMETERS;
    CHECK_CLOSE(plan->ops[average].call.seconds,
                device.call_s +
                    bytes / (device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY]),
                1e-9);
    dts_job_free(&job);
    end(&f);
}

/* Whatever the format of gradients, weights travel in 32 bits. */
static void first_steps_sum_gradients(void)
{
    struct fixture f;
    begin(&f);
    f.scenario.precision = DTS_FP16;
    struct dts_job job =
        job_of(&f, "allreduce", "{\"local_steps\": 4, \"local_after\": 10}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const struct dts_when *gradients = &plan->ops[find_op(plan, "all-reduce 0")].when;
    CHECK(gradients->until == 10 && gradients->from == 0 && gradients->every <= 1);
    CHECK(acts_as(&plan->ops[find_op(plan, "weights 0")].when, 4, 3, 10));
    CHECK_INT((int)plan->buffers[DTS_GRADIENTS].element_bytes, 2);
    CHECK_INT((int)plan->buffers[DTS_WEIGHTS].element_bytes, 4);
    CHECK_INT((int)dts_job_settled(&job), 10);
    dts_job_free(&job);
    end(&f);
}

/* A library that looks for gradients once in a cycle has nothing to wait for without them. */
static void cycles_end_with_the_exchange_of_gradients(void)
{
    struct fixture f;
    begin(&f);
    f.stack.buckets.cycle_s = 5e-3;
    struct dts_job job =
        job_of(&f, "allreduce", "{\"local_steps\": 4, \"local_after\": 10}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const struct dts_when *cycle = &plan->ops[find_op(plan, "cycle")].when;
    CHECK(cycle->until == 10 && cycle->from == 0 && cycle->every <= 1);
    dts_job_free(&job);
    end(&f);
}

static void pairs_take_the_dimensions_of_a_hypercube_in_turn(void)
{
    struct fixture f;
    begin(&f);
    struct dts_job job =
        job_of(&f, "allreduce",
               "{\"local_steps\": 2, \"average\": \"pairs\", \"bucket_bytes\": 1e9}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int first = find_op(plan, "weights 0");
    CHECK_INT(dts_job_period(&job), 6);
    for (int t = 0; t < 3; t++) {
        const struct dts_op *op = &plan->ops[first + t];
        CHECK_INT(op->collective.group.stride, 1 << t);
        CHECK_INT(op->collective.group.size, 2);
        CHECK_INT(op->collective.shape.per_node, t < 2 ? 2 : 1); // 4 devices in a node
        CHECK(acts_as(&op->when, 6, 2 * t + 1, 0));
    }
    CHECK(acts_as(&plan->ops[find_op(plan, "average")].when, 2, 1, 0));
    dts_job_free(&job);
    end(&f);
}

static void a_delayed_exchange_has_a_step(void)
{
    struct fixture f;
    struct dts_error err = {0};
    begin(&f);
    struct dts_job job = job_of(&f, "allreduce", "{\"delay\": 1, \"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int update = find_op(plan, "update");
    CHECK(dts_job_check(&job, &err));
    for (int b = 0; b < 3; b++) {
        char label[32];
        snprintf(label, sizeof(label), "all-reduce %d", b);
        const int op = find_op(plan, label);
        CHECK(waits(plan, update, op, true) && waits(plan, op, update, false));
    }
    CHECK_INT(plan->ops[update].wait_count, 3);
    dts_job_free(&job);
    end(&f);
}

/* The network has 12345, 130 and 4096 values, the last ones first. Late ones have a buffer of
 * their own, a bucket has one kind, and the update waits for both. */
static void some_layers_are_late(void)
{
    static const struct {
        const char *json;
        size_t first, count;
        int late; // bucket; the other one is in time
    } cases[] = {
        {"{\"delay\": 1, \"delay_first\": 1, \"bucket_bytes\": 1e9}", 4226, 12345, 1},
        {"{\"delay\": 1, \"delay_first\": 2, \"bucket_bytes\": 1e9}", 4096, 12475, 1},
        {"{\"delay\": 1, \"delay_last\": 1, \"bucket_bytes\": 1e9}", 0, 4096, 0},
        {"{\"delay\": 1, \"delay_last\": 2, \"bucket_bytes\": 1e9}", 0, 4226, 0},
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_error err = {0};
        struct dts_job job = job_of(&f, "allreduce", cases[i].json, 8);
        const struct dts_plan *plan = &job.roles[0].plan;
        const int update = find_op(plan, "update");
        CHECK(dts_job_check(&job, &err));
        CHECK_INT((int)plan->buffers[DTS_LATE].count, (int)cases[i].count);
        for (int b = 0; b < 2; b++) {
            const bool late = b == cases[i].late;
            char label[32];
            snprintf(label, sizeof(label), "all-reduce %d", b);
            const int op = find_op(plan, label);
            const struct dts_span *data = &plan->ops[op].collective.data;
            CHECK_INT(data->buffer, late ? DTS_LATE : DTS_GRADIENTS);
            CHECK_INT((int)data->count,
                      late ? (int)cases[i].count : PARAMETERS - (int)cases[i].count);
            CHECK_INT((int)data->first, late || cases[i].first > 0 ? 0 : (int)cases[i].count);
            CHECK(waits(plan, update, op, late) && waits(plan, op, update, false) == late);
        }
        CHECK_INT(plan->ops[update].wait_count, 2);
        dts_job_free(&job);
    }
    end(&f);
}

/* What comes before the cut is ready as soon as its own layers are. */
static void a_bucket_of_both_kinds_is_cut(void)
{
    struct fixture f;
    begin(&f);
    struct dts_job job =
        job_of(&f, "allreduce", "{\"delay\": 1, \"delay_first\": 1, \"bucket_bytes\": 1e9}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK(waits(plan, find_op(plan, "all-reduce 0"), find_op(plan, "backward norm"), false));
    dts_job_free(&job);
    job = job_of(&f, "allreduce", "{\"delay\": 1, \"delay_last\": 2, \"bucket_bytes\": 0}", 8);
    CHECK_INT(job.roles[0]
                  .plan.ops[find_op(&job.roles[0].plan, "all-reduce 2")]
                  .collective.data.buffer,
              DTS_GRADIENTS);
    dts_job_free(&job);
    end(&f);
}

static double bytes_of(struct fixture *f, const char *json)
{
    struct dts_error err = {0};
    struct dts_memory memory;
    CHECK(use(f, "allreduce", json, &err));
    set_devices(f, 8);
    CHECK(dts_point_memory(&f->point, &memory, &err));
    CHECK_CLOSE(memory.total,
                memory.weights + memory.gradients + memory.optimizer + memory.activations,
                1e-12);
    return memory.total;
}

static void what_is_kept_beside_is_counted(void)
{
    struct fixture f;
    begin(&f);
    const double plain = bytes_of(&f, "{}");
    CHECK_CLOSE(bytes_of(&f, "{\"local_steps\": 9}"), plain, 1e-12);
    CHECK_CLOSE(bytes_of(&f, "{\"local_steps\": 9, \"outer_rate\": 0.7}"),
                plain + 8.0 * PARAMETERS, 1e-12);
    CHECK_CLOSE(bytes_of(&f, "{\"delay\": 1}"), plain + 4.0 * PARAMETERS, 1e-12);
    CHECK_CLOSE(bytes_of(&f, "{\"delay\": 1, \"delay_first\": 2}"), plain + 4.0 * 12475, 1e-12);
    end(&f);
}

/* A rank that is alone makes its outer updates, and its late ones. */
static void a_lone_rank_exchanges_nothing(void)
{
    struct fixture f;
    struct dts_traffic traffic;
    begin(&f);
    static const char *const keys[] = {"{\"local_steps\": 3}", "{\"delay\": 1}",
                                       "{\"local_steps\": 3, \"outer_rate\": 0.7}"};
    for (int i = 0; i < 3; i++) {
        struct dts_job job = job_of(&f, "allreduce", keys[i], 1);
        dts_job_traffic(&job, &traffic);
        CHECK_NEAR(traffic.messages, 0, 0);
        CHECK_INT(job.roles[0].plan.buffer_count, i == 0 ? 0 : 2);
        dts_job_free(&job);
    }
    end(&f);
}

static void keys_that_cannot_act_are_refused(void)
{
    static const char *const cases[][2] = {
        {"{\"local_after\": 5}", "test: local_after: cannot act without local_steps"},
        {"{\"average\": \"all\"}", "test: average: cannot act without local_steps"},
        {"{\"outer_rate\": 0.7}", "test: outer_rate: cannot act without local_steps"},
        {"{\"outer_momentum\": 0.9}", "test: outer_momentum: cannot act without local_steps"},
        {"{\"local_steps\": 2, \"outer_momentum\": 0}",
         "test: outer_momentum: cannot act without outer_rate"},
        {"{\"local_steps\": 2, \"outer_rate\": 1, \"average\": \"pairs\"}",
         "test: outer_rate: needs the mean of all: pairs begin from other weights each"},
        {"{\"local_steps\": 2, \"delay\": 1}",
         "test: delay: cannot act with local_steps: no gradients are exchanged"},
        {"{\"local_steps\": 2, \"overlap\": true}",
         "test: overlap: cannot act: no exchange begins while backward computes"},
        {"{\"delay\": 1, \"tables\": \"rows\"}",
         "test: tables: rows are gathered with the gradients of each step, and these ranks do "
         "not "
         "sum them so"},
        {"{\"delay_first\": 1}", "test: delay_first: cannot act without delay"},
        {"{\"delay_last\": 1}", "test: delay_last: cannot act without delay"},
        {"{\"delay\": 1, \"delay_first\": 1, \"delay_last\": 1}",
         "test: delay_last: cannot act beside delay_first: layers at one end are late"},
        {"{\"delay\": 1, \"overlap\": true}",
         "test: overlap: cannot act: no exchange begins while backward computes"},
        {"{\"delay\": 2}", "test: delay: must be <= 1, got 2"},
        {"{\"local_steps\": 0}", "test: local_steps: must be >= 1, got 0"},
    };
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_error err = {0};
        CHECK(!use(&f, "allreduce", cases[i][0], &err));
        CHECK_STRING(err.text, cases[i][1]);
    }
    struct dts_error err = {0};
    struct dts_job job = {0};
    CHECK(use(&f, "allreduce", "{\"local_steps\": 1, \"average\": \"pairs\"}", &err));
    CHECK(!build(&f, 6, &job, &err));
    CHECK_STRING(err.text, "test: devices 6: allreduce: average: pairs needs a power of two of "
                           "devices, got 6");
    err = (struct dts_error){0};
    CHECK(use(&f, "allreduce", "{\"delay\": 1, \"delay_first\": 3, \"overlap\": false}", &err));
    CHECK(!build(&f, 8, &job, &err));
    CHECK_STRING(err.text,
                 "test: devices 8: allreduce: delay_first: must be below the 3 layers "
                 "with parameters, got 3: without it all are late");
    end(&f);
}

TESTS(TEST(weights_meet_after_each_so_manieth_update), TEST(first_steps_sum_gradients),
      TEST(cycles_end_with_the_exchange_of_gradients),
      TEST(pairs_take_the_dimensions_of_a_hypercube_in_turn),
      TEST(a_delayed_exchange_has_a_step), TEST(some_layers_are_late),
      TEST(a_bucket_of_both_kinds_is_cut), TEST(what_is_kept_beside_is_counted),
      TEST(a_lone_rank_exchanges_nothing), TEST(keys_that_cannot_act_are_refused))
