/* test_coll_forms.c -- collective algorithms against their closed forms; names, shapes, chunks.
 */
#include "check.h"
#include "plan/coll/coll.h"

enum { MOST = 24 };

/* The messages of all members in one step. */
static struct dts_coll_message messages[MOST][DTS_COLL_MESSAGES];
static int counts[MOST];

static void fill(const struct dts_coll *coll, const struct dts_coll_shape *shape, int i)
{
    for (int m = 0; m < shape->size; m++)
        counts[m] = coll->step(shape, m, i, messages[m]);
}

/* The most that one member sends, as a part of the data. */
static double most_sent(const struct dts_coll *coll, const struct dts_coll_shape *shape)
{
    long sent[MOST] = {0}, most = 0;
    for (int i = 0; i < coll->steps(shape); i++) {
        fill(coll, shape, i);
        for (int m = 0; m < shape->size; m++)
            for (int a = 0; a < counts[m]; a++)
                sent[m] += messages[m][a].send ? messages[m][a].count : 0;
    }
    for (int m = 0; m < shape->size; m++)
        most = sent[m] > most ? sent[m] : most;
    return (double)most / coll->chunks(shape);
}

enum { ALPHA = 3, BYTES = 960 }; // seconds; seconds for all the data through a port

static double port(int m, bool send, int chunks)
{
    int count = 0;
    for (int a = 0; a < counts[m]; a++)
        count += messages[m][a].send == send ? messages[m][a].count : 0;
    return (double)BYTES * count / chunks;
}

/* On a crossbar: a message begins when both sides have come to its step, and shares the ports
 * of both with the other messages of the step. */
static double crossbar_seconds(const struct dts_coll *coll, const struct dts_coll_shape *shape)
{
    int chunks = coll->chunks(shape);
    double now[MOST] = {0}, last = 0;
    for (int i = 0; i < coll->steps(shape); i++) {
        double end[MOST];
        memcpy(end, now, sizeof(end));
        fill(coll, shape, i);
        for (int m = 0; m < shape->size; m++)
            for (int a = 0; a < counts[m]; a++) {
                int peer = messages[m][a].peer;
                bool send = messages[m][a].send;
                double begin = fmax(now[m], now[peer]);
                double busy = fmax(port(m, send, chunks), port(peer, !send, chunks));
                end[m] = fmax(end[m], begin + ALPHA + busy);
            }
        memcpy(now, end, sizeof(now));
    }
    for (int m = 0; m < shape->size; m++)
        last = fmax(last, now[m]);
    return last;
}

