/* test_build.c -- points become jobs: what waits for what, what is sent, what is refused. */
#include "plan/check.h"
#include "point.h"

static void an_all_reduce_waits_for_the_backward_call_that_finishes_its_bucket(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_job job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;

    CHECK_INT(job.role_count, 1);
    CHECK_INT(job.ranks, 8);
    CHECK_INT(plan->op_count, 1 + 2 * LAYERS + 3 + 1);
    static const char *const finishes[] = {"backward linear", "backward norm", "backward conv"};
    int update = find_op(plan, "update");
    for (int b = 0; b < 3; b++) {
        char label[32];
        snprintf(label, sizeof(label), "all-reduce %d", b);
        int op = find_op(plan, label);
        CHECK_INT(plan->ops[op].bucket, b);
        CHECK_INT(plan->ops[op].stream, DTS_DATA);
        CHECK_INT(plan->ops[op].wait_count, 1);
        CHECK(waits(plan, op, find_op(plan, finishes[b]), false));
        CHECK(waits(plan, update, op, false));
    }
    dts_job_free(&job);

    job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0, \"overlap\": false}", 8);
    plan = &job.roles[0].plan;
    CHECK(waits(plan, find_op(plan, "all-reduce 0"), find_op(plan, "backward conv"), false));
    dts_job_free(&job);
    forget(&f);
}

/* Software that exchanges after backward does so where the strategy says nothing. */
static void the_stack_says_when_gradients_travel(void)
{
    struct fixture f;
    set_up(&f);
    f.stack.exchanges_after = true;
    struct dts_job job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK(waits(plan, find_op(plan, "all-reduce 0"), find_op(plan, "backward conv"), false));
    dts_job_free(&job);
    job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0, \"overlap\": true}", 8);
    plan = &job.roles[0].plan;
    CHECK(waits(plan, find_op(plan, "all-reduce 0"), find_op(plan, "backward linear"), false));
    dts_job_free(&job);
    forget(&f);
}

