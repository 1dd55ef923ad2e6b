/* test_choice.c -- NCCL's choice: what the library itself printed, what its formula gives, and
 * what no group may break.
 */
#include "plan/coll/choice/choice.h"

#include <math.h>
#include <stddef.h>

#include "check.h"

#define MIB 1048576.

static const struct dts_choice_group hopper = {
    .version = 230,
    .gpu = DTS_CHOICE_HOPPER,
    .cpu = DTS_CHOICE_INTEL,
    .nodes = 4,
    .per_node = 8,
    .nvlinks = 18,
    .nvswitch = true,
    .nics_near = true,
    .nics = 8,
    .nic_bytes_per_s = 50e9,
};

/* The same, whose network sums. */
static struct dts_choice_group summing(struct dts_choice_group group)
{
    group.sharp = true;
    return group;
}

/* The same with other nodes, NICs and version. */
static struct dts_choice_group hoppers(int version, int nodes, int nics, double gbit_per_s)
{
    struct dts_choice_group group = hopper;
    group.version = version;
    group.nodes = nodes;
    group.nics = nics;
    group.nic_bytes_per_s = gbit_per_s * 1e9 / 8;
    return group;
}

static struct dts_choice_group amperes(int version, int nodes, int nics, double gbit_per_s)
{
    struct dts_choice_group group = hoppers(version, nodes, nics, gbit_per_s);
    group.gpu = DTS_CHOICE_AMPERE;
    group.cpu = DTS_CHOICE_AMD;
    group.nvlinks = 12;
    return group;
}

static struct dts_choice_group voltas(int version, int nodes, int per_node, int nics)
{
    struct dts_choice_group group = hoppers(version, nodes, nics, 100);
    group.gpu = DTS_CHOICE_VOLTA;
    group.per_node = per_node;
    group.nvlinks = 6;
    group.nvswitch = false;
    return group;
}

static struct dts_choice found(struct dts_choice_group group, enum dts_coll_kind kind,
                               double bytes)
{
    struct dts_choice choice;
    dts_choice_find(&group, kind, bytes, &choice);
    return choice;
}

/* What the library takes for an all-reduce, and its time to `half` of the last digit. */
static void check_taken(struct dts_choice_group group, double bytes,
                        enum dts_choice_algorithm algorithm, enum dts_choice_protocol protocol,
                        double us, double half)
{
    const struct dts_choice choice = found(group, DTS_ALLREDUCE, bytes);
    CHECK_STRING(dts_choice_algorithm_name(choice.algorithm),
                 dts_choice_algorithm_name(algorithm));
    CHECK_STRING(dts_choice_protocol_name(choice.protocol), dts_choice_protocol_name(protocol));
    CHECK_NEAR(choice.time_s * 1e6, us, half);
}

/* NVIDIA/nccl issue 1453: a log of three nodes with 8 H100, 8 channels of 24 GB/s. */
static void what_nccl_logged_is_met_to_six_digits(void)
{
    const struct dts_choice_group group = hoppers(230, 3, 8, 200);
    check_taken(group, 128, DTS_CHOICE_TREE, DTS_CHOICE_LL, 25.214764, 5e-6);
    check_taken(group, 65536, DTS_CHOICE_TREE, DTS_CHOICE_LL, 37.798233, 5e-6);
    check_taken(group, 131072, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 51.603912, 5e-6);
}

