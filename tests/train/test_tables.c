/* test_tables.c -- sparse tables: rows that are touched, and what of them travels. */
#include <math.h>

#include "base/rng.h"
#include "base/text.h"
#include "device/device.h"
#include "plan/check.h"
#include "plan/run.h"
#include "point.h"
#include "train/strategy/ps.h"

/* The first layer becomes a table of 2469 rows of 5 values; 3 words in each of 8 samples. */
enum { ROWS = 2469, WIDTH = 5, WORDS = 3, TABLE = ROWS * WIDTH, DENSE = PARAMETERS - TABLE };

static const struct dts_device device = {
    .peak_flops_per_s = {[DTS_FP32] = 1e15, [DTS_FP16] = 1e15},
    .efficiency = {[DTS_WORK_MEMORY] = 0.5},
    .memory_bytes_per_s = 2e11,
};

static void set_up_table(struct fixture *f, double zipf, double density)
{
    set_up(f);
    f->point.device = &device;
    f->layers[0].params[0].sparse_row = WIDTH;
    f->layers[0].params[0].zipf = zipf;
    f->layers[0].params[0].density = density;
    f->layers[0].output = (struct dts_dims){.count = 2, .size = {WORDS, WIDTH}};
}

/* Draws `words` rows of `rows` by the law again and again, and counts the different ones. */
static double counted(int rows, int words, double exponent, int draws)
{
    double *below = calloc((size_t)rows + 1, sizeof(*below)), all = 0;
    int *last = calloc((size_t)rows + 1, sizeof(*last));
    for (int r = 1; r <= rows; r++)
        below[r] = all += pow(r, -exponent);
    uint64_t drawn = 0;
    long touched = 0;
    for (int draw = 1; draw <= draws; draw++)
        for (int w = 0; w < words; w++) {
            const double x = dts_uniform(7, 0, drawn++) * all;
            int low = 0, high = rows; // below[low] <= x < below[high]
            while (high - low > 1) {
                const int middle = (low + high) / 2;
                *(below[middle] <= x ? &low : &high) = middle;
            }
            touched += last[high] != draw;
            last[high] = draw;
        }
    free(below);
    free(last);
    return (double)touched / draws;
}

static double summed(int rows, double words, double exponent)
{
    double all = 0, touched = 0;
    for (int r = 1; r <= rows; r++)
        all += pow(r, -exponent);
    for (int r = 1; r <= rows; r++)
        touched += 1 - pow(1 - pow(r, -exponent) / all, words);
    return touched;
}

static void rows_touched_are_what_a_count_of_draws_finds(void)
{
    static const double exponents[] = {0, 0.5, 1, 1.3};
    for (size_t e = 0; e < sizeof(exponents) / sizeof(exponents[0]); e++) {
        const double found = dts_rows_touched(20000, 500, exponents[e]);
        CHECK_CLOSE(found, counted(20000, 500, exponents[e], 400), 0.005);
        CHECK_CLOSE(found, summed(20000, 500, exponents[e]), 1e-5);
    }
    CHECK_CLOSE(dts_rows_touched(793471, 2560, 1), summed(793471, 2560, 1), 1e-5);
    CHECK_CLOSE(dts_rows_touched(300, 1e9, 1), 300.0, 1e-9);
    CHECK_NEAR(dts_rows_touched(1, 5, 1), 1, 0);
    CHECK_CLOSE(dts_rows_touched(300, 1, 2), 1.0, 1e-12);
    CHECK_NEAR(dts_rows_touched(300, 0, 1), 0, 0);
    CHECK_CLOSE(dts_rows_touched(365, 23, 0), 365 * (1 - pow(364.0 / 365, 23)), 1e-12);
}

/* A bound on what n devices touch together, and the law itself. */
static void more_samples_touch_more_rows(void)
{
    struct fixture f;
    set_up_table(&f, 1, 0);
    const struct dts_layer *table = &f.layers[0];
    struct dts_table_rule rule = {.rows = true, .above = 1, .batch = 8};
    CHECK_CLOSE(dts_table_rows(table, &rule, 8), summed(ROWS, 24, 1), 1e-5);
    CHECK_CLOSE(dts_table_rows(table, &rule, 64), summed(ROWS, 192, 1), 1e-5);
    rule.density = 0.25;
    CHECK_CLOSE(dts_table_rows(table, &rule, 8), 0.25 * ROWS, 1e-12);
    CHECK_CLOSE(dts_table_rows(table, &rule, 24), (1 - 0.75 * 0.75 * 0.75) * ROWS, 1e-12);
    rule.above = 0.25;
    CHECK(dts_table_listed(table, &rule));
    rule.density = 0.2501;
    CHECK(!dts_table_listed(table, &rule));
    CHECK(!dts_table_listed(&f.layers[3], &rule));
    rule.rows = false;
    rule.above = 1;
    CHECK(!dts_table_listed(table, &rule));
    forget(&f);
}

