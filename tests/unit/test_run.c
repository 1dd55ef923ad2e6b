/* test_run.c -- what the walker makes of operations: order, messages, and the sums they leave.
 */
#include <stdlib.h>

#include "check.h"
#include "plan/run.h"

/* A back end that writes down what it is asked, in letters. */
struct log {
    char text[256];
    int messages;
};

static void note(struct log *log, char verb, int op)
{
    size_t length = strlen(log->text);
    snprintf(log->text + length, sizeof(log->text) - length, "%c%d ", verb, op);
}

static void log_call(void *self, const struct dts_op *op, const struct dts_call *call)
{
    (void)op;
    note(self, 'c', call->layer);
}

static void log_exchange(void *self, const struct dts_op *op,
                         const struct dts_message *messages, int count)
{
    (void)op, (void)messages;
    note(self, 'x', count);
    ((struct log *)self)->messages += count;
}

static void log_begin(void *self, int op)
{
    note(self, 'b', op);
}

static void log_wait(void *self, int op, bool previous_step)
{
    note(self, previous_step ? 'p' : 'w', op);
}

static void log_done(void *self, int op)
{
    note(self, 'd', op);
}

static const struct dts_backend backend = {
    .call = log_call,
    .exchange = log_exchange,
    .begin = log_begin,
    .wait = log_wait,
    .done = log_done,
};

static struct dts_collective ring_of(int size, size_t count)
{
    return (struct dts_collective){
        .algorithm = dts_coll_find("ring"),
        .shape = {.size = size, .per_node = 1, .shards = 1, .pieces = 1},
        .group = {.stride = 1, .size = size},
        .data = {.count = count},
        .channels = 1,
    };
}

static void operations_run_in_order_waits_first(void)
{
    struct dts_role role = {.name = "worker", .count = 3};
    dts_plan_buffer(&role.plan, 9, 4);
    dts_plan_call(&role.plan, DTS_COMPUTE, "a", (struct dts_call){.layer = 7});
    dts_plan_collective(&role.plan, DTS_DATA, "sum", ring_of(3, 9));
    dts_plan_after(&role.plan, 0);
    dts_plan_call(&role.plan, DTS_COMPUTE, "b", (struct dts_call){.layer = 8});
    dts_plan_after(&role.plan, 1);
    dts_plan_after_previous(&role.plan, 1);

    struct log compute = {"", 0}, data = {"", 0}, input = {"", 0};
    dts_run_stream(&role, 1, DTS_COMPUTE, &backend, &compute);
    dts_run_stream(&role, 1, DTS_DATA, &backend, &data);
    dts_run_stream(&role, 1, DTS_INPUT, &backend, &input);
    CHECK_STRING(compute.text, "b0 c7 d0 w1 p1 b2 c8 d2 ");
    CHECK_STRING(data.text, "w0 b1 x2 x2 x2 x2 d1 ");
    CHECK_STRING(input.text, "");
    CHECK(dts_plan_uses(&role.plan, DTS_DATA));
    CHECK(!dts_plan_uses(&role.plan, DTS_INPUT));
    dts_plan_free(&role.plan);
}

static void a_walk_that_has_ended_walks_again(void)
{
    struct dts_role role = {.name = "worker", .count = 3};
    dts_plan_buffer(&role.plan, 9, 4);
    dts_plan_collective(&role.plan, DTS_DATA, "sum", ring_of(3, 9));
    struct dts_walk walk = {.role = &role, .rank = 0, .stream = DTS_DATA};
    struct dts_event event;
    for (int step = 0; step < 3; step++) {
        int events = 0;
        while (dts_walk_next(&walk, &event))
            events++;
        CHECK_INT(events, 6); // begin, 4 exchanges, done
    }
    dts_walk_free(&walk);
    dts_plan_free(&role.plan);
}

static void who_takes_no_part_begins_and_is_done(void)
{
    struct dts_role role = {.name = "worker", .first = 10, .count = 4};
    dts_plan_buffer(&role.plan, 8, 4);
    dts_plan_exchange(&role.plan, DTS_PUSH, "push",
                      (struct dts_exchange){.send = true,
                                            .first_peer = 0,
                                            .peer_stride = 1,
                                            .peer_count = 2,
                                            .every = 2,
                                            .data = {.count = 8}});
    for (int rank = 10; rank < 14; rank++) {
        struct log log = {"", 0};
        dts_run_stream(&role, rank, DTS_PUSH, &backend, &log);
        CHECK_STRING(log.text, rank % 2 == 0 ? "b0 x2 d0 " : "b0 d0 ");
    }
    dts_plan_free(&role.plan);
}

