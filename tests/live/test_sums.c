/* test_sums.c -- what collectives and parameter servers leave in memory, over MPI, is the exact
 * sum of what all ranks had, in messages of 64, of 32 and of 16 bits. Run under mpirun. Whole
 * numbers up to 256, which bf16 has, too, so that order does not matter.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "live/live.h"
#include "live_jobs.h"

enum { STEPS = 3 };

static const double thirty_bits = 1 << 30;

static struct dts_wire *wire;

/* What messages hold. */
static const struct format {
    size_t bytes;
    enum dts_half half;
} formats[] = {{4, DTS_HALF_BF16}, {2, DTS_HALF_BF16}, {2, DTS_HALF_FP16}, {8, DTS_HALF_BF16}};
enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

static float part = 1; // that buffers are filled with of each value

/* What a rank has in an element before the first step. */
static float value(int rank, size_t e)
{
    return (float)((rank + 1) * (int)(e % 7 + 1));
}

static float sum_of(int first, int count, size_t e)
{
    float sum = 0;
    for (int r = first; r < first + count; r++)
        sum += value(r, e);
    return sum;
}

static bool has_doubles(const struct dts_live_rank *rank, int buffer)
{
    return rank->role->plan.buffers[buffer].element_bytes == sizeof(double);
}

static void fill(struct dts_live_rank *rank, int buffer, size_t count)
{
    void *values = rank->buffers[buffer];
    for (size_t e = 0; e < count; e++)
        if (has_doubles(rank, buffer))
            ((double *)values)[e] = (double)value(rank->rank, e) + thirty_bits;
        else
            ((float *)values)[e] = value(rank->rank, e) / part;
}

/* Doubles have what a float would lose. */
static double held(const struct dts_live_rank *rank, int buffer, size_t e)
{
    const void *values = rank->buffers[buffer];
    if (!has_doubles(rank, buffer))
        return (double)((const float *)values)[e];
    return ((const double *)values)[e] - thirty_bits * rank->role->count;
}

/* Whatever one rank found wrong fails the test on rank 0. */
static void tell_all(void)
{
    double mine = check_failures, all[64];
    dts_wire_gather(wire, &mine, 1, all);
    for (int r = 1; dts_wire_rank(wire) == 0 && r < dts_wire_size(wire); r++)
        check_failures += (int)all[r];
}

/* Walk the job; what it sends is filled before, and `check` looks at what it left. */
static void run(struct dts_job *job, enum dts_half half, int steps, int buffer,
                void (*check)(const struct dts_job *job, const struct dts_live_rank *rank))
{
    struct dts_live live = {.job = job,
                            .wire = wire,
                            .executor = dts_executor_find("timed"),
                            .steps = steps,
                            .half = half};
    struct dts_live_rank rank;
    struct dts_live_times times;
    struct dts_error err = {0};
    if (!CHECK(dts_live_fits(&live, &err)) || !CHECK(dts_live_open(&live, &rank, &err))) {
        printf("%s\n", err.text);
        return;
    }
    fill(&rank, buffer, rank.role->plan.buffers[buffer].count);
    if (CHECK(dts_live_run(&live, &rank, &times, &err))) {
        check(job, &rank);
        dts_live_times_free(&times);
    }
    dts_live_close(&rank);
}

static void check_all_reduced(const struct dts_job *job, const struct dts_live_rank *rank)
{
    for (size_t e = 0; e < rank->role->plan.buffers[0].count; e++)
        if (!CHECK_NEAR(held(rank, 0, e), sum_of(0, job->ranks, e), 0))
            return;
}

static void all_reduce(const struct format *format, const struct dts_coll *algorithm,
                       int per_node, int pieces, int channels, size_t count)
{
    int ranks = dts_wire_size(wire);
    struct dts_collective c = {.algorithm = algorithm,
                               .shape = {.kind = DTS_ALLREDUCE,
                                         .size = ranks,
                                         .per_node = per_node,
                                         .shards = per_node,
                                         .pieces = pieces,
                                         .between = dts_coll_find("ring")},
                               .group = {.stride = 1, .size = ranks},
                               .data = {.count = count},
                               .channels = channels};
    const char *why;
    if (!dts_coll_fits(algorithm, &c.shape, &why))
        return;
    struct dts_job job = job_of(ranks);
    dts_plan_buffer(&job.roles[0].plan, count, format->bytes);
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, algorithm->name, c);
    run(&job, format->half, 1, 0, check_all_reduced);
    dts_job_free(&job);
}

static void every_rank_holds_the_exact_sum_after_every_all_reduce(void)
{
    static const size_t counts[] = {1, 7, ELEMENTS, 300007}; // the last in many pieces
    int ranks = dts_wire_size(wire);
    for (int a = 0; dts_colls[a] != NULL; a++)
        for (int i = 0; i < 4 * FORMATS; i++) {
            const struct format *format = &formats[i / 4];
            all_reduce(format, dts_colls[a], 1, 1, 1, counts[i % 4]);
            all_reduce(format, dts_colls[a], 1, 3, 2, counts[i % 4]);
            if (ranks % 2 == 0)
                all_reduce(format, dts_colls[a], 2, 2, 2, counts[i % 4]);
        }
    tell_all();
}