/* What the head of each file says. */
static const struct known {
    const char *name;
    enum dts_coll_kind kind;
    int size, per_node, shards, pieces;
    const char *between;
    int steps;
    double sent;        // by the busiest member
    double alphas, all; // seconds on a crossbar are alphas x ALPHA + all x BYTES
} known[] = {
    {"ring", DTS_ALLREDUCE, 8, 1, 1, 1, NULL, 14, 14.0 / 8, 14, 14.0 / 8},
    {"ring", DTS_ALLREDUCE, 23, 1, 1, 1, NULL, 44, 44.0 / 23, 44, 44.0 / 23},
    {"ring", DTS_REDUCE_SCATTER, 8, 1, 1, 1, NULL, 7, 7.0 / 8, 7, 7.0 / 8},
    {"ring", DTS_ALLGATHER, 8, 1, 1, 1, NULL, 7, 7.0 / 8, 7, 7.0 / 8},
    {"ring", DTS_BROADCAST, 8, 1, 1, 5, NULL, 11, 1, 11, 11.0 / 5},
    {"halving_doubling", DTS_ALLREDUCE, 16, 1, 1, 1, NULL, 8, 30.0 / 16, 8, 30.0 / 16},
    {"halving_doubling", DTS_ALLREDUCE, 19, 1, 1, 1, NULL, 10, 30.0 / 16 + 1, 10,
     30.0 / 16 + 2},
    {"halving_doubling", DTS_REDUCE_SCATTER, 16, 1, 1, 1, NULL, 4, 15.0 / 16, 4, 15.0 / 16},
    {"halving_doubling", DTS_ALLGATHER, 16, 1, 1, 1, NULL, 4, 15.0 / 16, 4, 15.0 / 16},
    {"halving_doubling", DTS_BROADCAST, 16, 1, 1, 1, NULL, 8, 30.0 / 16, 8, 30.0 / 16},
    {"binary_blocks", DTS_ALLREDUCE, 16, 1, 1, 1, NULL, 8, 30.0 / 16, 8, 30.0 / 16},
    {"binary_blocks", DTS_ALLREDUCE, 24, 1, 1, 1, NULL, 8, 31.0 / 16, 8, 2},
    {"binary_blocks", DTS_ALLREDUCE, 17, 1, 1, 1, NULL, 8, 31.0 / 16, 8, 30.0 / 8},
    {"binary_blocks", DTS_ALLREDUCE, 7, 1, 1, 1, NULL, 4, 2, 4, 3},
    {"tree", DTS_ALLREDUCE, 16, 1, 1, 1, NULL, 8, 4, 8, 8},
    {"tree", DTS_ALLREDUCE, 16, 1, 1, 3, NULL, 8, 4, 8, 8},
    {"tree", DTS_ALLREDUCE, 16, 1, 1, 5, NULL, 33, 4, 30, 30.0 / 5},
    {"tree", DTS_ALLREDUCE, 2, 1, 1, 5, NULL, 6, 1, 6, 6.0 / 5},
    {"tree", DTS_BROADCAST, 16, 1, 1, 5, NULL, 4, 4, 4, 4},
    {"tree", DTS_REDUCE_SCATTER, 16, 1, 1, 5, NULL, 8, 23.0 / 16, 8, 4 + 15.0 / 16},
    {"tree", DTS_ALLGATHER, 16, 1, 1, 5, NULL, 8, 4, 8, 4 + 15.0 / 16},
    {"double_tree", DTS_ALLREDUCE, 7, 1, 1, 5, NULL, 20, 2, 20, 2 * 14.0 / 10},
    {"double_tree", DTS_ALLREDUCE, 17, 1, 1, 5, NULL, 26, 2, 26, 2 * 17.0 / 10},
    {"double_tree", DTS_BROADCAST, 17, 1, 1, 5, NULL, 17, 1, 17, 17.0 / 10},
    {"hierarchical", DTS_ALLREDUCE, 16, 4, 4, 5, "ring", 12, 1.5 + 1.5 / 4, 12, 1.5 + 1.5 / 4},
    {"hierarchical", DTS_ALLREDUCE, 16, 4, 1, 5, "ring", 20, 1 + 1.5, 20, 2 * 7.0 / 5 + 1.5},
    {"hierarchical", DTS_ALLREDUCE, 16, 4, 1, 1, "halving_doubling", 10, 1 + 1.5, 10,
     2 * 3 + 1.5},
    {"hierarchical", DTS_ALLREDUCE, 16, 1, 1, 1, "ring", 30, 30.0 / 16, 30, 30.0 / 16},
    {"hierarchical", DTS_ALLREDUCE, 16, 16, 16, 1, "ring", 30, 30.0 / 16, 30, 30.0 / 16},
    {"recursive_doubling", DTS_ALLREDUCE, 16, 1, 1, 1, NULL, 4, 4, 4, 4},
    {"recursive_doubling", DTS_ALLREDUCE, 19, 1, 1, 1, NULL, 6, 5, 6, 6},
    {"nvls", DTS_ALLREDUCE, 8, 8, 1, 1, NULL, 2, 14.0 / 8, 2, 14.0 / 8},
    {"nvls", DTS_REDUCE_SCATTER, 8, 8, 1, 1, NULL, 1, 7.0 / 8, 1, 7.0 / 8},
    {"nvls", DTS_ALLGATHER, 8, 8, 1, 1, NULL, 1, 7.0 / 8, 1, 7.0 / 8},
    {"tree_of_nodes", DTS_ALLREDUCE, 8, 4, 1, 1, NULL, 8, 2, 8, 3 + 1 + 3},
    {"tree_of_nodes", DTS_ALLREDUCE, 2, 1, 1, 5, NULL, 6, 1, 6, 1},
    {"tree_of_nodes", DTS_ALLREDUCE, 8, 8, 1, 1, NULL, 14, 2, 14, 14},
    {"nvls_tree", DTS_ALLREDUCE, 8, 4, 1, 1, NULL, 4, 4, 4, 3 + 1 + 3},
    {"nvls_tree", DTS_ALLREDUCE, 2, 1, 1, 5, NULL, 6, 1, 6, 1},
    {"pairwise", DTS_ALLTOALL, 8, 1, 1, 1, NULL, 7, 7.0 / 8, 7, 7.0 / 8},
    {"pairwise", DTS_ALLTOALL, 23, 1, 1, 1, NULL, 22, 22.0 / 23, 22, 22.0 / 23},
    {"pairwise", DTS_ALLTOALL, 24, 4, 1, 1, NULL, 23, 23.0 / 24, 23, 23.0 / 24},
    {"scattered", DTS_ALLTOALL, 23, 1, 1, 1, NULL, 1, 22.0 / 23, 1, 22.0 / 23},
    {"hierarchical", DTS_ALLTOALL, 24, 4, 1, 1, NULL, 8, 3.0 / 4 + 5.0 / 6, 8,
     3.0 / 4 + 5.0 / 6},
    {"hierarchical", DTS_ALLTOALL, 8, 8, 1, 1, NULL, 7, 7.0 / 8, 7, 7.0 / 8},
    {"ring", DTS_SHIFT, 8, 1, 1, 1, NULL, 1, 1, 1, 1},
    {"neighbors", DTS_HALO, 2, 1, 1, 1, NULL, 1, 0.5, 1, 0.5},
    {"neighbors", DTS_HALO, 8, 4, 1, 1, NULL, 1, 1, 1, 1},
    {"neighbors", DTS_HALO_BEHIND, 8, 1, 1, 1, NULL, 1, 1, 1, 1},
    {"neighbors", DTS_HALO_BEFORE, 8, 1, 1, 1, NULL, 1, 1, 1, 1},
    {"sharp", DTS_ALLREDUCE, 8, 4, 1, 1, NULL, 4, 4, 4, 3 + 1 + 3},
};

