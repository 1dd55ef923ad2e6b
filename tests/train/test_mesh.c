/* test_mesh.c -- plans of meshes can be walked, and what tensor ranks, shards and stages
 * exchange has its closed form. */
#include "train/mesh_point.h"

#include "base/mem.h"
#include "plan/check.h"

/* What is counted by classes of steps is what each rank sends, message by message. */
static void check_traffic(const struct dts_job *job)
{
    struct dts_traffic all, sum = {0, 0};
    dts_job_traffic(job, &all);
    for (int r = 0; r < job->ranks; r++) {
        struct dts_traffic one;
        dts_rank_traffic(dts_job_role(job, r), r, false, 0, &one);
        sum.messages += one.messages;
        sum.bytes += one.bytes;
    }
    CHECK_NEAR(all.messages, sum.messages, 0);
    CHECK_NEAR(all.bytes, sum.bytes, 1e-6 * sum.bytes);
}

static void every_mesh_can_be_walked(void)
{
    static const char *const meshes[] = {
        "{\"mesh\":{\"pipeline\":2}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"gpipe\"}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"zb_h1\"}}",
        "{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":\"interleaved\",\"chunks\":4}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"interleaved\"}}",
        "{\"mesh\":{\"tensor\":2,\"pipeline\":2}}",
        "{\"mesh\":{\"tensor\":4},\"sequence_parallel\":true}",
        "{\"mesh\":{\"tensor\":2,\"pipeline\":4},\"sequence_parallel\":true,"
        "\"recompute\":\"full\"}",
        "{\"sharded\":\"optimizer\"}",
        "{\"sharded\":\"gradients\"}",
        "{\"sharded\":\"parameters\",\"prefetch\":2}",
        "{\"mesh\":{\"shard\":2}}",
        "{\"sharded\":\"gradients\",\"offload\":\"optimizer\"}",
        "{\"mesh\":{\"pipeline\":2},\"offload\":\"optimizer\"}",
        "{\"sharded\":\"parameters\",\"offload\":\"parameters\"}",
        "{\"mesh\":{\"shard\":2,\"pipeline\":2,\"tensor\":2},\"recompute\":\"selective\"}",
        "{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"stages\":[3,5]}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"stages\":[0,4,4,0]}}",
        "{\"mesh\":{\"pipeline\":2},\"order\":[\"pipeline\",\"data\"]}",
        "{\"mesh\":{\"shard\":2,\"data\":4},\"channels\":2}",
        "{\"mesh\":{\"shard\":2,\"pipeline\":2,\"data\":2},\"sharded\":\"gradients\"}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"overlap\":false}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"gpipe\",\"overlap\":false}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"zb_h1\",\"overlap\":false}}",
        "{\"mesh\":{\"pipeline\":4,\"tensor\":2},\"recompute\":\"full\",\"pipeline\":"
        "{\"schedule\":\"interleaved\",\"overlap\":false,\"scatter_gather\":true}}",
        "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"dualpipe\"}}",
        "{\"mesh\":{\"pipeline\":4,\"tensor\":2},\"pipeline\":{\"schedule\":\"dualpipe\","
        "\"chunks\":2},\"recompute\":\"full\"}",
        "{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":\"dualpipe\"},"
        "\"offload\":\"optimizer\",\"bucket_bytes\":1000}",
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 8);
    for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
        struct dts_job job = walked(&f, meshes[i], 8);
        check_traffic(&job);
        leave(&f, &job);
    }
    finish(&f, &device);
}

/* Megatron-LM: two all-reduces of b s h forward and two backward in each block; beside them one
 * for the embedding and one for the head's gradient. With the sequence divided each is a
 * reduce-scatter, and an all-gather on the way back. Of the loss ranks gather three values of
 * each position and rank; Megatron-LM has three all-reduces of one in place of that.
 * Gradients of layer norms, two vectors each, are summed once a step. */
