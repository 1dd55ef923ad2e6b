/* test_experts.c -- mixtures whose experts are on several ranks: what goes to them and back has
 * its closed form, ranks have their part of the weights, and sum gradients with those that have
 * the same.
 */
#include "train/mixture_point.h"

#include "base/text.h"
#include "train/model/cut/part.h"

static double sent_by(struct fixture *f, const char *json, int devices)
{
    struct dts_job job = job_of(f, "mesh", json, devices);
    const double values = values_of(&job.roles[0].plan, DTS_EXPERT, DTS_ALLTOALL, 0);
    dts_job_free(&job);
    f->strategy.kind->release(f->strategy.self);
    return values;
}

/* To the experts and back, forward and backward: four times positions x top_k x hidden in each
 * layer. Positions are those that a rank has. */
static void positions_go_to_their_experts_and_back(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 1, 0);
    CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":4}}", 4), BLOCKS * 4.0 * SENT, 0);
    CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":4,\"skew\":1.5}}", 4),
               BLOCKS * 4.0 * SENT * 1.5, 0);
    CHECK_NEAR(sent_by(&f, "{\"mesh\":{\"context\":4},\"expert\":{\"size\":4}}", 4),
               BLOCKS * 1.0 * SENT, 0);
    CHECK_NEAR(sent_by(&f, "{\"mesh\":{\"tensor\":2},\"expert\":{\"size\":2}}", 4),
               BLOCKS * 4.0 * SENT, 0);
    CHECK_NEAR(sent_by(&f,
                       "{\"mesh\":{\"tensor\":2},\"expert\":{\"size\":2},"
                       "\"sequence_parallel\":true}",
                       4),
               BLOCKS * 2.0 * SENT, 0);
    CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":4},\"recompute\":\"full\"}", 4),
               BLOCKS * 6.0 * SENT, 0);
    CHECK_NEAR(sent_by(&f, "{\"mesh\":{\"tensor\":2}}", 2), 0, 0);
    finish(&f, &device);
}

/* An expert takes no more than its capacity, however many ask it. */
static void capacity_bounds_what_is_sent(void)
{
    static const struct {
        double capacity, sent;
    } rows[] = {{0.5, 0.5}, {1, 1}, {1.25, 1.25}, {3, 2}};
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        struct dts_device device;
        set_up_mixture(&f, &device, 1, rows[i].capacity);
        CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":4,\"skew\":2}}", 4),
                   BLOCKS * 4.0 * SENT * rows[i].sent, 0);
        finish(&f, &device);
    }
}

/* Each expert gets, of each sample, all that it may take: 1.25 times 16 x 2 / 8 positions, or
 * all 16 of them. So all ranks send as much, whatever is asked. */
static void padded_messages_have_one_size(void)
{
    static const struct {
        double capacity;
        int each;
    } rows[] = {{0.5, 2}, {1.1, 5}, {1.25, 5}, {0, POSITIONS}};
    for (int i = 0; i < 4; i++) {
        struct fixture f;
        struct dts_device device;
        set_up_mixture(&f, &device, 1, rows[i].capacity);
        CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":4,\"padded\":true}}", 4),
                   BLOCKS * 4.0 * EXPERTS * rows[i].each * WIDTH, 0);
        finish(&f, &device);
    }
}

/* With the sequence divided tensor ranks gather what arrived for an expert, and scatter what
 * leaves it, both ways; else they sum what comes back. */
