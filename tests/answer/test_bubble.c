/* test_bubble.c -- the bubble of each schedule has the closed form of its paper. */
#include "answer/bubble.h"

#include "train/mesh_point.h"

enum { STAGES = 4, MICROBATCHES = 8, BLOCKS = 16 };

/* Of four blocks forward and backward on each stage: 4 x 1 ms, 4 x 2 ms. */
static const double forward_s = 4e-3, backward_s = 8e-3;

static double bubble_of(const char *json, double *weight_s)
{
    if (weight_s != NULL)
        *weight_s = 0;
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    set_up_blocks(&f, &device, BLOCKS, MICROBATCHES);
    struct dts_job job = job_of(&f, "mesh", json, STAGES);
    int endpoint[STAGES] = {0, 1, 2, 3};
    const struct dts_net net = {.devices = STAGES, .nodes = 1, .devices_per_node = STAGES};
    const struct dts_simulation simulation = {
        .job = &job, .net = &net, .endpoint = endpoint, .steps = 4};
    struct dts_step step = {.exposed_comm_s = 1};
    CHECK(dts_bubble_split(&simulation, &step, &err));
    CHECK_NEAR(step.exposed_comm_s + step.bubble_s, 1, 1e-12);
    for (int o = 0; weight_s != NULL && o < job.roles[0].plan.op_count; o++) {
        const struct dts_op *op = &job.roles[0].plan.ops[o];
        if (op->kind == DTS_OP_CALL && op->call.pass == DTS_BACKWARD_WEIGHT)
            *weight_s += op->call.seconds / MICROBATCHES;
    }
    dts_job_free(&job);
    forget_blocks(&f, &device);
    return step.bubble_s;
}

static void a_bubble_is_that_of_its_paper(void)
{
    const double gaps = STAGES - 1, both_s = forward_s + backward_s;
    double weight_s;
    CHECK_NEAR(bubble_of("{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"gpipe\"}}",
                         &weight_s),
               gaps * both_s, 1e-9);
    CHECK_NEAR(bubble_of("{\"mesh\":{\"pipeline\":4}}", &weight_s), gaps * both_s, 1e-9);
    CHECK_NEAR(bubble_of("{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":"
                         "\"eager_1f1b\"}}",
                         &weight_s),
               gaps * both_s, 1e-9);
    CHECK_NEAR(bubble_of("{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":"
                         "\"interleaved\",\"chunks\":2}}",
                         &weight_s),
               gaps * both_s / 2, 1e-9);
    CHECK_NEAR(bubble_of("{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":"
                         "\"interleaved\",\"chunks\":4}}",
                         &weight_s),
               gaps * both_s / 4, 1e-9);
    const double zero_s = bubble_of(
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"zb_h1\"}}", &weight_s);
    CHECK(weight_s > 0.4 * backward_s && weight_s < 0.6 * backward_s);
    // exact where both halves of backward take as long as forward
    CHECK_NEAR(zero_s, gaps * (both_s - 2 * weight_s), 0.01 * gaps * both_s);
    // forward and backward of opposite directions together: F&B is their sum
    const double dual_s =
        bubble_of("{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"dualpipe\"}}", NULL);
    CHECK_NEAR(dual_s, (STAGES / 2 - 1) * (both_s + backward_s - 3 * weight_s),
               0.01 * gaps * both_s);
}

TESTS(TEST(a_bubble_is_that_of_its_paper))