static void tensor_ranks_exchange_what_megatron_does(void)
{
    enum { BLOCKS = 8, VALUES = 16 * 32, POSITIONS = 16 };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, BLOCKS, 1);
    struct dts_job job = job_of(&f, "mesh", "{\"mesh\":{\"tensor\":4}}", 4);
    const struct dts_plan *plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, 4), (4 * BLOCKS + 2) * VALUES, 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, 4), 4 * 3 * POSITIONS, 0);
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"mesh\":{\"tensor\":4},\"sequence_parallel\":true}", 4);
    plan = &job.roles[0].plan;
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_REDUCE_SCATTER, 4), (4 * BLOCKS + 2) * VALUES,
               0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLGATHER, 4),
               (4 * BLOCKS + 2) * VALUES + 4 * 3 * POSITIONS, 0);
    CHECK_NEAR(values_of(plan, DTS_COMPUTE, DTS_ALLREDUCE, 4),
               (2 * BLOCKS + 1) * 2 * VALUES / POSITIONS, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Tensor ranks change gradients when all messages that take some of them away are gone. */
static void sums_over_positions_come_last(void)
{
    static const char *const rest[] = {
        "\"sharded\":\"nothing\"", "\"sharded\":\"gradients\"",
        "\"pipeline\":{\"schedule\":\"dualpipe\"},\"bucket_bytes\":4000"};
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 4);
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
        char mesh[200];
        snprintf(mesh, sizeof(mesh),
                 "{\"mesh\":{\"tensor\":2,\"pipeline\":2},\"sequence_parallel\":true,%s}",
                 rest[i]);
        struct dts_job job = walked(&f, mesh, 8);
        const struct dts_plan *plan = &job.roles[0].plan;
        int sums = 0;
        for (int o = 0; o < plan->op_count; o++) {
            if (plan->ops[o].kind != DTS_OP_COLLECTIVE ||
                !plan->ops[o].collective.made.gradients)
                continue;
            sums++;
            // behind it come tied tables, which it leaves alone
            for (int k = 0; k < o; k++)
                if (plan->ops[k].kind == DTS_OP_EXCHANGE &&
                    plan->ops[k].exchange.data.buffer == DTS_GRADIENTS)
                    CHECK(waits_for(plan, o, k));
        }
        CHECK_INT(sums, 1);
        leave(&f, &job);
    }
    finish(&f, &device);
}

/* What leaves a slot of activations is awaited by the call that fills it anew, not by the sum
 * of gradients behind that call; and gradients are summed when those of the microbatch before
 * are gone. */
static void passes_wait_before_they_write(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 4);
    struct dts_job job = job_of(&f, "mesh",
                                "{\"mesh\":{\"pipeline\":2},\"sharded\":\"gradients\","
                                "\"pipeline\":{\"schedule\":\"interleaved\"}}",
                                4);
    const struct dts_plan *plan = &job.roles[0].plan;
    int sums = 0, behind_sums = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        const bool scatters = op->stream == DTS_SCATTER;
        sums += scatters;
        for (int i = 0; i < op->wait_count; i++) {
            const struct dts_op *awaited = &plan->ops[plan->waits[op->first_wait + i].op];
            CHECK(!scatters || awaited->kind == DTS_OP_CALL);
            behind_sums += op->kind == DTS_OP_CALL && op->call.pass == DTS_BACKWARD &&
                           awaited->stream == DTS_SCATTER;
        }
    }
    CHECK_INT(behind_sums, sums / 4 * 3); // all but those of the first of four microbatches
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* What comes into a block goes to its first norm and to the sum behind attention, which begins
 * to write the gradient for the stage before: it waits until that of the slot's last microbatch
 * is gone, also where tensor ranks exchange something between both. */