static void steps_data_and_seconds_are_those_of_the_closed_forms(void)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct known *k = &known[i];
        const struct dts_coll *coll = dts_coll_find(k->name);
        struct dts_coll_shape shape = {.kind = k->kind,
                                       .size = k->size,
                                       .per_node = k->per_node,
                                       .shards = k->shards,
                                       .pieces = k->pieces};
        shape.between = k->between != NULL ? dts_coll_find(k->between) : NULL;
        const char *why;
        CHECK(dts_coll_fits(coll, &shape, &why));
        CHECK_INT(coll->steps(&shape), k->steps);
        CHECK_CLOSE(most_sent(coll, &shape), k->sent, 1e-12);
        CHECK_CLOSE(crossbar_seconds(coll, &shape), k->alphas * ALPHA + k->all * BYTES, 1e-12);
    }
}

/* Messages of one direction and lane that a member has in a step. */
static int at_once(int m, bool send, int lane)
{
    int count = 0;
    for (int a = 0; a < counts[m]; a++)
        count += messages[m][a].send == send && messages[m][a].lane == lane;
    return count;
}

static void trees_send_and_receive_at_most_once_in_each_way(void)
{
    const struct dts_coll *double_tree = dts_coll_find("double_tree");
    const struct dts_coll *tree = dts_coll_find("tree");
    for (int size = 2; size <= MOST; size++) {
        struct dts_coll_shape shape = {
            .kind = DTS_ALLREDUCE, .size = size, .per_node = 1, .shards = 1, .pieces = 6};
        for (int i = 0; i < double_tree->steps(&shape); i++) {
            fill(double_tree, &shape, i);
            for (int m = 0; m < size; m++)
                for (int lane = 0; lane < 2; lane++) {
                    CHECK(at_once(m, true, lane) <= 1);
                    CHECK(at_once(m, false, lane) <= 1);
                }
        }
        for (int i = 0; i < tree->steps(&shape); i++) { // here even of both ways together
            fill(tree, &shape, i);
            for (int m = 0; m < size; m++) {
                CHECK(at_once(m, true, 0) <= 1);
                CHECK(at_once(m, false, 0) <= 1);
            }
        }
    }
}