/* By hand from the tables of the tags. */
static void formulas_of_versions_give_their_times(void)
{
    struct dts_choice_group group = amperes(218, 32, 4, 200);
    check_taken(group, 8, DTS_CHOICE_TREE, DTS_CHOICE_LL, 65.20, 0.005);
    check_taken(group, 1024 * MIB, DTS_CHOICE_RING, DTS_CHOICE_SIMPLE, 27295, 0.5);

    group = amperes(212, 540, 8, 200);
    check_taken(group, 25 * MIB, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 611.3, 0.05);
    check_taken(group, 128 * MIB, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 2185.7, 0.05);

    group = voltas(207, 16, 8, 4);
    check_taken(group, 65536, DTS_CHOICE_TREE, DTS_CHOICE_LL, 76.7, 0.05);
    check_taken(group, MIB, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 177.6, 0.05);
    check_taken(group, 25 * MIB, DTS_CHOICE_RING, DTS_CHOICE_LL128, 1733.6, 0.05);
    check_taken(group, 256 * MIB, DTS_CHOICE_RING, DTS_CHOICE_LL128, 12618, 0.5);

    check_taken(hopper, 1024, DTS_CHOICE_TREE, DTS_CHOICE_LL, 35.33, 0.005);
    check_taken(hopper, MIB, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 83.22, 0.005);
    check_taken(hopper, 25 * MIB, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE, 249.7, 0.05);
    check_taken(hopper, 1024 * MIB, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE, 5887, 0.5);

    group = hoppers(230, 448, 8, 400);
    check_taken(group, 25 * MIB, DTS_CHOICE_TREE, DTS_CHOICE_LL128, 462.9, 0.05);
    check_taken(group, 256 * MIB, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE, 1850, 0.5);

    group = hoppers(230, 1, 8, 400);
    check_taken(group, MIB, DTS_CHOICE_RING, DTS_CHOICE_LL, 28.0, 0.05);
    check_taken(group, 2 * MIB, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE, 32.7, 0.05);

    check_taken(voltas(230, 1, 4, 4), 4e9, DTS_CHOICE_RING, DTS_CHOICE_SIMPLE, 50028.8, 0.05);
}

static void check_channels(struct dts_choice_group group, double bytes, int channels,
                           double speed)
{
    const struct dts_choice choice = found(group, DTS_ALLREDUCE, bytes);
    CHECK_INT(choice.channels, channels);
    CHECK_CLOSE(choice.channel_bytes_per_s, speed * 1e9, 1e-12);
}

static void a_channel_leaves_by_a_nic_and_fits_the_nvlinks(void)
{
    struct dts_choice_group pascal = voltas(230, 1, 8, 4);
    pascal.gpu = DTS_CHOICE_PASCAL;
    pascal.nvlinks = 4;
    check_channels(amperes(230, 1, 8, 200), 1, 6, 40);
    check_channels(hoppers(230, 1, 8, 400), 1, 6, 60);          // rings
    check_channels(hoppers(230, 1, 8, 400), 1024 * MIB, 8, 40); // the switch
    check_channels(amperes(230, 4, 8, 200), 1, 8, 24);
    check_channels(amperes(230, 2, 16, 100), 1, 16, 12);
    check_channels(hoppers(230, 4, 8, 400), 1, 8, 45);
    check_channels(voltas(230, 2, 8, 4), 1, 4, 12);
    check_channels(amperes(230, 2, 4, 100), 1, 4, 12);
    check_channels(voltas(230, 1, 8, 4), 1, 6, 20);
    check_channels(pascal, 1, 4, 18);
}

/* NCCL 2.4 on 16 nodes with 8 V100 and 4 channels: 60,000 bytes/us x (762 - 88) us. */
static void before_2_5_trees_end_at_a_size(void)
{
    const struct dts_choice_group group = voltas(204, 16, 8, 4);
    struct dts_choice choice = found(group, DTS_ALLREDUCE, 40.44e6);
    CHECK(choice.algorithm == DTS_CHOICE_TREE && choice.protocol == DTS_CHOICE_SIMPLE);
    CHECK(choice.time_s == 0);
    choice = found(group, DTS_ALLREDUCE, 40.45e6);
    CHECK(choice.algorithm == DTS_CHOICE_RING && choice.protocol == DTS_CHOICE_SIMPLE);
    // 256 threads of 4 channels with 512 bytes each
    CHECK(found(group, DTS_ALLREDUCE, 524288).protocol == DTS_CHOICE_LL);
    CHECK(found(group, DTS_ALLREDUCE, 524289).protocol == DTS_CHOICE_SIMPLE);

    CHECK(found(voltas(204, 2, 8, 4), DTS_ALLREDUCE, 1e12).algorithm == DTS_CHOICE_TREE);
    CHECK(found(voltas(204, 1, 8, 4), DTS_ALLREDUCE, 1).algorithm == DTS_CHOICE_RING);
    CHECK(found(voltas(203, 16, 8, 4), DTS_ALLREDUCE, 1).algorithm == DTS_CHOICE_RING);
    CHECK(found(group, DTS_ALLGATHER, 1).algorithm == DTS_CHOICE_RING);
    CHECK(!dts_choice_price(&group, DTS_ALLREDUCE, 1, &choice));
}

