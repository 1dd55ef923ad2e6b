/* test_input.c -- what samples cost before they reach a device: closed forms. */
#include "point.h"
#include "train/strategy/input.h"

/* 8 samples of 110 kB on each device, 4 devices a node, JPEG decoded in 4 ms of a core. */
static void set_up_input(struct fixture *f)
{
    set_up(f);
    f->scenario.dataset =
        (struct dts_dataset){.name = "images", .sample_bytes = 110e3, .encoding = "jpeg"};
    f->scenario.stack.input =
        (struct dts_input_pipeline){.decode_core_s_per_byte = 4e-3 / 110e3, .prefetch = true};
    f->machine.cores = 16;
    set_devices(f, 8);
}

static void cores_of_a_node_decode_for_all_its_devices(void)
{
    struct fixture f;
    set_up_input(&f);
    struct dts_input input = dts_point_input(&f.point);
    CHECK_CLOSE(input.ahead_s, 4 * 8 * 4e-3 / 16, 1e-12);
    CHECK_INT(input.bound, DTS_INPUT_CORES);
    CHECK_NEAR(input.here_s, 0, 0);

    set_devices(&f, 3); // less than a node
    CHECK_CLOSE(dts_point_input(&f.point).ahead_s, 3 * 8 * 4e-3 / 16, 1e-12);
    set_devices(&f, 24); // more nodes: as fast as one
    CHECK_CLOSE(dts_point_input(&f.point).ahead_s, input.ahead_s, 1e-12);
    f.scenario.placing.kind = "round_robin"; // 6 nodes: one device on each
    set_devices(&f, 6);
    CHECK_CLOSE(dts_point_input(&f.point).ahead_s, 8 * 4e-3 / 16, 1e-12);
    f.scenario.accumulate = 3;
    set_devices(&f, 6);
    CHECK_CLOSE(dts_point_input(&f.point).ahead_s, 3 * 8 * 4e-3 / 16, 1e-12);

    f.scenario.dataset.encoding = "raw";
    CHECK_NEAR(dts_point_input(&f.point).ahead_s, 0, 0);
    f.scenario.dataset.encoding = "jpeg";
    f.machine.cores = 0; // not stated
    CHECK_NEAR(dts_point_input(&f.point).ahead_s, 0, 0);
    forget(&f);
}

static void storage_gives_samples_at_its_rate(void)
{
    struct fixture f;
    set_up_input(&f);
    f.machine.storage_node_bytes_per_s = 1e8;
    f.machine.storage_shared_bytes_per_s = 1e8;
    struct dts_input input = dts_point_input(&f.point);
    CHECK_CLOSE(input.seconds[DTS_INPUT_STORAGE], 4 * 8 * 110e3 / 1e8, 1e-12);
    CHECK_CLOSE(input.seconds[DTS_INPUT_SHARED], 8 * 8 * 110e3 / 1e8, 1e-12);
    CHECK_CLOSE(input.ahead_s, 8 * 8 * 110e3 / 1e8, 1e-12);
    CHECK_INT(input.bound, DTS_INPUT_SHARED);
    f.machine.storage_shared_bytes_per_s = 1e12;
    CHECK_INT(dts_point_input(&f.point).bound, DTS_INPUT_STORAGE);
    forget(&f);
}

/* As it is read, and 32 bits for each value that comes out. */
static void memory_sees_what_is_read_and_what_is_decoded(void)
{
    struct fixture f;
    set_up_input(&f);
    f.scenario.model.input = (struct dts_dims){3, {3, 10, 10}};
    f.scenario.stack.input.copies = 3;
    f.machine.host_memory_bytes_per_s = 1e6;
    struct dts_input input = dts_point_input(&f.point);
    CHECK_CLOSE(input.ahead_s, 4 * 8 * 3 * (110e3 + 4 * 300) / 1e6, 1e-12);
    CHECK_INT(input.bound, DTS_INPUT_MEMORY);
    f.scenario.dataset.encoding = "raw";
    CHECK_CLOSE(dts_point_input(&f.point).ahead_s, 4 * 8 * 3 * 110e3 / 1e6, 1e-12);
    forget(&f);
}

static void what_is_not_prefetched_or_handed_over_is_not_hidden(void)
{
    struct fixture f;
    set_up_input(&f);
    f.scenario.stack.input.feed_s = 1e-4;
    struct dts_input input = dts_point_input(&f.point);
    CHECK_CLOSE(input.here_s, 4 * 8 * 1e-4, 1e-12);
    CHECK_CLOSE(input.ahead_s, 4 * 8 * 4e-3 / 16, 1e-12);
    f.scenario.stack.input.prefetch = false;
    input = dts_point_input(&f.point);
    CHECK_CLOSE(input.here_s, 4 * 8 * (1e-4 + 4e-3 / 16), 1e-12);
    CHECK_NEAR(input.ahead_s, 0, 0);

    struct dts_job job = job_of(&f, "allreduce", "{}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_INT(plan->ops[find_op(plan, "feed")].stream, DTS_COMPUTE);
    CHECK_INT(dts_build_compute_count(&f.point), 2 + 2 * LAYERS);
    dts_job_free(&job);
    forget(&f);
}

static void nothing_is_read_without_bytes(void)
{
    struct fixture f;
    set_up_input(&f);
    f.scenario.stack.input.feed_s = 1;
    f.scenario.dataset.sample_bytes = 0;
    const struct dts_input input = dts_point_input(&f.point);
    CHECK_NEAR(input.ahead_s + input.here_s, 0, 0);
    forget(&f);
}

TESTS(TEST(cores_of_a_node_decode_for_all_its_devices), TEST(storage_gives_samples_at_its_rate),
      TEST(memory_sees_what_is_read_and_what_is_decoded),
      TEST(what_is_not_prefetched_or_handed_over_is_not_hidden),
      TEST(nothing_is_read_without_bytes))