/* Sums again and again grow by the number of ranks; buckets travel behind one another. */
static void check_repeated(const struct dts_job *job, const struct dts_live_rank *rank)
{
    float times = 1;
    for (int s = 1; s < STEPS; s++)
        times *= (float)job->ranks;
    for (size_t e = 0; e < BUCKETS * ELEMENTS; e++)
        if (!CHECK_NEAR(rank->buffers[0][e], times * sum_of(0, job->ranks, e), 0))
            return;
}

static void streams_and_steps_keep_their_order(void)
{
    int ranks = dts_wire_size(wire);
    struct dts_job job = job_of(ranks);
    struct dts_plan *plan = &job.roles[0].plan;
    struct dts_call work = {.pass = DTS_BACKWARD, .layer = -1, .seconds = 2e-4};
    dts_plan_buffer(plan, BUCKETS * ELEMENTS, sizeof(float));
    for (int b = 0; b < BUCKETS; b++) {
        int ready = dts_plan_call(plan, DTS_COMPUTE, "backward", work);
        dts_plan_collective(plan, DTS_DATA, "all-reduce",
                            (struct dts_collective){
                                .algorithm = dts_coll_find("ring"),
                                .shape = {DTS_ALLREDUCE, ranks, 1, 1, 1, NULL},
                                .group = {.stride = 1, .size = ranks},
                                .data = {.first = (size_t)b * ELEMENTS, .count = ELEMENTS},
                                .channels = 1,
                            });
        dts_plan_after(plan, ready);
    }
    work.pass = DTS_UPDATE;
    dts_plan_call(plan, DTS_COMPUTE, "update", work);
    dts_plan_after(plan, 1);
    dts_plan_after(plan, 3);
    run(&job, DTS_HALF_BF16, STEPS, 0, check_repeated);
    dts_job_free(&job);
    tell_all();
}

static void check_pulled(const struct dts_job *job, const struct dts_live_rank *rank)
{
    if (rank->rank >= job->roles[0].count)
        return;
    for (size_t e = 0; e < BUCKETS * ELEMENTS; e++)
        if (!CHECK_NEAR(held(rank, 1, e), sum_of(0, job->roles[0].count, e), 0))
            return;
}

/* Numbers that 16 bits do not hold: all members end with the same bits, near the sum. */
static void check_rounded(const struct dts_job *job, const struct dts_live_rank *rank)
{
    const size_t count = rank->role->plan.buffers[0].count;
    float *first = dts_alloc(count, sizeof(*first));
    memcpy(first, rank->buffers[0], count * sizeof(*first));
    dts_wire_share(wire, first, count * sizeof(*first));
    CHECK(memcmp(first, rank->buffers[0], count * sizeof(*first)) == 0);
    for (size_t e = 0; e < count; e++) {
        const double want = (double)sum_of(0, job->ranks, e) / 3;
        // rounded by each rank on the way, and at the end
        if (!CHECK_CLOSE((double)rank->buffers[0][e], want, (job->ranks + 1) * 0x1p-8))
            break;
    }
    free(first);
}

static void members_end_with_the_same_bits_of_what_is_rounded(void)
{
    const int ranks = dts_wire_size(wire);
    for (int a = 0; dts_colls[a] != NULL; a++) {
        struct dts_collective c = {
            .algorithm = dts_colls[a],
            .shape = {DTS_ALLREDUCE, ranks, 1, 1, 1, dts_coll_find("ring")},
            .group = {.stride = 1, .size = ranks},
            .data = {.count = ELEMENTS},
            .channels = 1};
        const char *why;
        if (ranks == 1 || !dts_coll_fits(dts_colls[a], &c.shape, &why))
            continue;
        struct dts_job job = job_of(ranks);
        dts_plan_buffer(&job.roles[0].plan, ELEMENTS, 2);
        dts_plan_collective(&job.roles[0].plan, DTS_DATA, dts_colls[a]->name, c);
        part = 3;
        run(&job, DTS_HALF_BF16, 1, 0, check_rounded);
        part = 1;
        dts_job_free(&job);
    }
    tell_all();
}

static void workers_pull_the_exact_sum_from_servers_with_shards(void)
{
    int ranks = dts_wire_size(wire);
    for (int f = 0; f < FORMATS; f++)
        for (int servers = 1; servers <= 3 && servers < ranks; servers++) {
            struct dts_job job = server_job(ranks - servers, servers, true, formats[f].bytes);
            run(&job, formats[f].half, STEPS, 0, check_pulled);
            dts_job_free(&job);
        }
    tell_all();
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {
        TEST(every_rank_holds_the_exact_sum_after_every_all_reduce),
        TEST(members_end_with_the_same_bits_of_what_is_rounded),
        TEST(streams_and_steps_keep_their_order),
        TEST(workers_pull_the_exact_sum_from_servers_with_shards),
    };
    int failed;
    if (!open_wire(&wire, &argc, &argv, &failed))
        return failed;
    failed = check_run(tests, (int)(sizeof(tests) / sizeof(tests[0])));
    dts_wire_close(wire);
    return failed;
}
