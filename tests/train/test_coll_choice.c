/* test_coll_choice.c -- algorithm auto: each collective is what the stack's library chooses. */
#include "train/strategy/library.h"

#include "point.h"

/* 6 nodes with 4 A100 of a mesh, four NICs. */
static void on_a100(struct fixture *f, const char *name, const char *version)
{
    set_up(f);
    f->stack.algorithm = "auto";
    f->scenario.stack.library = f->stack.library = (struct dts_library){name, version};
    f->machine.site = (struct dts_choice_group){.gpu = DTS_CHOICE_AMPERE,
                                                .cpu = DTS_CHOICE_AMD,
                                                .nvlinks = 12,
                                                .nics_near = true,
                                                .nics = 4,
                                                .nic_bytes_per_s = 25e9};
}

/* The all-reduce of a benchmark with so much data. */
static struct dts_collective chosen(struct fixture *f, const char *more, double bytes,
                                    int devices)
{
    char json[256];
    snprintf(json, sizeof(json), "{\"collective\": \"allreduce\", \"bytes\": %.0f%s}", bytes,
             more);
    struct dts_job job = job_of(f, "collective", json, devices);
    struct dts_collective c = {0};
    if (job.role_count > 0)
        c = job.roles[0].plan.ops[0].collective;
    dts_job_free(&job);
    return c;
}

static void small_data_takes_trees_and_large_rings(void)
{
    struct fixture f;
    on_a100(&f, "nccl", "2.18");
    struct dts_collective c = chosen(&f, "", 1024, 24);
    CHECK_STRING(c.algorithm->name, "tree_of_nodes");
    CHECK_STRING(c.chosen, "tree/LL, 4 channels");
    CHECK_INT(c.channels, 4); // one for each NIC
    CHECK(dts_coll_pace_known(&c.pace));
    c = chosen(&f, "", 1 << 30, 24);
    CHECK_STRING(c.algorithm->name, "ring");
    CHECK_STRING(c.chosen, "ring/Simple, 4 channels");
    CHECK(strstr(c.why, "NCCL 2.18, 6 x 4: ring/Simple") != NULL);
    forget(&f);
}

static void each_bucket_is_chosen_by_its_size(void)
{
    struct fixture f;
    on_a100(&f, "nccl", "2.18");
    struct dts_job job = job_of(&f, "allreduce", "{\"bucket_bytes\": 0}", 24);
    const struct dts_plan *plan = &job.roles[0].plan;
    const struct dts_collective *first =
        &plan->ops[find_op(plan, "all-reduce 0")].collective; // 4096 elements
    const struct dts_collective *second =
        &plan->ops[find_op(plan, "all-reduce 1")].collective; // 130
    CHECK(first->pace.share[0] != second->pace.share[0]);
    CHECK(first->shape.pieces >= second->shape.pieces);
    dts_job_free(&job);
    forget(&f);
}

static void channels_of_a_mesh_take_its_orders(void)
{
    static const unsigned char lanes[DTS_ORDERED][DTS_ORDERED] = {
        {0, 2, 2, 2}, {2, 0, 2, 2}, {2, 2, 0, 2}, {2, 2, 2, 0}};
    struct fixture f;
    on_a100(&f, "nccl", "2.12");
    f.machine.site.gpu = DTS_CHOICE_VOLTA;
    f.machine.site.nvlinks = 6;
    dts_orders_find(lanes, 4, &f.machine.orders);
    struct dts_collective c = chosen(&f, "", 4e9, 4);
    CHECK_INT(c.channels, 6);
    CHECK(c.orders == &f.machine.orders);
    c = chosen(&f, ", \"channels\": 1", 4e9, 4);
    CHECK_INT(c.channels, 1);
    CHECK(c.orders == NULL);
    c = chosen(&f, "", 4e9, 24); // over nodes a channel leaves by a NIC
    CHECK_INT(c.channels, 4);
    CHECK(c.orders == NULL);
    forget(&f);
}