static void exchanges_name_peers_and_shards(void)
{
    struct dts_role role = {.name = "worker", .first = 4, .count = 4};
    dts_plan_buffer(&role.plan, 100, 2);
    struct dts_message m[3];
    struct dts_exchange x = {.send = true,
                             .first_peer = 1,
                             .peer_stride = 2,
                             .peer_count = 2,
                             .data = {.first = 20, .count = 10},
                             .part = DTS_SHARD_OF_PEER,
                             .shards = 4,
                             .shard_base = 0,
                             .channel = 5};
    CHECK_INT(dts_exchange_messages(&role, &x, 6, m), 2);
    CHECK_INT(m[0].peer, 1);
    CHECK_INT(m[1].peer, 3);
    CHECK_INT(m[0].data.first, 23); // shards of 3, 3, 2, 2 elements
    CHECK_INT(m[0].data.count, 3);
    CHECK_INT(m[1].data.first, 28);
    CHECK_INT(m[1].bytes, 4);
    CHECK_INT(m[1].channel, 5);
    CHECK(m[1].send);

    x.relative = true;
    x.part = DTS_SHARD_OF_SELF;
    x.shard_base = 4;
    CHECK_INT(dts_exchange_messages(&role, &x, 5, m), 2);
    CHECK_INT(m[0].peer, 6);
    CHECK_INT(m[1].peer, 8);
    CHECK_INT(m[1].data.first, 23);

    x.part = DTS_WHOLE;
    CHECK_INT(dts_exchange_messages(&role, &x, 5, m), 2);
    CHECK_INT(m[0].bytes, 20);
    x.data.count = 0; // nothing to send is no message
    CHECK_INT(dts_exchange_messages(&role, &x, 5, m), 0);
    dts_plan_free(&role.plan);
}

/* Collectives are carried out on numbers, all ranks step by step. */

enum { RANKS = 24, ELEMENTS = 50, MESSAGES = 4 * DTS_COLL_MESSAGES };

static double held[RANKS][ELEMENTS];
static struct dts_message messages[RANKS][MESSAGES];
static int counts[RANKS];

/* Between two ranks, in one direction, a channel carries one message a step. */
static void check_channels(int rank)
{
    for (int a = 0; a < counts[rank]; a++)
        for (int b = 0; b < a; b++)
            CHECK(messages[rank][a].peer != messages[rank][b].peer ||
                  messages[rank][a].send != messages[rank][b].send ||
                  messages[rank][a].channel != messages[rank][b].channel);
}

static const struct dts_message *sent_to(int rank, const struct dts_message *received)
{
    for (int m = 0; m < counts[received->peer]; m++) {
        const struct dts_message *x = &messages[received->peer][m];
        if (x->send && x->peer == rank && x->channel == received->channel)
            return x;
    }
    return NULL;
}

static void carry_out(const struct dts_role *role, const struct dts_collective *c, int i)
{
    static double before[RANKS][ELEMENTS];
    memcpy(before, held, sizeof(before));
    for (int r = 0; r < RANKS; r++) {
        counts[r] = dts_collective_messages(role, c, r, i, messages[r]);
        check_channels(r);
    }
    for (int r = 0; r < RANKS; r++)
        for (int m = 0; m < counts[r]; m++) {
            const struct dts_message *x = &messages[r][m];
            if (x->send)
                continue;
            const struct dts_message *y = sent_to(r, x);
            if (!CHECK(y != NULL))
                continue;
            CHECK_INT(y->data.first, x->data.first);
            CHECK_INT(y->bytes, x->bytes);
            CHECK(x->bytes > 0 && x->bytes == 4 * x->data.count);
            for (size_t e = x->data.first; e < x->data.first + x->data.count; e++)
                held[r][e] = (x->add ? held[r][e] : 0) + before[x->peer][e];
        }
}

/* What rank r begins with in element e. */
static double value(int rank, size_t e)
{
    return rank + 100.0 * (double)e;
}

