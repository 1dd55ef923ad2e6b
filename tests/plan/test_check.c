/* test_check.c -- what a job may not be, and what it sends. */
#include "base/mem.h"
#include "check.h"
#include "plan/check.h"
#include "plan/run.h"

static struct dts_job job_of(int workers, int servers)
{
    int roles = servers > 0 ? 2 : 1;
    struct dts_job job = {.roles = dts_alloc((size_t)roles, sizeof(struct dts_role))};
    job.role_count = roles;
    job.ranks = workers + servers;
    job.roles[0] = (struct dts_role){.name = "worker", .count = workers};
    if (servers > 0)
        job.roles[1] = (struct dts_role){
            .name = "server", .kind = DTS_SERVER, .first = workers, .count = servers};
    return job;
}

/* Of the first kind that the row does. */
static struct dts_collective collective(const char *name, int size, int per_node, size_t count)
{
    struct dts_collective c = {
        .algorithm = dts_coll_find(name),
        .shape = {.size = size,
                  .per_node = per_node,
                  .shards = per_node,
                  .pieces = 4,
                  .between = dts_coll_find("ring")},
        .group = {.stride = 1, .size = size},
        .data = {.count = count},
        .channels = 1,
    };
    const char *why;
    while (c.shape.kind < DTS_COLL_KINDS - 1 && !dts_coll_fits(c.algorithm, &c.shape, &why))
        c.shape.kind++;
    return c;
}

static void call(struct dts_plan *plan, const char *label)
{
    dts_plan_call(plan, DTS_COMPUTE, label, (struct dts_call){.layer = -1, .seconds = 1});
}

/* Two buckets are summed while the backward pass goes on. */
static struct dts_job allreduce_job(const char *name, int ranks, int per_node, size_t count)
{
    struct dts_job job = job_of(ranks, 0);
    struct dts_plan *plan = &job.roles[0].plan;
    dts_plan_buffer(plan, count, 4);
    call(plan, "backward");
    dts_plan_collective(plan, DTS_DATA, "sum 0", collective(name, ranks, per_node, count));
    dts_plan_after(plan, 0);
    dts_plan_collective(plan, DTS_DATA, "sum 1", collective(name, ranks, per_node, count / 2));
    call(plan, "update");
    dts_plan_after(plan, 1);
    dts_plan_after(plan, 2);
    return job;
}

static struct dts_exchange leg(bool send, int first_peer, int peers, enum dts_part part,
                               int servers, int shard_base)
{
    return (struct dts_exchange){.send = send,
                                 .first_peer = first_peer,
                                 .peer_stride = 1,
                                 .peer_count = peers,
                                 .data = {.count = 100},
                                 .part = part,
                                 .shards = servers,
                                 .shard_base = shard_base};
}

/* Workers push shards to servers and pull them back; the next step begins when they are there.
 */
static struct dts_job ps_job(int workers, int servers)
{
    struct dts_job job = job_of(workers, servers);
    struct dts_plan *w = &job.roles[0].plan, *s = &job.roles[1].plan;
    enum dts_part mine = DTS_SHARD_OF_SELF, theirs = DTS_SHARD_OF_PEER;
    dts_plan_buffer(w, 100, 4);
    dts_plan_buffer(s, 100, 4);

    call(w, "forward");
    dts_plan_after_previous(w, 2);
    dts_plan_exchange(w, DTS_PUSH, "push",
                      leg(true, workers, servers, theirs, servers, workers));
    dts_plan_after(w, 0);
    dts_plan_exchange(w, DTS_PULL, "pull",
                      leg(false, workers, servers, theirs, servers, workers));
    dts_plan_after(w, 1);

    dts_plan_exchange(s, DTS_PUSH, "take in", leg(false, 0, workers, mine, servers, workers));
    call(s, "aggregate");
    dts_plan_after(s, 0);
    dts_plan_exchange(s, DTS_PULL, "give out", leg(true, 0, workers, mine, servers, workers));
    dts_plan_after(s, 1);
    return job;
}

static void check_fine(struct dts_job job)
{
    struct dts_error err = {0};
    CHECK(dts_job_check(&job, &err));
    CHECK_STRING(err.text, "");
    dts_job_free(&job);
}