static void tensor_ranks_have_a_part_of_each_expert(void)
{
    enum { TENSOR = POSITIONS * WIDTH };
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 1, 0);
    const char *const whole = "{\"mesh\":{\"tensor\":2},\"expert\":{\"size\":2}}";
    const char *const divided = "{\"mesh\":{\"tensor\":2},\"expert\":{\"size\":2},"
                                "\"sequence_parallel\":true}";
    struct dts_job job = job_of(&f, "mesh", whole, 4);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_ALLREDUCE, 0),
               (4 * BLOCKS + 2) * TENSOR + BLOCKS * ROUTER, 0); // of routers the gradients
    CHECK_NEAR((double)job.roles[0].plan.buffers[DTS_GRADIENTS].count,
               (double)BLOCKS * (2 * WIDTH * WIDTH + 2 * WIDTH + ROUTER + WEIGHTS / 4) +
                   64 * WIDTH + WIDTH,
               0);
    dts_job_free(&job);
    job = job_of(&f, "mesh", divided, 4);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_ALLGATHER, 0),
               (2 * BLOCKS + 2) * TENSOR + BLOCKS * 2 * SENT + 2 * 3 * POSITIONS, 0);
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_REDUCE_SCATTER, 0),
               (2 * BLOCKS + 2) * TENSOR + BLOCKS * 2 * SENT, 0);
    // gradients of norms, one vector each, and of routers
    CHECK_NEAR(values_of(&job.roles[0].plan, DTS_COMPUTE, DTS_ALLREDUCE, 0),
               (2 * BLOCKS + 1) * WIDTH + BLOCKS * ROUTER, 0);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

struct sum {
    int stride, size;
    double values;
};

/* Of the group with this stride and size. */
static double summed(const struct dts_plan *plan, enum dts_stream stream, int stride, int size)
{
    double values = 0;
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_op *op = &plan->ops[o];
        if (op->kind == DTS_OP_COLLECTIVE && op->stream == stream &&
            op->collective.group.stride == stride && op->collective.group.size == size)
            values += (double)op->collective.data.count;
    }
    return values;
}

static void experts_are_summed_by_those_that_have_them(void)
{
    static const struct {
        const char *json;
        enum dts_stream stream;
        struct sum dense, experts;
    } rows[] = {
        {"{\"expert\":{\"size\":4}}", DTS_DATA, {1, 16, 1}, {4, 4, 0.25}},
        {"{\"expert\":{\"size\":4},\"mesh\":{\"tensor\":2}}",
         DTS_DATA,
         {2, 8, 0},
         {8, 2, 0.125}},
        {"{\"expert\":{\"size\":4},\"mesh\":{\"context\":2}}",
         DTS_DATA,
         {1, 16, 1},
         {4, 4, 0.25}},
        // 8 shards of all, of which 2 have the same experts; and 2 copies of each
        {"{\"expert\":{\"size\":4},\"mesh\":{\"shard\":8}}",
         DTS_SCATTER,
         {1, 8, 1},
         {4, 2, 0.25}},
        {"{\"expert\":{\"size\":4},\"mesh\":{\"shard\":8}}",
         DTS_DATA,
         {8, 2, 0.125 * 2},
         {8, 2, 0.125 * 2}},
        // 2 shards, all with other experts: no shards of experts
        {"{\"expert\":{\"size\":4},\"mesh\":{\"shard\":2}}",
         DTS_DATA,
         {2, 8, 0.5},
         {4, 4, 0.25}},
    };
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 1, 0);
    const double experts = BLOCKS * (double)WEIGHTS;
    const double dense = f.scenario.model.parameters - experts;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_job job = job_of(&f, "mesh", rows[i].json, 16);
        const struct dts_plan *plan = &job.roles[0].plan;
        const struct sum *d = &rows[i].dense, *e = &rows[i].experts;
        if (i == 4) { // both in one group: shards of all, and of 2 parts of experts
            CHECK_NEAR(summed(plan, DTS_DATA, d->stride, d->size), dense / 8 + experts / 4 / 2,
                       8 * BLOCKS);
        } else {
            if (d->values > 0)
                CHECK_NEAR(summed(plan, rows[i].stream, d->stride, d->size), dense * d->values,
                           8 * BLOCKS);
            CHECK_NEAR(summed(plan, rows[i].stream, e->stride, e->size), experts * e->values,
                       8 * BLOCKS);
        }
        dts_job_free(&job);
        f.strategy.kind->release(f.strategy.self);
    }
    finish(&f, &device);
}

