/* test_full_exchange.c -- an exchange of all with all, counted by spots, against the list of
 * its messages: the same bytes on the same links, the same latencies and sums. */
#include "plan/run.h"
#include "sim/agree.h"
#include "sim/load/full_exchange.h"

#define SPREAD_TREE                                                                            \
    "{\"kind\": \"fat_tree\", \"down\": [8, 12], \"up\": [4], \"link_bytes_per_s\": 1e9, "     \
    "\"hop_latency_us\": 1, \"routing\": \"spread\", \"paths\": 4}"
#define SPREAD_DRAGONFLY                                                                       \
    "{\"kind\": \"dragonfly\", \"groups\": 6, \"rows\": 2, \"columns\": 4, "                   \
    "\"nodes_per_router\": 2, \"nodes_per_group\": 16, \"green_lanes\": 1, "                   \
    "\"green_lane_bytes_per_s\": 0.9e9, \"black_lanes\": 2, "                                  \
    "\"black_lane_bytes_per_s\": 0.5e9, \"blue_ports_per_router\": 2, "                        \
    "\"blue_lane_bytes_per_s\": 0.7e9, \"router_latency_us\": 1, \"blue_latency_us\": 1, "     \
    "\"routing\": \"adaptive\", \"valiant_share\": 0.3, \"paths\": 8}"

/* `limit`: of the time of the slowest link, in parts; 0: all links carry the same. */
static const struct row {
    struct agree_machine machine;
    double limit;
} rows[] = {
    {{"star", AGREE_STAR("1"), 96, 1, 1, false}, 0},
    {{"star, 4 devices", AGREE_STAR("1"), 24, 4, 1, false}, 0},
    {{"torus", AGREE_TORUS("1"), 96, 1, 1, false}, 0},
    {{"fat tree by port", AGREE_FAT_TREE("1"), 96, 1, 1, false}, 0},
    {{"fat tree, spread", SPREAD_TREE, 96, 1, 1, false}, 0},
    {{"fat tree, 4 devices", SPREAD_TREE, 24, 4, 1, false}, 0},
    {{"racks, spine by hash", AGREE_TWO_LEVEL("1"), 96, 1, 1, false}, 0.1},
    {{"two rails", NULL, 16, 6, 0, false}, 0.05},
    {{"dragonfly, paths by hash", SPREAD_DRAGONFLY, 96, 1, 1, false}, 0.05},
};

/* A machine of two rails is that of a file. */
static bool machine_read(const struct row *row, struct dts_platform *platform)
{
    struct dts_error err = {0};
    if (row->machine.network != NULL)
        return agree_machine_read(&row->machine, platform);
    return CHECK(dts_platform_load(platform, DTS_SOURCE "/platforms/summit.json", NULL, &err));
}

struct side_by_side {
    struct dts_simulation simulation;
    struct dts_cohorts cohorts;
    struct dts_router *listed, *by_spots;
    struct dts_step_message *messages; // between nodes
    size_t count, within;
};

static void list_messages(struct side_by_side *t, int cohort, const struct dts_exchange *x)
{
    const struct dts_role *role = t->cohorts.all[cohort].role;
    const struct dts_net *net = t->simulation.net;
    struct dts_message *of_rank = dts_alloc((size_t)x->peer_count, sizeof(*of_rank));
    t->messages = dts_alloc((size_t)x->peer_count * (size_t)role->count, sizeof(*t->messages));
    t->count = t->within = 0;
    for (int r = role->first; r < role->first + role->count; r++) {
        int count = dts_exchange_messages(role, x, r, of_rank);
        for (int m = 0; m < count; m++) {
            const int *at = t->simulation.endpoint;
            bool here = dts_net_node(net, at[r]) == dts_net_node(net, at[of_rank[m].peer]);
            t->within += here;
            if (!here)
                t->messages[t->count++] =
                    (struct dts_step_message){r, of_rank[m].peer, of_rank[m].send,
                                              of_rank[m].add, (double)of_rank[m].data.count};
        }
    }
    free(of_rank);
}

static double slowest(const struct dts_step_traffic *traffic)
{
    double most = 0;
    for (int i = 0; i < traffic->link_count; i++)
        most = fmax(most, traffic->links[i].weight[1] / traffic->links[i].bytes_per_s);
    return most;
}

static double weight_of(const struct dts_step_traffic *traffic, int link)
{
    double weight = 0;
    for (int i = 0; i < traffic->link_count; i++)
        weight += traffic->links[i].link == link ? traffic->links[i].weight[1] : 0;
    return weight;
}

