/* test_coll.c -- what every collective algorithm has to keep, for every shape up to MOST
 * members.
 *
 * The algorithms are run on sets instead of numbers: a chunk holds the members whose data has
 * gone into it. A sum is right when it holds every member, and none was ever added twice.
 */
#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "plan/coll/coll.h"

enum { MOST = 24, MOST_CHUNKS = MOST * 2 * 5 };

typedef uint32_t members; // one bit for each member

static members held[MOST][MOST_CHUNKS]; // by member and chunk

/* The messages of all members in one step. */
static struct dts_coll_message messages[MOST][DTS_COLL_MESSAGES];
static int counts[MOST];

static void fill(const struct dts_coll *coll, const struct dts_coll_shape *shape, int i)
{
    for (int m = 0; m < shape->size; m++)
        counts[m] = coll->step(shape, m, i, messages[m]);
}

/* Calls test for each shape that each row can do. A row that fits without an algorithm between
 * nodes is not asked about shards. */
typedef void shape_test(const struct dts_coll *coll, const struct dts_coll_shape *shape);

static void for_pieces(const struct dts_coll *coll, struct dts_coll_shape shape,
                       shape_test *test)
{
    static const int pieces[] = {1, 2, 3, 5};
    const char *why;
    for (int p = 0; p < 4; p++) {
        shape.pieces = pieces[p];
        int before = check_failures;
        if (dts_coll_fits(coll, &shape, &why))
            test(coll, &shape);
        if (check_failures > before && before < 10)
            printf("    %s: kind %d, size %d, per_node %d, shards %d, pieces %d, between %s\n",
                   coll->name, shape.kind, shape.size, shape.per_node, shape.shards,
                   shape.pieces, shape.between != NULL ? shape.between->name : "-");
    }
}

static void for_nodes(const struct dts_coll *coll, struct dts_coll_shape shape,
                      shape_test *test)
{
    const char *why;
    bool flat = dts_coll_fits(coll, &shape, &why);
    for (shape.per_node = 1; shape.per_node <= shape.size; shape.per_node++) {
        if (shape.size % shape.per_node != 0)
            continue;
        if (flat)
            for_pieces(coll, shape, test);
        for (int s = 1; !flat && s <= shape.per_node; s++)
            for (int b = 0; shape.per_node % s == 0 && dts_colls[b] != NULL; b++) {
                shape.shards = s;
                shape.between = dts_colls[b];
                for_pieces(coll, shape, test);
            }
        shape.shards = 1;
        shape.between = NULL;
    }
}

static void for_all_shapes(shape_test *test)
{
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (enum dts_coll_kind kind = 0; kind < DTS_COLL_KINDS; kind++)
            for (int size = 1; size <= MOST; size++)
                for_nodes(
                    dts_colls[a],
                    (struct dts_coll_shape){
                        .kind = kind, .size = size, .per_node = 1, .shards = 1, .pieces = 1},
                    test);
}

static bool overlap(const struct dts_coll_message *a, const struct dts_coll_message *b)
{
    return a->first < b->first + b->count && b->first < a->first + a->count;
}

static bool same_lane(const struct dts_coll_message *a, const struct dts_coll_message *b)
{
    return a->peer == b->peer && a->send == b->send && a->lane == b->lane;
}

/* A member's messages of a step are sound, and do not get in each other's way. */
static void check_own(const struct dts_coll *coll, const struct dts_coll_shape *shape, int m)
{
    int chunks = coll->chunks(shape);
    CHECK(counts[m] <= DTS_COLL_MESSAGES);
    for (int a = 0; a < counts[m]; a++) {
        const struct dts_coll_message *x = &messages[m][a];
        CHECK(x->peer >= 0 && x->peer < shape->size && x->peer != m);
        CHECK(x->first >= 0 && x->count >= 1 && x->first + x->count <= chunks);
        CHECK(x->lane >= 0 && x->lane < DTS_COLL_LANES);
        CHECK(!(x->send && x->add));
        for (int b = 0; b < a; b++) {
            const struct dts_coll_message *y = &messages[m][b];
            CHECK(!same_lane(x, y));
            bool replaces = (!x->send && !x->add) || (!y->send && !y->add);
            CHECK(x->send != y->send || !replaces || !overlap(x, y));
        }
    }
}

static const struct dts_coll_message *other_side(int m, const struct dts_coll_message *x)
{
    for (int b = 0; b < counts[x->peer]; b++) {
        const struct dts_coll_message *y = &messages[x->peer][b];
        if (y->peer == m && y->send != x->send && y->lane == x->lane)
            return y;
    }
    return NULL;
}