/* Sums over its group; what the first one had, for a broadcast. */
static double wanted(const struct dts_collective *c, int rank, size_t e)
{
    int member = rank / c->group.stride % c->group.size;
    int first = rank - member * c->group.stride;
    if (c->shape.kind == DTS_BROADCAST)
        return value(first, e);
    double sum = 0;
    for (int m = 0; m < c->group.size; m++)
        sum += value(first + m * c->group.stride, e);
    return sum;
}

static bool owns(const struct dts_role *role, const struct dts_collective *c, int rank,
                 size_t e)
{
    for (int channel = 0; channel < c->channels; channel++) {
        struct dts_span share = dts_collective_share(role, c, rank, channel);
        if (e >= share.first && e < share.first + share.count)
            return true;
    }
    return false;
}

static void check_result(const struct dts_role *role, const struct dts_collective *c)
{
    for (int r = 0; r < RANKS; r++)
        for (size_t e = 0; e < ELEMENTS; e++) {
            bool outside = e < c->data.first || e >= c->data.first + c->data.count;
            bool summed =
                !outside && (c->shape.kind != DTS_REDUCE_SCATTER || owns(role, c, r, e));
            if (summed)
                CHECK_NEAR(held[r][e], wanted(c, r, e), 0);
            else if (outside)
                CHECK_NEAR(held[r][e], value(r, e), 0);
        }
}

static void try_collective(struct dts_collective c)
{
    struct dts_role role = {.name = "worker", .count = RANKS};
    dts_plan_buffer(&role.plan, ELEMENTS, 4);
    for (int r = 0; r < RANKS; r++)
        for (size_t e = 0; e < ELEMENTS; e++)
            held[r][e] = value(r, e);
    if (c.shape.kind == DTS_ALLGATHER) // that follows a reduce-scatter
        c.shape.kind = DTS_REDUCE_SCATTER;
    else
        dts_plan_collective(&role.plan, DTS_DATA, "it", c);
    for (int i = 0; i < c.algorithm->steps(&c.shape); i++)
        carry_out(&role, &c, i);
    check_result(&role, &c);
    if (role.plan.op_count == 0) {
        c.shape.kind = DTS_ALLGATHER;
        for (int i = 0; i < c.algorithm->steps(&c.shape); i++)
            carry_out(&role, &c, i);
        check_result(&role, &c);
    }
    dts_plan_free(&role.plan);
}

static void collectives_leave_right_sums_in_all_groups_and_channels(void)
{
    static const size_t sizes[] = {1, 5, 24, 40};
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int i = 0; i < DTS_COLL_KINDS * 4 * 2 * 3; i++) {
            int stride = i / 4 / 4 % 2 == 0 ? 1 : 3, channels = 1 + i / 4 / 4 / 2 % 3;
            int size = stride == 1 ? 12 : 8;
            try_collective((struct dts_collective){
                .algorithm = dts_colls[a],
                .shape = {.kind = (enum dts_coll_kind)(i % 4),
                          .size = size,
                          .per_node = 4,
                          .shards = channels == 1   ? 4
                                    : channels == 2 ? 2
                                                    : 1,
                          .pieces = 3,
                          .between = dts_coll_find("double_tree")},
                .group = {.stride = stride, .size = size},
                .data = {.first = 7, .count = sizes[i / 4 % 4]},
                .channels = channels,
            });
        }
}

static void rings_of_channels_leave_a_node_by_different_devices(void)
{
    struct dts_role role = {.name = "worker", .count = 8};
    dts_plan_buffer(&role.plan, 1000, 4);
    struct dts_collective c = ring_of(8, 1000);
    c.shape.per_node = 4;
    c.channels = 4;
    struct dts_message list[4 * DTS_COLL_MESSAGES];
    for (int r = 0; r < 8; r++) {
        int leaves = 0, count = dts_collective_messages(&role, &c, r, 0, list);
        CHECK_INT(count, 8);
        for (int m = 0; m < count; m++)
            leaves += list[m].send && list[m].peer / 4 != r / 4;
        CHECK_INT(leaves, 1);
    }
    dts_plan_free(&role.plan);
}

TESTS(TEST(operations_run_in_order_waits_first), TEST(a_walk_that_has_ended_walks_again),
      TEST(who_takes_no_part_begins_and_is_done), TEST(exchanges_name_peers_and_shards),
      TEST(collectives_leave_right_sums_in_all_groups_and_channels),
      TEST(rings_of_channels_leave_a_node_by_different_devices))
