/* test_expert_sums.c -- gradients of experts and of all else are summed in groups of their own,
 * and what needs sums waits for both.
 */
#include "train/mixture_point.h"

/* The last collective of a stream; -1: none. */
static int last_of(const struct dts_plan *plan, enum dts_stream stream)
{
    int last = -1;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_COLLECTIVE && plan->ops[o].stream == stream)
            last = o;
    return last;
}

static int update_of(const struct dts_plan *plan)
{
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_UPDATE)
            return o;
    return -1;
}

/* Two ranks share the state of training and have other experts: these have no sum, all else is
 * scattered. On the last stage the round that backward ends with has experts. */
static void updates_wait_for_all_sums(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 2, 0);
    struct dts_job job =
        job_of(&f, "mesh",
               "{\"mesh\":{\"shard\":2,\"pipeline\":2},\"expert\":{\"size\":2},"
               "\"sharded\":\"gradients\"}",
               4);
    const struct dts_plan *plan = &job.roles[1].plan;
    const int scatter = last_of(plan, DTS_SCATTER), update = update_of(plan);
    if (CHECK(scatter >= 0 && update > scatter))
        CHECK(waits(plan, update, scatter, false));
    dts_job_free(&job);
    finish(&f, &device);
}

TESTS(TEST(updates_wait_for_all_sums))
