/* test_mesh_local.c -- replicas of a mesh that train alone for some steps: what acts when, who
 * meets whom with what, what it takes and keeps, and what is refused.
 */
#include "mesh_point.h"
#include "train/strategy/synchrony.h"

static struct dts_device device;

static void begin(struct fixture *f, int microbatches)
{
    set_up_blocks(f, &device, 8, microbatches);
}

static void end(struct fixture *f)
{
    forget_blocks(f, &device);
}

/* The elements of all operations whose label begins so, which meet in the fourth of four steps.
 */
static size_t met(const struct dts_plan *plan, const char *label, int stride, int size)
{
    size_t elements = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (strncmp(op->label, label, strlen(label)) != 0)
            continue;
        CHECK_INT(op->collective.shape.kind, DTS_ALLREDUCE);
        CHECK_INT(op->collective.group.stride, stride);
        CHECK_INT(op->collective.group.size, size);
        CHECK_INT((int)plan->buffers[op->collective.data.buffer].element_bytes, 4);
        CHECK(op->when.every == 4 && op->when.at == 3 && op->when.from == 0);
        elements += op->collective.data.count;
    }
    return elements;
}

/* Each rank of a stage meets those with the same part of the weights, and nobody sums gradients
 * over replicas. */
static void ranks_meet_with_the_weights_that_they_have(void)
{
    struct fixture f;
    begin(&f, 4);
    struct dts_job job = job_of(
        &f, "mesh", "{\"mesh\": {\"pipeline\": 2, \"tensor\": 2}, \"local_steps\": 4}", 16);
    CHECK_INT(job.role_count, 2);
    for (int s = 0; s < 2; s++) {
        const struct dts_plan *plan = &job.roles[s].plan;
        const size_t all = plan->buffers[DTS_GRADIENTS].count;
        CHECK_INT((int)plan->buffers[DTS_WEIGHTS].count, (int)all);
        CHECK_INT((int)met(plan, "weights ", 2, 4), (int)all);
        CHECK_INT((int)met(plan, "all-reduce 0", 0, 0), 0);
        const int average = find_op(plan, "average"), last = find_op(plan, "weights");
        CHECK_INT(last, plan->op_count - 1);
        CHECK(plan->ops[average].when.every == 4 && plan->ops[last].when.every == 0);
        CHECK(waits(plan, average, find_op(plan, "weights 0"), false));
    }
    dts_job_free(&job);
    end(&f);
}

/* Shards: gradients are scattered within a replica in each step, and each rank meets with its
 * shard, which the next gather waits for. */
static void shards_meet_with_shards(void)
{
    struct fixture f;
    begin(&f, 1);
    struct dts_job job =
        job_of(&f, "mesh",
               "{\"mesh\": {\"shard\": 4}, \"local_steps\": 4, \"outer_rate\": 0.7, "
               "\"bucket_bytes\": 0}",
               8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const size_t all = plan->buffers[DTS_GRADIENTS].count, mine = met(plan, "weights ", 4, 2);
    CHECK(mine >= all / 4 && mine < all / 4 + 200);
    const int gather = find_op(plan, "gather wte"), last = find_op(plan, "weights");
    CHECK(waits(plan, gather, last, true));
    CHECK(!waits(plan, gather, find_op(plan, "update"), true));
    CHECK(find_op(plan, "outer update") < last);
    for (int o = 0; o < plan->op_count; o++)
        CHECK(!plan->ops[o].collective.of_share || plan->ops[o].kind != DTS_OP_COLLECTIVE);
    dts_job_free(&job);

    struct dts_job post = job_of(
        &f, "mesh", "{\"mesh\": {\"shard\": 4}, \"local_steps\": 4, \"local_after\": 10}", 8);
    int sums = 0;
    for (int o = 0; o < post.roles[0].plan.op_count; o++) {
        const struct dts_op *op = &post.roles[0].plan.ops[o];
        if (op->kind != DTS_OP_COLLECTIVE || !op->collective.of_share)
            continue;
        CHECK(op->when.until == 10);
        sums++;
    }
    CHECK(sums > 0);
    dts_job_free(&post);
    end(&f);
}

static double optimizer_bytes(struct fixture *f, const char *keys)
{
    struct dts_memory memory = {0};
    struct dts_error err = {0};
    struct dts_job job = job_of(f, "mesh", keys, 8);
    CHECK(dts_point_memory(&f->point, &memory, &err));
    dts_job_free(&job);
    return memory.optimizer;
}

static void an_outer_update_keeps_two_values_of_each_weight(void)
{
    struct fixture f;
    begin(&f, 1);
    const double parameters = f.scenario.model.parameters;
    CHECK_CLOSE(optimizer_bytes(&f, "{\"local_steps\": 2, \"outer_rate\": 1}") -
                    optimizer_bytes(&f, "{\"local_steps\": 2}"),
                8 * parameters, 1e-9);
    CHECK_CLOSE(optimizer_bytes(
                    &f, "{\"mesh\": {\"shard\": 4}, \"local_steps\": 2, \"outer_rate\": 1}") -
                    optimizer_bytes(&f, "{\"mesh\": {\"shard\": 4}, \"local_steps\": 2}"),
                2 * parameters, 1e-9);
    end(&f);
}

static void what_cannot_act_is_refused(void)
{
    static const char *const cases[][2] = {
        {"{\"outer_rate\": 0.7}", "test: outer_rate: cannot act without local_steps"},
        {"{\"sharded\": \"optimizer\", \"local_steps\": 2}",
         "test: local_steps: has no effect without replicas on the axis data: mesh.data is 1 "
         "where mesh.shard is left out"},
        {"{\"mesh\": {\"data\": 1, \"tensor\": 2}, \"local_steps\": 2}",
         "test: local_steps: has no effect without replicas on the axis data: mesh.data is 1"},
        {"{\"local_steps\": 2, \"compression\": \"top_k\"}",
         "test: local_steps: cannot act beside compression"},
        {"{\"mesh\": {\"context\": 2}, \"local_steps\": 2}",
         "test: local_steps: cannot act beside context ranks whose state is not sharded"},
        {"{\"expert\": {\"size\": 2}, \"local_steps\": 2}",
         "test: local_steps: cannot act beside expert ranks"},
    };
    struct fixture f;
    begin(&f, 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_error err = {0};
        CHECK(!use(&f, "mesh", cases[i][0], &err));
        CHECK_STRING(err.text, cases[i][1]);
    }
    end(&f);
}

TESTS(TEST(ranks_meet_with_the_weights_that_they_have), TEST(shards_meet_with_shards),
      TEST(an_outer_update_keeps_two_values_of_each_weight), TEST(what_cannot_act_is_refused))