/* What `dtsim check` says of each axis: three of four parts leave a rank, four times in a
 * layer; keys and values in a ring of two, one shift forward and two backward. */
static void check_tells_what_goes_along_each_axis(void)
{
    struct fixture f;
    struct dts_device device;
    char line[2][100];
    struct dts_text text = {0};
    set_up_mixture(&f, &device, 1, 0);
    struct dts_job job = job_of(
        &f, "mesh", "{\"mesh\":{\"context\":2,\"tensor\":2},\"expert\":{\"size\":4}}", 16);
    dts_mesh_describe(&f.point, &job, &text);
    snprintf(line[0], sizeof(line[0]),
             "context      2 ranks, stride    2, in a node: a rank sends %.4g MB",
             BLOCKS * 3 * 2.0 * POSITIONS * WIDTH / 2 / 2 * sizeof(float) / 1e6);
    snprintf(line[1], sizeof(line[1]),
             "expert       4 ranks, stride    2, in and between nodes: a rank sends %.4g MB",
             BLOCKS * 4 * 0.75 * SENT / 2 * sizeof(float) / 1e6);
    for (int i = 0; i < 2; i++)
        if (!CHECK(strstr(dts_text_string(&text), line[i]) != NULL))
            printf("%s\nlacks %s\n", dts_text_string(&text), line[i]);
    dts_text_free(&text);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* 16 bytes for each parameter with Adam in fp16. */
static void memory_is_that_of_a_ranks_experts(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory memory;
    set_up_mixture(&f, &device, 1, 0);
    f.scenario.precision = DTS_FP16;
    f.scenario.optimizer = dts_optimizer_find("adam");
    const double experts = BLOCKS * (double)WEIGHTS;
    const double dense = f.scenario.model.parameters - experts;
    struct dts_job job = job_of(&f, "mesh", "{\"expert\":{\"size\":4}}", 16);
    CHECK(dts_point_memory(&f.point, &memory, &err));
    CHECK_NEAR(memory.weights + memory.gradients + memory.optimizer, 16 * (dense + experts / 4),
               1);
    dts_job_free(&job);
    job = job_of(&f, "mesh", "{\"expert\":{\"size\":4},\"sharded\":\"parameters\"}", 16);
    CHECK(dts_point_memory(&f.point, &memory, &err));
    CHECK_NEAR(memory.weights + memory.gradients + memory.optimizer,
               16 * (dense / 16 + experts / 16), 1);
    dts_job_free(&job);
    forget_blocks(&f, &device);
}

/* The busiest rank has more rows of the experts' products, and as many of the router's. */
static void skew_is_work_of_the_experts(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    set_up_mixture(&f, &device, 1, 0);
    struct dts_cut_question q = {.model = &f.scenario.model,
                                 .device = &device,
                                 .precision = DTS_FP32,
                                 .batch = 1,
                                 .tensor = 1,
                                 .context = 1,
                                 .experts = 4,
                                 .skew = 1,
                                 .path = "test"};
    struct dts_cut even, skewed;
    int l = 0;
    CHECK(dts_cut_find(&even, &q, &err));
    q.skew = 3;
    CHECK(dts_cut_find(&skewed, &q, &err));
    while (strcmp(f.scenario.model.layers[l].kind->name, "moe") != 0)
        l++;
    const double products = 2.0 * 3 * SENT * HIDDEN, router = 2.0 * POSITIONS * ROUTER;
    CHECK_NEAR(even.layers[l].cost.product_flops, router + products, 1e-6);
    CHECK_NEAR(skewed.layers[l].cost.product_flops, router + 3 * products, 1e-6);
    CHECK_NEAR(skewed.layers[l].cost.weight_values, ROUTER + WEIGHTS / 4, 0);
    CHECK(skewed.layers[l].forward_share >= even.layers[l].forward_share);
    CHECK(skewed.layers[l].saved_values > even.layers[l].saved_values);
    dts_cut_free(&skewed);
    q.padded =
        true; // eight experts get 16 positions each, and 2 x 16 are asked: four times all
    CHECK(dts_cut_find(&skewed, &q, &err));
    CHECK_NEAR(skewed.layers[l].cost.product_flops, router + 4 * products, 1e-6);
    dts_cut_free(&even);
    dts_cut_free(&skewed);
    finish(&f, &device);
}

static void every_mesh_with_experts_can_be_walked(void)
{
    static const char *const meshes[] = {
        "{\"expert\":{\"size\":8}}",
        "{\"expert\":{\"size\":2},\"mesh\":{\"tensor\":2,\"pipeline\":2}}",
        "{\"expert\":{\"size\":2},\"mesh\":{\"tensor\":2,\"pipeline\":2},\"sequence_parallel\":"
        "true,\"recompute\":\"full\"}",
        "{\"expert\":{\"size\":4},\"mesh\":{\"context\":2},\"recompute\":\"selective\"}",
        "{\"expert\":{\"size\":4},\"mesh\":{\"context\":2},\"context\":{\"exchange\":"
        "\"all_to_all\"},\"sharded\":\"parameters\"}",
        "{\"expert\":{\"size\":4},\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":"
        "\"zb_h1\"},\"sharded\":\"optimizer\"}",
        "{\"expert\":{\"size\":2},\"mesh\":{\"shard\":2},\"sharded\":\"gradients\"}",
        "{\"expert\":{\"size\":4,\"algorithm\":\"scattered\"},\"mesh\":{\"shard\":4}}",
    };
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 4, 1.25);
    for (size_t i = 0; i < sizeof(meshes) / sizeof(meshes[0]); i++) {
        struct dts_job job = walked(&f, meshes[i], 8);
        leave(&f, &job);
    }
    finish(&f, &device);
}

