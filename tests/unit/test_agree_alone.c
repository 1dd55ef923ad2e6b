/* test_agree_alone.c -- one operation alone, single-path routing, one alpha for all messages:
 * the fluid engine against every message simulated. */
#include "agree.h"

static const struct agree_machine machines[] = {
    {"star", AGREE_STAR("0"), 96, 1, 0, false},
    {"dragonfly", AGREE_DRAGONFLY("0"), 96, 1, 0, true},
    {"torus", AGREE_TORUS("0"), 96, 1, 0, true},
    {"fat tree", AGREE_FAT_TREE("0"), 96, 1, 0, false},
    {"two level", AGREE_TWO_LEVEL("0"), 96, 1, 0, true},
    {"fat tree, 4 devices a node", AGREE_FAT_TREE("0"), 48, 4, 0, true},
    {"torus, 4 devices a node", AGREE_TORUS("0"), 48, 4, 0, false},
};
enum { MACHINES = sizeof(machines) / sizeof(machines[0]) };

static const char *const placements[] = {"linear", "random"};

static void row_of(const char *machine, const char *operation, int n, double bytes,
                   const char *placement, double exact_s, double fluid_s, double limit)
{
    char name[200];
    snprintf(name, sizeof(name), "%s, %s, %d, %.3g MB, %s", machine, operation, n, bytes / 1e6,
             placement);
    agree_row(name, exact_s, fluid_s, limit);
}

/* What fluid promises of a whole all-reduce, by algorithm: where all members have equal loads
 * (`even`), and where the members of a step do not end it together and those who are early go
 * on, which fluid does not follow: it takes the steps in lockstep. */
static const struct {
    const char *algorithm;
    double even, uneven;
} promises[] = {
    {"ring", 1e-6, 0.06},
    {"hierarchical", 1e-6, 0.06},
    {"halving_doubling", 1e-6, 0.20},
    {"binary_blocks", 1e-6, 0.20},
    {"tree", 0.25, 0.27},
    {"double_tree", 0.30, 0.30},
};
enum { PROMISES = sizeof(promises) / sizeof(promises[0]) };

static double promise_of(const char *algorithm, bool even)
{
    for (int p = 0; p < PROMISES; p++)
        if (strcmp(promises[p].algorithm, algorithm) == 0)
            return even ? promises[p].even : promises[p].uneven;
    printf("no promise for %s\n", algorithm);
    CHECK(false);
    return 0;
}

static void allreduce(const struct agree_machine *machine, const struct dts_platform *platform,
                      const struct dts_coll *algorithm, int n, double bytes)
{
    bool even = strstr(machine->network, "star") != NULL && (n & (n - 1)) == 0;
    for (int p = 0; p < 2; p++) {
        struct dts_job job = agree_workers(n, 0);
        if (agree_allreduce(&job, DTS_DATA, algorithm, machine->devices, bytes) >= 0) {
            struct agree_pair pair = agree_both_on(platform, &job, placements[p]);
            row_of(machine->name, algorithm->name, n, bytes, placements[p], pair.exact_first_s,
                   pair.fluid_first_s, promise_of(algorithm->name, even));
        }
        dts_job_free(&job);
    }
}

static void a_whole_allreduce_alone_keeps_what_is_promised(void)
{
    agree_table(
        "One all-reduce alone",
        "Single-path routing, one alpha of 10 us for all messages, from rest to the end "
        "of the last member. Fluid takes the steps of a collective in lockstep. Exact "
        "lets a member go on as soon as it may: where loads are uneven, early members "
        "overlap with late ones, to their own gain (fluid is slower) or to the loss of "
        "who waits for a message that now shares its port (fluid is faster).");
    for (int m = 0; m < MACHINES; m++) {
        struct dts_platform platform;
        if (!agree_machine_read(&machines[m], &platform))
            continue;
        for (int a = 0; dts_colls[a] != NULL; a++) {
            if (dts_colls[a]->by_library)
                continue; // simulated as another of them
            allreduce(&machines[m], &platform, dts_colls[a], 8, 4 << 20);
            allreduce(&machines[m], &platform, dts_colls[a], 24, 100 << 20);
            allreduce(&machines[m], &platform, dts_colls[a], 64, 4 << 20);
        }
        dts_platform_free(&platform);
    }
    agree_end();
}

