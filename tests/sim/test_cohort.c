/* test_cohort.c -- which ranks fluid walks as one: those that fare alike, and no others. */
#include "base/mem.h"
#include "check.h"
#include "sim/load/cohort.h"

#include "job.h"
#include "sim/crossbar.h"

enum { WORKERS = 8, SERVERS = 2, MOST = 512 };

static const size_t elements = 1 << 20;

/* Workers, and two servers beside the first of them (their roles: one each); what they send. */
struct setting {
    struct crossbar crossbar;
    struct dts_net net;
    struct dts_job job;
    int endpoints[MOST + SERVERS];
    struct dts_cohorts cohorts;
};

static void push(struct dts_role *role, bool send, int first_peer, int peers, int channel)
{
    struct dts_plan *plan = &role->plan;
    struct dts_exchange x = {.send = send,
                             .first_peer = first_peer,
                             .peer_stride = 1,
                             .peer_count = peers,
                             .every = 1,
                             .channel = channel};
    x.data = (struct dts_span){dts_plan_buffer(plan, elements, 4), 0, elements};
    dts_plan_exchange(plan, DTS_PUSH, "push", x);
}

/* per_node workers are near to one another; server s is on node s. */
static void open_setting(struct setting *s, int count, int per_node)
{
    *s = (struct setting){
        .crossbar = {.bytes_per_s = 1e9, .latency_s = 1e-5, .per_node = per_node}};
    s->net = crossbar_net(&s->crossbar, count);
    s->job = (struct dts_job){.role_count = 1 + SERVERS, .ranks = count + SERVERS};
    s->job.roles = dts_alloc(1 + SERVERS, sizeof(*s->job.roles));
    s->job.roles[0] = (struct dts_role){.name = "worker", .count = count};
    for (int r = 0; r < count; r++)
        s->endpoints[r] = r;
    for (int i = 0; i < SERVERS; i++) {
        s->job.roles[1 + i] = (struct dts_role){
            .name = "server", .kind = DTS_SERVER, .first = count + i, .count = 1};
        s->endpoints[count + i] = i * per_node;
        push(&s->job.roles[0], true, count + i, 1, i);
        push(&s->job.roles[1 + i], false, 0, count, i);
    }
}

static void find(struct setting *s)
{
    struct dts_simulation simulation = {
        .job = &s->job, .net = &s->net, .endpoint = s->endpoints, .steps = 2};
    dts_cohorts_find(&simulation, &s->cohorts);
}

/* How many cohorts the roles from first to last have. */
static int cohorts_of(const struct setting *s, int first, int last)
{
    int count = 0;
    for (int c = 0; c < s->cohorts.count; c++)
        count +=
            s->cohorts.all[c].role_number >= first && s->cohorts.all[c].role_number <= last;
    return count;
}

static void close_setting(struct setting *s)
{
    dts_cohorts_free(&s->cohorts);
    dts_job_free(&s->job);
}

static void workers_beside_a_server_are_told_from_the_others(void)
{
    struct setting s;
    open_setting(&s, WORKERS, 2);
    find(&s);
    const int *of = s.cohorts.of;
    CHECK_INT(cohorts_of(&s, 0, 0), 3);
    CHECK(of[0] != of[2] && of[0] != of[4] && of[2] != of[4]);
    CHECK_INT(of[1], of[0]);
    CHECK_INT(of[3], of[2]);
    for (int r = 5; r < WORKERS; r++)
        CHECK_INT(of[r], of[4]);
    CHECK_INT(s.cohorts.all[of[4]].count, WORKERS - 4);
    CHECK_INT(s.cohorts.all[of[4]].role_number, 0);
    CHECK_INT(cohorts_of(&s, 1, 2), SERVERS); // a role is never mixed
    CHECK_INT(s.cohorts.count, 3 + SERVERS);
    close_setting(&s);
}