static void experts_that_do_not_divide_are_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"expert\":{\"size\":3}}", "expert.size 3 must divide the 8 ranks", 8},
        {"{\"expert\":{\"size\":16}}", "16 expert ranks do not divide its experts, 8", 16},
        {"{\"expert\":{\"size\":4,\"skew\":4.1}}", "expert.skew: must be at most 4: ", 8},
        {"{\"expert\":{\"size\":8,\"skew\":4.1}}", "expert.skew: must be at most 4: ", 8},
        {"{\"expert\":{\"skew\":2}}", "has no effect without expert.size >= 2", 8},
        {"{\"expert\":{\"padded\":true}}", "has no effect without expert.size >= 2", 8},
        {"{\"expert\":{\"size\":2,\"padded\":true,\"skew\":2}}", "has no effect with padded",
         8},
        {"{\"expert\":{\"size\":2,\"algorithm\":\"ring\"}}", "ring does no all-to-all", 8},
        {"{\"mesh\":{\"shard\":3,\"data\":2},\"expert\":{\"size\":2}}",
         "expert.size 2 must divide the 3 ranks that share the state of training", 6},
    };
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 1, 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
    set_up_mixture(&f, &device, 1, 0);
    CHECK_NEAR(sent_by(&f, "{\"expert\":{\"size\":8,\"skew\":4}}", 8), BLOCKS * 4.0 * SENT * 4,
               0);
    finish(&f, &device);
}

/* Rank 1 of 4 has experts 2 and 3 of eight, and all of the router. */
static void a_rank_has_its_experts(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_model *part;
    struct dts_cut cut;
    set_up_mixture(&f, &device, 1, 0);
    const struct dts_cut_question q = {.model = &f.scenario.model,
                                       .device = &device,
                                       .precision = DTS_FP32,
                                       .batch = 1,
                                       .tensor = 1,
                                       .context = 1,
                                       .experts = 4,
                                       .skew = 1,
                                       .path = "test"};
    int l = 0;
    CHECK(dts_cut_find(&cut, &q, &err));
    CHECK(dts_cut_part(&cut, &f.scenario.model, &(struct dts_cut_rank){0, 1, 0}, &part, &err));
    while (strcmp(part->layers[l].kind->name, "moe") != 0)
        l++;
    const struct dts_layer_part *mine = part->layers[l].part;
    CHECK_INT(mine->call.expert_ranks, 4);
    for (int p = 0; p < 4; p++) {
        CHECK_INT(mine->divided[p], p > 0);
        CHECK_INT(mine->apart[p], p > 0);
        CHECK_INT((long)part->layers[l].params[p].count, p > 0 ? WEIGHTS / 12 : ROUTER);
        CHECK_INT((long)dts_param_slice_at(&mine->slices[p], 0), p > 0 ? WEIGHTS / 12 : 0);
    }
    dts_cut_part_free(part);
    dts_cut_free(&cut);
    finish(&f, &device);
}