static void an_algorithm_that_is_said_keeps_the_librarys_pace(void)
{
    struct fixture f;
    on_a100(&f, "nccl", "2.18");
    struct dts_collective c = chosen(&f, ", \"algorithm\": \"ring\"", 1024, 24);
    CHECK_STRING(c.algorithm->name, "ring");
    CHECK_STRING(c.chosen, "ring/LL, 4 channels");
    c = chosen(&f, ", \"algorithm\": \"halving_doubling\"", 1024, 24); // NCCL has none
    CHECK_STRING(c.algorithm->name, "halving_doubling");
    CHECK(!dts_coll_pace_known(&c.pace));
    CHECK_STRING(c.chosen, "");
    forget(&f);
}

static void switches_of_the_network_sum_where_they_can(void)
{
    struct fixture f;
    struct dts_job job;
    struct dts_error err = {0};
    on_a100(&f, "nccl", "2.21");
    f.machine.site.sharp = true;
    CHECK_STRING(chosen(&f, "", 1 << 24, 24).chosen, "sharp/Simple, 4 channels");
    CHECK_STRING(chosen(&f, ", \"algorithm\": \"sharp\"", 64, 24).chosen,
                 "sharp/Simple, 4 channels");
    f.machine.site.sharp = false;
    CHECK(strcmp(chosen(&f, "", 1 << 24, 24).algorithm->name, "sharp") != 0);
    CHECK(use(&f, "allreduce", "{\"algorithm\": \"sharp\"}", &err));
    CHECK(!build(&f, 24, &job, &err));
    CHECK_STRING(err.text, "test: devices 24: allreduce: sharp needs platform.nics.sharp, more "
                           "than one node, and NCCL 2.17 or later as the stack's library");
    forget(&f);
}

static void mpi_goes_by_thresholds(void)
{
    struct fixture f;
    on_a100(&f, "openmpi", "4.0.3");
    CHECK_STRING(chosen(&f, "", 1024, 8).algorithm->name, "recursive_doubling");
    CHECK_STRING(chosen(&f, "", 1e6, 8).algorithm->name, "ring");
    forget(&f);
    on_a100(&f, "openmpi", "4.1");
    CHECK_STRING(chosen(&f, "", 8191, 8).algorithm->name, "recursive_doubling");
    CHECK_STRING(chosen(&f, "", 8192, 8).algorithm->name, "halving_doubling");
    CHECK_STRING(chosen(&f, "", 8191, 24).algorithm->name, "halving_doubling");
    forget(&f);
    on_a100(&f, "mpich", "3.2");
    CHECK_STRING(chosen(&f, "", 2048, 8).algorithm->name, "recursive_doubling");
    CHECK_STRING(chosen(&f, "", 2052, 8).chosen, "halving_doubling");
    forget(&f);
    on_a100(&f, "gloo", "0.5");
    CHECK_STRING(chosen(&f, "", 8, 8).algorithm->name, "ring");
    const struct dts_collective c = chosen(&f, "", 8, 8);
    CHECK(!dts_coll_pace_known(&c.pace)); // messages go as the transport says
    forget(&f);
}

static void a_library_is_needed_and_a_version(void)
{
    struct fixture f;
    struct dts_error err = {0};
    const char *json = "{\"collective\": \"allreduce\", \"bytes\": 8}";
    on_a100(&f, NULL, NULL);
    CHECK(!use(&f, "collective", json, &err));
    CHECK(strstr(err.text, "names no library") != NULL);
    forget(&f);
    err = (struct dts_error){0};
    on_a100(&f, "nccl", "newest");
    CHECK(!use(&f, "collective", json, &err));
    CHECK(strstr(err.text, "got \"newest\"") != NULL);
    forget(&f);
    CHECK_INT(dts_library_version("2.18.5"), 218);
    CHECK_INT(dts_library_version("2"), 0);

    struct dts_job job;
    err = (struct dts_error){0};
    on_a100(&f, "nccl", "2.18");
    f.machine.site.nics = 0; // an imported network
    CHECK(use(&f, "collective", json, &err) && !build(&f, 24, &job, &err));
    CHECK(strstr(err.text, "NICs") != NULL);
    forget(&f);
}

