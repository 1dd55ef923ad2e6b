/* test_pipeline.c -- schedules of pipelines have each pass once, keep what their papers say,
 * and the two copies of dualpipe sum their gradients. */
#include "train/mixture_point.h"

#include "base/mem.h"

enum { MOST_STAGES = 6 };

struct counts {
    int forward, backward, weight;
};

/* Does a microbatch pass a chunk? Number: chunk x microbatches + microbatch. */
static bool sees(const struct dts_pipeline_schedule *s, const struct dts_pipeline_shape *shape,
                 int stage, int number)
{
    const int each = shape->microbatches / dts_pipeline_copies(s);
    const int copy = dts_pipeline_place(s, shape, stage, number / shape->microbatches).copy;
    return number % shape->microbatches / each == copy;
}

/* Every pass of every microbatch once, backward behind forward, and the slots it needs. */
static void check_list(const struct dts_pipeline_schedule *s,
                       const struct dts_pipeline_shape *shape, int stage, int *most)
{
    const int all = shape->chunks * shape->microbatches;
    const size_t room = (size_t)dts_pipeline_most_passes(shape);
    struct dts_pipeline_pass *passes = dts_alloc(room, sizeof(*passes));
    int *slots = dts_alloc(room, sizeof(*slots));
    struct counts *seen = dts_alloc((size_t)all, sizeof(*seen));
    const int length = s->list(shape, stage, passes);
    for (int i = 0; i < length; i++) {
        const struct dts_pipeline_pass *p = &passes[i];
        CHECK(p->microbatch >= 0 && p->microbatch < shape->microbatches);
        CHECK(p->chunk >= 0 && p->chunk < shape->chunks);
        struct counts *c = &seen[p->chunk * shape->microbatches + p->microbatch];
        const bool weight = p->pass == DTS_BACKWARD_WEIGHT;
        CHECK(p->pass == DTS_FORWARD || c->forward == 1);
        CHECK(!weight || c->backward == 1);
        CHECK(!p->joins || (p->pass == DTS_FORWARD && passes[i + 1].pass == DTS_BACKWARD &&
                            passes[i + 1].chunk != p->chunk));
        c->forward += p->pass == DTS_FORWARD;
        c->backward += p->pass == DTS_BACKWARD || p->pass == DTS_BACKWARD_INPUT;
        c->weight += p->pass == DTS_BACKWARD || weight;
    }
    for (int i = 0; i < all; i++) {
        const int times = sees(s, shape, stage, i);
        CHECK(seen[i].forward == times && seen[i].backward == times && seen[i].weight == times);
    }
    dts_pipeline_slots(shape, passes, length, slots, most);
    free(passes);
    free(slots);
    free(seen);
}