static void a_gradient_that_leaves_waits_for_the_one_before(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 4);
    struct dts_job job = job_of(&f, "mesh", "{\"mesh\":{\"tensor\":2,\"pipeline\":2}}", 4);
    const struct dts_plan *plan = &job.roles[1].plan;
    int waits = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        for (int i = 0; op->kind == DTS_OP_CALL && i < op->wait_count; i++) {
            const struct dts_wait *wait = &plan->waits[op->first_wait + i];
            if (wait->previous_step || plan->ops[wait->op].stream != DTS_BACKWARD_OUT ||
                op->call.pass != DTS_BACKWARD)
                continue;
            waits++;
            bool sum = false;
            for (int l = op->call.layer; l <= op->call.layer + op->call.more; l++)
                sum = sum || strcmp(f.scenario.model.layers[l].name, "h.4.add_1") == 0;
            CHECK(sum);
        }
    }
    CHECK_INT(waits, 3); // one slot, of four microbatches
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Each of t ranks sends b s h / t, and those behind gather b s h: once a boundary, both ways.
 */
static void a_message_in_parts_is_gathered_behind(void)
{
    enum { VALUES = 16 * 32, MICROBATCHES = 4 };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, MICROBATCHES);
    struct dts_job job = job_of(&f, "mesh",
                                "{\"mesh\":{\"tensor\":4,\"pipeline\":2},"
                                "\"pipeline\":{\"scatter_gather\":true}}",
                                8);
    for (int s = 0; s < 2; s++) {
        const struct dts_plan *plan = &job.roles[s].plan;
        const enum dts_stream in = s == 0 ? DTS_BACKWARD_IN : DTS_FORWARD_IN;
        int messages = 0, gathered = 0;
        for (int o = 0; o < plan->op_count; o++) {
            const struct dts_op *op = &plan->ops[o];
            if (op->kind == DTS_OP_EXCHANGE && op->stream == in) {
                CHECK_INT((int)op->exchange.data.count, VALUES / 4);
                messages++;
            } else if (strncmp(op->label, "gather #", 8) == 0) {
                CHECK_INT(op->collective.group.size, 4);
                gathered += (int)op->collective.data.count;
            }
        }
        CHECK_INT(messages, MICROBATCHES);
        CHECK_INT(gathered, MICROBATCHES * VALUES);
    }
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* A message is awaited when the kernels before it are done, and those behind a message that is
 * sent wait for it. By default a message is awaited as soon as there is room, and kernels go
 * on.
 */
static void messages_between_kernels_are_beside_none(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 4);
    for (int beside = 0; beside < 2; beside++) {
        struct dts_job job = job_of(&f, "mesh",
                                    beside ? "{\"mesh\":{\"pipeline\":2}}"
                                           : "{\"mesh\":{\"pipeline\":2},"
                                             "\"pipeline\":{\"overlap\":false}}",
                                    2);
        const struct dts_plan *plan = &job.roles[0].plan; // it sends forward, receives backward
        int last = -1, sent = -1, received = 0, waited = 0;
        for (int o = 0; o < plan->op_count; o++) {
            const enum dts_stream stream = plan->ops[o].stream;
            if (stream == DTS_BACKWARD_IN && last >= 0)
                received += waits_for(plan, o, last);
            if (stream == DTS_COMPUTE && sent >= 0)
                waited += waits_for(plan, o, sent);
            last = stream == DTS_COMPUTE ? o : last;
            sent = stream == DTS_FORWARD_OUT ? o : stream == DTS_COMPUTE ? -1 : sent;
        }
        CHECK_INT(received, beside ? 0 : 4);
        CHECK_INT(waited, beside ? 0 : 4);
        dts_job_free(&job);
    }
    forget_blocks(&f, &device);
}

/* Narayanan et al.: 96 s l h^2 (1 + s / 6h + V / 16lh) with all blocks computed again, of which
 * 72 s l h^2 (1 + s / 6h + V / 12lh) are there anyway. Attention alone: 4 s^2 h a block. */