static void compare(const struct row *row, const struct dts_step_traffic *listed,
                    const struct dts_step_traffic *by_spots)
{
    CHECK_NEAR(by_spots->sent[1], listed->sent[1], 0);
    CHECK_NEAR(by_spots->sum_s, listed->sum_s, 1e-9 * listed->sum_s);
    if (row->limit == 0)
        CHECK_NEAR(by_spots->latency_s[1], listed->latency_s[1], 1e-12);
    else
        CHECK(fabs(by_spots->latency_s[1] - listed->latency_s[1]) <= 4e-6); // by hash
    CHECK_NEAR(slowest(by_spots), slowest(listed),
               (row->limit > 0 ? row->limit : 1e-6) * slowest(listed));
    CHECK(row->limit > 0 || by_spots->link_count == listed->link_count);
    for (int i = 0; i < listed->link_count && row->limit == 0; i++) {
        double weight = listed->links[i].weight[1];
        CHECK_NEAR(weight_of(by_spots, listed->links[i].link), weight, 1e-5 * weight);
    }
}

static void compare_exchange(struct side_by_side *t, const struct row *row, int cohort,
                             const struct dts_exchange *x)
{
    struct dts_traffic_wish wish = {
        .links = true, .role = t->cohorts.all[cohort].role, .times = 1};
    struct dts_full_exchange full;
    struct dts_step_message *within;
    struct dts_step_traffic listed, by_spots;
    list_messages(t, cohort, x);
    dts_full_exchange_find(&t->simulation, &t->cohorts, cohort, 1 - cohort, x, &full);
    CHECK(dts_full_exchange_within(&full, &within) == t->within);
    dts_step_traffic_make(t->listed, t->messages, t->count, full.largest, &wish, &listed);
    CHECK(dts_full_exchange_between(&full, t->by_spots, &wish, &by_spots) == (double)t->count);
    compare(row, &listed, &by_spots);
    free(within);
    free(t->messages);
    dts_full_exchange_free(&full);
    dts_step_traffic_free(&listed);
    dts_step_traffic_free(&by_spots);
}

/* The bytes of all links, as the answer names the busiest. */
static double total_of(struct dts_router *router)
{
    int count;
    struct dts_link_bytes *total = dts_router_total(router, &count);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += total[i].bytes[0] + total[i].bytes[1];
    free(total);
    return sum;
}

/* Shards that are not all of one size, and servers on hosts beside workers. */
static void run(const struct row *row, int workers, int servers, const char *placement)
{
    struct dts_platform platform;
    if (!machine_read(row, &platform))
        return;
    struct dts_job job = agree_workers(workers, servers);
    agree_exchange(&job, DTS_PUSH, false, 4 * (1000.0 * servers + 7), 0, NULL);
    agree_exchange(&job, DTS_PULL, true, 4 * (1000.0 * servers + 7), 0, NULL);
    struct dts_placement place = {.kind = placement, .seed = 7};
    struct dts_error err = {0};
    int *endpoints = NULL;
    CHECK(dts_place(&platform, &place, workers, servers, false, &endpoints, &err));
    struct side_by_side t = {.simulation = {.job = &job,
                                            .net = &platform.net,
                                            .endpoint = endpoints,
                                            .steps = 2,
                                            .reduce_bytes_per_s = 1e9}};
    t.cohorts = (struct dts_cohorts){.count = 2};
    t.cohorts.all = dts_alloc(2, sizeof(*t.cohorts.all));
    t.cohorts.of = dts_alloc((size_t)job.ranks, sizeof(*t.cohorts.of));
    for (int c = 0; c < 2; c++)
        t.cohorts.all[c] = (struct dts_cohort){&job.roles[c], c, job.roles[c].count};
    for (int r = 0; r < job.ranks; r++)
        t.cohorts.of[r] = r >= workers;
    t.listed = dts_router_new(&t.simulation);
    t.by_spots = dts_router_new(&t.simulation);
    for (int c = 0; c < 2; c++)
        for (int o = 0; o < job.roles[c].plan.op_count; o++)
            compare_exchange(&t, row, c, &job.roles[c].plan.ops[o].exchange);
    double listed = total_of(t.listed);
    CHECK(listed > 0);
    CHECK_NEAR(total_of(t.by_spots), listed, (row->limit > 0 ? 0.03 : 1e-6) * listed);
    dts_router_free(t.listed);
    dts_router_free(t.by_spots);
    dts_cohorts_free(&t.cohorts);
    free(endpoints);
    dts_job_free(&job);
    dts_platform_free(&platform);
}

/* Only a large one that is not between neighbours alone. */
static void says_which(void)
{
    struct dts_role role = {.count = 1000};
    struct dts_exchange x = {.peer_count = 501, .every = 1};
    CHECK(dts_full_exchange_is(&role, &x));
    x.every = 2;
    CHECK(!dts_full_exchange_is(&role, &x));
    x.every = 1, x.relative = true;
    CHECK(!dts_full_exchange_is(&role, &x));
}

static void by_spots_all_is_as_in_the_list(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        run(&rows[i], 96, 96 / rows[i].machine.devices, "linear");
        run(&rows[i], 90, 5, "random");
        run(&rows[i], 61, 3, "linear");
    }
}

TESTS(TEST(says_which), TEST(by_spots_all_is_as_in_the_list))