static void check_refused(struct dts_job job, const char *want)
{
    struct dts_error err = {0};
    CHECK(!dts_job_check(&job, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK_STRING(err.text, want);
    dts_job_free(&job);
}

static void sound_jobs_pass(void)
{
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int nodes = 1; nodes <= 4; nodes++)
            check_fine(allreduce_job(dts_coll_name(a), 4 * nodes, 4, 50));
    for (int workers = 1; workers <= 5; workers++)
        for (int servers = 1; servers <= 3; servers++)
            check_fine(ps_job(workers, servers));

    struct dts_job job = job_of(24, 0);
    dts_plan_buffer(&job.roles[0].plan, 100, 2);
    struct dts_collective c = collective("double_tree", 8, 4, 100);
    c.group.stride = 3;
    c.channels = 4;
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "sum", c);
    check_fine(job);
}

static void a_message_that_never_comes_is_named(void)
{
    struct dts_job job = ps_job(3, 2);
    job.roles[0].plan.ops[1].exchange.every = 2; // rank 1 does not push
    check_refused(job, "plan: rank 3 (server): \"take in\" waits for ever to receive 200 bytes "
                       "from rank 1 on stream push, channel 0");
}

static void a_message_that_nobody_takes_is_named(void)
{
    struct dts_job job = ps_job(3, 2);
    job.roles[1].plan.ops[0].exchange.peer_count = 2; // rank 2 is not heard
    check_refused(job, "plan: rank 2 (worker): \"push\" waits for ever to send 200 bytes to "
                       "rank 3 on stream push, channel 0");
}

static void other_channels_do_not_meet(void)
{
    struct dts_job job = ps_job(1, 1);
    job.roles[0].plan.ops[1].exchange.channel = 4;
    check_refused(job, "plan: rank 1 (server): \"take in\" waits for ever to receive 400 bytes "
                       "from rank 0 on stream push, channel 0");
}

static void bytes_must_agree(void)
{
    struct dts_job job = ps_job(3, 2);
    job.roles[1].plan.ops[2].exchange.data.count = 90;
    check_refused(job, "plan: rank 3 (server): \"give out\" sends 180 bytes to rank 0, whose "
                       "\"pull\" awaits 200");
}

/* Two streams that wait for each other's buckets in opposite order on two ranks. */
static void a_deadlock_is_found(void)
{
    struct dts_job job = job_of(1, 1);
    for (int r = 0; r < 2; r++) {
        struct dts_plan *plan = &job.roles[r].plan;
        struct dts_exchange x = leg(r == 0, 1 - r, 1, DTS_WHOLE, 1, 0);
        dts_plan_buffer(plan, 100, 4);
        for (int i = 0; i < 2; i++) {
            x.channel = r == 0 ? i : 1 - i;
            dts_plan_exchange(plan, DTS_PUSH, i == 0 ? "first" : "second", x);
        }
    }
    check_refused(job, "plan: rank 0 (worker): \"first\" waits for ever to send 400 bytes to "
                       "rank 1 on stream push, channel 0");
}

/* Rank 0 sends, then receives; rank 1 takes only after what it sends was received. */
static void a_deadlock_through_waits_is_found(void)
{
    struct dts_job job = job_of(1, 1);
    for (int r = 0; r < 2; r++) {
        struct dts_plan *plan = &job.roles[r].plan;
        enum dts_stream streams[] = {DTS_PUSH, DTS_PULL};
        dts_plan_buffer(plan, 100, 4);
        dts_plan_exchange(plan, streams[r], r == 0 ? "push" : "give out",
                          leg(true, 1 - r, 1, DTS_WHOLE, 1, 0));
        dts_plan_exchange(plan, streams[1 - r], r == 0 ? "pull" : "take in",
                          leg(false, 1 - r, 1, DTS_WHOLE, 1, 0));
        dts_plan_after(plan, 0);
    }
    check_refused(job, "plan: rank 0 (worker): \"push\" waits for ever to send 400 bytes to "
                       "rank 1 on stream push, channel 0");
}