/* Eight experts in two parts, of each one half of the hidden values: all ranks together have
 * each value of the experts once, and each of the router. */
static void tensor_ranks_have_hidden_values_of_their_experts(void)
{
    enum { EXPERT_RANKS = 2 };
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_cut cut;
    set_up_mixture(&f, &device, 1, 0);
    const struct dts_cut_question q = {.model = &f.scenario.model,
                                       .device = &device,
                                       .precision = DTS_FP32,
                                       .batch = 1,
                                       .tensor = 2,
                                       .context = 1,
                                       .experts = EXPERT_RANKS,
                                       .skew = 1,
                                       .path = "test"};
    int l = 0, times[4][WEIGHTS / 3] = {{0}};
    CHECK(dts_cut_find(&cut, &q, &err));
    while (strcmp(f.scenario.model.layers[l].kind->name, "moe") != 0)
        l++;
    for (int r = 0; r < 2 * EXPERT_RANKS; r++) {
        struct dts_model *part;
        CHECK(dts_cut_part(&cut, &f.scenario.model, &(struct dts_cut_rank){r % 2, r / 2, 0},
                           &part, &err));
        const struct dts_layer_part *mine = part->layers[l].part;
        CHECK(mine->summed[0] && !mine->summed[1] && !mine->apart[0] && mine->apart[1]);
        for (int p = 0; p < 4; p++)
            for (size_t i = 0; i < part->layers[l].params[p].count; i++)
                times[p][dts_param_slice_at(&mine->slices[p], i)]++;
        // of the last product, [features, hidden] of each expert, neighbours are hidden values
        CHECK_INT((long)mine->slices[2].length, HIDDEN / 2);
        CHECK_INT((long)mine->slices[1].length, HIDDEN / 2 * WIDTH);
        dts_cut_part_free(part);
    }
    for (int p = 0; p < 4; p++)
        for (int i = 0; i < (p == 0 ? ROUTER : WEIGHTS / 3); i++)
            CHECK_INT(times[p][i], p == 0 ? 2 * EXPERT_RANKS : 1);
    dts_cut_free(&cut);
    finish(&f, &device);
}

static void a_network_without_mixtures_has_no_experts(void)
{
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_job job = {0};
    set_up_blocks(&f, &device, BLOCKS, 1);
    CHECK(use(&f, "mesh", "{\"expert\":{\"size\":2}}", &err));
    CHECK(!build(&f, 4, &job, &err));
    CHECK(strstr(err.text, "expert: tiny has no mixture of experts") != NULL);
    forget_blocks(&f, &device);
}

TESTS(TEST(positions_go_to_their_experts_and_back), TEST(capacity_bounds_what_is_sent),
      TEST(tensor_ranks_have_a_part_of_each_expert),
      TEST(experts_are_summed_by_those_that_have_them),
      TEST(check_tells_what_goes_along_each_axis), TEST(memory_is_that_of_a_ranks_experts),
      TEST(skew_is_work_of_the_experts), TEST(every_mesh_with_experts_can_be_walked),
      TEST(experts_that_do_not_divide_are_refused), TEST(a_rank_has_its_experts),
      TEST(tensor_ranks_have_hidden_values_of_their_experts),
      TEST(padded_messages_have_one_size), TEST(a_network_without_mixtures_has_no_experts))