static void compute_takes_the_seconds_of_the_model_in_every_microbatch(void)
{
    struct fixture f;
    set_up(&f);
    f.scenario.accumulate = 3;
    struct dts_job job = job_of(&f, "allreduce", "{}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    double seconds = 0;
    int first = find_op(plan, "all-reduce 0");
    for (int i = 0; i < plan->op_count; i++)
        seconds += plan->ops[i].kind == DTS_OP_CALL ? plan->ops[i].call.seconds : 0;
    CHECK_CLOSE(seconds, 1e-3 + 3 * (10e-3 + 20e-3) + 5e-4, 1e-12);
    CHECK_INT(plan->op_count, 1 + 3 * 2 * LAYERS + 3 + 1);
    CHECK(waits(plan, first, find_op(plan, "backward linear #2"), false));
    CHECK_INT(dts_build_compute_count(&f.point), 1 + 3 * 2 * LAYERS);
    dts_job_free(&job);
    forget(&f);
}

static void one_batch_is_read_ahead_and_compute_waits_for_it(void)
{
    struct fixture f;
    set_up(&f);
    f.scenario.dataset.sample_bytes = 1e6;
    f.scenario.stack.input.prefetch = true;
    f.machine.storage_shared_bytes_per_s = 1e9;
    f.machine.storage_node_bytes_per_s = 2e8;
    for (int fixed = 0; fixed < 2; fixed++) {
        f.seconds.fixed = fixed * 1e-3;
        struct dts_job job = job_of(&f, "allreduce", "{}", 8);
        const struct dts_plan *plan = &job.roles[0].plan;
        int read = find_op(plan, "read"), take = find_op(plan, "take");
        CHECK_INT(plan->ops[read].stream, DTS_INPUT);
        CHECK_INT(plan->ops[take].stream, DTS_COMPUTE);
        CHECK_INT(take + 1, find_op(plan, fixed ? "overhead" : "forward conv"));
        CHECK(waits(plan, take, read, false));
        CHECK(waits(plan, read, take, true));
        CHECK_INT(dts_build_compute_count(&f.point), 2 + fixed + 2 * LAYERS);
        // 8 samples x 1 MB x 4 devices at 0.2 GB/s; all 8 devices at 1 GB/s take less
        CHECK_CLOSE(plan->ops[read].call.seconds, 0.16, 1e-12);
        dts_job_free(&job);
    }
    forget(&f);
}

static void a_ring_sends_what_the_formula_says(void)
{
    struct fixture f;
    set_up(&f);
    for (int devices = 1; devices <= 24; devices++) {
        struct dts_job job = job_of(&f, "allreduce", "{\"algorithm\": \"ring\"}", devices);
        struct dts_traffic traffic = {0};
        dts_job_traffic(&job, &traffic);
        CHECK_NEAR(traffic.bytes, 2.0 * (devices - 1) * 4 * PARAMETERS, 0.5);
        dts_job_free(&job);
    }
    f.scenario.precision = DTS_FP16;
    struct dts_job job = job_of(&f, "allreduce", "{}", 8);
    struct dts_traffic traffic = {0};
    dts_job_traffic(&job, &traffic);
    CHECK_NEAR(traffic.bytes, 2.0 * 7 * 2 * PARAMETERS, 0.5);
    dts_job_free(&job);
    f.scenario.stack.wire_fp32 = true; // software that sums gradients in 32 bits
    job = job_of(&f, "allreduce", "{}", 8);
    dts_job_traffic(&job, &traffic);
    CHECK_NEAR(traffic.bytes, 2.0 * 7 * 4 * PARAMETERS, 0.5);
    dts_job_free(&job);
    forget(&f);
}

static void no_job_of_any_strategy_deadlocks_or_loses_a_message(void)
{
    static const struct {
        const char *kind, *json;
    } forms[] = {
        {"allreduce", "{}"},
        {"allreduce", "{\"algorithm\": \"halving_doubling\", \"channels\": 2}"},
        {"allreduce", "{\"algorithm\": \"hierarchical\", \"shards\": 1}"},
        {"allreduce", "{\"algorithm\": \"hierarchical\", \"between\": \"halving_doubling\"}"},
        {"allreduce", "{\"bucket_bytes\": 20000, \"overlap\": false}"},
        {"ps", "{}"},
        {"ps", "{\"servers\": 5, \"bucket_bytes\": 0}"},
        {"ps", "{\"servers\": 2, \"placement\": \"dedicated\", \"overlap_pull\": false}"},
        {"ps", "{\"servers\": 7, \"shard\": \"tensor\"}"},
        {"ps", "{\"servers\": 3, \"aggregate_in_node\": true}"},
        {"ps", "{\"servers\": 3, \"part_bytes\": 5000}"},
        {"ps", "{\"servers\": 3, \"shard\": \"round_robin\"}"},
        {"ps", "{\"servers\": 3, \"shard\": \"big_cut\", \"bucket_bytes\": 0}"},
        {"ps", "{\"shard\": \"tensor\", \"aggregate_in_node\": true, \"overlap_pull\": false}"},
    };
    static const int devices[] = {1, 2, 3, 4, 8, 12, 16};
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
            f.stack.buckets =
                (struct dts_bucket_policy){.bytes = 17000, .cycle_s = 3e-3 * (int)(d % 2)};
            struct dts_job job = job_of(&f, forms[i].kind, forms[i].json, devices[d]);
            struct dts_error err = {0};
            bool ok = dts_job_check(&job, &err);
            CHECK(ok);
            if (!ok)
                printf("%s on %d: %s\n", forms[i].json, devices[d], err.text);
            dts_job_free(&job);
        }
    forget(&f);
}

static void check_refused(struct fixture *f, const char *kind, const char *json, int devices,
                          const char *want)
{
    struct dts_error err = {0};
    struct dts_job job = {0};
    CHECK(!(use(f, kind, json, &err) && build(f, devices, &job, &err)));
    CHECK_STRING(err.text, want);
    CHECK_INT(err.cause, DTS_BAD_INPUT);
}

