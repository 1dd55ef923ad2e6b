/* test_moves.c -- what an all-to-all and a shift leave in memory, over MPI, is what another
 * rank had, by every row, in messages of 64, of 32 and of 16 bits, whole ranks and groups. Run
 * under mpirun. Whole numbers up to 256, which bf16 has, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "live/live.h"
#include "live/verify.h"
#include "live_jobs.h"
#include "plan/run.h"

static struct dts_wire *wire;

static const struct format {
    size_t bytes;
    enum dts_half half;
} formats[] = {{4, DTS_HALF_BF16}, {2, DTS_HALF_BF16}, {2, DTS_HALF_FP16}, {8, DTS_HALF_BF16}};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

/* Whole numbers that tell rank and element. */
static double value(int rank, size_t e)
{
    return 1 + rank + 8 * (double)(e % 31);
}

static bool has_doubles(const struct dts_live_rank *rank, int buffer)
{
    return rank->role->plan.buffers[buffer].element_bytes == sizeof(double);
}

static double held(const struct dts_live_rank *rank, int buffer, size_t e)
{
    const void *values = rank->buffers[buffer];
    return has_doubles(rank, buffer) ? ((const double *)values)[e]
                                     : (double)((const float *)values)[e];
}

static void fill(struct dts_live_rank *rank)
{
    const struct dts_plan *plan = &rank->role->plan;
    for (int b = 0; b < plan->buffer_count; b++)
        for (size_t e = 0; e < plan->buffers[b].count; e++)
            if (has_doubles(rank, b))
                ((double *)(void *)rank->buffers[b])[e] = b == 0 ? value(rank->rank, e) : 0;
            else
                rank->buffers[b][e] = b == 0 ? (float)value(rank->rank, e) : 0;
}

/* Whatever one rank found wrong fails the test on rank 0. */
static void tell_all(void)
{
    double mine = check_failures, all[64];
    dts_wire_gather(wire, &mine, 1, all);
    for (int r = 1; dts_wire_rank(wire) == 0 && r < dts_wire_size(wire); r++)
        check_failures += (int)all[r];
}

/* Without dts_collective_part(): the rule of coll.h, in one channel. */
static void check_parts(const struct dts_collective *c, const struct dts_live_rank *rank)
{
    const int n = c->group.size, each = c->shape.per_node;
    const int self = rank->rank / c->group.stride % n;
    for (int k = 0; k < n; k++) {
        size_t first, count;
        dts_coll_span(c->data.count, n, k, 1, &first, &count);
        const int node = (self / each - k / each + n / each) % (n / each);
        const int from = node * each + (self % each - k % each + each) % each;
        for (size_t e = first; e < first + count; e++)
            if (!CHECK_NEAR(
                    held(rank, 0, c->data.first + e),
                    value(rank->rank + (from - self) * c->group.stride, c->data.first + e), 0))
                return;
    }
}

static void check_shift(const struct dts_collective *c, const struct dts_live_rank *rank)
{
    const int n = c->group.size, self = rank->rank / c->group.stride % n;
    const int before = rank->rank + ((self + n - 1) % n - self) * c->group.stride;
    const struct dts_span *result = dts_collective_result(c);
    for (size_t e = 0; e < c->data.count; e++) {
        if (!CHECK_NEAR(held(rank, result->buffer, result->first + e),
                        value(before, c->data.first + e), 0))
            return;
        if (c->into.count > 0) // what left is still there
            CHECK_NEAR(held(rank, 0, c->data.first + e), value(rank->rank, c->data.first + e),
                       0);
    }
}

/* Without dts_coll functions: of both halves of a halo, or of all of it. */
static void check_edges(const struct dts_collective *c, const struct dts_live_rank *rank)
{
    const int n = c->group.size, self = rank->rank / c->group.stride % n;
    const size_t half = (c->data.count + 1) / 2; // the first is the larger one
    for (size_t e = 0; e < c->data.count; e++) {
        const bool from_behind =
            c->shape.kind == DTS_HALO_BEFORE || (c->shape.kind == DTS_HALO && e >= half);
        int from = from_behind ? self + 1 : self - 1;
        if (from < 0 || from >= n)
            from = self;
        if (!CHECK_NEAR(held(rank, 0, c->data.first + e),
                        value(rank->rank + (from - self) * c->group.stride, c->data.first + e),
                        0))
            return;
    }
}