static void each_microbatch_passes_each_part_once_both_ways(void)
{
    int most[4];
    for (int i = 0; dts_pipeline_schedules[i] != NULL; i++) {
        const struct dts_pipeline_schedule *s = dts_pipeline_schedules[i];
        for (int p = 1; p <= MOST_STAGES; p++)
            for (int v = 1; v <= 3; v++)
                for (int m = 1; m <= 16; m++) {
                    if (!s->interleaves && v != (s->chunks > 0 ? s->chunks : 1))
                        continue;
                    const struct dts_pipeline_shape shape = {p, v, m};
                    if (s->fits == NULL || s->fits(&shape) == NULL)
                        for (int stage = 0; stage < p; stage++)
                            check_list(s, &shape, stage, most);
                }
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void a_schedule_keeps_as_many_microbatches_as_its_paper_says(void)
{
    int most[4];
    for (int p = 1; p <= MOST_STAGES; p++)
        for (int m = 1; m <= 13; m++)
            for (int s = 0; s < p; s++) {
                const struct dts_pipeline_shape shape = {p, 1, m};
                check_list(dts_pipeline_schedule_find("gpipe"), &shape, s, most);
                CHECK_INT(most[0], m);
                check_list(dts_pipeline_schedule_find("1f1b"), &shape, s, most);
                CHECK_INT(most[0], least(p - s, m));
                check_list(dts_pipeline_schedule_find("eager_1f1b"), &shape, s, most);
                CHECK_INT(most[0], least(2 * (p - s) - 1, m));
                check_list(dts_pipeline_schedule_find("zb_h1"), &shape, s, most);
                CHECK(most[0] <= least(p, m));
            }
}

/* DeepSeek-AI: two parts on each stage, one of each copy, and p + 1 microbatches, of which p -
 * d go the way whose begin is nearer, by d stages. */
static void dualpipe_has_two_parts_and_keeps_one_more_than_stages(void)
{
    const struct dts_pipeline_schedule *s = dts_pipeline_schedule_find("dualpipe");
    int most[4];
    for (int p = 2; p <= 12; p += 2)
        for (int m = 2 * p; m <= 4 * p; m += 2) {
            const struct dts_pipeline_shape shape = {p, 2, m};
            int has[12] = {0};
            CHECK(s->fits(&shape) == NULL);
            CHECK_INT(dts_pipeline_parts(s, &shape), p);
            for (int stage = 0; stage < p; stage++) {
                const int depth = least(stage, p - 1 - stage);
                check_list(s, &shape, stage, most);
                CHECK_INT(most[0], p - depth);
                CHECK_INT(most[1], depth + 1);
                for (int c = 0; c < 2; c++) {
                    const struct dts_pipeline_place at =
                        dts_pipeline_place(s, &shape, stage, c);
                    CHECK_INT(at.part, at.copy == 0 ? stage : p - 1 - stage);
                    has[at.part] += 1 + 16 * at.copy;
                }
            }
            for (int part = 0; part < p; part++)
                CHECK_INT(has[part], 18); // once of each copy
        }
}

static void dualpipe_refuses_what_is_odd_or_short(void)
{
    const struct dts_pipeline_schedule *s = dts_pipeline_schedule_find("dualpipe");
    CHECK(strstr(s->fits(&(struct dts_pipeline_shape){3, 2, 12}), "stages") != NULL);
    CHECK(strstr(s->fits(&(struct dts_pipeline_shape){4, 2, 9}), "microbatches") != NULL);
    CHECK(strstr(s->fits(&(struct dts_pipeline_shape){4, 2, 6}), "two microbatches") != NULL);
}

/* Two stages have the same layers, in one order. Of n values on r replicas a rank sends n to
 * its twin, and the ring of the replicas sums the half that is the rank's. */
static void both_copies_sum_their_gradients(void)
{
    enum { H = 32, BLOCK = 12 * H * H + 13 * H, TABLE = 64 * H, STAGES = 4 };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 8);
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"dualpipe\"}}", 8);
    for (int s = 0; s < STAGES; s++) {
        const struct dts_plan *plan = &job.roles[s].plan;
        const bool end = s == 0 || s == STAGES - 1; // the table is the head's, too: once
        const double values = 4 * BLOCK + (end ? TABLE + 2 * H : 0);
        double sent = 0;
        CHECK_NEAR((double)plan->buffers[DTS_GRADIENTS].count, values, 0);
        for (int o = 0; o < plan->op_count; o++) {
            const struct dts_exchange *x = &plan->ops[o].exchange;
            if (plan->ops[o].kind != DTS_OP_EXCHANGE || x->data.buffer != DTS_GRADIENTS)
                continue;
            CHECK_INT(x->first_peer, (STAGES - 1 - 2 * s) * 2);
            sent += x->send ? (double)x->data.count : 0;
        }
        CHECK_NEAR(sent, values, 0);
        CHECK_CLOSE(values_of(plan, DTS_DATA, DTS_ALLREDUCE, 2), values / 2, 1e-3);
    }
    leave(&f, &job);
    finish(&f, &device);
}

/* Of passes that run together one computes while the other's positions are with their experts:
 * behind an all-to-all comes a call of the other microbatch. With two stages and 2 n
 * microbatches 2 (n - 1) - 1 pairs run together, of four all-to-alls each. */
static void passes_that_run_together_take_turns(void)
{
    enum { N = 4 };
    struct fixture f;
    struct dts_device device;
    set_up_mixture(&f, &device, 2 * N, 0);
    struct dts_job job = walked(&f,
                                "{\"mesh\":{\"pipeline\":2},\"expert\":{\"size\":2},"
                                "\"pipeline\":{\"schedule\":\"dualpipe\"}}",
                                4);
    for (int s = 0; s < 2; s++) {
        const struct dts_plan *plan = &job.roles[s].plan;
        int beside = 0, alone = 0;
        for (int o = 0; o < plan->op_count; o++) {
            int next = o + 1;
            if (plan->ops[o].stream != DTS_EXPERT)
                continue;
            while (plan->ops[next].stream != DTS_COMPUTE)
                next++;
            if (waits_for(plan, next, o))
                alone++;
            else
                beside++;
        }
        CHECK_INT(beside, (2 * (N - 1) - 1) * 4);
        CHECK_INT(beside + alone, 2 * N * 4);
    }
    leave(&f, &job);
    finish(&f, &device);
}

/* A stage has two of p parts: 16 bytes a parameter with Adam in fp16, of which shards of both
 * copies divide 12. The weight that is table and head is there once. */
/* Half of each bucket is reduce-scattered, and gathered as weights; the halves of gradients go
 * one way, those of weights the other. */
