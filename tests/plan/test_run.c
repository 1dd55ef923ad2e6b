/* test_run.c -- what the walker makes of operations: their order and their messages.
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
    dts_run_stream(&role, 1, DTS_COMPUTE, 0, &backend, &compute);
    dts_run_stream(&role, 1, DTS_DATA, 0, &backend, &data);
    dts_run_stream(&role, 1, DTS_INPUT, 0, &backend, &input);
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
        dts_run_stream(&role, rank, DTS_PUSH, 0, &backend, &log);
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
      TEST(rings_of_channels_leave_a_node_by_different_devices))
