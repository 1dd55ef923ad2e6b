/* test_gossip.c -- AD-PSGD: who asks whom, that nobody waits for ever, and what a step takes,
 * against closed forms and between engines.
 */
#include "plan/check.h"
#include "plan/run.h"
#include "sim/agree.h"
#include "train/model/model.h"
#include "train/strategy/gossip.h"

#include "point.h"

static struct dts_device device;

static void begin(struct fixture *f)
{
    struct dts_error err = {0};
    set_up(f);
    f->machine.nodes = 40;
    CHECK(dts_device_load(&device, DTS_SOURCE "/devices/v100.json", &err));
    f->point.device = &device;
}

static void end(struct fixture *f)
{
    forget(f);
    dts_device_free(&device);
}

static const char *const pairs = "{\"local_steps\": 1, \"average\": \"asynchronous_pairs\"}";

static int peer_of(const struct dts_role *role, const char *what, int turn, int rank)
{
    char label[32];
    struct dts_message message;
    snprintf(label, sizeof(label), "%s %d", what, turn);
    const struct dts_op *op = &role->plan.ops[find_op(&role->plan, label)];
    CHECK_INT(dts_exchange_messages(role, &op->exchange, rank, &message), 1);
    return message.peer;
}

/* In each turn each rank of one side has one of the other, and both name each other; over all
 * turns everybody is joined with everybody. */
static void two_sides_meet_in_turns(void)
{
    struct fixture f;
    begin(&f);
    for (int n = 2; n <= 32; n += 2) {
        struct dts_error err = {0};
        struct dts_job job = job_of(&f, "allreduce", pairs, n);
        const struct dts_role *asks = &job.roles[0], *answers = &job.roles[1];
        const int half = n / 2, turns = dts_gossip_turns(n);
        unsigned joined = 1, before = 0; // sets of ranks
        CHECK(dts_job_check(&job, &err));
        CHECK_STRING(err.text, "");
        CHECK(asks->count == half && answers->count == half && job.ranks == n);
        CHECK_INT(dts_job_period(&job), turns);
        while (joined != before) {
            before = joined;
            for (int t = 0; t < turns; t++)
                for (int a = 0; a < half; a++) {
                    const int p = peer_of(asks, "give", t, a);
                    CHECK(p >= half && p < n && peer_of(asks, "take", t, a) == p);
                    CHECK_INT(peer_of(answers, "hear", t, p), a);
                    CHECK_INT(peer_of(answers, "tell", t, p), a);
                    if ((joined >> a | joined >> p) & 1)
                        joined |= 1u << a | 1u << p;
                }
        }
        CHECK(joined == (n == 32 ? ~0u : (1u << n) - 1));
        dts_job_free(&job);
    }
    end(&f);
}

/* Nothing that computes waits on the side that answers; who asks waits for what it took. */
static void who_answers_waits_for_nobody(void)
{
    struct fixture f;
    begin(&f);
    struct dts_job job =
        job_of(&f, "allreduce", "{\"local_steps\": 3, \"average\": \"asynchronous_pairs\"}", 8);
    const struct dts_plan *asks = &job.roles[0].plan, *answers = &job.roles[1].plan;
    for (int o = 0; o < answers->op_count; o++)
        CHECK(answers->ops[o].stream != DTS_COMPUTE || answers->ops[o].wait_count == 0);
    const int average = find_op(asks, "average"), update = find_op(asks, "update");
    for (int t = 0; t < 3; t++) {
        char label[32];
        snprintf(label, sizeof(label), "take %d", t);
        const struct dts_op *take = &asks->ops[find_op(asks, label)];
        CHECK(waits(asks, average, find_op(asks, label), true));
        CHECK(take->when.every == 9 && take->when.at == 3 * t + 2);
        snprintf(label, sizeof(label), "give %d", t);
        CHECK(waits(asks, find_op(asks, label), update, false));
    }
    CHECK(average < update && asks->ops[average].when.every == 3);
    CHECK(asks->ops[average].when.at == 0 && asks->ops[average].when.from == 1);
    dts_job_free(&job);
    end(&f);
}

struct seconds {
    double factor[4]; // of the kernels of ranks 0 .. 3
    int devices;
    double sigma;
};

/* The job of the fixture on a star of 1 GB/s, with 10 us for each message (agree.h). */
static struct dts_timing time_of(struct fixture *f, const char *engine, const char *json,
                                 const struct seconds *s, struct dts_job *job)
{
    const struct agree_machine machine = {"star", AGREE_STAR("0"), s->devices, 1, 0, false};
    struct dts_platform platform;
    struct dts_timing timing = {0};
    if (!agree_machine_read(&machine, &platform))
        return timing;
    *job = job_of(f, "allreduce", json, s->devices);
    int *endpoints = agree_endpoints(&platform, job, "linear");
    struct dts_simulation simulation = {.job = job,
                                        .net = &platform.net,
                                        .endpoint = endpoints,
                                        .steps = 50,
                                        .compute_factor = s->factor[0] > 0 ? s->factor : NULL,
                                        .noise = {0, s->sigma, 9}};
    dts_simulation_settle(&simulation);
    timing = agree_run(engine, &simulation);
    free(endpoints);
    dts_platform_free(&platform);
    return timing;
}

static double seconds_of(const struct dts_plan *plan, bool kernels)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].stream == DTS_COMPUTE &&
            dts_op_is_kernel(&plan->ops[o]) == kernels)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

