/* test_walk.c -- collectives of few messages are walked one by one: who is early goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "sim/engine.h"
#include "sim/load/row.h"

#include "job.h"
#include "sim/crossbar.h"

static const double chunk_s = 4e6 / 1e9; // 1 M elements of 4 bytes, 1 GB/s
static const double alpha_s = 10e-6;
enum { ELEMENTS = 1000000 };

/* A collective alone, and behind another one. */
enum { MOST_MEMBERS = 16 };
struct course {
    struct dts_row alone, behind;
    double ended_s[MOST_MEMBERS]; // the first, by member
};

static int add(struct dts_job *job, struct dts_collective c, size_t elements)
{
    struct dts_plan *plan = &job->roles[0].plan;
    c.data = (struct dts_span){dts_plan_buffer(plan, elements, 4), 0, elements};
    return dts_plan_collective(plan, DTS_DATA, "all-reduce", c);
}

static const struct dts_walk_gap none;

/* The second of two in a row, whose chunks take so many times chunk_s, and of which members
 * begin the first at begun_s. */
static struct course two(const struct dts_coll *algorithm, int n, bool blocking, size_t first,
                         size_t second, const double *begun_s, struct dts_walk_gap between)
{
    struct crossbar crossbar = {.bytes_per_s = 1e9, .latency_s = alpha_s, .per_node = 1};
    struct dts_net net = crossbar_net(&crossbar, n);
    net.transports[DTS_WITHIN].blocking = net.transports[DTS_BETWEEN].blocking = blocking;
    struct dts_job job = workers(n);
    struct dts_collective c = {
        .algorithm = algorithm,
        .shape = {.kind = DTS_ALLREDUCE, .size = n, .per_node = 1, .shards = 1, .pieces = 1},
        .group = {.stride = 1, .size = n},
        .channels = 1};
    size_t elements = (size_t)ELEMENTS * (size_t)algorithm->chunks(&c.shape);
    int before = add(&job, c, first * elements), op = add(&job, c, second * elements);
    int endpoints[MOST_MEMBERS];
    for (int r = 0; r < n; r++)
        endpoints[r] = r;
    struct dts_simulation s = {.job = &job, .net = &net, .endpoint = endpoints, .steps = 2};
    struct dts_loader *loader = dts_loader_new(&s);
    struct dts_rows *rows = dts_loader_rows(loader);
    const struct dts_load *loads[] = {dts_loader_count(loader, 0, before),
                                      dts_loader_count(loader, 0, op)};
    const struct dts_row_pair pair = {loads[0], loads[1], op, begun_s, between};
    struct dts_follow behind = dts_rows_behind(rows, &pair);
    behind.row.after_s += behind.held_s;
    struct course course = {dts_rows_alone(rows, loads[1], NULL).row, behind.row};
    memcpy(course.ended_s, behind.first_ended_s, (size_t)n * sizeof(*course.ended_s));
    dts_loader_free(loader);
    dts_job_free(&job);
    return course;
}

static struct course walk(const struct dts_coll *algorithm, int n, bool blocking)
{
    return two(algorithm, n, blocking, 1, 1, NULL, none);
}

/* A collective out of a list of messages: {step, from, to, chunks}. */
struct listed {
    int step, from, to, count;
};

static const struct listed *list;
static int listed;

static int two_chunks(const struct dts_coll_shape *shape)
{
    (void)shape;
    return 2;
}

static int two_steps(const struct dts_coll_shape *shape)
{
    (void)shape;
    return 2;
}

static int listed_step(const struct dts_coll_shape *shape, int member, int i,
                       struct dts_coll_message *messages)
{
    int count = 0;
    (void)shape;
    for (int l = 0; l < listed; l++)
        if (list[l].step == i && (list[l].from == member || list[l].to == member))
            messages[count++] =
                (struct dts_coll_message){.peer = list[l].from + list[l].to - member,
                                          .count = list[l].count,
                                          .send = list[l].from == member};
    return count;
}