static void operations_that_are_done_again_count_once_more(void)
{
    enum { S = 16, L = 8, H = 32, V = 64 };
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    set_up_blocks(&f, &device, L, 1);
    const struct dts_model *m = &f.scenario.model;
    static const struct {
        const char *json;
        double again;
    } rows[] = {{"{}", 0},
                {"{\"recompute\":\"selective\"}", L * 4.0 * S * S * H},
                {"{\"recompute\":\"full\"}", L * (24.0 * S * H * H + 4.0 * S * S * H)}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CHECK(use(&f, "mesh", rows[i].json, &err));
        f.point.strategy = &f.strategy;
        CHECK_NEAR(f.strategy.kind->repeated_flops(&f.point), rows[i].again, 0);
        f.strategy.kind->release(f.strategy.self);
    }
    CHECK_NEAR(3 * m->product_flops + rows[2].again,
               96.0 * S * L * H * H * (1 + S / (6.0 * H) + V / (16.0 * L * H)), 1e-6);
    finish(&f, &device);
}

static double backward_seconds(const struct dts_plan *plan, int microbatch)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_BACKWARD &&
            plan->ops[o].call.microbatch == microbatch)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

/* Each microbatch but the first moves so many bytes for each parameter of the rank, by a kernel
 * for each layer that has some. */
static void gradients_are_added_in_each_microbatch_but_the_first(void)
{
    enum { BLOCKS = 8, H = 32, WITH_WEIGHTS = 6 * BLOCKS + 3 };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, BLOCKS, 3);
    f.scenario.stack.accumulate_bytes = 6;
    struct dts_job job = job_of(&f, "mesh", "{}", 2);
    const struct dts_plan *plan = &job.roles[0].plan;
    const double parameters =
        BLOCKS * (12.0 * H * H + 13 * H) + 2 * H + 2 * 64 * H; // tied: twice
    const double added_s =
        parameters * 6 / (device.memory_bytes_per_s * device.efficiency[DTS_WORK_MEMORY]) +
        WITH_WEIGHTS * device.call_s;
    CHECK_CLOSE(backward_seconds(plan, 0), 2e-3 * BLOCKS, 1e-9);
    CHECK_CLOSE(backward_seconds(plan, 1), 2e-3 * BLOCKS + added_s, 1e-9);
    CHECK_CLOSE(backward_seconds(plan, 2), 2e-3 * BLOCKS + added_s, 1e-9);
    dts_job_free(&job);
    f.scenario.stack.accumulate_bytes = 0;
    forget_blocks(&f, &device);
}

static double gradients_of(const struct dts_job *job, int stage)
{
    return (double)job->roles[stage].plan.buffers[DTS_GRADIENTS].count;
}

/* A block of width h has 12 h^2 + 13 h parameters, of which t ranks divide 12 h^2 + 7 h. */
static void ranks_have_their_part_of_the_parameters(void)
{
    enum { H = 32, TABLE = 64 * H, BLOCK = 12 * H * H + 13 * H, ENDS = 2 * H };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 2);
    struct dts_job job = job_of(&f, "mesh", "{\"mesh\":{\"pipeline\":4}}", 4);
    CHECK_NEAR(gradients_of(&job, 0), 2 * BLOCK + TABLE, 0);
    CHECK_NEAR(gradients_of(&job, 1), 2 * BLOCK, 0);
    CHECK_NEAR(gradients_of(&job, 3), 2 * BLOCK + ENDS + TABLE, 0); // a copy of the table
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"mesh\":{\"pipeline\":4,\"tensor\":2}}", 8);
    const int divided = 12 * H * H + 7 * H, whole = 6 * H;
    CHECK_NEAR(gradients_of(&job, 1), 2 * (divided / 2 + whole), 0);
    CHECK_NEAR(gradients_of(&job, 0), 2 * (divided / 2 + whole) + TABLE / 2, 0);
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"stages\":[0,3,5,0]}}",
                 4);
    CHECK_NEAR(gradients_of(&job, 0), TABLE, 0);
    CHECK_NEAR(gradients_of(&job, 1), 3 * BLOCK, 0);
    CHECK_NEAR(gradients_of(&job, 2), 5 * BLOCK, 0);
    CHECK_NEAR(gradients_of(&job, 3), ENDS + TABLE, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* Rajbhandari et al.: 16 bytes for each parameter with Adam in fp16, of which 12, 14 or all 16
 * are divided. */
static void shards_have_the_memory_of_the_zero_paper(void)
{
    static const char *const words[] = {"{}", "{\"sharded\":\"optimizer\"}",
                                        "{\"sharded\":\"gradients\"}",
                                        "{\"sharded\":\"parameters\"}"};
    static const double whole[] = {16, 4, 2, 0};
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 1);
    f.scenario.precision = DTS_FP16;
    f.scenario.optimizer = dts_optimizer_find("adam");
    for (int i = 0; i < 4; i++) {
        struct dts_error err = {0};
        struct dts_memory memory;
        struct dts_job job = job_of(&f, "mesh", words[i], 8);
        CHECK(dts_point_memory(&f.point, &memory, &err));
        const double bytes = memory.weights + memory.gradients + memory.optimizer;
        CHECK_NEAR(bytes, f.scenario.model.parameters * (whole[i] + (16 - whole[i]) / 8), 1);
        dts_job_free(&job);
    }
    forget_blocks(&f, &device);
}

