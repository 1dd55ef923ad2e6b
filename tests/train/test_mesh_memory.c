/* test_mesh_memory.c -- what lies in the memory of a mesh, by the formulas of Korthikanti et
 * al. 2022 (arXiv:2205.05198) and what a stack says. */
#include "check.h"
#include "mesh_point.h"

enum { S = 128, H = 256, A = 4, B = 2, V = 512 };

/* A transformer as GPT has it; its dropout keeps masks of a byte. */
static void set_model(struct fixture *f, int layers)
{
    char text[512];
    struct dts_error err = {0};
    dts_model_free(&f->scenario.model);
    snprintf(text, sizeof(text),
             "{\"name\":\"tiny\",\"summary\":\"-\",\"family\":\"gpt\",\"layers\":%d,"
             "\"hidden\":%d,\"heads\":%d,\"vocabulary\":%d,\"sequence\":%d,\"dropout\":0.1}",
             layers, H, A, V, S);
    CHECK(dts_model_parse(&f->scenario.model, "tiny", text, &err));
    CHECK_STRING(err.text, "");
}

static struct dts_memory memory_of(struct fixture *f, const char *mesh, int layers, int devices,
                                   int microbatches)
{
    struct dts_error err = {0};
    struct dts_memory memory = {0};
    set_model(f, layers);
    CHECK(f->scenario.model.layer_count <= 256);
    free(f->seconds.forward);
    free(f->seconds.backward);
    f->seconds.forward = calloc(256, sizeof(double));
    f->seconds.backward = calloc(256, sizeof(double));
    f->scenario.precision = DTS_BF16;
    f->scenario.optimizer = dts_optimizer_find("adam");
    f->scenario.batch_per_device = B;
    f->scenario.accumulate = microbatches;
    CHECK(use(f, "mesh", mesh, &err));
    f->point.devices = devices;
    CHECK(dts_point_batch(&f->point, &err) && dts_point_memory(&f->point, &memory, &err));
    CHECK_STRING(err.text, "");
    f->strategy.kind->release(f->strategy.self);
    free(f->strategy.self);
    f->strategy.self = NULL;
    dts_doc_free(f->doc);
    f->doc = NULL;
    return memory;
}

/* What one block more keeps. */
static double block_of(struct fixture *f, const char *mesh, int devices)
{
    return memory_of(f, mesh, 9, devices, 1).activations -
           memory_of(f, mesh, 8, devices, 1).activations;
}

/* Equations 1, 2 and 4, and the rest of table 2. Statistics of norms, 16 bytes a position, are
 * not among them. */
static void a_block_keeps_what_the_paper_counts(void)
{
    const double sbh = (double)S * B * H, scores = 5.0 * A * S / H, statistics = 16.0 * S * B;
    const struct {
        const char *mesh;
        int devices;
        double bytes;
    } rows[] = {
        {"{}", 1, sbh * (34 + scores) + statistics},
        {"{\"mesh\":{\"tensor\":4}}", 4, sbh * (10 + (24 + scores) / 4) + statistics},
        {"{\"mesh\":{\"tensor\":4},\"sequence_parallel\":true}", 4,
         (sbh * (34 + scores) + statistics) / 4},
        {"{\"recompute\":\"selective\"}", 1, sbh * 34 + statistics},
        {"{\"recompute\":\"full\"}", 1, sbh * 2},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double bytes = block_of(&f, rows[i].mesh, rows[i].devices);
        if (!CHECK_CLOSE(bytes, rows[i].bytes, 1e-3))
            printf("%s\n", rows[i].mesh);
    }
    forget_blocks(&f, &device);
}

/* 1F1B keeps min(p - s, m) microbatches on stage s, GPipe all of them. */
static void the_first_stage_keeps_as_many_microbatches_as_stages(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    const char *one = "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"stages\":[2,2,2,2]}}",
               *all = "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"gpipe\","
                      "\"stages\":[2,2,2,2]}}";
    const double four = memory_of(&f, one, 8, 4, 4).first_stage,
                 eight = memory_of(&f, one, 8, 4, 8).first_stage,
                 two = memory_of(&f, one, 8, 4, 2).first_stage,
                 gpipe = memory_of(&f, all, 8, 4, 8).first_stage;
    CHECK_NEAR(four, eight, 0.5);
    const double each = (four - two) / 2;
    CHECK(each > 2 * 34.0 * S * B * H);
    CHECK_CLOSE(gpipe, four + 4 * each, 1e-9);
    CHECK(memory_of(&f, one, 8, 4, 8).total >= eight);
    CHECK_NEAR(memory_of(&f, "{}", 8, 1, 8).first_stage, 0, 0);
    forget_blocks(&f, &device);
}