static void shards_of_both_copies_divide_an_update(void)
{
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 8);
    f.seconds.update = 1e-3;
    struct dts_job job = walked(&f,
                                "{\"mesh\":{\"pipeline\":4},\"sharded\":\"optimizer\","
                                "\"pipeline\":{\"schedule\":\"dualpipe\"}}",
                                8);
    const struct dts_plan *plan = &job.roles[1].plan;
    const double values = (double)plan->buffers[DTS_GRADIENTS].count;
    double sent[2] = {0};
    for (int o = 0; o < plan->op_count; o++) {
        const struct dts_exchange *x = &plan->ops[o].exchange;
        if (plan->ops[o].kind == DTS_OP_EXCHANGE && x->data.buffer <= DTS_WEIGHTS && x->send)
            sent[x->data.buffer == DTS_WEIGHTS] += (double)x->data.count;
    }
    CHECK_CLOSE(values_of(plan, DTS_DATA, DTS_REDUCE_SCATTER, 2), values / 2, 1e-3);
    CHECK_CLOSE(values_of(plan, DTS_GATHER, DTS_ALLGATHER, 2), values / 2, 1e-3);
    CHECK_CLOSE(sent[0], values / 2, 1e-3);
    CHECK_CLOSE(sent[1], values / 2, 1e-3);
    for (int o = 0; o < plan->op_count; o++)
        if (plan->ops[o].kind == DTS_OP_CALL && plan->ops[o].call.pass == DTS_UPDATE)
            CHECK_CLOSE(plan->ops[o].call.seconds,
                        f.seconds.update * values / 4 / f.scenario.model.parameters, 1e-9);
    leave(&f, &job);
    finish(&f, &device);
}

static void dualpipe_has_parameters_twice(void)
{
    enum { H = 32, BLOCK = 12 * H * H + 13 * H, TABLE = 64 * H };
    struct fixture f;
    struct dts_device device;
    struct dts_error err = {0};
    struct dts_memory memory;
    set_up_blocks(&f, &device, 8, 8);
    f.scenario.precision = DTS_FP16;
    f.scenario.optimizer = dts_optimizer_find("adam");
    struct dts_job job =
        walked(&f, "{\"mesh\":{\"pipeline\":4},\"pipeline\":{\"schedule\":\"dualpipe\"}}", 4);
    CHECK(dts_point_memory(&f.point, &memory, &err));
    CHECK_NEAR(memory.weights + memory.gradients + memory.optimizer,
               16.0 * (4 * BLOCK + TABLE + 2 * H), 1);
    leave(&f, &job);
    job = walked(&f,
                 "{\"mesh\":{\"pipeline\":4},\"sharded\":\"optimizer\","
                 "\"pipeline\":{\"schedule\":\"dualpipe\"}}",
                 12);
    CHECK(dts_point_memory(&f.point, &memory, &err));
    CHECK_NEAR(memory.weights + memory.gradients + memory.optimizer,
               (4 + 12.0 / 6) * (4 * BLOCK + TABLE + 2 * H), 1);
    leave(&f, &job);
    finish(&f, &device);
}

static void dualpipe_is_refused_where_it_cannot_be(void)
{
    static const struct {
        const char *json, *says;
        int devices;
    } rows[] = {
        {"{\"mesh\":{\"pipeline\":3},\"pipeline\":{\"schedule\":\"dualpipe\"}}",
         "dualpipe needs an even number of stages: 3 stages, 8 microbatches", 3},
        {"{\"mesh\":{\"pipeline\":6},\"pipeline\":{\"schedule\":\"dualpipe\"}}",
         "dualpipe needs at least two microbatches for each stage", 6},
        {"{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":\"dualpipe\",\"chunks\":3}}",
         "pipeline.chunks: must be 2 with the schedule dualpipe", 2},
        {"{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":\"dualpipe\","
         "\"overlap\":false}}",
         "pipeline.overlap: must be true", 2},
        {"{\"mesh\":{\"pipeline\":2},\"pipeline\":{\"schedule\":\"dualpipe\"},"
         "\"sharded\":\"gradients\"}",
         "sharded: must be optimizer or nothing with the schedule dualpipe", 4},
    };
    struct fixture f;
    struct dts_device device;
    set_up_blocks(&f, &device, 8, 8);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_refused(&f, rows[i].json, rows[i].devices, rows[i].says);
    finish(&f, &device);
}

TESTS(TEST(each_microbatch_passes_each_part_once_both_ways),
      TEST(a_schedule_keeps_as_many_microbatches_as_its_paper_says),
      TEST(dualpipe_has_two_parts_and_keeps_one_more_than_stages),
      TEST(dualpipe_refuses_what_is_odd_or_short), TEST(both_copies_sum_their_gradients),
      TEST(shards_of_both_copies_divide_an_update), TEST(dualpipe_has_parameters_twice),
      TEST(passes_that_run_together_take_turns), TEST(dualpipe_is_refused_where_it_cannot_be))
