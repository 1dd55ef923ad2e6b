/* test_synchronized.c -- batch normalization synchronized across ranks, in plans: what stands
 * where, and what it costs.
 */
#include "plan/check.h"
#include "point.h"
#include "sim/engine.h"

#include "sim/crossbar.h"

enum { NORM = 2, SUMS = 64 };

/* The network of point.h, whose "norm" has 32 channels. */
static void set_up_norm(struct fixture *f)
{
    set_up(f);
    f->scenario.synchronized = true;
    f->layers[NORM].cost = (struct dts_op_cost){.sums = SUMS,
                                                .forward_values = 3,
                                                .forward_sum_values = 1,
                                                .backward_values = 5,
                                                .backward_sum_values = 2};
}

static void check_halves(const struct dts_plan *plan, const char *pass, double seconds,
                         double share)
{
    char label[48];
    snprintf(label, sizeof(label), "%s norm: sums", pass);
    const int op = find_op(plan, label);
    const struct dts_op *sums = &plan->ops[op], *sum = sums + 1, *rest = sums + 2;
    CHECK_INT(sums->call.part, DTS_OP_SUMS);
    CHECK_INT(sum->kind, DTS_OP_COLLECTIVE);
    CHECK_INT(rest->call.part, DTS_OP_REST);
    CHECK_CLOSE(sums->call.seconds, seconds * share, 1e-12);
    CHECK_CLOSE(rest->call.seconds, seconds * (1 - share), 1e-12);
    snprintf(label, sizeof(label), "sum %s norm", pass);
    CHECK_STRING(sum->label, label);
    snprintf(label, sizeof(label), "%s norm: rest", pass);
    CHECK_STRING(rest->label, label);
    for (int i = 0; i < 3; i++)
        CHECK_INT(plan->ops[op + i].stream, DTS_COMPUTE);
    CHECK_INT(sum->collective.data.count, SUMS);
    CHECK_INT(plan->buffers[sum->collective.data.buffer].element_bytes, sizeof(double));
    CHECK(memcmp(&sum->collective.data, &sums->call.sums, sizeof(struct dts_span)) == 0);
    CHECK(memcmp(&sum->collective.data, &rest->call.sums, sizeof(struct dts_span)) == 0);
    CHECK_INT(sum->bucket, -1);
}

static void the_ranks_add_up_in_the_middle_of_a_layer(void)
{
    struct fixture f;
    set_up_norm(&f);
    struct dts_job job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    check_halves(plan, "forward", 3e-3, 1.0 / 3);
    check_halves(plan, "backward", 6e-3, 2.0 / 5);
    CHECK_INT(plan->op_count, 1 + 2 * LAYERS + 4 + 3 + 1);
    CHECK_INT(dts_build_compute_count(&f.point), 1 + 2 * LAYERS + 4);
    CHECK(waits(plan, find_op(plan, "all-reduce 1"), find_op(plan, "backward norm: rest"),
                false));
    CHECK_INT(plan->buffer_count, 2);
    CHECK_INT(plan->buffers[DTS_GRADIENTS].count, PARAMETERS);
    CHECK_INT(plan->buffers[1].count, 2 * SUMS); // forward and backward apart
    dts_job_free(&job);
    forget(&f);
}