static void what_cannot_be_is_refused_with_the_reason(void)
{
    struct fixture f;
    set_up(&f);
    check_refused(&f, "allreduce", "{}", 25,
                  "test: devices 25: the platform has 24 (6 nodes x 4)");
    check_refused(&f, "ps", "{\"servers\": 3, \"placement\": \"dedicated\"}", 16,
                  "test: devices 16: ps: 4 nodes of workers and 3 of servers are more than the "
                  "6 nodes of the platform");
    check_refused(&f, "allreduce", "{\"algorithm\": \"hierarchical\"}", 6,
                  "test: devices 6: allreduce: needs neighbouring ranks on every node, as many "
                  "as a node has devices (4)");
    check_refused(&f, "allreduce", "{\"algorithm\": \"hierarchical\", \"shards\": 3}", 8,
                  "test: devices 8: allreduce: shards 3 must divide the 4 devices of a node");
    check_refused(&f, "allreduce", "{\"shards\": 2}", 8,
                  "test: shards: only \"hierarchical\" has it, got \"ring\"");
    f.scenario.batch_per_device = 0;
    f.scenario.batch_global = 100;
    f.scenario.accumulate = 3;
    check_refused(&f, "allreduce", "{}", 8,
                  "test: devices 8: batch.global 100 cannot be divided by 8 devices x 3 "
                  "microbatches (remainder 4)");
    f.machine.host_memory_bytes_per_s = 0;
    f.scenario.batch_global = 240;
    check_refused(&f, "ps", "{}", 8,
                  "test: devices 8: ps: the platform does not say host_memory_bytes_per_s, at "
                  "which a server sums");
    forget(&f);
}

static void a_model_that_does_not_fit_is_refused_and_by_how_much(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_error err = {0};
    struct dts_job job = {0};
    f.machine.device_memory_bytes = 1000;
    CHECK(use(&f, "allreduce", "{}", &err) && !build(&f, 8, &job, &err));
    CHECK(strstr(err.text, "test: devices 8: does not fit: ") == err.text);

    // Servers keep the optimizer's state.
    struct dts_memory memory;
    struct dts_error none = {0};
    CHECK(dts_point_memory(&f.point, &memory, &none));
    const double all = memory.total;
    CHECK(use(&f, "ps", "{}", &none));
    CHECK(dts_point_memory(&f.point, &memory, &none));
    CHECK_NEAR(memory.total, all - 4.0 * PARAMETERS, 1);
    forget(&f);
}

/* A rank alone keeps lists of rows; one worker gives servers dense gradients. */
static void one_worker_exchanges_with_servers_alone(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_error err = {0};
    f.scenario.accumulate = 3;
    f.point.batch = 5;
    set_devices(&f, 1);
    CHECK(use(&f, "allreduce", "{}", &err));
    CHECK_NEAR(dts_point_samples(&f.point).batch, 5, 0);
    CHECK_NEAR(dts_point_samples(&f.point).step, 15, 0);
    CHECK(!dts_point_samples(&f.point).exchanged);
    CHECK(use(&f, "ps", "{}", &err) && dts_point_samples(&f.point).exchanged);
    set_devices(&f, 2);
    CHECK(use(&f, "allreduce", "{}", &err) && dts_point_samples(&f.point).exchanged);
    CHECK_NEAR(dts_point_samples(&f.point).step, 30, 0);
    forget(&f);
}

TESTS(TEST(one_worker_exchanges_with_servers_alone),
      TEST(an_all_reduce_waits_for_the_backward_call_that_finishes_its_bucket),
      TEST(the_stack_says_when_gradients_travel),
      TEST(compute_takes_the_seconds_of_the_model_in_every_microbatch),
      TEST(one_batch_is_read_ahead_and_compute_waits_for_it),
      TEST(a_ring_sends_what_the_formula_says),
      TEST(no_job_of_any_strategy_deadlocks_or_loses_a_message),
      TEST(what_cannot_be_is_refused_with_the_reason),
      TEST(a_model_that_does_not_fit_is_refused_and_by_how_much))