/* The stack's row is one of sums; a level, or what says how levels go, has no effect. */
static void parts_take_a_row_of_their_own(void)
{
    struct fixture f;
    struct dts_error err = {0};
    on_a100(&f, "nccl", "2.18"); // "auto"
    struct dts_job job =
        job_of(&f, "collective", "{\"collective\": \"alltoall\", \"bytes\": 1}", 24);
    struct dts_collective c = job.roles[0].plan.ops[0].collective;
    CHECK_STRING(c.algorithm->name, "pairwise");
    CHECK_INT(c.data.count, 24); // one for each
    CHECK(!dts_coll_pace_known(&c.pace));
    dts_job_free(&job);
    job = job_of(&f, "collective",
                 "{\"collective\": \"alltoall\", \"bytes\": 960, \"algorithm\": \"auto\"}", 24);
    CHECK_STRING(job.roles[0].plan.ops[0].collective.chosen, "scattered");
    CHECK_INT(job.roles[0].plan.ops[0].collective.data.count, 240);
    dts_job_free(&job);
    f.scenario.stack.library.name = "openmpi";
    job = job_of(&f, "collective",
                 "{\"collective\": \"alltoall\", \"bytes\": 960, \"algorithm\": \"auto\"}", 24);
    CHECK_STRING(job.roles[0].plan.ops[0].collective.chosen, "pairwise");
    dts_job_free(&job);
    job = job_of(&f, "collective", "{\"collective\": \"shift\", \"bytes\": 960}", 24);
    c = job.roles[0].plan.ops[0].collective;
    CHECK_STRING(c.algorithm->name, "ring");
    CHECK(!dts_coll_pace_known(&c.pace) && c.orders == NULL);
    CHECK_INT(c.channels, 1);
    dts_job_free(&job);
    CHECK(!use(&f, "collective",
               "{\"collective\": \"shift\", \"bytes\": 1, \"piece_bytes\": 1000}", &err));
    CHECK(strstr(err.text, "piece_bytes: has no effect on \"shift\"") != NULL);
    forget(&f);
}

/* A ring passes parts round, whose size is given; a broadcast goes along it in pieces. */
static void a_ring_broadcasts_in_pieces(void)
{
    struct fixture f;
    set_up(&f);
    struct dts_error err = {0};
    struct dts_job job = job_of(&f, "collective",
                                "{\"collective\": \"broadcast\", \"bytes\": 1e6, "
                                "\"algorithm\": \"ring\", \"piece_bytes\": 1e5}",
                                8);
    CHECK_INT(job.roles[0].plan.ops[0].collective.shape.pieces, 10);
    dts_job_free(&job);
    CHECK(!use(&f, "collective",
               "{\"collective\": \"allreduce\", \"bytes\": 1e6, \"algorithm\": \"ring\", "
               "\"piece_bytes\": 1e5}",
               &err));
    CHECK_STRING(err.text, "test: piece_bytes: has no effect on ring, which cuts nothing");
    forget(&f);
}

TESTS(TEST(small_data_takes_trees_and_large_rings), TEST(each_bucket_is_chosen_by_its_size),
      TEST(channels_of_a_mesh_take_its_orders),
      TEST(an_algorithm_that_is_said_keeps_the_librarys_pace), TEST(mpi_goes_by_thresholds),
      TEST(switches_of_the_network_sum_where_they_can), TEST(a_library_is_needed_and_a_version),
      TEST(parts_take_a_row_of_their_own), TEST(a_ring_broadcasts_in_pieces))
