/* test_recompute.c -- activations that are computed again, by words and by numbers of blocks,
 * as Megatron-LM counts them: the memory, the time and the operations of each.
 */
#include "train/mesh_point.h"

enum { ALL = 8, S = 16, H = 32 };
static const double block_s = 1e-3; // forward

static double again_s(const struct dts_plan *plan)
{
    double seconds = 0;
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_RECOMPUTE)
            seconds += plan->ops[o].call.seconds;
    return seconds;
}

static double activations_of(struct fixture *f, const char *json, int devices)
{
    struct dts_error err = {0};
    struct dts_memory memory = {0};
    struct dts_job job = walked(f, json, devices);
    CHECK(dts_point_memory(&f->point, &memory, &err));
    leave(f, &job);
    return memory.activations;
}

/* So many blocks of each part run forward again; all of them where they go several at once. */
static void blocks_run_again(void)
{
    static const struct {
        const char *json;
        int devices, blocks;
    } rows[] = {
        {"{\"recompute\":\"full\"}", 1, ALL},
        {"{\"recompute\":{\"layers\":3}}", 1, 3},
        {"{\"recompute\":{\"layers\":8,\"method\":\"block\"}}", 1, ALL},
        {"{\"recompute\":{\"layers\":3,\"method\":\"uniform\"}}", 1, ALL},
        {"{\"mesh\":{\"pipeline\":2},\"recompute\":{\"layers\":3}}", 2, 3},
        {"{\"mesh\":{\"pipeline\":2},\"recompute\":{\"layers\":1},"
         "\"pipeline\":{\"schedule\":\"interleaved\",\"chunks\":2}}",
         2, 2},
        {"{\"mesh\":{\"pipeline\":2},\"recompute\":{\"layers\":2},"
         "\"pipeline\":{\"schedule\":\"dualpipe\"}}",
         2, 2},
    };
    enum { MICROBATCHES = 4 };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, MICROBATCHES);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_job job = walked(&f, rows[i].json, rows[i].devices);
        if (!CHECK_CLOSE(again_s(&job.roles[0].plan), MICROBATCHES * rows[i].blocks * block_s,
                         1e-9))
            printf("%s\n", rows[i].json);
        leave(&f, &job);
    }
    finish(&f, &device);
}

/* A block that is kept has 34 s h + 5 a s^2 bytes in 16 bits less its dropout's masks; here in
 * fp32 and without dropout: what one kept block more adds is the same for each, and the first n
 * of 8 blocks keep the 4 s h of what comes in. Working memory is that of one block of any. */
static void kept_blocks_lie_in_memory(void)
{
    char json[64];
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 1);
    const double none = activations_of(&f, "{}", 1);
    double at[ALL + 1] = {none};
    for (int n = 1; n <= ALL; n++) {
        snprintf(json, sizeof(json), "{\"recompute\":{\"layers\":%d}}", n);
        at[n] = activations_of(&f, json, 1);
    }
    CHECK_NEAR(at[ALL], activations_of(&f, "{\"recompute\":\"full\"}", 1), 0);
    const double each = at[1] - at[2];
    CHECK(each > 0);
    for (int n = 1; n + 1 < ALL; n++) // of the last the loss is at the peak
        CHECK_NEAR(at[n] - at[n + 1], each, 1e-6);
    finish(&f, &device);
}

/* n at once: of 8 blocks ceil(8 / n) entries are kept, and n blocks are there again at the
 * peak: that of the last group, which has what is kept of all before it. */
static void blocks_at_once_are_kept_at_once(void)
{
    const double entry = 4.0 * S * H;
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 1);
    const double none = activations_of(&f, "{}", 1),
                 one = activations_of(&f, "{\"recompute\":{\"layers\":7}}", 1),
                 all = activations_of(&f, "{\"recompute\":\"full\"}", 1);
    const double two =
        activations_of(&f, "{\"recompute\":{\"layers\":2,\"method\":\"uniform\"}}", 1);
    const double four =
        activations_of(&f, "{\"recompute\":{\"layers\":4,\"method\":\"uniform\"}}", 1);
    CHECK_NEAR(activations_of(&f, "{\"recompute\":{\"layers\":1,\"method\":\"uniform\"}}", 1),
               all, 0);
    const double block = (none - one) / 7 + entry; // of a block that is kept
    CHECK_NEAR(two - all, block - 4 * entry, 1e-6);
    CHECK_NEAR(four - two, 2 * block - 2 * entry, 1e-6);
    finish(&f, &device);
}

static double repeated(struct fixture *f, const char *json, int devices)
{
    struct dts_error err = {0};
    struct dts_job job = walked(f, json, devices);
    const double flops = f->strategy.kind->repeated_flops(&f->point);
    CHECK_STRING(err.text, "");
    leave(f, &job);
    return flops;
}

/* Of a block 24 s h^2 + 4 s^2 h. */
static void operations_of_blocks_count_once_more(void)
{
    const double block = 24.0 * S * H * H + 4.0 * S * S * H;
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 4);
    CHECK_NEAR(repeated(&f, "{\"recompute\":{\"layers\":3}}", 1), 3 * block, 0);
    CHECK_NEAR(repeated(&f, "{\"mesh\":{\"pipeline\":2},\"recompute\":{\"layers\":3}}", 2),
               6 * block, 0);
    CHECK_NEAR(repeated(&f, "{\"recompute\":{\"layers\":3,\"method\":\"uniform\"}}", 1),
               ALL * block, 0);
    finish(&f, &device);
}

static void what_cannot_be_is_refused(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"recompute\":\"some\"}", "recompute: must be one of none, selective, full, got", 1},
        {"{\"recompute\":{}}", "recompute.layers: missing", 1},
        {"{\"recompute\":{\"layers\":0}}", "recompute.layers: must be >= 1", 1},
        {"{\"recompute\":{\"layers\":2,\"method\":\"blocks\"}}", "recompute.method", 1},
        {"{\"recompute\":{\"layer\":2}}", "recompute.layer", 1},
        {"{\"recompute\":{\"layers\":9}}", "recompute.layers: must be at most 8", 1},
        {"{\"mesh\":{\"pipeline\":2},\"recompute\":{\"layers\":5}}", "must be at most 4", 2},
        {"{\"sharded\":\"parameters\",\"recompute\":{\"layers\":2,\"method\":\"uniform\"}}",
         "recompute.method: must be block", 2},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, ALL, 4);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
}

TESTS(TEST(blocks_run_again), TEST(kept_blocks_lie_in_memory),
      TEST(blocks_at_once_are_kept_at_once), TEST(operations_of_blocks_count_once_more),
      TEST(what_cannot_be_is_refused))