/* Three servers of one role, of which two share a port: by nothing else do they differ. */
static void servers_that_share_a_port_are_told_from_one_that_does_not(void)
{
    struct setting s = {.crossbar = {.bytes_per_s = 1e9, .latency_s = 1e-5, .per_node = 1}};
    s.net = crossbar_net(&s.crossbar, WORKERS + 2);
    s.job = workers(WORKERS);
    s.job.role_count = 2;
    s.job.ranks = WORKERS + 3;
    s.job.roles[1] =
        (struct dts_role){.name = "server", .kind = DTS_SERVER, .first = WORKERS, .count = 3};
    push(&s.job.roles[0], true, WORKERS, 3, 0);
    push(&s.job.roles[1], false, 0, WORKERS, 0);
    for (int r = 0; r < WORKERS; r++)
        s.endpoints[r] = r;
    for (int i = 0; i < 3; i++)
        s.endpoints[WORKERS + i] = WORKERS + i / 2;
    find(&s);
    const int *of = &s.cohorts.of[WORKERS];
    CHECK_INT(s.cohorts.count, 1 + 2);
    CHECK(of[0] == of[1] && of[0] != of[2]);
    close_setting(&s);
}

/* Who does a collective together is done with it together. */
static void ranks_of_a_group_stay_together(void)
{
    struct setting s;
    open_setting(&s, WORKERS, 2);
    add_allreduce(&s.job.roles[0].plan, DTS_DATA, "ring", 2, elements);
    find(&s);
    const int *of = s.cohorts.of;
    CHECK_INT(cohorts_of(&s, 0, 0), 3);
    for (int r = 0; r < WORKERS; r += 2)
        CHECK_INT(of[r], of[r + 1]);
    CHECK(of[0] != of[2] && of[2] != of[4] && of[0] != of[4]);
    CHECK_INT(of[4], of[6]);
    close_setting(&s);

    open_setting(&s, WORKERS, 2);
    add_allreduce(&s.job.roles[0].plan, DTS_DATA, "ring", WORKERS, elements);
    find(&s);
    CHECK_INT(s.cohorts.count, 1 + SERVERS);
    close_setting(&s);
}

static void a_job_without_exchanges_has_one_for_each_role(void)
{
    struct setting s = {.crossbar = {.bytes_per_s = 1e9, .latency_s = 1e-5, .per_node = 2}};
    s.net = crossbar_net(&s.crossbar, WORKERS);
    s.job = workers(WORKERS);
    add_allreduce(&s.job.roles[0].plan, DTS_DATA, "ring", 2, elements);
    for (int r = 0; r < WORKERS; r++)
        s.endpoints[r] = r;
    find(&s);
    CHECK_INT(s.cohorts.count, 1);
    CHECK_INT(s.cohorts.all[0].count, WORKERS);
    close_setting(&s);
}

/* A network on which every pair of ranks has a latency of its own. */
static double latency_of_pair(const void *self, int src, int dst, int path)
{
    return crossbar_latency(self, src, dst, path) * (1 + 1000.0 * src + dst);
}

static void too_many_become_coarser(void)
{
    struct dts_net_ops ops;
    for (int count = 8; count <= MOST; count *= 8) {
        struct setting s;
        open_setting(&s, count, 2);
        ops = *s.net.ops;
        ops.latency = latency_of_pair;
        s.net.ops = &ops;
        find(&s);
        // All apart; then only by which server they reach without the network.
        CHECK_INT(cohorts_of(&s, 0, 0), count == 8 ? 8 : 3);
        CHECK(s.cohorts.coarse == (count > 8));
        close_setting(&s);
    }
}

/* As long as a transfer for each pair of cohorts, in each exchange, can be walked. */
static void many_exchanges_become_coarser(void)
{
    struct setting s;
    open_setting(&s, 32, 2);
    struct dts_net_ops ops = *s.net.ops;
    ops.latency = latency_of_pair;
    s.net.ops = &ops;
    find(&s);
    CHECK_INT(cohorts_of(&s, 0, 0), 32);
    CHECK(!s.cohorts.coarse);
    dts_cohorts_free(&s.cohorts);
    for (int more = 0; more < 2000; more++)
        for (int i = 0; i < SERVERS; i++) {
            push(&s.job.roles[0], true, 32 + i, 1, SERVERS + more);
            push(&s.job.roles[1 + i], false, 0, 32, SERVERS + more);
        }
    find(&s);
    CHECK_INT(cohorts_of(&s, 0, 0), 3);
    CHECK(s.cohorts.coarse);
    close_setting(&s);
}

TESTS(TEST(workers_beside_a_server_are_told_from_the_others),
      TEST(servers_that_share_a_port_are_told_from_one_that_does_not),
      TEST(ranks_of_a_group_stay_together), TEST(a_job_without_exchanges_has_one_for_each_role),
      TEST(too_many_become_coarser), TEST(many_exchanges_become_coarser))