static void every_send_meets_its_receive_of_one_step(const struct dts_coll *coll,
                                                     const struct dts_coll_shape *shape)
{
    CHECK(shape->size > 1 || coll->steps(shape) == 0);
    for (int i = 0; i < coll->steps(shape); i++) {
        fill(coll, shape, i);
        for (int m = 0; m < shape->size; m++) {
            check_own(coll, shape, m);
            for (int a = 0; a < counts[m]; a++) {
                const struct dts_coll_message *x = &messages[m][a];
                const struct dts_coll_message *y = other_side(m, x);
                if (CHECK(y != NULL))
                    CHECK(x->first == y->first && x->count == y->count);
            }
        }
    }
}

static void do_step(const struct dts_coll *coll, const struct dts_coll_shape *shape, int i)
{
    static members before[MOST][MOST_CHUNKS]; // all send before any receives
    size_t bytes = (size_t)coll->chunks(shape) * sizeof(members);
    for (int m = 0; m < shape->size; m++)
        memcpy(before[m], held[m], bytes);
    fill(coll, shape, i);
    for (int m = 0; m < shape->size; m++)
        for (int a = 0; a < counts[m]; a++) {
            const struct dts_coll_message *x = &messages[m][a];
            for (int c = x->first; !x->send && c < x->first + x->count; c++) {
                members arrived = before[x->peer][c];
                if (x->add)
                    CHECK((held[m][c] & arrived) == 0);
                held[m][c] = x->add ? held[m][c] | arrived : arrived;
            }
        }
}

static int owner_of(const struct dts_coll *coll, const struct dts_coll_shape *shape, int chunk)
{
    for (int m = 0, first, count; m < shape->size; m++) {
        dts_coll_share(coll, shape, m, &first, &count);
        if (chunk >= first && chunk < first + count)
            return m;
    }
    return -1;
}

static members at_first(enum dts_coll_kind kind, int m, int owner)
{
    bool has = kind == DTS_ALLGATHER ? m == owner : kind == DTS_BROADCAST ? m == 0 : true;
    return has ? 1u << m : 0;
}

/* The member that had the part which ends as this chunk of member m; -1: none had. */
static int had_part(const struct dts_coll_shape *shape, int m, int chunk)
{
    for (int from = 0; from < shape->size; from++)
        if (dts_coll_part(shape, from, m) == chunk)
            return from;
    return -1;
}

/* The member behind, or before; at an end the member itself. */
static int neighbor(const struct dts_coll_shape *shape, int m, bool behind)
{
    const int from = behind ? m + 1 : m - 1;
    return from >= 0 && from < shape->size ? from : m;
}

/* What chunk c of member m must hold at the end. */
static members at_last(const struct dts_coll_shape *shape, int m, int c, int owner)
{
    switch (shape->kind) {
    case DTS_ALLGATHER:
        return 1u << (owner & 31);
    case DTS_BROADCAST:
        return 1;
    case DTS_ALLTOALL:
        return 1u << (had_part(shape, m, c) & 31);
    case DTS_SHIFT:
        return 1u << (m + shape->size - 1) % shape->size;
    case DTS_HALO:
    case DTS_HALO_BEHIND:
    case DTS_HALO_BEFORE:
        return 1u << neighbor(shape, m, shape->kind == DTS_HALO_BEFORE || c == 1);
    default:
        return (1u << shape->size) - 1;
    }
}

static void every_member_ends_with_what_it_should(const struct dts_coll *coll,
                                                  const struct dts_coll_shape *shape)
{
    static int owners[MOST_CHUNKS];
    int chunks = coll->chunks(shape);
    bool shared = shape->kind == DTS_REDUCE_SCATTER || shape->kind == DTS_ALLGATHER;
    if (!CHECK(chunks >= 1 && chunks <= MOST_CHUNKS))
        return;
    for (int c = 0; c < chunks; c++) {
        owners[c] = owner_of(coll, shape, c);
        CHECK(!shared || owners[c] >= 0);
        for (int m = 0; m < shape->size; m++)
            held[m][c] = at_first(shape->kind, m, owners[c]);
    }
    for (int i = 0; i < coll->steps(shape); i++)
        do_step(coll, shape, i);
    CHECK(shape->kind != DTS_ALLTOALL || chunks == shape->size);
    for (int c = 0; c < chunks; c++)
        for (int m = 0; m < shape->size; m++)
            if (shape->kind != DTS_REDUCE_SCATTER || m == owners[c])
                CHECK_INT(held[m][c], at_last(shape, m, c, owners[c]));
}

