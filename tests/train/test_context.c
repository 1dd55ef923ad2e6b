/* test_context.c -- positions divided over context ranks: what attention exchanges has its
 * closed form, seconds and memory are divided, plans can be walked.
 */
#include "train/mesh_point.h"

enum { BLOCKS = 4, POSITIONS = 16, WIDTH = 32, RANKS = 4, TENSOR = POSITIONS * WIDTH };

static void set_up_context(struct fixture *f, struct dts_device *device)
{
    set_up_blocks(f, device, BLOCKS, 1);
}

/* Keys and values of a rank's positions leave c - 1 times forward; backward they do so again,
 * and their gradients as often. */
static void a_ring_hands_on_what_a_rank_has(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    struct dts_job job = job_of(&f, "mesh", "{\"mesh\":{\"context\":4}}", RANKS);
    const double shifts = values_of(&job.roles[0].plan, DTS_CONTEXT, DTS_SHIFT, 0);
    CHECK_NEAR(shifts, BLOCKS * 3 * (RANKS - 1) * 2.0 * TENSOR / RANKS, 0);
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"mesh\":{\"context\":4,\"tensor\":2}}", 2 * RANKS);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_CONTEXT, DTS_SHIFT, 0), shifts / 2, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Four of a rank's part of an activation each way: queries, keys, values, and what comes out.
 */
static void heads_are_exchanged_for_positions(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    struct dts_job job =
        job_of(&f, "mesh",
               "{\"mesh\":{\"context\":4},\"context\":{\"exchange\":\"all_to_all\"}}", RANKS);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_CONTEXT, DTS_ALLTOALL, 0),
               BLOCKS * 8.0 * TENSOR / RANKS, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Keys and values are gathered in both passes, and their gradients scattered. */
static void keys_and_values_are_gathered(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    struct dts_job job =
        job_of(&f, "mesh",
               "{\"mesh\":{\"context\":4},\"context\":{\"exchange\":\"all_gather\"}}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_CONTEXT, DTS_ALLGATHER, 0), BLOCKS * 4.0 * TENSOR, 0);
    CHECK_NEAR(values_of(plan, DTS_CONTEXT, DTS_REDUCE_SCATTER, 0), BLOCKS * 2.0 * TENSOR, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Attention in a ring is c calls; each but the first waits for the shift before it. */
static void a_call_of_the_ring_waits_for_its_part(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    struct dts_job job = job_of(&f, "mesh", "{\"mesh\":{\"context\":4}}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    int calls = 0, waiting = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->kind != DTS_OP_CALL || strncmp(op->label, "forward h.0.attn", 16) != 0)
            continue;
        calls++;
        for (int i = 0; i < op->wait_count; i++)
            waiting += plan->ops[plan->waits[op->first_wait + i].op].stream == DTS_CONTEXT;
    }
    CHECK_INT(calls, RANKS);
    CHECK_INT(waiting, RANKS - 1);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* All ranks have all weights, and sum their gradients with all that see other positions or
 * samples. */
static void gradients_are_summed_over_context_and_data(void)
{
    static const struct {
        const char *json;
        enum dts_stream stream;
        int stride, size;
    } rows[] = {
        {"{\"mesh\":{\"context\":2}}", DTS_DATA, 1, 8},
        {"{\"mesh\":{\"context\":2,\"tensor\":2}}", DTS_DATA, 2, 4},
        {"{\"mesh\":{\"context\":2,\"shard\":2}}", DTS_SCATTER, 1, 4},
        {"{\"mesh\":{\"context\":2,\"shard\":2}}", DTS_DATA, 4, 2},
        {"{\"mesh\":{\"context\":2,\"pipeline\":2}}", DTS_DATA, 1, 4},
    };
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_job job = job_of(&f, "mesh", rows[i].json, 8);
        const struct dts_plan *plan = &job.roles[0].plan;
        int found = 0;
        for (int o = 0; o < plan->op_count; o++)
            if (plan->ops[o].kind == DTS_OP_COLLECTIVE &&
                plan->ops[o].stream == rows[i].stream) {
                found++;
                CHECK_INT(plan->ops[o].collective.group.stride, rows[i].stride);
                CHECK_INT(plan->ops[o].collective.group.size, rows[i].size);
            }
        CHECK(found > 0);
        dts_job_free(&job);
        f.strategy.kind->release(f.strategy.self);
    }
    finish(&f, &device);
}

/* Weights stay, activations are divided: all but the scores of attention, whose rows are. */
static void a_rank_keeps_its_part_of_the_activations(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory whole, part;
    set_up_context(&f, &device);
    struct dts_job job = job_of(&f, "mesh", "{}", 1);
    CHECK(dts_point_memory(&f.point, &whole, &err));
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"mesh\":{\"context\":4}}", RANKS);
    CHECK(dts_point_memory(&f.point, &part, &err));
    dts_job_free(&job);
    CHECK_NEAR(part.weights + part.gradients, whole.weights + whole.gradients, 0);
    CHECK_NEAR(part.activations, whole.activations / RANKS, 1e-9 * whole.activations);
    forget_blocks(&f, &device);
}

static void every_mesh_with_context_can_be_walked(void)
{
    static const char *const exchanges[] = {"ring", "all_to_all", "all_gather"};
    static const char *const rest[] = {
        "\"mesh\":{\"context\":2}",
        "\"mesh\":{\"context\":2,\"tensor\":2,\"pipeline\":2},\"sequence_parallel\":true",
        "\"mesh\":{\"context\":2,\"pipeline\":2},\"pipeline\":{\"schedule\":\"zb_h1\"}",
        "\"mesh\":{\"context\":2,\"pipeline\":2},\"pipeline\":{\"schedule\":\"interleaved\"}",
        "\"mesh\":{\"context\":2},\"recompute\":\"full\"",
        "\"mesh\":{\"context\":2},\"recompute\":\"selective\",\"sharded\":\"parameters\"",
        "\"mesh\":{\"context\":2},\"sharded\":\"gradients\"",
        "\"mesh\":{\"context\":2},\"order\":[\"data\",\"context\"]",
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, BLOCKS, 4);
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
        for (size_t e = 0; e < 3; e++) {
            char text[300];
            snprintf(text, sizeof(text), "{%s,\"context\":{\"exchange\":\"%s\"}}", rest[i],
                     exchanges[e]);
            struct dts_job job = walked(&f, text, 8);
            leave(&f, &job);
        }
    finish(&f, &device);
}

static void what_context_ranks_cannot_divide_is_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"mesh\":{\"context\":3}}", "3 context ranks do not divide its positions, 16", 3},
        {"{\"mesh\":{\"context\":8},\"context\":{\"exchange\":\"all_to_all\"}}",
         "8 context ranks do not divide its heads, 4", 8},
        {"{\"context\":{\"exchange\":\"ring\"}}", "has no effect without mesh.context >= 2", 8},
        {"{\"mesh\":{\"context\":2},\"context\":{\"algorithm\":\"ring\"}}",
         "has no effect on a ring", 8},
    };
    struct fixture f;
    struct dts_device device;
    set_up_context(&f, &device);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
}

TESTS(TEST(a_ring_hands_on_what_a_rank_has), TEST(heads_are_exchanged_for_positions),
      TEST(keys_and_values_are_gathered), TEST(a_call_of_the_ring_waits_for_its_part),
      TEST(gradients_are_summed_over_context_and_data),
      TEST(a_rank_keeps_its_part_of_the_activations),
      TEST(every_mesh_with_context_can_be_walked),
      TEST(what_context_ranks_cannot_divide_is_refused))