static double seconds_of(const struct dts_plan *plan, const char *begins)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].stream == DTS_OFFLOAD &&
            strncmp(plan->ops[o].label, begins, strlen(begins)) == 0)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

/* Of P parameters, n shards, 2 bytes each: gradients go to the host at its link's rate, weights
 * come back, and the host moves what Adam reads and writes, of which four devices share a node.
 */
static void a_host_takes_what_its_link_and_its_memory_allow(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory memory;
    set_up_blocks(&f, &device, 8, 1);
    f.scenario.precision = DTS_FP16;
    f.scenario.optimizer = dts_optimizer_find("adam");
    struct dts_job job =
        job_of(&f, "mesh", "{\"sharded\":\"gradients\",\"offload\":\"optimizer\"}", 8);
    const struct dts_plan *plan = &job.roles[0].plan;
    const double mine = f.scenario.model.parameters / 8, values = f.scenario.optimizer->values;
    CHECK_CLOSE(seconds_of(plan, "gradients"), mine * 2 / 1e10, 1e-3);
    CHECK_CLOSE(seconds_of(plan, "weights"), mine * 2 / 1e10, 1e-9);
    CHECK_CLOSE(seconds_of(plan, "update"), 4 * mine * (4 * values + 2) / 1e10, 1e-9);
    CHECK(dts_point_memory(&f.point, &memory, &err));
    CHECK_NEAR(memory.weights + memory.gradients + memory.optimizer, 16 * mine + 2 * mine, 1);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

static double seconds_again(const struct dts_job *job)
{
    const struct dts_plan *plan = &job->roles[0].plan;
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_RECOMPUTE)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

/* fc and fc_proj take 0.5 ms each: what fc_proj makes leaves the block, nobody keeps it. */
static void recomputation_may_end_at_the_last_tensor_that_is_needed(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 3);
    struct dts_job job = job_of(&f, "mesh", "{\"recompute\":\"full\"}", 1);
    CHECK_CLOSE(seconds_again(&job), 3 * 8 * 1e-3, 1e-12);
    dts_job_free(&job);
    f.scenario.stack.kernels.recompute_ends_early = true;
    job = job_of(&f, "mesh", "{\"recompute\":\"full\"}", 1);
    CHECK_CLOSE(seconds_again(&job), 3 * 8 * 0.5e-3, 1e-12);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

static int count_kind(const struct dts_plan *plan, enum dts_coll_kind kind)
{
    int count = 0;
    for (int o = 0; o < plan->op_count; o++)
        count += plan->ops[o].kind == DTS_OP_COLLECTIVE &&
                 plan->ops[o].collective.shape.kind == kind;
    return count;
}

/* ZeRO 1 by an all-reduce, as a stack may do it. */
static void a_sharded_optimizer_may_sum_all_gradients(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 1);
    struct dts_job job = job_of(&f, "mesh", "{\"sharded\":\"optimizer\"}", 4);
    const int count = count_kind(&job.roles[0].plan, DTS_REDUCE_SCATTER);
    CHECK(count > 0 && count_kind(&job.roles[0].plan, DTS_ALLREDUCE) == 0);
    dts_job_free(&job);
    f.scenario.stack.sharded_allreduce = true;
    job = job_of(&f, "mesh", "{\"sharded\":\"optimizer\"}", 4);
    CHECK_INT(count_kind(&job.roles[0].plan, DTS_ALLREDUCE), count);
    CHECK_INT(count_kind(&job.roles[0].plan, DTS_REDUCE_SCATTER), 0);
    CHECK(count_kind(&job.roles[0].plan, DTS_ALLGATHER) > 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* The host's first operation waits for the update of the step before. */
static void a_host_may_wait_for_each_step(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 1);
    f.scenario.stack.dispatch_call_s = 1e-5;
    for (int waiting = 0; waiting < 2; waiting++) {
        f.scenario.stack.dispatch_waits = waiting;
        struct dts_job job = job_of(&f, "mesh", "{}", 1);
        const struct dts_plan *plan = &job.roles[0].plan;
        int first = 0;
        while (first < plan->op_count && plan->ops[first].stream != DTS_HOST)
            first++;
        CHECK_INT(plan->ops[first].wait_count, waiting);
        CHECK(!waiting || waits(plan, first, find_op(plan, "update"), true));
        dts_job_free(&job);
    }
    forget_blocks(&f, &device);
}

static void a_mesh_that_does_not_divide_is_refused(void)
{
    static const struct {
        const char *json, *says;
    } rows[] = {
        {"{\"mesh\":{\"pipeline\":3}}", "a mesh of 3 does not divide the devices"},
        {"{\"mesh\":{\"pipeline\":2,\"data\":2}}", "the mesh has 4 ranks; leave \"data\" out"},
        {"{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"stages\":[3,4]}}",
         "pipeline.stages has 7 blocks, tiny has 8"},
        {"{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"stages\":[0,3,4,0]}}",
         "pipeline.stages has 7 blocks, tiny has 8"},
        {"{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"stages\":[0,4,0,4]}}",
         "into parts of at least one"},
        {"{\"mesh\":{\"pipeline\":8},\"pipeline\":{\"schedule\":\"interleaved\",\"chunks\":4}}",
         "can be cut into"},
        {"{\"mesh\":{\"tensor\":8}}", "8 tensor ranks do not divide its heads, 4"},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 8);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_error err = {0};
        struct dts_job job = {0};
        CHECK(use(&f, "mesh", rows[i].json, &err));
        const bool built = build(&f, 8, &job, &err);
        if (built || strstr(err.text, rows[i].says) == NULL) {
            printf("%s: %s\n", rows[i].json, err.text);
            CHECK(false);
        }
        f.strategy.kind->release(f.strategy.self);
    }
    finish(&f, &device);
}

TESTS(TEST(every_mesh_can_be_walked), TEST(tensor_ranks_exchange_what_megatron_does),
      TEST(sums_over_positions_come_last), TEST(passes_wait_before_they_write),
      TEST(a_gradient_that_leaves_waits_for_the_one_before),
      TEST(a_message_in_parts_is_gathered_behind),
      TEST(messages_between_kernels_are_beside_none),
      TEST(operations_that_are_done_again_count_once_more),
      TEST(gradients_are_added_in_each_microbatch_but_the_first),
      TEST(ranks_have_their_part_of_the_parameters),
      TEST(shards_have_the_memory_of_the_zero_paper),
      TEST(recomputation_may_end_at_the_last_tensor_that_is_needed),
      TEST(a_sharded_optimizer_may_sum_all_gradients), TEST(a_host_may_wait_for_each_step),
      TEST(a_host_takes_what_its_link_and_its_memory_allow),
      TEST(a_mesh_that_does_not_divide_is_refused))