static int by_traffic(const void *a, const void *b)
{
    const int *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The traffic of a step, in an order that does not depend on the order of messages. */
static int traffic(const struct dts_coll *coll, const struct dts_coll_shape *shape, int i,
                   int list[][4])
{
    int n = 0;
    fill(coll, shape, i);
    for (int m = 0; m < shape->size; m++)
        for (int a = 0; a < counts[m]; a++, n++) {
            const struct dts_coll_message *x = &messages[m][a];
            int entry[4] = {m, x->peer, x->count, 2 * x->send + x->add};
            memcpy(list[n], entry, sizeof(entry));
        }
    qsort(list, (size_t)n, sizeof(list[0]), by_traffic);
    return n;
}

static void steps_that_are_alike_have_the_same_traffic(const struct dts_coll *coll,
                                                       const struct dts_coll_shape *shape)
{
    static int ours[MOST * DTS_COLL_MESSAGES][4], theirs[MOST * DTS_COLL_MESSAGES][4];
    for (int i = 0; i < coll->steps(shape); i++) {
        int like = coll->like(shape, i);
        if (!CHECK(like >= 0 && like <= i) || like == i)
            continue;
        CHECK_INT(coll->like(shape, like), like);
        int n = traffic(coll, shape, i, ours);
        CHECK_INT(traffic(coll, shape, like, theirs), n);
        CHECK(memcmp(ours, theirs, (size_t)n * sizeof(ours[0])) == 0);
    }
}

/* An algorithm does not end, or begin, with a step in which nothing happens. */
static void first_and_last_step_have_messages(const struct dts_coll *coll,
                                              const struct dts_coll_shape *shape)
{
    int last = coll->steps(shape) - 1;
    for (int i = 0; i <= last; i += last > 0 ? last : 1) {
        int total = 0;
        fill(coll, shape, i);
        for (int m = 0; m < shape->size; m++)
            total += counts[m];
        CHECK(total > 0);
    }
}

static bool are_apart(const struct dts_coll_message *x, const struct dts_coll_message *y)
{
    return x->first + x->count <= y->first || y->first + y->count <= x->first;
}

/* Live, arrivals are added piece by piece, of each message in turn: their order is that of the
 * messages only where these begin at one place. */
static void arrivals_of_a_step_share_all_chunks_or_none(const struct dts_coll *coll,
                                                        const struct dts_coll_shape *shape)
{
    for (int i = 0; i < coll->steps(shape); i++) {
        fill(coll, shape, i);
        for (int m = 0; m < shape->size; m++)
            for (int a = 0; a < counts[m]; a++)
                for (int b = 0; b < a; b++) {
                    const struct dts_coll_message *x = &messages[m][a], *y = &messages[m][b];
                    if (!x->send && !y->send && !are_apart(x, y))
                        CHECK(x->first == y->first && x->count == y->count);
                }
    }
}

/* A member has a part for each, with a chunk of its own; its own is the first. */
static void each_part_has_a_chunk_of_its_own(void)
{
    struct dts_coll_shape shape = {.kind = DTS_ALLTOALL};
    for (shape.size = 1; shape.size <= MOST; shape.size++)
        for (shape.per_node = 1; shape.per_node <= shape.size; shape.per_node++)
            for (int m = 0; shape.size % shape.per_node == 0 && m < shape.size; m++) {
                members parts = 0;
                for (int to = 0; to < shape.size; to++) {
                    const int k = dts_coll_part(&shape, m, to);
                    parts |= 1u << (k & 31);
                    CHECK_INT(dts_coll_ahead(&shape, m, k), to);
                    CHECK_INT(dts_coll_behind(&shape, to, k), m);
                }
                CHECK_INT(parts, (1u << shape.size) - 1);
                CHECK_INT(dts_coll_part(&shape, m, m), 0);
            }
}

/* Somebody does each kind, so that the tests above are of all of them. */
static void each_kind_has_a_row_for_any_number_of_members(void)
{
    for (enum dts_coll_kind kind = 0; kind < DTS_COLL_KINDS; kind++)
        for (int size = 1; size <= MOST; size++) {
            const char *why;
            int rows = 0;
            struct dts_coll_shape shape = {
                .kind = kind, .size = size, .per_node = 1, .shards = 1, .pieces = 1};
            for (int a = 0; dts_colls[a] != NULL; a++)
                rows += dts_coll_fits(dts_colls[a], &shape, &why);
            CHECK(rows > 0);
        }
}

static void arrivals_can_be_added_piece_by_piece(void)
{
    for_all_shapes(arrivals_of_a_step_share_all_chunks_or_none);
}

static void every_send_meets_its_receive(void)
{
    for_all_shapes(every_send_meets_its_receive_of_one_step);
}

static void all_end_with_the_right_sums(void)
{
    for_all_shapes(every_member_ends_with_what_it_should);
}

static void alike_is_the_same_traffic(void)
{
    for_all_shapes(steps_that_are_alike_have_the_same_traffic);
}

static void no_step_is_wasted_at_the_ends(void)
{
    for_all_shapes(first_and_last_step_have_messages);
}

TESTS(TEST(every_send_meets_its_receive), TEST(all_end_with_the_right_sums),
      TEST(alike_is_the_same_traffic), TEST(no_step_is_wasted_at_the_ends),
      TEST(arrivals_can_be_added_piece_by_piece), TEST(each_part_has_a_chunk_of_its_own),
      TEST(each_kind_has_a_row_for_any_number_of_members))
