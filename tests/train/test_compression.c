/* test_compression.c -- replicas of a mesh exchange compressed gradients: what is on the wire,
 * what making and adding messages takes, and what stays in memory has its closed form.
 */
#include "train/mesh_point.h"

#include "kernels/compress/compress_cost.h"

enum { H = 32, ALL = 8, VALUES = ALL * (12 * H * H + 13 * H) + 2 * H + 64 * H, RANKS = 4 };

/* Bytes of all collectives of gradients, and how many there are. */
static double bytes_of(const struct dts_plan *plan, enum dts_coll_kind kind, int *count)
{
    double bytes = 0;
    *count = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->kind != DTS_OP_COLLECTIVE || op->collective.shape.kind != kind)
            continue;
        bytes += (double)op->collective.data.count *
                 (double)plan->buffers[op->collective.data.buffer].element_bytes;
        ++*count;
    }
    return bytes;
}

static double seconds_of(const struct dts_plan *plan, const char *begins)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_COMPRESS &&
            strncmp(plan->ops[o].label, begins, strlen(begins)) == 0)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

/* All values in 2 bytes; a kernel reads and writes floats and writes messages, another one
 * reads messages and sums and writes sums: 10 bytes a value each. */
static void halves_are_summed_as_they_are(void)
{
    struct fixture f;
    struct dts_device device;
    int count;
    set_up_blocks(&f, &device, ALL, 2);
    const double rate = device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY];
    struct dts_job job = walked(&f, "{\"compression\":\"fp16\",\"bucket_bytes\":50000}", RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(bytes_of(plan, DTS_ALLREDUCE, &count), 2.0 * VALUES, 0);
    CHECK(count > 3);
    const double each_s = 10.0 * VALUES / rate + count * device.call_s;
    CHECK_CLOSE(seconds_of(plan, "compress"), each_s, 1e-9);
    CHECK_CLOSE(seconds_of(plan, "add"), each_s, 1e-9);
    leave(&f, &job);
    job = walked(&f, "{\"compression\":\"bf16\",\"sharded\":\"optimizer\"}", RANKS);
    plan = &job.roles[0].plan;
    CHECK_NEAR(bytes_of(plan, DTS_REDUCE_SCATTER, &count), 2.0 * VALUES, 0);
    CHECK_CLOSE(seconds_of(plan, "add"), 10.0 * VALUES / RANKS / rate + count * device.call_s,
                1e-4);
    CHECK_NEAR(bytes_of(plan, DTS_ALLGATHER, &count), 4.0 * VALUES, 0); // of weights
    leave(&f, &job);
    finish(&f, &device);
}

/* Each rank's k values and k numbers, 8 bytes each, go to all; each adds all of them: 16 bytes
 * of a value. To find them reads 4 bytes a value and moves 12 of each that is sent. */
static void chosen_values_are_gathered(void)
{
    const double k = 0.05 * VALUES;
    struct fixture f;
    struct dts_device device;
    int count;
    set_up_blocks(&f, &device, ALL, 2);
    const double rate = device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY];
    struct dts_job job = walked(
        &f, "{\"compression\":\"top_k\",\"compression_share\":0.05,\"bucket_bytes\":50000}",
        RANKS);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_CLOSE(bytes_of(plan, DTS_ALLGATHER, &count), RANKS * 8 * k, 1e-3);
    CHECK(count > 3);
    CHECK_CLOSE(seconds_of(plan, "compress"),
                (4.0 * VALUES + 12 * k) / rate + count * device.call_s, 1e-4);
    CHECK_CLOSE(seconds_of(plan, "add"), RANKS * (16 * k / rate + count * device.call_s), 1e-4);
    leave(&f, &job);
    job = walked(&f, "{\"compression\":\"top_k\"}", RANKS); // Aji and Heafield: 1 %
    CHECK_CLOSE(bytes_of(&job.roles[0].plan, DTS_ALLGATHER, &count), RANKS * 8 * 0.01 * VALUES,
                0.05);
    leave(&f, &job);
    finish(&f, &device);
}

/* Stages sum tied weights as they are, dualpipe its two copies; replicas then compress. */
static void stages_exchange_what_they_did(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 8);
    static const char *const meshes[] = {
        "{\"mesh\":{\"pipeline\":2},\"compression\":\"fp16\"}",
        ("{\"mesh\":{\"pipeline\":2},\"compression\":\"top_k\","
         "\"pipeline\":{\"schedule\":\"dualpipe\"}}"),
        "{\"mesh\":{\"context\":2},\"compression\":\"bf16\"}",
    };
    for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
        struct dts_job job = walked(&f, meshes[i], 4);
        const struct dts_plan *plan = &job.roles[0].plan;
        CHECK(seconds_of(plan, "compress") > 0);
        for (int o = 0; o < plan->op_count; o++)
            if (plan->ops[o].kind == DTS_OP_EXCHANGE)
                CHECK_INT((int)plan->buffers[plan->ops[o].exchange.data.buffer].element_bytes,
                          4);
        leave(&f, &job);
    }
    finish(&f, &device);
}

static double gradients_of(struct fixture *f, const char *json)
{
    struct dts_error err = {0};
    struct dts_memory memory = {0};
    struct dts_job job = walked(f, json, RANKS);
    CHECK(dts_point_memory(&f->point, &memory, &err));
    leave(f, &job);
    return memory.gradients;
}

static void what_messages_leave_out_stays_in_memory(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 1);
    CHECK_NEAR(gradients_of(&f, "{\"compression\":\"top_k\"}") - gradients_of(&f, "{}"),
               4.0 * VALUES, 0);
    CHECK_NEAR(gradients_of(&f, "{\"compression\":\"fp16\",\"sharded\":\"optimizer\"}"),
               8.0 * VALUES, 0);
    finish(&f, &device);
}

static void compression_that_cannot_act_is_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
        enum dts_precision precision;
    } rows[] = {
        {"{\"compression\":\"fp8\"}", "compression: must be one of bf16, fp16, top_k", 4},
        {"{\"compression\":\"fp16\",\"compression_share\":0.1}",
         "compression_share: has no effect without top_k", 4},
        {"{\"compression_share\":0.1}", "compression_share: has no effect without top_k", 4},
        {"{\"compression\":\"top_k\",\"sharded\":\"optimizer\"}",
         "compression: must be bf16 or fp16 with a sharded optimizer", 4},
        {"{\"compression\":\"fp16\",\"sharded\":\"gradients\"}",
         "compression: is not there with sharded gradients", 4},
        {"{\"compression\":\"fp16\",\"mesh\":{\"pipeline\":4}}",
         "compression: has no effect with one replica", 4},
        {"{\"compression\":\"fp16\"}", "has no effect where gradients travel in 16 bits", 4,
         DTS_BF16},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 2);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        f.scenario.precision = rows[i].precision;
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    }
    f.scenario.precision = DTS_FP32;
    finish(&f, &device);
}

TESTS(TEST(halves_are_summed_as_they_are), TEST(chosen_values_are_gathered),
      TEST(stages_exchange_what_they_did), TEST(what_messages_leave_out_stays_in_memory),
      TEST(compression_that_cannot_act_is_refused))