enum { MULTIPLE = 4 * 1048320 }; // bytes of so many elements, which 2^7 3 5 7 divides

/* One step of an algorithm as a collective of its own. */
static const struct dts_coll *whole;
static int step_number;

static int one_step(const struct dts_coll_shape *shape)
{
    (void)shape;
    return 1;
}

static int that_step(const struct dts_coll_shape *shape, int member, int i,
                     struct dts_coll_message *messages)
{
    return whole->step(shape, member, step_number + i, messages);
}

static int like_itself(const struct dts_coll_shape *shape, int i)
{
    (void)shape;
    return i;
}

/* One row for all classes of steps: the one that is furthest off. */
static void steps_alone(const struct agree_machine *machine,
                        const struct dts_platform *platform, int n, double bytes,
                        const char *placement)
{
    struct dts_coll step = *whole;
    step.step = that_step;
    step.like = like_itself;
    struct dts_job job = agree_workers(n, 0);
    if (agree_allreduce(&job, DTS_DATA, &step, machine->devices, bytes) >= 0) {
        const struct dts_coll_shape *shape = &job.roles[0].plan.ops[0].collective.shape;
        struct agree_pair worst = {.exact_first_s = 1, .fluid_first_s = 1};
        int steps = whole->steps(shape), classes = 0, furthest = 0;
        double most = -1;
        step.steps = one_step;
        for (step_number = 0; step_number < steps; step_number++) {
            if (whole->like(shape, step_number) != step_number)
                continue;
            struct agree_pair pair = agree_both_on(platform, &job, placement);
            if (pair.exact_first_s == 0) { // the algorithm is silent in this step
                CHECK_NEAR(pair.fluid_first_s, 0, 0);
                continue;
            }
            double error = fabs(pair.fluid_first_s / pair.exact_first_s - 1);
            classes++;
            if (error <= most)
                continue;
            most = error;
            worst = pair;
            furthest = step_number;
        }
        char name[60];
        snprintf(name, sizeof(name), "%s, worst of %d classes: step %d", whole->name, classes,
                 furthest);
        row_of(machine->name, name, n, bytes, placement, worst.exact_first_s,
               worst.fluid_first_s, 1e-6);
    }
    dts_job_free(&job);
}

static void one_step_from_rest_is_exact(void)
{
    agree_table("One step of a collective from rest",
                "Every class of steps of every algorithm on its own: single-path routing, one "
                "alpha. This is what counting bytes on links must give.");
    for (int m = 0; m < MACHINES; m++) {
        struct dts_platform platform;
        if (!agree_machine_read(&machines[m], &platform))
            continue;
        for (int a = 0; dts_colls[a] != NULL; a++) {
            if (dts_colls[a]->by_library)
                continue;
            whole = dts_colls[a];
            steps_alone(&machines[m], &platform, 24, MULTIPLE, "random");
            steps_alone(&machines[m], &platform, 16, 20.0 * MULTIPLE, "linear");
        }
        dts_platform_free(&platform);
    }
    agree_end();
}

static void incast_is_exact(void)
{
    agree_table("Incast", "64 workers push even shards to servers, all at once; one alpha.");
    for (int m = 0; m < MACHINES; m++) {
        struct dts_platform platform;
        if (!agree_machine_read(&machines[m], &platform))
            continue;
        for (int servers = 1; servers <= 16; servers *= 4)
            for (int p = 0; p < 2; p++) {
                struct dts_job job = agree_workers(64, servers);
                agree_exchange(&job, DTS_PUSH, false, 100 << 20, 0, NULL);
                struct agree_pair pair = agree_both_on(&platform, &job, placements[p]);
                char name[40];
                snprintf(name, sizeof(name), "64 workers push to %d", servers);
                row_of(machines[m].name, name, 64, 100 << 20, placements[p], pair.exact_first_s,
                       pair.fluid_first_s, 1e-6);
                dts_job_free(&job);
            }
        dts_platform_free(&platform);
    }
    agree_end();
}

TESTS(TEST(one_step_from_rest_is_exact), TEST(a_whole_allreduce_alone_keeps_what_is_promised),
      TEST(incast_is_exact))