static bool knows(struct dts_choice_group group, enum dts_coll_kind kind,
                  enum dts_choice_algorithm algorithm, enum dts_choice_protocol protocol)
{
    struct dts_choice choice = {.algorithm = algorithm, .protocol = protocol};
    return dts_choice_price(&group, kind, MIB, &choice);
}

static void pairs_are_there_where_the_machine_can(void)
{
    struct dts_choice_group far = hoppers(230, 4, 8, 400), none = hopper, lone = hopper;
    far.nics_near = false;
    none.nvlinks = 0;
    lone.per_node = 1;
    CHECK(knows(far, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL128)); // by PXN
    CHECK(!knows(none, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL128));
    CHECK(!knows(none, DTS_ALLREDUCE, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE));
    far.gpu = DTS_CHOICE_AMPERE;
    CHECK(!knows(far, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL128));
    CHECK(!knows(far, DTS_ALLREDUCE, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE));
    CHECK(!knows(voltas(205, 2, 8, 4), DTS_ALLGATHER, DTS_CHOICE_TREE, DTS_CHOICE_SIMPLE));
    CHECK(!knows(hopper, DTS_ALLGATHER, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE));
    CHECK(knows(hoppers(230, 1, 8, 400), DTS_ALLGATHER, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE));
    CHECK(!knows(hoppers(218, 1, 8, 400), DTS_ALLGATHER, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE));
    CHECK(knows(lone, DTS_REDUCE_SCATTER, DTS_CHOICE_PAT, DTS_CHOICE_SIMPLE));
    CHECK(!knows(hopper, DTS_REDUCE_SCATTER, DTS_CHOICE_PAT, DTS_CHOICE_SIMPLE));
    lone.version = 222;
    CHECK(!knows(lone, DTS_REDUCE_SCATTER, DTS_CHOICE_PAT, DTS_CHOICE_SIMPLE));
}

static double latency_us(struct dts_choice_group group, enum dts_coll_kind kind,
                         enum dts_choice_algorithm algorithm, enum dts_choice_protocol protocol)
{
    struct dts_choice choice = {.algorithm = algorithm, .protocol = protocol};
    return dts_choice_price(&group, kind, 1, &choice) ? choice.latency_s * 1e6 : -1;
}

/* A NIC that tells 75 us, as EFA does, adds them to each of 2 x 2 hops, with Simple twice. */
static void what_a_nic_tells_counts_for_each_hop(void)
{
    struct dts_choice_group group = hoppers(230, 4, 8, 400);
    const double tree = latency_us(group, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL);
    const double simple = latency_us(group, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_SIMPLE);
    group.nic_latency_s = 75e-6;
    CHECK_NEAR(latency_us(group, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL), tree + 300,
               1e-9);
    CHECK_NEAR(latency_us(group, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_SIMPLE),
               simple + 600, 1e-9);
    // 2.12 takes it in place of its own: 4.4 + 2 (7 x 0.52 x 1.8 + 2 x 75)
    group.version = 212;
    CHECK_NEAR(latency_us(group, DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL), 317.504, 1e-9);
}