static void operations_that_mean_nothing_are_refused(void)
{
    struct dts_job job = ps_job(3, 2);
    job.roles[0].plan.ops[1].exchange.peer_count = 3;
    check_refused(job, "plan: worker: \"push\": peers must be other ranks of the job, got 5");

    job = ps_job(3, 2);
    job.roles[0].plan.ops[1].exchange.shard_base = 2;
    check_refused(job,
                  "plan: worker: \"push\": peers and ranks must be those of shards, got 2");

    job = ps_job(3, 2);
    job.roles[1].plan.waits[0].op = 2;
    check_refused(job,
                  "plan: server: \"aggregate\": must wait for an earlier operation, got 2");

    job = allreduce_job("ring", 8, 4, 10);
    job.roles[0].plan.ops[1].collective.group.stride = 2;
    check_refused(job,
                  "plan: worker: \"sum 0\": groups must divide the role, with stride x size, "
                  "got 16");

    job = allreduce_job("hierarchical", 8, 4, 10);
    job.roles[0].plan.ops[2].collective.shape.shards = 3;
    check_refused(job, "plan: worker: \"sum 1\": hierarchical needs shards that divide the "
                       "members of a node");
}

static void count_sent(void *self, const struct dts_op *op, const struct dts_message *messages,
                       int count)
{
    struct dts_traffic *traffic = self;
    (void)op;
    for (int m = 0; m < count; m++) {
        traffic->messages += messages[m].send;
        traffic->bytes += messages[m].send ? (double)messages[m].bytes : 0;
    }
}

static void ignore(void *self, int op)
{
    (void)self, (void)op;
}

static void ignore_wait(void *self, int op, bool previous_step)
{
    (void)self, (void)op, (void)previous_step;
}

static void ignore_call(void *self, const struct dts_op *op, const struct dts_call *c)
{
    (void)self, (void)op, (void)c;
}

/* As allreduce_job(), with less data than pieces. */
static struct dts_job pieces_job(const char *name, int ranks, size_t elements)
{
    struct dts_job job = job_of(ranks, 0);
    dts_plan_buffer(&job.roles[0].plan, elements, 4);
    struct dts_collective c = collective(name, ranks, 4, elements);
    c.shape.pieces = 64;
    c.channels = 2;
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "sum", c);
    return job;
}

/* An all-to-all, and a shift into a second place, in groups with a stride. */
static struct dts_job moves_job(int ranks, int stride, size_t elements)
{
    struct dts_job job = job_of(ranks, 0);
    struct dts_plan *plan = &job.roles[0].plan;
    dts_plan_buffer(plan, elements, 4);
    dts_plan_buffer(plan, elements, 4);
    struct dts_collective c = collective("pairwise", ranks / stride, 1, elements);
    c.group.stride = stride;
    dts_plan_collective(plan, DTS_DATA, "parts", c);
    c.algorithm = dts_coll_find("ring");
    c.shape.kind = DTS_SHIFT;
    c.into = (struct dts_span){1, 0, elements};
    dts_plan_collective(plan, DTS_DATA, "pass on", c);
    return job;
}

static void a_second_place_is_of_a_shift_and_like_the_first(void)
{
    struct dts_job job = moves_job(8, 2, 50);
    check_fine(job);
    job = moves_job(8, 2, 50);
    job.roles[0].plan.ops[1].collective.into.count = 49;
    check_refused(job,
                  "plan: worker: \"pass on\": a shift must arrive in as many elements, got "
                  "49");
    job = moves_job(8, 2, 50);
    job.roles[0].plan.buffers[1].element_bytes = 2;
    check_refused(job,
                  "plan: worker: \"pass on\": a shift must arrive in as many elements, got "
                  "50");
    job = moves_job(8, 2, 50);
    job.roles[0].plan.ops[1].collective.into.first = 1;
    check_refused(job, "plan: worker: \"pass on\": must stay in its buffer, got 51");
    job = moves_job(8, 2, 50);
    job.roles[0].plan.ops[1].collective.data.count = 10;
    job.roles[0].plan.ops[1].collective.into = (struct dts_span){0, 9, 10};
    check_refused(job,
                  "plan: worker: \"pass on\": a shift must not arrive in what it sends, got "
                  "9");
    job = moves_job(8, 8, 50);
    check_refused(job, "plan: worker: \"pass on\": a second place needs two members, got 1");
    job = moves_job(8, 2, 50);
    job.roles[0].plan.ops[0].collective.into = (struct dts_span){1, 0, 50};
    check_refused(job, "plan: worker: \"parts\": only a shift has a second place, got 50");
}