/* A softmax over 400 drawn words and the targets of 2 positions. */
static void a_sampled_softmax_computes_and_touches_a_part(void)
{
    struct dts_model model;
    struct dts_error err = {0};
    static const char text[] =
        "{\"name\": \"m\", \"input\": [2, 6], \"layers\": [{\"kind\": \"linear\", \"outputs\": "
        "5000, \"bias\": false, \"sampled\": 400}, {\"kind\": \"softmax_cross_entropy\"}]}";
    if (!CHECK(dts_model_parse(&model, "m", text, &err))) {
        printf("%s\n", err.text);
        return;
    }
    const struct dts_layer *layer = &model.layers[0];
    CHECK_NEAR(model.parameters, 6 * 5000.0, 0);
    CHECK_INT(layer->output.size[1], 401);
    CHECK_NEAR(layer->cost.forward_flops, 2.0 * 2 * 6 * 401, 0);
    CHECK_NEAR(layer->cost.weight_values, 6.0 * 401, 0);
    // as many draws as find 400 different words, and 16 targets
    double draws = 400;
    while (summed(5000, draws, 1) < 400)
        draws += 0.5;
    const struct dts_table_rule rule = {.rows = true, .above = 1, .batch = 8};
    CHECK_CLOSE(dts_table_rows(layer, &rule, 8), summed(5000, draws + 16, 1), 1e-3);
    CHECK_CLOSE(dts_table_rows(layer, &rule, 24), summed(5000, 3 * (draws + 16), 1), 1e-3);
    double values;
    CHECK_NEAR(dts_model_rows(&model, 8, &values), 416, 0);
    dts_model_free(&model);
    CHECK(!dts_model_parse(
              &model, "m",
              "{\"name\": \"m\", \"input\": [6], \"layers\": [{\"kind\": \"linear\", "
              "\"outputs\": 50, \"sampled\": 4}]}",
              &err) &&
          strstr(err.text, "sampled: needs \"bias\": false") != NULL);
}

static double bytes_of(struct fixture *f, const char *kind, const char *json, int devices)
{
    struct dts_job job = job_of(f, kind, json, devices);
    struct dts_error err = {0};
    struct dts_traffic traffic = {0};
    CHECK(dts_job_check(&job, &err));
    CHECK_STRING(err.text, "");
    dts_job_traffic(&job, &traffic);
    dts_job_free(&job);
    return traffic.bytes;
}

/* Of a message with so many rows. */
static double message(double rows, int index_bytes)
{
    return ceil(rows) * (WIDTH * 4 + index_bytes);
}

static void pushes_and_pulls_are_the_rows_and_their_numbers(void)
{
    struct fixture f;
    static const char *const sites[] = {
        "{\"tables\": \"rows\", \"servers\": 3}",
        "{\"tables\": \"rows\", \"servers\": 2, \"shard\": \"tensor\"}",
        "{\"tables\": \"rows\", \"synchronous\": false}",
        "{\"tables\": \"rows\", \"servers\": 3, \"part_bytes\": 2000}",
        "{\"tables\": \"rows\", \"servers\": 3, \"placement\": \"both\"}",
    };
    for (int law = 0; law < 2; law++) {
        set_up_table(&f, law, 0);
        for (size_t i = 0; i < sizeof(sites) / sizeof(sites[0]); i++) {
            const double bytes = 4.0 * DENSE + message(summed(ROWS, 24, law), 4);
            CHECK_NEAR(bytes_of(&f, "ps", sites[i], 8), 2 * 8 * bytes, 0.5);
        }
        forget(&f);
    }
    set_up_table(&f, 1, 0.3);
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\", \"index_bytes\": 8}", 8),
               2 * 8 * (4.0 * DENSE + message(0.3 * ROWS, 8)), 0.5);
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\", \"density\": 0.1}", 8),
               2 * 8 * (4.0 * DENSE + message(0.1 * ROWS, 4)), 0.5);
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\", \"dense_above\": 0.2}", 8),
               2 * 8 * 4.0 * PARAMETERS, 0.5);
    f.scenario.precision = DTS_FP16;
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\"}", 8),
               2 * 8 * (2.0 * DENSE + ceil(0.3 * ROWS) * (2 * WIDTH + 4)), 0.5);
    forget(&f);
}

