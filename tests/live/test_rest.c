/* test_rest.c -- what is alone in a plan begins on every rank when all have ended the step
 * before. Run under mpirun.
 */
#include "check.h"
#include "live/collect.h"
#include "live/live.h"
#include "live_jobs.h"

enum { STEPS = 5, COUNT = 65536 };

static struct dts_wire *wire;

/* Earliest begin of a step less the latest end of the one before, the least of all steps. */
static double pause_s(const struct dts_live_all *all)
{
    double least_s = INFINITY;
    for (int s = 1; s < all->steps; s++) {
        double begin_s = INFINITY, end_s = -INFINITY;
        for (int r = 0; r < all->ranks; r++) {
            begin_s = fmin(begin_s, all->begin_s[r][s]);
            end_s = fmax(end_s, all->end_s[r][s - 1]);
        }
        least_s = fmin(least_s, begin_s - end_s);
    }
    return least_s;
}

/* A broadcast along a chain: its first rank has sent long before the last one has it all. */
static void no_rank_begins_before_all_have_ended(void)
{
    const int ranks = dts_wire_size(wire);
    struct dts_job job = job_of(ranks);
    struct dts_live live = {.job = &job,
                            .wire = wire,
                            .executor = dts_executor_find("timed"),
                            .steps = STEPS,
                            .from_rest = true};
    struct dts_live_rank rank;
    struct dts_live_times times;
    struct dts_live_all all;
    struct dts_error err = {0};
    dts_plan_buffer(&job.roles[0].plan, COUNT, sizeof(float));
    dts_plan_collective(&job.roles[0].plan, DTS_DATA, "broadcast",
                        (struct dts_collective){
                            .algorithm = dts_coll_find("ring"),
                            .shape = {DTS_BROADCAST, ranks, 1, 1, 1, NULL},
                            .group = {.stride = 1, .size = ranks},
                            .data = {.count = COUNT},
                            .channels = 1,
                        });
    if (CHECK(dts_live_open(&live, &rank, &err)) &&
        CHECK(dts_live_run(&live, &rank, &times, &err))) {
        dts_live_collect(&live, &rank, &times, &all);
        if (rank.rank == 0 && ranks > 1)
            CHECK(pause_s(&all) >= 0);
        dts_live_all_free(&all);
        dts_live_times_free(&times);
        dts_live_close(&rank);
    }
    dts_job_free(&job);
}

int main(int argc, char **argv)
{
    static const struct check_test tests[] = {TEST(no_rank_begins_before_all_have_ended)};
    int failed;
    if (!open_wire(&wire, &argc, &argv, &failed))
        return failed;
    failed = check_run(tests, 1);
    dts_wire_close(wire);
    return failed;
}
