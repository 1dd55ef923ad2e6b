/* test_split.c -- the parts of a step add up to it, whatever the noise did. */
#include "answer/split.h"
#include "check.h"

enum { READ, FORWARD, BACKWARD, SEND, UPDATE, OPS };

/* One worker: reads 0-1, computes 1-3 and 3-6, sends 5-9, updates 9-10. */
static const struct dts_op_time times[OPS] = {{0, 1}, {1, 3}, {3, 6}, {5, 9}, {9, 10}};

static int call(struct dts_plan *plan, enum dts_stream stream, enum dts_pass pass,
                double seconds)
{
    return dts_plan_call(plan, stream, "",
                         (struct dts_call){.pass = pass, .layer = -1, .seconds = seconds});
}

static void make(struct dts_role *role)
{
    struct dts_plan *plan = &role->plan;
    *role = (struct dts_role){.name = "worker", .count = 1};
    call(plan, DTS_INPUT, DTS_READ, 1);
    call(plan, DTS_COMPUTE, DTS_FORWARD, 2);
    dts_plan_after(plan, READ);
    call(plan, DTS_COMPUTE, DTS_BACKWARD, 2.5); // half a second slower beside the exchange
    const int buffer = dts_plan_buffer(plan, 1, 4);
    dts_plan_exchange(
        plan, DTS_PUSH, "",
        (struct dts_exchange){.send = true, .data = {.buffer = buffer, .count = 1}});
    call(plan, DTS_COMPUTE, DTS_UPDATE, 1);
    dts_plan_after(plan, SEND);
}

static struct dts_step split_of(bool drifts, double compute_s, double noisy_s)
{
    struct dts_role role;
    struct dts_op_time ops[OPS];
    int first[2] = {0, OPS};
    struct dts_step step;
    make(&role);
    memcpy(ops, times, sizeof(ops));
    const struct dts_job job = {.roles = &role, .role_count = 1, .ranks = 1, .drifts = drifts};
    const struct dts_timing calm = {
        .step_s = 10, .compute_s = compute_s, .first_op = first, .ops = ops};
    struct dts_timing noisy = calm;
    noisy.step_s = noisy_s;
    dts_split(&job, 1, &calm, &noisy, &step);
    dts_plan_free(&role.plan);
    return step;
}

static struct dts_step split_with(double compute_s, double noisy_s)
{
    return split_of(false, compute_s, noisy_s);
}

static struct dts_step split(double noisy_s)
{
    return split_with(6, noisy_s);
}

static double sum(const struct dts_step *step)
{
    return step->compute_s + step->exposed_comm_s + step->input_s + step->bubble_s +
           step->straggler_s;
}

static void a_step_is_its_compute_and_what_compute_waited_for(void)
{
    const struct dts_step step = split(10);
    CHECK_NEAR(step.total_s, 10, 0);
    CHECK_NEAR(step.compute_s, 6, 0);
    CHECK_NEAR(step.input_s, 1, 1e-12);
    CHECK_NEAR(step.exposed_comm_s, 3, 1e-12);
    CHECK_NEAR(step.comm_s, 4, 1e-12);
    CHECK_NEAR(step.overlap_slowdown_s, 0.5, 1e-12);
    CHECK_NEAR(step.straggler_s, 0, 0);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);
}

static void noise_makes_a_step_longer_and_never_shorter(void)
{
    struct dts_step step = split(10.5);
    CHECK_NEAR(step.straggler_s, 0.5, 1e-12);
    CHECK_NEAR(step.total_s, 10.5, 1e-12);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);

    step = split(9.75); // a small sample
    CHECK_NEAR(step.straggler_s, 0, 0);
    CHECK_NEAR(step.total_s, 10, 0);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);
}

static void workers_that_drift_can_be_faster_with_noise(void)
{
    struct dts_step step = split_of(true, 6, 9.25);
    CHECK_NEAR(step.total_s, 9.25, 0);
    CHECK_NEAR(step.straggler_s, 0, 0);
    CHECK_NEAR(step.exposed_comm_s, 2.25, 1e-12);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);

    step = split_of(true, 6, 5); // the noise of the kernels alone
    CHECK_NEAR(step.compute_s, 5, 0);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);
    CHECK_NEAR(split_of(true, 6, 10.5).straggler_s, 0.5, 1e-12);
}

/* Kernels are counted over other steps than the pace of workers that drift: never beyond it. */
static void a_step_is_not_shorter_than_its_compute(void)
{
    const struct dts_step step = split_of(true, 10.001, 10);
    CHECK_NEAR(step.compute_s, step.total_s, 0);
    CHECK_NEAR(sum(&step), step.total_s, 1e-12);
}

static void rounding_is_no_slowdown_and_nothing_exposed(void)
{
    const struct dts_step nothing = split_with(5.5 + 1e-12, 10),
                          hidden = split_with(9 - 1e-12, 10);
    CHECK(nothing.overlap_slowdown_s == 0);
    CHECK(hidden.exposed_comm_s == 0);
    CHECK_NEAR(split_with(5.5 + 1e-7, 10).overlap_slowdown_s, 1e-7, 1e-6);
}

TESTS(TEST(a_step_is_its_compute_and_what_compute_waited_for),
      TEST(noise_makes_a_step_longer_and_never_shorter),
      TEST(workers_that_drift_can_be_faster_with_noise),
      TEST(a_step_is_not_shorter_than_its_compute),
      TEST(rounding_is_no_slowdown_and_nothing_exposed))