/* Gradients in two precisions, copies and what is gathered. */
static void a_stack_adds_what_it_keeps(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    struct dts_stack_memory *keeps = &f.scenario.stack.memory;
    const struct dts_memory bare = memory_of(&f, "{}", 8, 2, 1);
    const double parameters = f.scenario.model.parameters;
    CHECK_NEAR(bare.framework, 0, 0);
    keeps->context_bytes = 1e6;
    keeps->gradients_fp32 = keeps->bucket_copies = keeps->gather_copies = true;
    struct dts_memory now = memory_of(&f, "{}", 8, 2, 1);
    CHECK_NEAR(now.gradients, 4 * parameters, 1);
    CHECK_NEAR(now.framework, 1e6 + 2 * parameters + 2 * parameters, 1);
    CHECK_NEAR(now.total - bare.total, 1e6 + 6 * parameters, 1);
    now = memory_of(&f, "{}", 8, 1, 1); // nobody to exchange with
    CHECK_NEAR(now.framework, 1e6 + 2 * parameters, 1);
    now = memory_of(&f, "{\"sharded\":\"optimizer\"}", 8, 2, 1);
    CHECK_NEAR(now.framework, 1e6 + 2 * parameters + 2 * parameters, 1);
    now = memory_of(&f, "{\"sharded\":\"gradients\"}", 8, 2, 1); // of a round, not of all
    CHECK_NEAR(now.framework, 1e6 + 2 * parameters, 1);
    now = memory_of(&f, "{\"sharded\":\"parameters\"}", 8, 2, 1);
    CHECK_NEAR(now.framework, 1e6, 1);
    keeps->gradients_fused = true;
    now = memory_of(&f, "{\"sharded\":\"optimizer\"}", 8, 2, 1);
    CHECK_NEAR(now.gradients, 4 * parameters, 1);
    CHECK_NEAR(now.framework, 1e6 + 2 * parameters, 1);
    *keeps = (struct dts_stack_memory){.block_bytes = 4, .gathered_bytes = 100};
    now = memory_of(&f, "{}", 8, 1, 1);
    CHECK_NEAR(now.activations - bare.activations, 8 * 4.0 * S * B * H, 1);
    CHECK_NEAR(now.framework, 0, 0);
    now = memory_of(&f, "{\"mesh\":{\"tensor\":2}}", 8, 2, 1);
    CHECK_NEAR(now.framework, 100.0 * S * B * H, 1);
    forget_blocks(&f, &device);
}

/* Parameters of a block of h features, 12 h^2 of products and 13 h of biases and norms, and of
 * the table of words. */
#define BLOCK (12.0 * H * H + 13.0 * H)
#define TABLE ((double)V * H)

/* While a round computes, its weights and those of `prefetch` rounds are whole, and so is its
 * gradient, and what the head left of the table's, which it has from the embedding. As much is
 * kept of each block, so that the last one is the worst round. */
static void what_a_round_gathers_is_there(void)
{
    const struct {
        const char *mesh;
        double state, unsharded; // bytes of weights and gradients a parameter; of blocks
    } rows[] = {
        {"{\"sharded\":\"optimizer\"}", 2 + 4 / 2 + 2, 0},
        {"{\"sharded\":\"gradients\",\"recompute\":\"full\"}", 2 + 4 / 2 + 1, 2},
        {"{\"sharded\":\"parameters\",\"recompute\":\"full\",\"prefetch\":0}", 1 + 4 / 2 + 1,
         2 + 2},
        {"{\"sharded\":\"parameters\",\"recompute\":\"full\"}", 1 + 4 / 2 + 1, 4 + 2},
        {"{\"sharded\":\"parameters\",\"recompute\":\"full\",\"prefetch\":2}", 1 + 4 / 2 + 1,
         6 + 2},
        {"{\"sharded\":\"parameters\",\"recompute\":\"full\",\"offload\":\"parameters\"}", 1,
         4 + 2},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct dts_memory now = memory_of(&f, rows[i].mesh, 8, 2, 1);
        const double parts = now.weights + now.gradients + now.optimizer + now.activations;
        if (!CHECK_NEAR(now.unsharded,
                        rows[i].unsharded * BLOCK + (rows[i].unsharded > 0 ? 2 * TABLE : 0),
                        0.5) ||
            !CHECK_NEAR(now.weights + now.gradients,
                        f.scenario.model.parameters * rows[i].state, 1) ||
            !CHECK_NEAR(now.total, parts + now.unsharded, 1))
            printf("%s\n", rows[i].mesh);
    }
    const char *kept = "{\"sharded\":\"parameters\",\"reshard_after_forward\":false}";
    const struct dts_memory now = memory_of(&f, kept, 8, 2, 1);
    CHECK_NEAR(now.unsharded, 2 * f.scenario.model.parameters + 2 * BLOCK + 2 * TABLE, 0.5);
    forget_blocks(&f, &device);
}