/* One rank four times as slow keeps nobody: rates add up. */
static void rates_add_up(void)
{
    struct fixture f;
    begin(&f);
    struct dts_job job;
    const struct seconds s = {.factor = {1, 4, 1, 2}, .devices = 4};
    struct dts_timing timing = time_of(&f, "flow", pairs, &s, &job);
    double rates = 0;
    for (int rank = 0; rank < 4; rank++) {
        const struct dts_plan *plan = &job.roles[rank / 2].plan;
        rates += 1 / (seconds_of(plan, false) + s.factor[rank] * seconds_of(plan, true));
    }
    CHECK_CLOSE(timing.step_s, 4 / rates, 1e-6);
    CHECK_CLOSE(timing.compute_s, 4 / rates, 1e-6);
    dts_timing_free(&timing);
    dts_job_free(&job);
    end(&f);
}

/* A network that is slower than the kernels keeps who asks, and never who answers. */
static void a_slow_network_keeps_who_asks(void)
{
    struct fixture f;
    struct dts_job job;
    begin(&f);
    const double values = 1e7, alpha_s = 10e-6, rate = 1e9;
    f.layers[3].params[0].count += (size_t)values;
    f.scenario.model.parameters += values;
    const struct seconds s = {.devices = 2};
    struct dts_timing timing = time_of(&f, "flow", pairs, &s, &job);
    const struct dts_plan *asks = &job.roles[0].plan, *answers = &job.roles[1].plan;
    const double message_s = alpha_s + 4 * (double)f.scenario.model.parameters / rate;
    const double met_s = 2 * message_s + answers->ops[find_op(answers, "mix 0")].call.seconds;
    const double asks_s = met_s + asks->ops[find_op(asks, "average")].call.seconds +
                          asks->ops[find_op(asks, "update")].call.seconds;
    const double answers_s = seconds_of(answers, true) + seconds_of(answers, false);
    CHECK(met_s > 2 * seconds_of(asks, true));
    CHECK_CLOSE(timing.step_s, 2 / (1 / asks_s + 1 / answers_s), 1e-6);
    dts_timing_free(&timing);
    dts_job_free(&job);
    end(&f);
}

static void both_engines_agree(void)
{
    if (dts_engine_find("exact")->messages_per_s == 0)
        SKIP("this build has no SimGrid");
    struct fixture f;
    begin(&f);
    f.layers[3].params[0].count += 500000;
    f.scenario.model.parameters += 500000;
    for (int n = 2; n <= 16; n += 2)
        for (int h = 1; h <= 3; h += 2) {
            const struct seconds s = {.devices = n, .sigma = 0.1};
            struct dts_job job;
            char keys[80];
            snprintf(keys, sizeof(keys),
                     "{\"local_steps\": %d, \"average\": \"asynchronous_pairs\"}", h);
            struct dts_timing flow = time_of(&f, "flow", keys, &s, &job);
            dts_job_free(&job);
            struct dts_timing exact = time_of(&f, "exact", keys, &s, &job);
            dts_job_free(&job);
            CHECK_CLOSE(flow.step_s, exact.step_s, 1e-6);
            CHECK_CLOSE(flow.compute_s, exact.compute_s, 1e-6);
            CHECK_CLOSE(flow.messages, exact.messages, 1e-9);
            dts_timing_free(&flow);
            dts_timing_free(&exact);
        }
    end(&f);
}

static void what_cannot_be_is_refused(void)
{
    static const char *const cases[][2] = {
        {"{\"local_steps\": 1, \"average\": \"asynchronous_pairs\", \"algorithm\": \"ring\"}",
         "test: algorithm: cannot act with asynchronous pairs: two ranks exchange all their "
         "weights at once"},
        {"{\"local_steps\": 1, \"average\": \"asynchronous_pairs\", \"bucket_bytes\": 0}",
         "test: bucket_bytes: cannot act with asynchronous pairs: two ranks exchange all their "
         "weights at once"},
        {"{\"local_steps\": 1, \"average\": \"asynchronous_pairs\", \"local_after\": 5}",
         "test: local_after: cannot act with asynchronous pairs: they sum no gradients"},
        {"{\"local_steps\": 1, \"average\": \"asynchronous_pairs\", \"outer_rate\": 1}",
         "test: outer_rate: needs the mean of all: pairs begin from other weights each"},
        {"{\"average\": \"asynchronous_pairs\"}",
         "test: average: cannot act without local_steps"},
    };
    struct fixture f;
    struct dts_error err = {0};
    struct dts_job job = {0};
    begin(&f);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        err = (struct dts_error){0};
        CHECK(!use(&f, "allreduce", cases[i][0], &err));
        CHECK_STRING(err.text, cases[i][1]);
    }
    err = (struct dts_error){0};
    CHECK(use(&f, "allreduce", pairs, &err));
    CHECK(!build(&f, 5, &job, &err));
    CHECK_STRING(err.text,
                 "test: devices 5: allreduce: average: asynchronous_pairs needs an even number "
                 "of devices, half of which ask the others, got 5");
    job = job_of(&f, "allreduce", pairs, 4);
    err = (struct dts_error){0};
    job.roles[0].plan.ops[find_op(&job.roles[0].plan, "give 1")].exchange.ring_size = -1;
    CHECK(!dts_job_check(&job, &err));
    CHECK_STRING(err.text, "plan: asking worker: \"give 1\": ring_size must be >= 0, got -1");
    dts_job_free(&job);
    job = job_of(&f, "allreduce", pairs, 1); // alone nobody asks
    CHECK_INT(job.role_count, 1);
    CHECK(!dts_job_drifts(&job));
    dts_job_free(&job);
    end(&f);
}

TESTS(TEST(two_sides_meet_in_turns), TEST(who_answers_waits_for_nobody), TEST(rates_add_up),
      TEST(a_slow_network_keeps_who_asks), TEST(both_engines_agree),
      TEST(what_cannot_be_is_refused))