/* One step of a job with one collective; then the same by dts_live_check(). */
static void run(const struct format *format, struct dts_collective c)
{
    struct dts_job job = job_of(dts_wire_size(wire));
    for (int b = 0; b < 2; b++)
        dts_plan_buffer(&job.roles[0].plan, c.data.first + c.data.count + 2, format->bytes);
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, c.algorithm->name, c);
    struct dts_live live = {.job = &job,
                            .wire = wire,
                            .executor = dts_executor_find("timed"),
                            .steps = 1,
                            .half = format->half};
    struct dts_live_rank rank;
    struct dts_live_times times;
    struct dts_error err = {0};
    size_t checked = 0;
    if (CHECK(dts_live_fits(&live, &err)) && CHECK(dts_live_open(&live, &rank, &err))) {
        fill(&rank);
        CHECK(dts_live_run(&live, &rank, &times, &err));
        dts_live_times_free(&times);
        (c.shape.kind >= DTS_HALO    ? check_edges
         : c.shape.kind == DTS_SHIFT ? check_shift
                                     : check_parts)(&c, &rank);
        dts_live_fill(&rank);
        CHECK(dts_live_run(&live, &rank, &times, &err));
        dts_live_times_free(&times);
        CHECK(dts_live_check(&job, &rank, &checked, &err));
        CHECK_INT(checked, c.data.count);
        dts_live_close(&rank);
    }
    CHECK_STRING(err.text, "");
    dts_job_free(&job);
}

static void try_shape(const struct format *format, enum dts_coll_kind kind,
                      const struct dts_coll *row, int stride, int per_node, size_t count)
{
    const int size = dts_wire_size(wire) / stride;
    struct dts_collective c = {
        .algorithm = row,
        .shape = {.kind = kind, .size = size, .per_node = per_node, .shards = 1, .pieces = 1},
        .group = {.stride = stride, .size = size},
        .data = {.first = 3, .count = count},
        .channels = 1};
    const char *why;
    if (!dts_coll_fits(row, &c.shape, &why))
        return;
    run(format, c);
    if (kind == DTS_SHIFT && size > 1) {
        c.into = (struct dts_span){1, 1, count};
        run(format, c);
    }
}

static void all_rows(enum dts_coll_kind kind)
{
    static const size_t counts[] = {1, 7, ELEMENTS, 300007}; // the last in many pieces
    const int ranks = dts_wire_size(wire);
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int i = 0; i < 4 * FORMATS; i++) {
            const struct format *format = &formats[i / 4];
            try_shape(format, kind, dts_colls[a], 1, 1, counts[i % 4]);
            if (ranks % 2 == 0) {
                try_shape(format, kind, dts_colls[a], 1, 2, counts[i % 4]);
                try_shape(format, kind, dts_colls[a], 2, 1, counts[i % 4]);
            }
        }
    tell_all();
}

static void every_part_arrives_where_it_should(void)
{
    all_rows(DTS_ALLTOALL);
}

static void a_shift_hands_on_what_the_one_before_had(void)
{
    all_rows(DTS_SHIFT);
}

static void a_halo_leaves_the_edges_of_the_neighbours(void)
{
    all_rows(DTS_HALO);
    all_rows(DTS_HALO_BEHIND);
    all_rows(DTS_HALO_BEFORE);
}

/* The check of the live program finds what went elsewhere. */
static void a_part_that_went_elsewhere_is_found(void)
{
    const int ranks = dts_wire_size(wire);
    struct dts_job job = job_of(ranks);
    struct dts_collective c = {
        .algorithm = dts_coll_find("pairwise"),
        .shape = {.kind = DTS_ALLTOALL, .size = ranks, .per_node = 1, .shards = 1, .pieces = 1},
        .group = {.stride = 1, .size = ranks},
        .data = {.count = 240},
        .channels = 2};
    dts_plan_buffer(&job.roles[0].plan, 240, 4);
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "parts", c);
    struct dts_live live = {
        .job = &job, .wire = wire, .executor = dts_executor_find("timed"), .steps = 1};
    struct dts_live_rank rank;
    struct dts_live_times times;
    struct dts_error err = {0};
    size_t checked;
    if (CHECK(dts_live_open(&live, &rank, &err))) {
        dts_live_fill(&rank);
        CHECK(dts_live_run(&live, &rank, &times, &err));
        dts_live_times_free(&times);
        CHECK(dts_live_check(&job, &rank, &checked, &err));
        rank.buffers[0][239] += 1;
        CHECK(!dts_live_check(&job, &rank, &checked, &err));
        CHECK(strstr(err.text, "\"parts\" left") != NULL);
        dts_live_close(&rank);
    }
    dts_job_free(&job);
    tell_all();
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        TEST(every_part_arrives_where_it_should),
        TEST(a_shift_hands_on_what_the_one_before_had),
        TEST(a_halo_leaves_the_edges_of_the_neighbours),
        TEST(a_part_that_went_elsewhere_is_found),
    };
    int failed;
    if (!open_wire(&wire, &argc, &argv, &failed))
        return failed;
    failed = check_run(tests, (int)(sizeof(tests) / sizeof(tests[0])));
    dts_wire_close(wire);
    return failed;
}
