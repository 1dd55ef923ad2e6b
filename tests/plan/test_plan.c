/* test_plan.c -- building plans. */
#include "base/mem.h"
#include "check.h"
#include "plan/plan.h"

static int add_call(struct dts_plan *plan, const char *label)
{
    return dts_plan_call(plan, DTS_COMPUTE, label,
                         (struct dts_call){.pass = DTS_FORWARD, .layer = 3, .seconds = 0.5});
}

static void things_are_numbered_in_the_order_they_were_added(void)
{
    struct dts_plan plan = {0};
    for (int i = 0; i < 100; i++) {
        CHECK_INT(dts_plan_buffer(&plan, (size_t)i, 4), i);
        CHECK_INT(add_call(&plan, "forward"), i);
    }
    CHECK_INT(plan.op_count, 100);
    CHECK_INT(plan.buffers[7].count, 7);
    CHECK_INT(plan.ops[99].call.layer, 3);
    CHECK_INT(plan.ops[99].bucket, -1);
    dts_plan_free(&plan);
}

static void waits_belong_to_the_operation_added_last(void)
{
    struct dts_plan plan = {0};
    int a = add_call(&plan, "a"), b = add_call(&plan, "b");
    dts_plan_after(&plan, a);
    int c = add_call(&plan, "c");
    dts_plan_after(&plan, a);
    dts_plan_after(&plan, b);
    dts_plan_after_previous(&plan, c);

    CHECK_INT(plan.ops[a].wait_count, 0);
    CHECK_INT(plan.ops[b].wait_count, 1);
    CHECK_INT(plan.ops[c].wait_count, 3);
    const struct dts_wait *waits = plan.waits + plan.ops[c].first_wait;
    CHECK_INT(waits[0].op, a);
    CHECK_INT(waits[1].op, b);
    CHECK(!waits[1].previous_step);
    CHECK_INT(waits[2].op, c);
    CHECK(waits[2].previous_step);
    dts_plan_free(&plan);
}

static void labels_are_copied_and_cut(void)
{
    struct dts_plan plan = {0};
    char label[100];
    memset(label, 'x', sizeof(label));
    label[99] = '\0';
    add_call(&plan, label);
    label[0] = 'y';
    CHECK(plan.ops[0].label[0] == 'x');
    CHECK_INT(strlen(plan.ops[0].label), sizeof(plan.ops[0].label) - 1);
    dts_plan_free(&plan);
}

static void a_plan_that_is_freed_is_empty(void)
{
    struct dts_plan plan = {0};
    add_call(&plan, "a");
    dts_plan_free(&plan);
    dts_plan_free(&plan);
    CHECK_INT(plan.op_count, 0);
    CHECK_INT(add_call(&plan, "b"), 0);
    dts_plan_free(&plan);
}

static void every_rank_has_its_role(void)
{
    struct dts_job job = {.roles = dts_alloc(2, sizeof(struct dts_role)), .role_count = 2};
    job.roles[0] = (struct dts_role){.name = "worker", .first = 0, .count = 4};
    job.roles[1] =
        (struct dts_role){.name = "server", .kind = DTS_SERVER, .first = 4, .count = 2};
    job.ranks = 6;
    for (int rank = 0; rank < 6; rank++)
        CHECK_STRING(dts_job_role(&job, rank)->name, rank < 4 ? "worker" : "server");
    dts_job_free(&job);
    dts_job_free(&job);
    CHECK_INT(job.role_count, 0);
}

static void streams_and_passes_have_names(void)
{
    for (enum dts_stream s = 0; s < DTS_STREAMS; s++)
        CHECK(dts_stream_name(s) != NULL);
    for (enum dts_pass p = 0; p < DTS_PASSES; p++)
        CHECK(dts_pass_name(p) != NULL);
    CHECK_STRING(dts_stream_name(DTS_PUSH), "push");
    for (int way = 0; way < DTS_WAYS; way++) {
        CHECK(dts_stream_is_pull(dts_stream_pull(way)));
        CHECK(!dts_stream_is_pull(dts_stream_push(way)));
        CHECK_INT(strncmp(dts_stream_name(dts_stream_pull(way)), "pull", 4), 0);
        CHECK_INT(strncmp(dts_stream_name(dts_stream_push(way)), "push", 4), 0);
    }
    CHECK_STRING(dts_pass_name(DTS_AGGREGATE), "aggregate");
}

TESTS(TEST(things_are_numbered_in_the_order_they_were_added),
      TEST(waits_belong_to_the_operation_added_last), TEST(labels_are_copied_and_cut),
      TEST(a_plan_that_is_freed_is_empty), TEST(every_rank_has_its_role),
      TEST(streams_and_passes_have_names))