/* In bf16 with Adam a host has 4 + 8 bytes a parameter, 2 of the gradient that arrives, and of
 * weights 2. Four devices are on a node. */
static void a_host_has_what_its_ranks_offload(void)
{
    const struct {
        const char *mesh;
        int devices;
        double ranks, bytes; // of the network on a node; of a parameter
    } rows[] = {
        {"{}", 8, 0, 0},
        {"{\"offload\":\"optimizer\",\"sharded\":\"optimizer\"}", 8, 4 / 8.0, 14},
        {"{\"offload\":\"optimizer\",\"sharded\":\"optimizer\"}", 2, 1, 14},
        {"{\"offload\":\"parameters\",\"sharded\":\"parameters\"}", 8, 4 / 8.0, 16},
        {"{\"offload\":\"parameters\",\"sharded\":\"parameters\",\"mesh\":{\"shard\":2}}", 8,
         4 / 2.0, 16},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const double host = memory_of(&f, rows[i].mesh, 8, rows[i].devices, 1).host;
        if (!CHECK_NEAR(host, f.scenario.model.parameters * rows[i].ranks * rows[i].bytes, 1))
            printf("%s\n", rows[i].mesh);
    }
    // A stage has a node; the first one has the table of positions.
    const char *stages = "{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"stages\":[4,4]},"
                         "\"offload\":\"optimizer\"}";
    const double host = memory_of(&f, stages, 8, 8, 2).host;
    CHECK_NEAR(host, 4 * 14 * (4 * BLOCK + TABLE + S * H), 1);
    forget_blocks(&f, &device);
}

/* With a word on the loss, its arrays are the peak, and it keeps nothing else. */
static void arrays_of_the_loss_are_at_the_peak(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    struct dts_stack_memory *keeps = &f.scenario.stack.memory;
    keeps->loss_value_bytes = 400;
    const double much = memory_of(&f, "{}", 2, 1, 1).activations;
    keeps->loss_value_bytes = 500;
    CHECK_NEAR(memory_of(&f, "{}", 2, 1, 1).activations - much, 100.0 * S * B * V, 1);
    forget_blocks(&f, &device);
}

/* What would fit is said with its size, and what is so already is not offered. */
static void a_refusal_says_what_would_fit(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 2, 1);
    memory_of(&f, "{}", 8, 2, 1);
    const struct {
        const char *mesh, *says, *not_says;
    } rows[] = {
        {"{}", "the optimizer's state is the most; would fit: sharded optimizer (",
         "selective (0.0"},
        {"{\"recompute\":\"selective\"}", "recompute full (", "recompute selective ("},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_error err = {0};
        struct dts_memory memory;
        struct dts_job job = {0};
        CHECK(use(&f, "mesh", rows[i].mesh, &err));
        CHECK(dts_point_memory(&f.point, &memory, &err));
        f.machine.device_memory_bytes = memory.total - 1;
        CHECK(!dts_build(&f.point, &job, &err));
        if (strstr(err.text, rows[i].says) == NULL || strstr(err.text, rows[i].not_says)) {
            printf("%s: %s\n", rows[i].mesh, err.text);
            CHECK(false);
        }
        f.scenario.memory_warns = true;
        CHECK(dts_build(&f.point, &job, &err));
        f.scenario.memory_warns = false;
        dts_job_free(&job);
        f.strategy.kind->release(f.strategy.self);
        forget(&f);
    }
    f.strategy.kind = NULL;
    forget_blocks(&f, &device);
}

TESTS(TEST(a_block_keeps_what_the_paper_counts),
      TEST(the_first_stage_keeps_as_many_microbatches_as_stages),
      TEST(a_stack_adds_what_it_keeps), TEST(what_a_round_gathers_is_there),
      TEST(a_host_has_what_its_ranks_offload), TEST(arrays_of_the_loss_are_at_the_peak),
      TEST(a_refusal_says_what_would_fit))