/* 32 devices on 4 nodes, by hand. AMD hosts post to a NIC in 2 us. */
static void other_operations_go_round_once(void)
{
    struct dts_choice_group group = hoppers(230, 4, 8, 400);
    CHECK_NEAR(latency_us(group, DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL),
               6.6 + 28 * 1.0 + 3 * 2.7, 1e-9);
    group.cpu = DTS_CHOICE_AMD;
    CHECK_NEAR(latency_us(group, DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL),
               6.6 + 28 * 2.0 + 3 * 2.7, 1e-9);
    CHECK_NEAR(latency_us(group, DTS_BROADCAST, DTS_CHOICE_RING, DTS_CHOICE_LL), 6.6 + 2.7,
               1e-9);
    CHECK_NEAR(latency_us(voltas(230, 1, 8, 4), DTS_BROADCAST, DTS_CHOICE_RING, DTS_CHOICE_LL),
               6.6 + 8 * 0.6, 1e-9);
    struct dts_choice ring = {.algorithm = DTS_CHOICE_RING, .protocol = DTS_CHOICE_SIMPLE};
    CHECK(dts_choice_price(&group, DTS_ALLGATHER, 1, &ring));
    CHECK_CLOSE(ring.bytes_per_s, 360e9 * 32 / 31, 1e-12);
    CHECK(dts_choice_price(&group, DTS_BROADCAST, 1, &ring));
    CHECK_CLOSE(ring.bytes_per_s, 360e9, 1e-12);
}

static void check_pair(struct dts_choice_group group, enum dts_coll_kind kind,
                       enum dts_choice_algorithm algorithm, enum dts_choice_protocol protocol,
                       double latency, double gb_per_s)
{
    struct dts_choice choice = {.algorithm = algorithm, .protocol = protocol};
    CHECK(dts_choice_price(&group, kind, 1, &choice));
    CHECK_NEAR(choice.latency_s * 1e6, latency, 1e-9);
    CHECK_CLOSE(choice.bytes_per_s, gb_per_s * 1e9, 1e-12);
}

/* By hand from the rules of each tag. */
static void rules_that_changed_hold_from_their_version(void)
{
    const struct dts_choice_group one = hoppers(230, 1, 8, 400);
    struct dts_choice_group lone = hopper;
    lone.per_node = 1;
    // 2.5: all steps of a ring are hops of the network, trees have at most 70
    check_pair(voltas(205, 16, 8, 4), DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL,
               4.4 + 2 * (7 * 0.5 + 4 * 5), 48 * 0.9 / 3 / 2);
    check_pair(voltas(205, 16, 8, 4), DTS_ALLREDUCE, DTS_CHOICE_RING, DTS_CHOICE_SIMPLE,
               8.4 + 254 * 6.6, 48 * 128. / 254);
    check_pair(amperes(205, 4, 8, 200), DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_SIMPLE,
               2 * (7 * 28 + 2 * 50), 70. / 2);
    // 2.7: the sum of channels is bounded, with LL128 on Ampere higher
    check_pair(amperes(207, 4, 8, 200), DTS_ALLREDUCE, DTS_CHOICE_TREE, DTS_CHOICE_LL128,
               4.4 + 2 * (7 * 1.2 + 2 * 8.5), 105 * 0.915 / 2);
    // a third with LL on one node, half of the bus from 2.21 on, at most what the device can
    check_pair(voltas(208, 1, 8, 4), DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL,
               3.6 + 7 * 0.47, 39 * 8. / 7);
    check_pair(hoppers(221, 1, 8, 400), DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL,
               6.6 + 7 * 0.6, 141 * 8. / 7);
    check_pair(hoppers(220, 1, 8, 400), DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL,
               6.6 + 7 * 0.6, 87.7 * 8 / 7);
    // the switch: 5/6, or its own efficiency
    check_pair(hoppers(218, 4, 8, 400), DTS_ALLREDUCE, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE,
               23 + 2 * 3 * 19, 360 * 0.7 * 4 / 6);
    check_pair(hoppers(221, 4, 8, 400), DTS_ALLREDUCE, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE,
               25 + 2 * 2 * 14, 180 * 5. / 6);
    check_pair(hoppers(221, 2, 8, 400), DTS_ALLREDUCE, DTS_CHOICE_NVLS_TREE, DTS_CHOICE_SIMPLE,
               25 + 2 * 14, 360 * 5. / 6);
    check_pair(hoppers(217, 1, 8, 400), DTS_ALLREDUCE, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE, 40,
               8 * 33 * 0.75);
    check_pair(one, DTS_REDUCE_SCATTER, DTS_CHOICE_NVLS, DTS_CHOICE_SIMPLE, 25,
               8 * 40 * 0.85 * 7 / 8 * 7 / 8);
    // one device a node, with 8 NICs
    check_pair(lone, DTS_ALLGATHER, DTS_CHOICE_PAT, DTS_CHOICE_SIMPLE,
               8 + 2 * 14 / 3.5 + 2.8 * 4, 360 * 0.75);
    check_pair(lone, DTS_ALLGATHER, DTS_CHOICE_RING, DTS_CHOICE_LL, 6.6 + 3 * 5., 20.4 * 4 / 3);
}