static void binary_blocks_of_a_power_of_two_are_halving_doubling(void)
{
    const struct dts_coll *blocks = dts_coll_find("binary_blocks");
    const struct dts_coll *whole = dts_coll_find("halving_doubling");
    struct dts_coll_message ours[DTS_COLL_MESSAGES], theirs[DTS_COLL_MESSAGES];
    for (int size = 1; size <= 256; size *= 2) {
        struct dts_coll_shape shape = {
            .kind = DTS_ALLREDUCE, .size = size, .per_node = 1, .shards = 1, .pieces = 1};
        CHECK_INT(blocks->chunks(&shape), whole->chunks(&shape));
        CHECK_INT(blocks->steps(&shape), whole->steps(&shape));
        for (int i = 0; i < whole->steps(&shape); i++)
            for (int m = 0; m < size; m++) {
                int count = whole->step(&shape, m, i, theirs);
                CHECK_INT(blocks->step(&shape, m, i, ours), count);
                for (int a = 0; a < count; a++) {
                    CHECK_INT(ours[a].peer, theirs[a].peer);
                    CHECK_INT(ours[a].first, theirs[a].first);
                    CHECK_INT(ours[a].count, theirs[a].count);
                    CHECK_INT(ours[a].send, theirs[a].send);
                    CHECK_INT(ours[a].add, theirs[a].add);
                }
            }
    }
}

/* 257 = 256 + 1: one member, who has more peers than a step has messages. */
static void binary_blocks_keep_to_the_messages_of_a_step(void)
{
    const struct dts_coll *blocks = dts_coll_find("binary_blocks");
    const int sizes[] = {44, 65, 129, 257, 352, 1025, 4099};
    struct dts_coll_message mine[DTS_COLL_MESSAGES];
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        struct dts_coll_shape shape = {
            .kind = DTS_ALLREDUCE, .size = sizes[s], .per_node = 1, .shards = 1, .pieces = 1};
        int last = shape.size - 1, chunks = blocks->chunks(&shape), sent = 0, received = 0;
        for (int i = 0; i < blocks->steps(&shape); i++) {
            int count = blocks->step(&shape, last, i, mine);
            CHECK(count <= DTS_COLL_MESSAGES);
            for (int a = 0; a < count; a++)
                *(mine[a].send ? &sent : &received) += mine[a].count;
        }
        CHECK(sent >= chunks); // all that it has, halved in its block or passed on
        CHECK_INT(sent, received);
    }
    struct dts_coll_shape other = {
        .kind = DTS_BROADCAST, .size = 8, .per_node = 1, .shards = 1, .pieces = 1};
    const char *why = NULL;
    CHECK(!dts_coll_fits(blocks, &other, &why));
    CHECK_STRING(why, "does all-reduce only (halving_doubling does the others)");
}

/* 27,648 ranks of Summit: no member of a step needs to know the others. */
static void check_large_group(enum dts_coll_kind kind)
{
    for (int a = 0; dts_colls[a] != NULL; a++) {
        struct dts_coll_shape shape = {.kind = kind,
                                       .size = 27648,
                                       .per_node = 6,
                                       .shards = 3,
                                       .pieces = 64,
                                       .between = dts_coll_find("double_tree")};
        const struct dts_coll *coll = dts_colls[a];
        struct dts_coll_message mine[DTS_COLL_MESSAGES], theirs[DTS_COLL_MESSAGES];
        const char *why;
        if (!dts_coll_fits(coll, &shape, &why))
            continue; // sums in the switch of one node
        for (int i = 0, steps = coll->steps(&shape); i < steps; i += 1 + steps / 50)
            for (int m = i % 97; m < shape.size; m += 97) {
                int count = coll->step(&shape, m, i, mine);
                for (int x = 0; x < count; x++) {
                    int n = coll->step(&shape, mine[x].peer, i, theirs), meets = 0;
                    for (int y = 0; y < n; y++)
                        meets += theirs[y].peer == m && theirs[y].lane == mine[x].lane &&
                                 theirs[y].send != mine[x].send &&
                                 theirs[y].first == mine[x].first &&
                                 theirs[y].count == mine[x].count;
                    CHECK_INT(meets, 1);
                }
            }
    }
}

static void large_groups_keep_to_the_same_rules(void)
{
    check_large_group(DTS_ALLREDUCE);
    check_large_group(DTS_ALLTOALL);
    check_large_group(DTS_SHIFT);
}

/* 70 nodes with 3 members: 32 chunks in a step within the node, then 32, then 6. */
static void many_nodes_take_turns_in_an_all_to_all(void)
{
    const struct dts_coll *coll = dts_coll_find("hierarchical");
    const struct dts_coll_shape shape = {
        .kind = DTS_ALLTOALL, .size = 210, .per_node = 3, .shards = 1, .pieces = 1};
    const int likes[] = {0, 0, 2, 3, 3, 5, 6}, sizes[] = {64, 64, 12, 64, 64, 12, 2};
    struct dts_coll_message mine[DTS_COLL_MESSAGES];
    CHECK_INT(coll->steps(&shape), 2 * 3 + 69);
    for (int i = 0; i < 7; i++) {
        CHECK_INT(coll->like(&shape, i), likes[i]);
        CHECK_INT(coll->step(&shape, 17, i, mine), sizes[i]);
        CHECK_INT(mine[0].peer, i < 6 ? 15 + (2 + 1 + i / 3) % 3 : 20);
        CHECK_INT(mine[0].first, i < 6 ? i % 3 * 32 * 3 + 1 + i / 3 : 3);
        CHECK_INT(mine[0].count, i < 6 ? 1 : 3);
    }
}