static void microbatches_take_turns_with_the_same_memory(void)
{
    struct fixture f;
    set_up_norm(&f);
    f.scenario.accumulate = 3;
    struct dts_job job = job_of(&f, "allreduce", "{}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const struct dts_op *first = &plan->ops[find_op(plan, "sum forward norm #0")];
    const struct dts_op *last = &plan->ops[find_op(plan, "sum forward norm #2")];
    CHECK(memcmp(&first->collective, &last->collective, sizeof(first->collective)) == 0);
    CHECK_INT(plan->op_count, 1 + 3 * (2 * LAYERS + 4) + 3 + 1);
    CHECK_INT(dts_build_compute_count(&f.point), 1 + 3 * (2 * LAYERS + 4));
    dts_job_free(&job);
    forget(&f);
}

static int collectives_on_compute(const struct dts_job *job)
{
    const struct dts_plan *plan = &job->roles[0].plan;
    int count = 0;
    for (int o = 0; o < plan->op_count; o++)
        count += plan->ops[o].kind == DTS_OP_COLLECTIVE && plan->ops[o].stream == DTS_COMPUTE;
    return count;
}

static int count_for(struct fixture *f, int devices)
{
    struct dts_job job = job_of(f, "allreduce", "{}", devices);
    const int count = collectives_on_compute(&job);
    dts_job_free(&job);
    return count;
}

static void nothing_is_sent_where_nothing_is_to_be_shared(void)
{
    struct fixture f;
    set_up_norm(&f);
    CHECK_INT(count_for(&f, 8), 2);
    CHECK_INT(count_for(&f, 1), 0);
    f.layers[NORM].cost.backward_sum_values = 0; // nothing before it learns
    CHECK_INT(count_for(&f, 8), 1);
    f.scenario.synchronized = false;
    CHECK_INT(count_for(&f, 8), 0);
    forget(&f);
}

/* Its forward call waits for the weights, which come from the step before, and is the first
 * half.
 */
static void workers_of_servers_add_up_among_themselves(void)
{
    struct fixture f;
    set_up_norm(&f);
    struct dts_job job = job_of(&f, "ps", "{\"servers\": 2, \"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int sums = find_op(plan, "forward norm: sums");
    CHECK(waits(plan, sums, find_op(plan, "pull 1"), true));
    CHECK_INT(plan->ops[sums + 2].wait_count, 0);
    CHECK(waits(plan, find_op(plan, "push 1"), find_op(plan, "backward norm: rest"), false));
    CHECK_INT(collectives_on_compute(&job), 2);
    CHECK_INT(plan->ops[sums + 1].collective.group.size, 8);
    CHECK_INT(plan->buffers[DTS_WEIGHTS].count, PARAMETERS);
    dts_job_free(&job);
    forget(&f);
}

static void no_plan_deadlocks(void)
{
    static const struct {
        const char *kind, *json;
    } forms[] = {
        {"allreduce", "{}"},
        {"allreduce", "{\"algorithm\": \"double_tree\", \"bucket_bytes\": 9000}"},
        {"allreduce", "{\"statistics\": \"halving_doubling\"}"},
        {"allreduce", "{\"algorithm\": \"hierarchical\", \"channels\": 2}"},
        {"ps", "{\"overlap_pull\": false}"},
        {"ps", "{\"servers\": 3, \"statistics\": \"tree\", \"aggregate_in_node\": true}"},
    };
    static const int devices[] = {1, 2, 3, 4, 8, 12, 16};
    struct fixture f;
    set_up_norm(&f);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        for (size_t d = 0; d < sizeof(devices) / sizeof(devices[0]); d++) {
            f.scenario.accumulate = 1 + (int)(d % 2);
            struct dts_job job = job_of(&f, forms[i].kind, forms[i].json, devices[d]);
            struct dts_error err = {0};
            if (!CHECK(dts_job_check(&job, &err)))
                printf("%s on %d: %s\n", forms[i].json, devices[d], err.text);
            dts_job_free(&job);
        }
    forget(&f);
}

static double step_of(const char *engine, const struct dts_job *job, struct crossbar *crossbar)
{
    int endpoints[64];
    for (int r = 0; r < job->ranks; r++)
        endpoints[r] = r;
    const struct dts_net net = crossbar_net(crossbar, job->ranks);
    const struct dts_simulation simulation = {
        .job = job, .net = &net, .endpoint = endpoints, .steps = 3};
    struct dts_timing timing = {0};
    struct dts_error err = {0};
    CHECK(dts_engine_find(engine)->run(&simulation, &timing, &err));
    CHECK_STRING(err.text, "");
    const double step_s = timing.step_s;
    dts_timing_free(&timing);
    return step_s;
}

/* What a step takes longer than without, in a microbatch: gradients wait for backward. */
static double extra_s(const char *engine, const char *json, int devices)
{
    struct fixture f;
    struct crossbar crossbar = {.bytes_per_s = 1e9, .latency_s = 10e-6, .per_node = 1};
    double step_s[2];
    set_up_norm(&f);
    f.machine.nodes = 64;
    f.machine.devices_per_node = 1;
    f.scenario.accumulate = 2;
    for (int synchronized = 0; synchronized < 2; synchronized++) {
        f.scenario.synchronized = synchronized;
        struct dts_job job = job_of(&f, "allreduce", json, devices);
        step_s[synchronized] = step_of(engine, &job, &crossbar);
        dts_job_free(&job);
    }
    forget(&f);
    return (step_s[1] - step_s[0]) / f.scenario.accumulate;
}

static const char *const engines[] = {"fluid", "flow"};

/* Two all-reduces of 64 doubles; a ring's steps carry a part of them each. */
static void it_costs_two_all_reduces_for_each_layer(void)
{
    const double bytes = SUMS * sizeof(double), alpha = 10e-6, rate = 1e9;
    for (int e = 0; e < 2; e++)
        for (int n = 2, rounds = 1; n <= 32; n *= 2, rounds++) {
            CHECK_CLOSE(extra_s(engines[e], "{\"overlap\": false}", n),
                        2 * 2 * (n - 1) * (alpha + bytes / n / rate), 1e-6);
            CHECK_CLOSE(extra_s(engines[e],
                                "{\"overlap\": false, \"statistics\": \"halving_doubling\"}",
                                n),
                        2 * (2 * rounds * alpha + 2 * bytes * (n - 1) / n / rate), 1e-6);
        }
}

static void the_engines_agree_on_it_for_every_algorithm(void)
{
    for (int a = 0; dts_coll_name(a) != NULL; a++)
        for (int n = 5;
             n <= 16 && (dts_colls[a]->kinds == 0 || dts_colls[a]->kinds & 1u << DTS_ALLREDUCE);
             n += 3) {
            char json[80];
            snprintf(json, sizeof(json), "{\"statistics\": \"%s\"}", dts_coll_name(a));
            CHECK_CLOSE(extra_s("fluid", json, n), extra_s("flow", json, n), 1e-3);
        }
}

TESTS(TEST(the_ranks_add_up_in_the_middle_of_a_layer),
      TEST(microbatches_take_turns_with_the_same_memory),
      TEST(nothing_is_sent_where_nothing_is_to_be_shared),
      TEST(workers_of_servers_add_up_among_themselves), TEST(no_plan_deadlocks),
      TEST(it_costs_two_all_reduces_for_each_layer),
      TEST(the_engines_agree_on_it_for_every_algorithm))