/* Half of a tree's bandwidth with Simple is left at 1 MiB; since 2.29 NVLSTree on Blackwell
 * asks the same table. */
static void a_table_says_what_is_left_of_trees(void)
{
    struct dts_choice_group group = hoppers(230, 4, 8, 400);
    struct dts_choice small = {.algorithm = DTS_CHOICE_TREE, .protocol = DTS_CHOICE_SIMPLE};
    struct dts_choice large = small;
    CHECK(dts_choice_price(&group, DTS_ALLREDUCE, MIB, &small));
    CHECK(dts_choice_price(&group, DTS_ALLREDUCE, 1024 * MIB, &large));
    CHECK_CLOSE(small.bytes_per_s, large.bytes_per_s * 0.5, 1e-12);
    group.gpu = DTS_CHOICE_BLACKWELL;
    for (group.version = 228; group.version <= 229; group.version++) {
        small.algorithm = large.algorithm = DTS_CHOICE_NVLS_TREE;
        CHECK(dts_choice_price(&group, DTS_ALLREDUCE, MIB, &small));
        CHECK(dts_choice_price(&group, DTS_ALLREDUCE, 1024 * MIB, &large));
        CHECK_CLOSE(small.bytes_per_s, large.bytes_per_s * (group.version == 228 ? 1 : 0.5),
                    1e-12);
    }
}

/* No pair beats what is taken, and the sentence holds both. */
static void check_least(const struct dts_choice_group *group, enum dts_coll_kind kind,
                        double bytes)
{
    struct dts_choice taken;
    dts_choice_find(group, kind, bytes, &taken);
    const size_t length = strlen(taken.why);
    CHECK(length > 20 && length + 1 < sizeof(taken.why));
    CHECK(isfinite(taken.time_s) && taken.time_s >= 0 && taken.channels >= 1);
    for (int a = 0; a < DTS_CHOICE_ALGORITHMS; a++) {
        for (int p = 0; p < DTS_CHOICE_PROTOCOLS; p++) {
            struct dts_choice pair = {.algorithm = (enum dts_choice_algorithm)a,
                                      .protocol = (enum dts_choice_protocol)p};
            if (dts_choice_price(group, kind, bytes, &pair))
                CHECK(pair.time_s >= taken.time_s && pair.time_s > 0);
        }
    }
}

static void a_nic_slower_than_any_channel_has_one(void)
{
    const struct dts_choice choice = found(amperes(221, 4, 8, 0.4), DTS_ALLREDUCE, MIB);
    CHECK_INT(choice.channels, 1);
    CHECK_NEAR(choice.channel_bytes_per_s, 0.4e9 / 8, 1);
    CHECK(isfinite(choice.time_s));
}