/* What dts_job_traffic() counts by classes of steps, rank by rank and message by message. */
static void check_traffic(struct dts_job job, double tolerance)
{
    static const struct dts_backend counter = {.call = ignore_call,
                                               .exchange = count_sent,
                                               .begin = ignore,
                                               .wait = ignore_wait,
                                               .done = ignore};
    struct dts_traffic counted, walked = {0, 0};
    for (int r = 0; r < job.ranks; r++)
        for (enum dts_stream s = 0; s < DTS_STREAMS; s++)
            dts_run_stream(dts_job_role(&job, r), r, s, 0, &counter, &walked);
    dts_job_traffic(&job, &counted);
    CHECK_NEAR(counted.messages, walked.messages, 0);
    CHECK_CLOSE(counted.bytes, walked.bytes, tolerance);
    dts_job_free(&job);
}

static void traffic_is_what_the_walker_sends(void)
{
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int ranks = 4; ranks <= 20; ranks += 4) {
            size_t even = 7680; // all numbers of chunks divide it
            check_traffic(allreduce_job(dts_coll_name(a), ranks, 4, even), 1e-12);
            check_traffic(allreduce_job(dts_coll_name(a), ranks, 4, even + 7), 0.01);
        }
    check_traffic(allreduce_job("ring", 12, 4, 5), 1e-12); // fewer elements than chunks
    for (int a = 0; dts_colls[a] != NULL; a++)
        check_traffic(pieces_job(dts_coll_name(a), 12, 50), 1e-12);
    check_traffic(ps_job(5, 3), 1e-12);
    struct dts_job job = moves_job(12, 3, 48); // groups of 4
    job.roles[0].plan.ops[0].collective.channels = 2;
    check_traffic(job, 1e-12);
}

/* (n - 1) / n of its data leave each member of an all-to-all, and all of it in a shift. */
static void traffic_of_parts_follows_its_formula(void)
{
    struct dts_job job = moves_job(24, 3, 800); // groups of 8
    struct dts_traffic counted;
    dts_job_traffic(&job, &counted);
    CHECK_NEAR(counted.messages, 24 * (7 + 1), 0);
    CHECK_NEAR(counted.bytes, 24 * 4 * (800 * 7 / 8.0 + 800), 1e-9);
    dts_job_free(&job);
}

static void traffic_of_a_large_ring_follows_its_formula(void)
{
    const double n = 27648, elements = 25557032;
    struct dts_job job = job_of((int)n, 0);
    dts_plan_buffer(&job.roles[0].plan, (size_t)elements, 4);
    struct dts_collective c = collective("ring", (int)n, 6, (size_t)elements);
    c.channels = 2;
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "sum", c);
    struct dts_traffic traffic;
    dts_job_traffic(&job, &traffic);
    CHECK_NEAR(traffic.messages, 2 * 2 * (n - 1) * n, 0);
    CHECK_CLOSE(traffic.bytes, 2 * (n - 1) * 4 * elements, 1e-12);
    dts_job_free(&job);
}

TESTS(TEST(sound_jobs_pass), TEST(a_message_that_never_comes_is_named),
      TEST(a_message_that_nobody_takes_is_named), TEST(other_channels_do_not_meet),
      TEST(bytes_must_agree), TEST(a_deadlock_is_found),
      TEST(a_deadlock_through_waits_is_found), TEST(operations_that_mean_nothing_are_refused),
      TEST(traffic_is_what_the_walker_sends), TEST(traffic_of_a_large_ring_follows_its_formula),
      TEST(traffic_of_parts_follows_its_formula),
      TEST(a_second_place_is_of_a_shift_and_like_the_first))