/* 70 members: 32 parts, 32, and 5. */
static void parts_for_many_members_take_turns(void)
{
    const struct dts_coll *coll = dts_coll_find("scattered");
    const struct dts_coll_shape shape = {
        .kind = DTS_ALLTOALL, .size = 70, .per_node = 1, .shards = 1, .pieces = 1};
    struct dts_coll_message mine[DTS_COLL_MESSAGES];
    CHECK_INT(coll->steps(&shape), 3);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(coll->step(&shape, 69, i, mine), i < 2 ? 64 : 10);
        CHECK_INT(mine[0].peer, 32 * i);
        CHECK_INT(mine[0].first, 32 * i + 1);
    }
}

static void names_are_found_and_differ(void)
{
    int count = 0;
    for (; dts_colls[count] != NULL; count++) {
        CHECK_STRING(dts_coll_name(count), dts_colls[count]->name);
        CHECK(dts_coll_find(dts_coll_name(count)) == dts_colls[count]);
    }
    CHECK(dts_coll_name(count) == NULL);
    CHECK(dts_coll_find("rign") == NULL);
}

static void unsound_shapes_are_refused_with_a_reason(void)
{
    const struct dts_coll_shape sound = {.size = 8, .per_node = 4, .shards = 2, .pieces = 1};
    struct dts_coll_shape shapes[] = {sound, sound, sound, sound, sound};
    shapes[0].size = 0;
    shapes[1].per_node = 3;
    shapes[2].shards = 3;
    shapes[3].pieces = 0;
    shapes[4].pieces = 1 << 30;
    for (int i = 0; i < 5; i++) {
        const char *why = NULL;
        CHECK(!dts_coll_fits(dts_coll_find("ring"), &shapes[i], &why));
        CHECK(why != NULL);
    }
    const struct dts_coll *hierarchical = dts_coll_find("hierarchical");
    struct dts_coll_shape shape = sound;
    const char *why;
    CHECK(!dts_coll_fits(hierarchical, &shape, &why));
    CHECK_STRING(why, "needs an algorithm between nodes");
    shape.between = hierarchical;
    CHECK(!dts_coll_fits(hierarchical, &shape, &why));
}

static void pieces_follow_from_the_size(void)
{
    CHECK_INT(dts_coll_pieces(0, 100), 1);
    CHECK_INT(dts_coll_pieces(100, 100), 1);
    CHECK_INT(dts_coll_pieces(101, 100), 2);
    CHECK_INT(dts_coll_pieces(1e9, 100), 64);
}

static void chunks_cover_any_amount_of_data_once(void)
{
    for (size_t elements = 0; elements < 40; elements++)
        for (int chunks = 1; chunks < 30; chunks++) {
            size_t next = 0, first, count, least = elements, most = 0;
            for (int c = 0; c < chunks; c++) {
                dts_coll_span(elements, chunks, c, 1, &first, &count);
                CHECK_INT(first, next);
                next += count;
                least = count < least ? count : least;
                most = count > most ? count : most;
            }
            CHECK_INT(next, elements);
            CHECK(most - least <= 1);
            dts_coll_span(elements, chunks, 0, chunks, &first, &count);
            CHECK_INT(count, elements);
        }
}

TESTS(TEST(steps_data_and_seconds_are_those_of_the_closed_forms),
      TEST(trees_send_and_receive_at_most_once_in_each_way),
      TEST(binary_blocks_of_a_power_of_two_are_halving_doubling),
      TEST(binary_blocks_keep_to_the_messages_of_a_step),
      TEST(large_groups_keep_to_the_same_rules), TEST(many_nodes_take_turns_in_an_all_to_all),
      TEST(parts_for_many_members_take_turns), TEST(names_are_found_and_differ),
      TEST(unsound_shapes_are_refused_with_a_reason), TEST(pieces_follow_from_the_size),
      TEST(chunks_cover_any_amount_of_data_once))
