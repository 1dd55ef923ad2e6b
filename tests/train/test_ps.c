/* test_ps.c -- parameter servers: who sends what to whom, and when. */
#include "plan/check.h"
#include "plan/run.h"
#include "point.h"

/* Bytes of all exchanges that send, of all ranks. */
static double sent_bytes(const struct dts_job *job)
{
    double bytes = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int i = 0; i < role->plan.op_count; i++) {
            const struct dts_op *op = &role->plan.ops[i];
            if (op->kind != DTS_OP_EXCHANGE || !op->exchange.send)
                continue;
            struct dts_message messages[64];
            for (int rank = role->first; rank < role->first + role->count; rank++) {
                int count = dts_exchange_messages(role, &op->exchange, rank, messages);
                for (int m = 0; m < count; m++)
                    bytes += (double)messages[m].bytes;
            }
        }
    }
    return bytes;
}

static void workers_push_and_pull_all_weights_once(void)
{
    struct fixture f;
    set_up(&f);
    static const char *const sites[] = {
        "{\"servers\": 3}",
        "{\"servers\": 2, \"shard\": \"tensor\"}",
        "{\"servers\": 9, \"shard\": \"tensor\", \"overlap_pull\": false}",
        "{\"servers\": 2, \"placement\": \"dedicated\", \"overlap_push\": false}",
    };
    for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
        struct dts_job job = job_of(&f, "ps", sites[i], 8);
        struct dts_traffic traffic = {0};
        dts_job_traffic(&job, &traffic);
        CHECK_NEAR(traffic.bytes, 2.0 * 8 * 4 * PARAMETERS, 0.5);
        CHECK_NEAR(sent_bytes(&job), 2.0 * 8 * 4 * PARAMETERS, 0.5);
        dts_job_free(&job);
    }
    struct dts_job job = job_of(&f, "ps", "{\"servers\": 3, \"aggregate_in_node\": true}", 8);
    CHECK_NEAR(sent_bytes(&job), 2.0 * 2 * 4 * PARAMETERS, 0.5); // two leaders
    dts_job_free(&job);
    forget(&f);
}

static void a_server_sums_when_all_has_arrived_and_then_answers(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_job job = job_of(&f, "ps", "{\"servers\": 2, \"bucket_bytes\": 0}", 8);
    CHECK_INT(job.role_count, 2);
    CHECK_INT(job.ranks, 10);
    const struct dts_plan *plan = &job.roles[1].plan;
    int sum = find_op(plan, "sum 2");
    CHECK(waits(plan, sum, find_op(plan, "push 2"), false));
    CHECK(waits(plan, find_op(plan, "pull 2"), sum, false));
    CHECK_INT(plan->ops[sum].call.pass, DTS_AGGREGATE);
    // half of 12345 values: 8 pushes x 3 x 4 bytes, and the optimizer, at 10 GB/s
    double bytes = 8 * 3 * 4 + 4 * f.scenario.optimizer->values;
    CHECK_CLOSE(plan->ops[sum].call.seconds, 12345 / 2.0 * bytes / 1e10, 1e-12);
    dts_job_free(&job);

    job = job_of(&f, "ps", "{\"servers\": 4, \"bucket_bytes\": 0}", 8);
    plan = &job.roles[1].plan; // two servers share a node's memory
    CHECK_CLOSE(plan->ops[find_op(plan, "sum 2")].call.seconds, 12345 / 2.0 * bytes / 1e10,
                1e-12);
    dts_job_free(&job);

    // A request alone; to compensate it takes four values more for each of its own.
    for (int i = 0; i < 2; i++) {
        job = job_of(&f, "ps",
                     i == 0 ? "{\"servers\": 2, \"bucket_bytes\": 0, \"synchronous\": false}"
                            : "{\"servers\": 2, \"bucket_bytes\": 0, \"synchronous\": false, "
                              "\"late_compensation\": 0.04}",
                     8);
        plan = &job.roles[1].plan;
        bytes = 3 * 4 + 4 * (f.scenario.optimizer->values + 4 * i);
        CHECK_CLOSE(plan->ops[find_op(plan, "sum 2")].call.seconds, 12345 / 2.0 * bytes / 1e10,
                    1e-12);
        CHECK_NEAR(job.roles[1].serve.compensation, 0.04 * i, 0);
        dts_job_free(&job);
    }
    forget(&f);
}

