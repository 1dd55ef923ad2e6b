/* test_coll_state.c -- steps of one state have the same messages, in any number of pieces. */
#include "check.h"

#include "plan/coll/coll.h"

/* The same messages, up to one factor on all their chunks; all are of one size in ours. */
static bool in_proportion(const struct dts_coll_message *ours,
                          const struct dts_coll_message *theirs, int count, int *factors)
{
    for (int m = 0; m < count; m++) {
        if (ours[m].peer != theirs[m].peer || ours[m].send != theirs[m].send ||
            ours[m].add != theirs[m].add)
            return false;
        if (factors[0] == 0) {
            factors[0] = ours[m].count;
            factors[1] = theirs[m].count;
        }
        if (ours[m].count * factors[1] != theirs[m].count * factors[0])
            return false;
    }
    return true;
}

static bool same_step(const struct dts_coll *coll, const struct dts_coll_shape *ours, int i,
                      const struct dts_coll_shape *theirs, int k)
{
    struct dts_coll_message a[DTS_COLL_MESSAGES], b[DTS_COLL_MESSAGES];
    int factors[2] = {0, 0};
    for (int member = 0; member < ours->size; member++) {
        int count = coll->step(ours, member, i, a);
        if (coll->step(theirs, member, k, b) != count || !in_proportion(a, b, count, factors))
            return false;
    }
    return true;
}

/* Returns how many steps the two have in common. */
static int compare(const struct dts_coll *coll, struct dts_coll_shape shape, int pieces,
                   int others)
{
    int common = 0;
    struct dts_coll_shape ours = shape, theirs = shape;
    ours.pieces = pieces;
    theirs.pieces = others;
    for (int i = 0; i < coll->steps(&ours); i++)
        for (int k = 0; k < coll->steps(&theirs); k++)
            if (coll->state(&ours, i) != 0 &&
                coll->state(&ours, i) == coll->state(&theirs, k)) {
                CHECK(same_step(coll, &ours, i, &theirs, k));
                common++;
            }
    return common;
}

static void double_trees_fill_and_empty_alike(void)
{
    const struct dts_coll *coll = dts_coll_find("double_tree");
    for (int size = 2; size <= 40; size++) {
        struct dts_coll_shape shape = {
            .kind = DTS_ALLREDUCE, .size = size, .per_node = 1, .shards = 1};
        CHECK(compare(coll, shape, 1, 2) >= 0);
        CHECK(compare(coll, shape, 3, 8) > 0);
        // Of long ones each step has its like in the other.
        CHECK(compare(coll, shape, 20, 23) >=
              coll->steps(&(struct dts_coll_shape){.kind = DTS_ALLREDUCE,
                                                   .size = size,
                                                   .per_node = 1,
                                                   .shards = 1,
                                                   .pieces = 20}));
    }
}

static void nodes_fill_and_empty_alike(void)
{
    const struct dts_coll *coll = dts_coll_find("hierarchical");
    for (int nodes = 1; nodes <= 9; nodes++)
        for (int shards = 1; shards <= 4; shards *= 2) {
            struct dts_coll_shape shape = {.kind = DTS_ALLREDUCE,
                                           .size = 4 * nodes,
                                           .per_node = 4,
                                           .shards = shards,
                                           .between = dts_coll_find("double_tree")};
            CHECK(compare(coll, shape, 1, 2) > 0);
            CHECK(compare(coll, shape, 3, 8) > 0);
            shape.between = dts_coll_find("ring"); // which does not say
            CHECK(compare(coll, shape, 3, 8) > 0);
        }
}

TESTS(TEST(double_trees_fill_and_empty_alike), TEST(nodes_fill_and_empty_alike))
