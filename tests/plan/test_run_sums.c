/* test_run_sums.c -- collectives of a plan, carried out on numbers, all ranks step by step. */
#include "check.h"
#include "plan/run.h"

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
            CHECK_INT(y->data.first - c->data.first,
                      x->data.first - dts_collective_result(c)->first);
            CHECK_INT(y->bytes, x->bytes);
            CHECK(x->bytes > 0 && x->bytes == 4 * x->data.count);
            for (size_t e = x->data.first; e < x->data.first + x->data.count; e++)
                held[r][e] = (x->add ? held[r][e] : 0) +
                             before[x->peer][e - x->data.first + y->data.first];
        }
}

/* What rank r begins with in element e. */
static double value(int rank, size_t e)
{
    return rank + 100.0 * (double)e;
}

/* The member whose part of an all-to-all ends as element e of another. */
static int had_part(const struct dts_collective *c, int member, size_t e)
{
    for (int m = 0; m < c->group.size; m++)
        for (int channel = 0; channel < c->channels; channel++) {
            struct dts_span part = dts_collective_part(c, m, member, channel);
            if (e >= part.first && e < part.first + part.count)
                return m;
        }
    CHECK(false);
    return 0;
}

/* The member whose edge ends as element e of another; at an end that keeps its own. */
static int edge_from(const struct dts_collective *c, int member, size_t e)
{
    bool behind = c->shape.kind == DTS_HALO_BEFORE;
    for (int channel = 0; c->shape.kind == DTS_HALO && channel < c->channels; channel++) {
        size_t first, count, half, second;
        dts_coll_span(c->data.count, c->channels, channel, 1, &first, &count);
        dts_coll_span(count, 2, 1, 1, &half, &second);
        first += c->data.first + half;
        behind = behind || (e >= first && e < first + second);
    }
    const int from = behind ? member + 1 : member - 1;
    return from >= 0 && from < c->group.size ? from : member;
}

/* Sums over its group; what the first one had, for a broadcast. */
static double wanted(const struct dts_collective *c, int rank, size_t e)
{
    int member = rank / c->group.stride % c->group.size;
    int first = rank - member * c->group.stride;
    if (c->shape.kind == DTS_BROADCAST)
        return value(first, e);
    if (c->shape.kind == DTS_ALLTOALL)
        return value(first + had_part(c, member, e) * c->group.stride, e);
    if (c->shape.kind == DTS_SHIFT)
        return value(first + (member + c->group.size - 1) % c->group.size * c->group.stride,
                     e - dts_collective_result(c)->first + c->data.first);
    if (c->shape.kind >= DTS_HALO)
        return value(first + edge_from(c, member, e) * c->group.stride, e);
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
            const struct dts_span *result = dts_collective_result(c);
            bool outside = e < result->first || e >= result->first + result->count;
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
    const char *why;
    if (!dts_coll_fits(c.algorithm, &c.shape, &why))
        return;
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
            int rest = i / DTS_COLL_KINDS, stride = rest / 4 % 2 == 0 ? 1 : 3;
            int channels = 1 + rest / 4 / 2 % 3, size = stride == 1 ? 12 : 8;
            try_collective((struct dts_collective){
                .algorithm = dts_colls[a],
                .shape = {.kind = (enum dts_coll_kind)(i % DTS_COLL_KINDS),
                          .size = size,
                          .per_node = 4,
                          .shards = channels == 1   ? 4
                                    : channels == 2 ? 2
                                                    : 1,
                          .pieces = 3,
                          .between = dts_coll_find("double_tree")},
                .group = {.stride = stride, .size = size},
                .data = {.first = 7, .count = sizes[rest % 4]},
                .channels = channels,
            });
        }
}

/* What left is still there, and arrived in the second place. */
static void a_shift_may_arrive_beside_what_it_sends(void)
{
    for (int channels = 1; channels <= 3; channels++)
        try_collective((struct dts_collective){
            .algorithm = dts_coll_find("ring"),
            .shape = {.kind = DTS_SHIFT, .size = 8, .per_node = 4, .shards = 1, .pieces = 1},
            .group = {.stride = 3, .size = 8},
            .data = {.first = 7, .count = 10},
            .into = {.first = 30, .count = 10},
            .channels = channels,
        });
}

TESTS(TEST(collectives_leave_right_sums_in_all_groups_and_channels),
      TEST(a_shift_may_arrive_beside_what_it_sends))