static void with_overlap_the_next_forward_waits_for_its_own_weights(void)
{
    struct fixture f;
    set_up(&f);
    static const char *const forms[] = {
        "{\"servers\": 2, \"bucket_bytes\": 0}",
        "{\"servers\": 2, \"bucket_bytes\": 0, \"aggregate_in_node\": true}",
    };
    static const char *const arrives[] = {"pull", "spread in node"};
    static const char *const needs[] = {"forward linear", "forward norm", "forward conv"};
    for (int i = 0; i < 2; i++) {
        struct dts_job job = job_of(&f, "ps", forms[i], 8);
        const struct dts_plan *plan = &job.roles[0].plan;
        for (int b = 0; b < 3; b++) {
            char label[32], push[32], pull[32];
            snprintf(label, sizeof(label), "%s %d", arrives[i], b);
            snprintf(push, sizeof(push), "push %d", b);
            snprintf(pull, sizeof(pull), "pull %d", b);
            CHECK(waits(plan, find_op(plan, needs[b]), find_op(plan, label), true));
            CHECK(waits(plan, find_op(plan, pull), find_op(plan, push), false));
        }
        dts_job_free(&job);
    }
    struct dts_job job = job_of(&f, "ps", "{\"bucket_bytes\": 0, \"overlap_pull\": false}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    int end = find_op(plan, "weights are back");
    CHECK_INT(plan->ops[end].stream, DTS_COMPUTE);
    for (int b = 0; b < 3; b++) {
        char label[32];
        snprintf(label, sizeof(label), "pull %d", b);
        CHECK(waits(plan, end, find_op(plan, label), false));
        CHECK_INT(plan->ops[find_op(plan, needs[b])].wait_count, 0);
    }
    dts_job_free(&job);
    forget(&f);
}

static void whole_tensors_go_to_the_server_that_has_least(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_job job =
        job_of(&f, "ps", "{\"servers\": 2, \"shard\": \"tensor\", \"bucket_bytes\": 0}", 8);
    CHECK_INT(job.role_count, 3);
    find_op(&job.roles[1].plan, "push 2"); // 12345 values alone
    CHECK_INT(job.roles[1].plan.op_count, 3);
    find_op(&job.roles[2].plan, "push 0");
    int push = find_op(&job.roles[2].plan, "push 1");
    CHECK_INT(job.roles[2].plan.ops[push].stream, dts_stream_push(1));

    // Buckets of different servers do not wait for one another, those of one server do.
    const struct dts_plan *worker = &job.roles[0].plan;
    static const int way[] = {1, 1, 0};
    for (int b = 0; b < 3; b++) {
        char label[2][32];
        snprintf(label[0], sizeof(label[0]), "push %d", b);
        snprintf(label[1], sizeof(label[1]), "pull %d", b);
        CHECK_INT(worker->ops[find_op(worker, label[0])].stream, dts_stream_push(way[b]));
        CHECK_INT(worker->ops[find_op(worker, label[1])].stream, dts_stream_pull(way[b]));
    }
    dts_job_free(&job);
    forget(&f);
}

/* The server of each bucket, as the plans of servers have them; -1: all have a part. */
static void find_owners(const char *json, int owners[3])
{
    struct fixture f;
    set_up(&f);
    struct dts_job job = job_of(&f, "ps", json, 8);
    for (int b = 0; b < 3; b++) {
        int holders = 0;
        for (int r = 1; r < job.role_count; r++)
            for (int o = 0; o < job.roles[r].plan.op_count; o++) {
                const struct dts_op *op = &job.roles[r].plan.ops[o];
                if (op->kind != DTS_OP_EXCHANGE || op->exchange.send || op->bucket != b)
                    continue;
                owners[b] = r - 1;
                holders++;
                CHECK_INT(op->exchange.part,
                          holders > 1 ? DTS_SHARD_OF_SELF : op->exchange.part);
            }
        owners[b] = holders > 1 ? -1 : owners[b];
    }
    dts_job_free(&job);
    forget(&f);
}

/* Buckets 0, 1, 2 have 4096, 130 and 12345 values; the network begins with the last. */
static void buckets_go_to_servers_by_size_or_in_turn(void)
{
    int owners[3];
    find_owners("{\"servers\": 3, \"shard\": \"tensor\", \"bucket_bytes\": 0}", owners);
    CHECK(owners[2] == 0 && owners[0] == 1 && owners[1] == 2);
    find_owners("{\"servers\": 2, \"shard\": \"round_robin\", \"bucket_bytes\": 0}", owners);
    CHECK(owners[2] == 0 && owners[1] == 1 && owners[0] == 0);
    // nothing here is above a million values
    find_owners("{\"servers\": 2, \"shard\": \"big_cut\", \"bucket_bytes\": 0}", owners);
    CHECK(owners[2] == 0 && owners[0] == 1 && owners[1] == 1);
}

static void arrays_above_a_million_values_are_cut(void)
{
    struct fixture f;
    set_up(&f);
    f.layers[0].params[0].count = 1000001; // of the last bucket
    struct dts_job job =
        job_of(&f, "ps", "{\"servers\": 2, \"shard\": \"big_cut\", \"bucket_bytes\": 0}", 8);
    for (int r = 1; r <= 2; r++) {
        const struct dts_plan *server = &job.roles[r].plan;
        CHECK_INT(server->ops[find_op(server, "push 2")].exchange.part, DTS_SHARD_OF_SELF);
    }
    const struct dts_plan *worker = &job.roles[0].plan;
    CHECK_INT(worker->ops[find_op(worker, "push 2")].exchange.peer_count, 2);
    CHECK_INT(worker->ops[find_op(worker, "push 0")].exchange.peer_count, 1);
    struct dts_traffic traffic = {0};
    dts_job_traffic(&job, &traffic);
    CHECK_NEAR(traffic.bytes, 8 * 2 * 4.0 * (1000001 + 130 + 4096), 0.5);
    dts_job_free(&job);
    forget(&f);
}

/* Weights and momentum, 4 bytes each, of all servers of a node. */
static void servers_keep_weights_and_state_on_their_host(void)
{
    const struct {
        const char *json;
        double values; // of weights, on the node that has most; 8 workers are on two
        double each;   // values that a server keeps for each
    } rows[] = {
        {"{\"servers\": 2}", PARAMETERS / 2.0, 2},
        {"{\"servers\": 3}", PARAMETERS * 2.0 / 3, 2}, // the first and the third are on one
        {"{\"servers\": 3, \"placement\": \"dedicated\"}", PARAMETERS / 3.0, 2},
        {"{\"servers\": 1, \"placement\": \"both\"}", PARAMETERS / 2.0, 2},
        {"{\"servers\": 2, \"shard\": \"tensor\", \"bucket_bytes\": 0}", 12345, 2},
        {"{\"servers\": 1, \"synchronous\": false, \"late_compensation\": 0.04}", PARAMETERS,
         2 + 8}, // what each worker was sent
    };
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_memory memory;
        struct dts_error err = {0};
        struct dts_job job = job_of(&f, "ps", rows[i].json, 8);
        dts_job_free(&job);
        CHECK(dts_point_memory(&f.point, &memory, &err));
        if (!CHECK_NEAR(memory.host, rows[i].values * rows[i].each * 4, 16))
            printf("%s\n", rows[i].json);
        f.machine.host_memory_bytes = memory.host + 1;
        CHECK(dts_build(&f.point, &job, &err));
        dts_job_free(&job);
        f.machine.host_memory_bytes = memory.host - 1;
        CHECK(!dts_build(&f.point, &job, &err));
        CHECK(strstr(err.text, "does not fit: 0.0 GB needed of the host's 0.0 GB: ") != NULL);
        f.machine.host_memory_assumed = f.scenario.memory_warns = true;
        CHECK(dts_build(&f.point, &job, &err));
        dts_job_free(&job);
        f.scenario.memory_warns = false;
        err = (struct dts_error){0};
        CHECK(!dts_build(&f.point, &job, &err));
        CHECK(strstr(err.text, "of the host's 0.0 GB (ASSUMED): ") != NULL);
        f.machine.host_memory_bytes = f.machine.host_memory_assumed = 0;
    }
    forget(&f);
}

TESTS(TEST(servers_keep_weights_and_state_on_their_host),
      TEST(buckets_go_to_servers_by_size_or_in_turn),
      TEST(arrays_above_a_million_values_are_cut), TEST(workers_push_and_pull_all_weights_once),
      TEST(a_server_sums_when_all_has_arrived_and_then_answers),
      TEST(with_overlap_the_next_forward_waits_for_its_own_weights),
      TEST(whole_tensors_go_to_the_server_that_has_least))