/* In a node each of 4 devices gives its rows to 3 others, and gets those of the node. */
static void a_node_pushes_each_row_once(void)
{
    struct fixture f;
    set_up_table(&f, 1, 0);
    const double one = message(summed(ROWS, 24, 1), 4), all = message(summed(ROWS, 96, 1), 4);
    const double in_node = 2 * 4 * 3 * one + 2 * 3 * all, out = 2 * 2 * all;
    const double dense = 2 * (2.0 * 3 + 3 + 2) * 4 * DENSE; // sum, spread, push and pull
    CHECK(all < 4 * one);
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\", \"aggregate_in_node\": true}", 8),
               in_node + out + dense, 0.5);
    CHECK_NEAR(bytes_of(&f, "hybrid", "{\"aggregate_in_node\": true}", 8),
               in_node + out + 2.0 * 7 * 4 * DENSE, 0.5);
    forget(&f);
}

static void a_hybrid_is_an_all_reduce_and_servers(void)
{
    struct fixture f;
    set_up_table(&f, 1, 0);
    const double rows = message(summed(ROWS, 24, 1), 4);
    for (int devices = 1; devices <= 24; devices++)
        CHECK_NEAR(bytes_of(&f, "hybrid", "{\"servers\": 2}", devices),
                   2.0 * (devices - 1) * 4 * DENSE + 2 * devices * rows, 0.5);
    struct dts_job job = job_of(&f, "hybrid", "{\"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_INT(job.role_count, 2);
    CHECK(waits(plan, find_op(plan, "push 2"), find_op(plan, "backward conv"), false));
    CHECK(waits(plan, find_op(plan, "forward conv"), find_op(plan, "pull 2"), true));
    CHECK(waits(plan, find_op(plan, "update"), find_op(plan, "all-reduce 0"), false));
    CHECK(!waits(plan, find_op(plan, "update"), find_op(plan, "pull 2"), false));
    // two servers for 8 workers: each its half of all messages, and of the rows that change
    const double bytes =
        3 * 8 * rows + summed(ROWS, 192, 1) * WIDTH * 4 * f.scenario.optimizer->values;
    const struct dts_plan *server = &job.roles[1].plan;
    CHECK_INT(server->op_count, 3);
    CHECK_CLOSE(server->ops[find_op(server, "sum 2")].call.seconds, bytes / 2 / 1e10, 1e-2);
    dts_job_free(&job);
    forget(&f);
}

static void all_devices_gather_the_rows_of_all(void)
{
    struct fixture f;
    set_up_table(&f, 1, 0);
    const double rows = message(summed(ROWS, 24, 1), 4);
    for (int devices = 2; devices <= 24; devices++)
        CHECK_NEAR(bytes_of(&f, "allreduce", "{\"tables\": \"rows\"}", devices),
                   2.0 * (devices - 1) * 4 * DENSE + devices * (devices - 1) * rows, 0.5);
    CHECK_NEAR(bytes_of(&f, "allreduce", "{\"tables\": \"rows\"}", 1), 0, 0);
    struct dts_job job =
        job_of(&f, "allreduce", "{\"tables\": \"rows\", \"bucket_bytes\": 0}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int add = find_op(plan, "add 2");
    CHECK(waits(plan, find_op(plan, "all-gather 2"), find_op(plan, "backward conv"), false));
    CHECK(waits(plan, add, find_op(plan, "all-gather 2"), false));
    CHECK(waits(plan, find_op(plan, "update"), add, false));
    CHECK_CLOSE(plan->ops[add].call.seconds, 8 * 3 * rows / 1e11, 1e-12);
    dts_job_free(&job);
    job = job_of(&f, "allreduce",
                 "{\"tables\": \"rows\", \"bucket_bytes\": 0, \"algorithm\": \"mpi\"}", 8);
    plan = &job.roles[0].plan; // which gathers nothing
    CHECK_STRING(plan->ops[find_op(plan, "all-reduce 0")].collective.algorithm->name, "mpi");
    CHECK_STRING(plan->ops[find_op(plan, "all-gather 2")].collective.algorithm->name, "ring");
    dts_job_free(&job);
    forget(&f);
}

/* In a microbatch 8 samples of 3 words look up 15 values each: there, and their gradients back.
 */
static void divided_tables_cost_two_all_to_alls(void)
{
    struct fixture f;
    struct dts_error err = {0};
    static const char json[] = "{\"tables\": \"divided\", \"bucket_bytes\": 0}";
    set_up_table(&f, 1, 0);
    for (int devices = 1; devices <= 24; devices++)
        for (f.scenario.accumulate = 1; f.scenario.accumulate <= 2 && 120 % devices == 0;
             f.scenario.accumulate++)
            CHECK_NEAR(bytes_of(&f, "allreduce", json, devices),
                       devices == 1 ? 0
                                    : 2.0 * (devices - 1) * 4 * DENSE +
                                          f.scenario.accumulate * 2.0 * (devices - 1) * 4 * 8 *
                                              WORDS * WIDTH,
                       0.5);
    f.scenario.accumulate = 1;
    struct dts_job job = job_of(&f, "allreduce", json, 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const int there = find_op(plan, "all-to-all forward conv");
    const int back = find_op(plan, "all-to-all backward conv");
    CHECK_INT(there, find_op(plan, "forward conv") + 1);
    CHECK_INT(back, find_op(plan, "backward conv") - 1);
    CHECK_INT(plan->ops[there].stream, DTS_COMPUTE);
    CHECK_INT(plan->ops[back].stream, DTS_COMPUTE);
    dts_job_free(&job);

    struct dts_memory whole, part;
    double searched;
    set_devices(&f, 8);
    CHECK(use(&f, "allreduce", "{}", &err) && dts_point_memory(&f.point, &whole, &err));
    CHECK(use(&f, "allreduce", json, &err) && dts_point_memory(&f.point, &part, &err));
    CHECK_NEAR(part.weights, 4 * (DENSE + TABLE / 8.0), 0.5);
    CHECK_NEAR(part.optimizer, 4 * (DENSE + TABLE / 8.0), 0.5);
    CHECK_NEAR(part.gradients, 4 * DENSE + message(summed(ROWS, 192, 1), 4) / 8, 0.5);
    CHECK_NEAR(whole.total - part.total,
               whole.weights - part.weights + whole.optimizer - part.optimizer +
                   whole.gradients - part.gradients,
               0.5);
    const struct dts_samples samples = dts_point_samples(&f.point);
    CHECK_CLOSE(dts_model_updated(&f.scenario.model, f.scenario.optimizer, &samples, &searched),
                DENSE + WIDTH * summed(ROWS, 192, 1) / 8, 1e-5);
    forget(&f);
}

static void with_all_rows_touched_the_numbers_alone_are_more(void)
{
    struct fixture f;
    set_up_table(&f, 1, 1);
    CHECK_NEAR(bytes_of(&f, "ps", "{\"tables\": \"rows\"}", 8) - bytes_of(&f, "ps", "{}", 8),
               2.0 * 8 * 4 * ROWS, 0.5);
    CHECK_NEAR(bytes_of(&f, "hybrid", "{}", 8),
               2.0 * 7 * 4 * DENSE + 2 * 8 * (4.0 * TABLE + 4.0 * ROWS), 0.5);
    forget(&f);
}

/* What an update changes, and what lies on a device. */
static void updates_and_memory_are_of_the_rows(void)
{
    struct fixture f;
    struct dts_error err = {0};
    struct dts_memory dense, rows;
    double searched;
    set_up_table(&f, 1, 0);
    set_devices(&f, 8);
    CHECK(use(&f, "allreduce", "{}", &err) && dts_point_memory(&f.point, &dense, &err));
    CHECK(use(&f, "allreduce", "{\"tables\": \"rows\"}", &err) &&
          dts_point_memory(&f.point, &rows, &err));
    const double one = message(summed(ROWS, 24, 1), 4);
    CHECK_NEAR(rows.gradients, 4.0 * DENSE + 9 * one, 0.5);
    CHECK_NEAR(dense.gradients, 4.0 * PARAMETERS, 0.5);
    CHECK_NEAR(dense.total - rows.total, dense.gradients - rows.gradients, 0.5);
    struct dts_samples samples = dts_point_samples(&f.point);
    CHECK(samples.exchanged);
    CHECK_CLOSE(dts_model_updated(&f.scenario.model, f.scenario.optimizer, &samples, &searched),
                DENSE + WIDTH * summed(ROWS, 192, 1), 1e-5);
    CHECK_NEAR(searched, 0, 0);

    CHECK(use(&f, "hybrid", "{}", &err) && dts_point_memory(&f.point, &rows, &err));
    const double own = ceil(summed(ROWS, 24, 1)) * WIDTH;
    CHECK_NEAR(rows.weights, 4 * (DENSE + own), 0.5);
    CHECK_NEAR(rows.gradients, 4.0 * DENSE + one, 0.5);
    CHECK_NEAR(rows.optimizer, 4.0 * DENSE, 0.5);                   // momentum has one value
    CHECK_NEAR(rows.host, 2 * 4.0 * (PARAMETERS - DENSE) / 2, 0.5); // tables, on two nodes
    samples = dts_point_samples(&f.point);
    CHECK_NEAR(dts_model_updated(&f.scenario.model, f.scenario.optimizer, &samples, &searched),
               (double)DENSE, 0);
    CHECK(use(&f, "ps", "{\"tables\": \"rows\"}", &err) &&
          dts_point_memory(&f.point, &rows, &err));
    CHECK_NEAR(rows.host, 2 * 4.0 * PARAMETERS / 2, 0.5);
    const char *parts = "{\"tables\": \"rows\", \"part_bytes\": 100}";
    CHECK(use(&f, "ps", parts, &err) && dts_point_memory(&f.point, &rows, &err));
    CHECK_NEAR(rows.host, 2 * 4.0 * PARAMETERS / 2, 0.5);
    CHECK_NEAR(rows.weights, 4 * (DENSE + own), 0.5);
    CHECK_NEAR(rows.optimizer, 0, 0);
    forget(&f);
}

/* Bytes that the ranks of a node send to other nodes: workers 4 n .. 4 n + 3 and their server,
 * or a server alone. */
static double node_sends(const struct dts_job *job, int node, int nodes)
{
    double bytes = 0;
    for (int r = 0; r < job->role_count; r++) {
        const struct dts_role *role = &job->roles[r];
        for (int i = 0; i < role->plan.op_count; i++) {
            const struct dts_op *op = &role->plan.ops[i];
            struct dts_message messages[64];
            for (int rank = role->first; rank < role->first + role->count; rank++) {
                const int here = rank < 4 * nodes ? rank / 4 : rank - 4 * nodes;
                if (op->kind != DTS_OP_EXCHANGE || !op->exchange.send || here != node)
                    continue;
                const int count = dts_exchange_messages(role, &op->exchange, rank, messages);
                for (int m = 0; m < count; m++) {
                    const int peer = messages[m].peer;
                    const int there = peer < 4 * nodes ? peer / 4 : peer - 4 * nodes;
                    bytes += there != node ? (double)messages[m].bytes : 0;
                }
            }
        }
    }
    return bytes;
}

/* Jiang et al. 2020: n machines with devices, k without, all as busy. */
static void all_nodes_send_as_much_where_servers_are_both(void)
{
    struct fixture f;
    set_up(&f);
    f.machine.nodes = 7;
    CHECK_NEAR(dts_ps_beside_share(1, 3), 1, 0);
    CHECK_NEAR(dts_ps_beside_share(4, 0), 1, 0);
    CHECK_NEAR(dts_ps_beside_share(4, 4), 0, 0);
    CHECK_NEAR(dts_ps_beside_share(4, 7), 0, 0);
    CHECK_CLOSE(dts_ps_beside_share(4, 2), 4 * 2.0 / (16 + 8 - 4), 1e-12);
    for (int k = 1; k < 4; k++) {
        char json[64];
        snprintf(json, sizeof(json), "{\"placement\": \"both\", \"servers\": %d}", k);
        struct dts_job job = job_of(&f, "ps", json, 16);
        CHECK_INT(job.role_count, 3);
        CHECK_INT(job.ranks, 16 + 4 + k);
        const double optimum = // of one node, in one direction; 4 devices push each
            4 * 2.0 * 4 * 3 / (16 + 4 * k - 2 * k) * 4 * PARAMETERS;
        for (int node = 0; node < 4 + k; node++)
            CHECK_CLOSE(node_sends(&job, node, 4), optimum, 1e-2);
        dts_job_free(&job);
    }
    struct dts_job job = job_of(&f, "ps", "{\"placement\": \"both\", \"servers\": 5}", 4);
    CHECK_INT(job.ranks, 5); // one node: its own server alone
    dts_job_free(&job);
    job =
        job_of(&f, "ps", "{\"placement\": \"both\", \"servers\": 2, \"beside_share\": 0}", 16);
    CHECK_INT(job.ranks, 18);
    CHECK_INT(job.role_count, 2);
    dts_job_free(&job);
    forget(&f);
}

/* 247 rows of 0.1 x 2469; 8 devices touch 1 - 0.9^8 of all, 4 push 1 - 0.9^4 of 24 bytes each.
 */
static void a_check_says_what_is_touched(void)
{
    struct fixture f;
    struct dts_error err = {0};
    struct dts_text text = {0};
    set_up_table(&f, 1, 0.1);
    set_devices(&f, 8);
    CHECK(use(&f, "hybrid", "{\"aggregate_in_node\": true}", &err));
    f.strategy.kind->describe(&f.point, NULL, &text);
    CHECK_STRING(dts_text_string(&text),
                 "table conv: a device touches 247 of 2469 rows in a step (density 0.1), all "
                 "devices 1407; a message has 0.0204 MB\n");
    dts_text_free(&text);
    CHECK(use(&f, "allreduce", "{}", &err));
    f.strategy.kind->describe(&f.point, NULL, &text);
    CHECK_STRING(dts_text_string(&text), "");
    dts_text_free(&text);
    forget(&f);
}

static void refuses(struct fixture *f, const char *kind, const char *json, const char *want)
{
    struct dts_error err = {0};
    struct dts_job job = {0};
    CHECK(!(use(f, kind, json, &err) && build(f, 8, &job, &err)));
    if (!CHECK(strstr(err.text, want) != NULL))
        printf("%s %s: %s\n", kind, json, err.text);
}

static void keys_that_cannot_act_are_refused(void)
{
    struct fixture f;
    set_up(&f);
    static const char no_table[] = "no table can travel as rows: model small has no embedding";
    refuses(&f, "allreduce", "{\"tables\": \"rows\"}", no_table);
    refuses(&f, "ps", "{\"tables\": \"rows\"}", no_table);
    refuses(&f, "hybrid", "{}", no_table);
    forget(&f);
    set_up_table(&f, 1, 0);
    refuses(&f, "ps", "{\"density\": 0.5}",
            "density: has no effect where tables are \"dense\"");
    refuses(&f, "allreduce", "{\"tables\": \"dense\", \"dense_above\": 0.5}",
            "dense_above: has no effect");
    refuses(&f, "allreduce", "{\"index_bytes\": 8}", "index_bytes: has no effect");
    refuses(&f, "allreduce", "{\"tables\": \"divided\", \"index_bytes\": 8}",
            "index_bytes: has no effect where tables are \"divided\"");
    refuses(&f, "ps", "{\"tables\": \"divided\"}", "tables: must be one of dense, rows");
    refuses(&f, "hybrid", "{\"index_bytes\": 6}", "index_bytes: must be 4 or 8, got 6");
    refuses(&f, "hybrid", "{\"dense_above\": 0.001}", "leaves no table to the servers");
    refuses(&f, "ps", "{\"beside_share\": 0.5}", "beside_share: has no effect");
    refuses(&f, "ps", "{\"placement\": \"both\"}", "servers: must be >= 1");
    refuses(&f, "ps", "{\"placement\": \"both\", \"servers\": 1, \"shard\": \"tensor\"}",
            "shard: must be \"even\"");
    refuses(&f, "ps", "{\"placement\": \"both\", \"servers\": 5}",
            "2 nodes of workers and 5 of servers are more than the 6 nodes");
    forget(&f);
}

TESTS(TEST(rows_touched_are_what_a_count_of_draws_finds), TEST(more_samples_touch_more_rows),
      TEST(a_sampled_softmax_computes_and_touches_a_part),
      TEST(pushes_and_pulls_are_the_rows_and_their_numbers), TEST(a_node_pushes_each_row_once),
      TEST(a_hybrid_is_an_all_reduce_and_servers), TEST(all_devices_gather_the_rows_of_all),
      TEST(divided_tables_cost_two_all_to_alls),
      TEST(with_all_rows_touched_the_numbers_alone_are_more),
      TEST(updates_and_memory_are_of_the_rows),
      TEST(all_nodes_send_as_much_where_servers_are_both), TEST(a_check_says_what_is_touched),
      TEST(keys_that_cannot_act_are_refused))