static int like_itself(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

static const struct dts_coll by_list = {.name = "by_list",
                                        .chunks = two_chunks,
                                        .steps = two_steps,
                                        .step = listed_step,
                                        .like = like_itself};

static void members_that_never_meet_do_not_wait(void)
{
    static const struct listed apart[] = {{0, 0, 1, 1}, {1, 2, 3, 2}};
    list = apart;
    listed = 2;
    for (int blocking = 0; blocking < 2; blocking++) {
        struct course course = walk(&by_list, 4, blocking);
        double alone_s = alpha_s + 2 * chunk_s; // in lockstep: 3 chunks
        CHECK_CLOSE(course.alone.after_s, alone_s, 1e-12);
        CHECK_CLOSE(course.alone.spread_s, chunk_s + (blocking ? 0 : alpha_s), 1e-12);
        CHECK_CLOSE(course.behind.after_s, blocking ? alone_s : 2 * chunk_s, 1e-12);
    }
}

/* Member 1 takes a chunk from 0, then one from 2. Only a sender that waits for its receiver
 * leaves the port to the first. */
static void an_early_message_shares_the_port(void)
{
    static const struct listed joined[] = {{0, 0, 1, 1}, {1, 2, 1, 1}, {1, 1, 3, 1}};
    list = joined;
    listed = 3;
    struct dts_row row = walk(&by_list, 4, true).alone;
    CHECK_CLOSE(row.after_s, 2 * (alpha_s + chunk_s), 1e-12); // 1 to 3 pays alpha, too
    row = walk(&by_list, 4, false).alone;
    CHECK_CLOSE(row.after_s, 2 * alpha_s + 3 * chunk_s, 1e-12); // both arrive at 2 chunks
}

/* Steps alike of even loads are not walked; those that say that they are not alike are. */
static void steps_alike_take_as_long_as_one_by_one(void)
{
    for (int n = 2; n <= 16; n++)
        for (int blocking = 0; blocking < 2; blocking++) {
            struct dts_coll one_by_one = *dts_coll_find("ring");
            one_by_one.like = like_itself;
            struct course short_cut = walk(dts_coll_find("ring"), n, blocking);
            struct course walked = walk(&one_by_one, n, blocking);
            double alone_s = 2 * (n - 1) * (alpha_s + chunk_s);
            CHECK_CLOSE(short_cut.alone.after_s, alone_s, 1e-12);
            CHECK_CLOSE(walked.alone.after_s, alone_s, 1e-12);
            CHECK_CLOSE(walked.behind.after_s, short_cut.behind.after_s, 1e-12);
        }
}

/* A chain 0, 1, 2 without latency that blocks: behind a shorter one, 1 gets its message when it
 * has passed on the one before; else it has to wait for it. */
static void one_behind_an_unlike_one_meets_what_that_left(void)
{
    static const struct listed chain[] = {{0, 0, 1, 1}, {1, 1, 2, 1}};
    list = chain;
    listed = 2;
    for (size_t first = 1; first <= 5; first++)
        for (size_t second = 1; second <= 5; second++) {
            struct course course = two(&by_list, 3, false, first, second, NULL, none);
            double a_s = (double)first * chunk_s, b_s = (double)second * chunk_s;
            CHECK_CLOSE(course.alone.after_s, 2 * (b_s + alpha_s), 1e-12);
            CHECK_CLOSE(course.behind.after_s, b_s + fmax(0, b_s - a_s), 1e-12);
        }
}

/* Of that chain, each waits for itself before it begins the second one; and 0 for so long after
 * it was the first that was done. */
static void each_member_passes_what_is_between_two(void)
{
    static const struct listed chain[] = {{0, 0, 1, 1}, {1, 1, 2, 1}};
    list = chain;
    listed = 2;
    for (size_t first = 1; first <= 3; first++)
        for (size_t second = 1; second <= 3; second++)
            for (int u = 0; u <= 5; u++) {
                const double least_s = 2 * chunk_s, until_s[] = {u * chunk_s, 0, 0};
                double a_s = (double)first * chunk_s, b_s = (double)second * chunk_s;
                struct course each = two(&by_list, 3, false, first, second, NULL,
                                         (struct dts_walk_gap){least_s, NULL});
                CHECK_CLOSE(each.behind.after_s, least_s + b_s + fmax(0, b_s - a_s), 1e-12);
                struct course held = two(&by_list, 3, false, first, second, NULL,
                                         (struct dts_walk_gap){least_s, until_s});
                double late_s = fmax(least_s, until_s[0]) + b_s - a_s;
                CHECK_CLOSE(held.behind.after_s, b_s + fmax(least_s, late_s), 1e-12);
            }
}

/* 0 and 2 send twice to 1, and share its port. Together they pay alpha together, while nothing
 * moves; one behind the other by alpha, one moves while the other pays, and stays behind. */
static void who_begins_apart_hides_the_latency_of_the_other(void)
{
    static const struct listed twice[] = {
        {0, 0, 1, 1}, {0, 2, 1, 1}, {1, 0, 1, 1}, {1, 2, 1, 1}};
    const double apart_s[] = {0, 0, alpha_s};
    list = twice;
    listed = 4;
    struct course course = two(&by_list, 3, true, 1, 1, NULL, none);
    CHECK_CLOSE(course.behind.after_s, 4 * chunk_s + 2 * alpha_s, 1e-12);
    for (int m = 0; m < 3; m++)
        CHECK_CLOSE(course.ended_s[m], 0.0, 1e-12);
    course = two(&by_list, 3, true, 1, 1, apart_s, none);
    CHECK_CLOSE(course.behind.after_s, 4 * chunk_s, 1e-12);
    CHECK_CLOSE(course.ended_s[0], 0.0, 1e-12);
    CHECK_CLOSE(course.ended_s[1], alpha_s, 1e-12);
    CHECK_CLOSE(course.ended_s[2], alpha_s, 1e-12);
}

enum { PATHS = 20 };

static int many_paths(const void *self, int src, int dst)
{
    (void)self, (void)src, (void)dst;
    return PATHS;
}

static double alike(const void *self, int src, int dst, int path)
{
    (void)self, (void)src, (void)dst, (void)path;
    return 1.0 / PATHS;
}

/* Messages of several paths are all tied together: walking them takes as long as there are
 * members, messages and paths. What takes long has its time in lockstep, too, for when no more
 * may be walked; what takes longer is not walked. */
static void messages_of_many_paths_are_walked_as_long_as_that_is_quick(void)
{
    static const struct {
        int members;
        bool walked, lockstep;
    } of[] = {{8, true, false}, {32, true, true}, {64, false, true}};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        struct crossbar crossbar = {.bytes_per_s = 1e9, .latency_s = alpha_s, .per_node = 1};
        struct dts_net net = crossbar_net(&crossbar, of[i].members);
        struct dts_net_ops ops = *net.ops;
        ops.paths = many_paths;
        ops.share = alike;
        net.ops = &ops;
        struct dts_job job = workers(of[i].members);
        int op = add_allreduce(&job.roles[0].plan, DTS_DATA, "ring", of[i].members, ELEMENTS);
        int endpoints[64];
        for (int r = 0; r < of[i].members; r++)
            endpoints[r] = r;
        struct dts_simulation s = {.job = &job, .net = &net, .endpoint = endpoints, .steps = 2};
        struct dts_loader *loader = dts_loader_new(&s);
        const struct dts_load *load = dts_loader_count(loader, 0, op);
        CHECK((load->move.script != NULL) == of[i].walked);
        CHECK((load->lockstep.latency_s > 0) == of[i].lockstep);
        // Alike on all paths, a ring takes the same, walked or in lockstep.
        double all_s = dts_rows_alone(dts_loader_rows(loader), load, NULL).row.after_s;
        CHECK_CLOSE(all_s, load->sum_s, 1e-4);
        dts_loader_free(loader);
        dts_job_free(&job);
    }
}

TESTS(TEST(who_begins_apart_hides_the_latency_of_the_other),
      TEST(members_that_never_meet_do_not_wait), TEST(an_early_message_shares_the_port),
      TEST(steps_alike_take_as_long_as_one_by_one),
      TEST(one_behind_an_unlike_one_meets_what_that_left),
      TEST(each_member_passes_what_is_between_two),
      TEST(messages_of_many_paths_are_walked_as_long_as_that_is_quick))