/* By hand from the tables: direct sums over a switch in the node, else a chain. */
static void networks_that_sum_are_asked_where_that_is_faster(void)
{
    const enum dts_choice_algorithm sharp = DTS_CHOICE_SHARP;
    const enum dts_choice_protocol simple = DTS_CHOICE_SIMPLE;
    const struct dts_choice_group group = summing(amperes(219, 64, 8, 200));
    // 2 x (3.7 + 7 x 0.4) + 31 us, 8 channels of 24 GB/s of which half is the algorithm's
    check_taken(group, MIB, sharp, simple, 44 + MIB / 96e3, 1e-3);
    check_taken(group, 1024 * MIB, sharp, simple, 44 + 1024 * MIB / 96e3, 1e-3);
    check_taken(amperes(219, 64, 8, 200), 1024, DTS_CHOICE_TREE, DTS_CHOICE_LL,
                6.8 + 2 * (7 * 0.6 + 6 * 5) + 1024 / 6.84e3 / 0.9, 0.2);
    // 4 NICs: f = 2, so 1.5 devices share each; 2 x (8 + 7 x 0.5) + 10.7 us in 2.18
    check_taken(summing(amperes(218, 64, 4, 200)), 64 * MIB, sharp, simple,
                33.7 + 64 * MIB / (4 * 24e3 / 1.5 / 2), 1e-3);
    // 2 x 3 x 2.8 + 30 us, 4 channels of 12 GB/s
    check_taken(summing(voltas(219, 64, 4, 4)), 64 * MIB, sharp, simple, 46.8 + 64 * MIB / 24e3,
                1e-3);
    struct dts_choice choice;
    CHECK(!dts_choice_force(&hopper, DTS_ALLREDUCE, MIB, sharp, &choice));
    const struct dts_choice_group one = summing(amperes(219, 1, 8, 200)),
                                  old = summing(amperes(212, 64, 8, 200));
    CHECK(!dts_choice_force(&one, DTS_ALLREDUCE, MIB, sharp, &choice));
    CHECK(!dts_choice_force(&old, DTS_ALLREDUCE, MIB, sharp, &choice));
    CHECK(!dts_choice_force(&group, DTS_ALLGATHER, MIB, sharp, &choice));
    CHECK(dts_choice_force(&group, DTS_ALLREDUCE, 8, sharp, &choice));
    CHECK_NEAR(choice.latency_s * 1e6, 44, 1e-6);
}

static void every_group_gets_its_least_time(void)
{
    for (int version = 202; version <= 231; version++)
        for (int gpu = 0; gpu < DTS_CHOICE_GPUS; gpu++)
            for (int kind = 0; kind < DTS_COLL_KINDS; kind++)
                for (int nodes = 1; nodes <= 1024; nodes *= 4)
                    for (double bytes = 1; bytes < 2e10; bytes *= 16) {
                        struct dts_choice_group group = hoppers(version, nodes, 4, 100);
                        group.gpu = (enum dts_choice_gpu)gpu;
                        group.nvlinks = gpu == DTS_CHOICE_PASCAL ? 0 : 6;
                        check_least(&group, (enum dts_coll_kind)kind, bytes);
                    }
}

static void check_why(struct dts_choice_group group, double bytes, const char *why)
{
    CHECK_STRING(found(group, DTS_ALLREDUCE, bytes).why, why);
}

static void the_reason_names_the_pair_and_the_next(void)
{
    check_why(hopper, 1024,
              "NCCL 2.30, 4 x 8: tree/LL 35.33 us, tree/LL128 65.51 us; 8 channels of 45 GB/s");
    check_why(hoppers(230, 3, 8, 200), 131072,
              "NCCL 2.30, 3 x 8: tree/LL128 51.6 us, tree/LL 55.44 us; 8 channels of 24 GB/s");
    check_why(voltas(204, 16, 8, 4), 64,
              "NCCL 2.4, 16 x 8: tree/LL, trees up to 4.044e+07 bytes; 4 channels of 12 GB/s");
}

TESTS(TEST(what_nccl_logged_is_met_to_six_digits), TEST(formulas_of_versions_give_their_times),
      TEST(a_channel_leaves_by_a_nic_and_fits_the_nvlinks),
      TEST(before_2_5_trees_end_at_a_size), TEST(pairs_are_there_where_the_machine_can),
      TEST(what_a_nic_tells_counts_for_each_hop), TEST(other_operations_go_round_once),
      TEST(rules_that_changed_hold_from_their_version),
      TEST(a_table_says_what_is_left_of_trees), TEST(a_nic_slower_than_any_channel_has_one),
      TEST(networks_that_sum_are_asked_where_that_is_faster),
      TEST(every_group_gets_its_least_time), TEST(the_reason_names_the_pair_and_the_next))
