/* stages.h -- for tests: a model cut into stages that run in one process, on as many ranks as
 * wanted, beside one network of the whole model.
 *
 * Stage s is on rank s % ranks: with more stages than ranks, a rank has several chunks. A rank
 * has one array of weights, one of gradients and one optimizer. Actions come in the order of
 * each stage's own list as soon as what they wait for is there.
 */
#ifndef DTS_TESTS_TRAIN_NETWORK_STAGES_H
#define DTS_TESTS_TRAIN_NETWORK_STAGES_H

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "check.h"
#include "train/model/calls.h"
#include "train/network/network.h"
#include "train/network/optimizer.h"

enum { MOST_STAGES = 8, MOST_RANKS = 4, MOST_MICROBATCHES = 8, STAGE_BATCH = 3 };

/* In which order a stage's passes come. */
enum schedule { ONE_BY_ONE, GPIPE, GPIPE_BACK, ONE_F_ONE_B };

struct rank {
    struct dts_layout layout; // owned
    float *weights, *gradients;
    struct dts_optimizer_run *optimizer; // owned
};

struct action {
    bool backward;
    int microbatch;
};

struct stage {
    struct dts_network *network; // owned
    struct dts_layer_range range;
    int slots, rank;
    size_t offset; // in the rank's arrays
    struct action actions[2 * MOST_MICROBATCHES];
    int next, forwards; // actions done; of them forward
    bool done[MOST_MICROBATCHES];
};

struct stages {
    struct dts_model *model;
    int count, ranks, microbatches;
    struct stage stage[MOST_STAGES];
    struct rank rank[MOST_RANKS];
    bool bound; // an exit is the entry of the next stage: no copies
    double loss[MOST_MICROBATCHES];
};

struct stages_request {
    const int *cuts; // the first layer of each stage but the first, ended by 0
    int ranks;       // 0: one for each stage
    int microbatches;
    enum schedule schedule;
    enum dts_precision precision;
    const char *optimizer;
    bool bound;
};

static void stages_must(bool good, const struct dts_error *err)
{
    if (!CHECK(good)) {
        printf("%s\n", err->text);
        exit(1);
    }
}

static void stages_parse(struct dts_model *model, const char *text)
{
    struct dts_error err = {0};
    stages_must(dts_model_parse(model, "test.json", text, &err), &err);
}

/* Inputs and targets of samples first .. first + STAGE_BATCH - 1 of an endless set. */
static void stages_fill(const struct dts_model *model, struct dts_network *network,
                        uint64_t first)
{
    bool tokens, classes;
    size_t count;
    void *input = dts_network_input(network, &tokens);
    const size_t each = dts_dims_elements(&model->input);
    for (size_t i = 0; input != NULL && i < STAGE_BATCH * each; i++)
        if (tokens)
            ((int32_t *)input)[i] = (int32_t)(dts_random(11, first + i / each, i % each) % 16);
        else
            ((float *)input)[i] = (float)dts_normal(11, first + i / each, i % each);
    for (int l = 0; l < model->layer_count; l++) {
        int32_t *target = dts_network_target(network, l, &count, &classes);
        for (size_t i = 0; target != NULL && i < STAGE_BATCH * count; i++)
            target[i] = (int32_t)(dts_random(12, first + i / count, i % count) % 5);
    }
}

static struct dts_network_step stages_step(const struct stages *s, int step, int microbatch)
{
    return (struct dts_network_step){
        .number = (uint64_t)step,
        .first_sample = (uint64_t)(step * s->microbatches + microbatch) * STAGE_BATCH,
        .training = true,
        .keep_gradients = microbatch > 0,
        .loss_scale = 1.0 / s->microbatches,
    };
}

static void stages_list(const struct stages *s, struct stage *stage, int number,
                        enum schedule schedule)
{
    const int m = s->microbatches, warm = s->count - 1 - number;
    int count = 0, back = 0;
    for (int i = 0; i < m; i++) {
        stage->actions[count++] = (struct action){false, i};
        if (schedule == ONE_BY_ONE || (schedule == ONE_F_ONE_B && i >= warm))
            stage->actions[count++] = (struct action){true, back++};
    }
    for (; back < m; back++)
        stage->actions[count++] =
            (struct action){true, schedule == GPIPE_BACK ? m - 1 - back : back};
    const int deep = schedule == ONE_F_ONE_B ? warm + 1 : schedule == ONE_BY_ONE ? 1 : m;
    stage->slots = deep < m ? deep : m;
}

static void stages_open_rank(struct stages *s, int r, const struct stages_request *request)
{
    struct rank *rank = &s->rank[r];
    struct dts_error err = {0};
    rank->layout.model = s->model;
    for (int i = s->count - 1; i >= 0; i--)
        if (s->stage[i].rank == r) {
            s->stage[i].offset = rank->layout.parameters;
            dts_layout_add(&rank->layout, &s->stage[i].range);
        }
    rank->weights = dts_alloc(rank->layout.parameters, sizeof(float));
    rank->gradients = dts_alloc(rank->layout.parameters, sizeof(float));
    stages_must(dts_optimizer_make_of(&rank->optimizer, &rank->layout,
                                      dts_optimizer_find(request->optimizer), NULL, NULL, &err),
                &err);
}

/* Exits are the entries of the next stage, in as many slots as both have. */
static void stages_bind(struct stages *s)
{
    for (int i = 1; i < s->count; i++)
        for (int slot = 0; slot < s->stage[i].slots; slot++) {
            struct dts_network *before = s->stage[i - 1].network, *after = s->stage[i].network;
            dts_network_bind(after, DTS_EDGE_ENTRY, slot,
                             dts_network_edge(before, DTS_EDGE_EXIT, slot)->here);
            dts_network_bind(after, DTS_EDGE_ENTRY_GRADIENT, slot,
                             dts_network_edge(before, DTS_EDGE_EXIT_GRADIENT, slot)->here);
        }
}

static void stages_open(struct stages *s, struct dts_model *model,
                        const struct stages_request *request)
{
    struct dts_error err = {0};
    *s = (struct stages){
        .model = model, .microbatches = request->microbatches, .bound = request->bound};
    for (s->count = 1; request->cuts[s->count - 1] > 0; s->count++)
        ;
    s->ranks = request->ranks > 0 ? request->ranks : s->count;
    for (int i = 0; i < s->count; i++) {
        struct stage *stage = &s->stage[i];
        const int first = i > 0 ? request->cuts[i - 1] : 0;
        const int end = i + 1 < s->count ? request->cuts[i] : model->layer_count;
        stages_list(s, stage, i, request->schedule);
        stage->range = (struct dts_layer_range){first, end - first};
        stage->rank = i % s->ranks;
        const struct dts_network_options options = {
            .batch = STAGE_BATCH,
            .threads = 1,
            .seed = 5,
            .range = stage->range,
            .slots = stage->slots,
            .precision = request->precision,
        };
        stages_must(dts_network_make(&stage->network, model, &options, &err), &err);
    }
    for (int r = 0; r < s->ranks; r++)
        stages_open_rank(s, r, request);
    for (int i = 0; i < s->count; i++) {
        struct rank *rank = &s->rank[s->stage[i].rank];
        dts_network_use_weights(s->stage[i].network, rank->weights + s->stage[i].offset);
        dts_network_use_gradients(s->stage[i].network, rank->gradients + s->stage[i].offset);
    }
    if (s->bound)
        stages_bind(s);
}

static void stages_close(struct stages *s)
{
    for (int i = s->count - 1; i >= 0; i--)
        dts_network_free(s->stage[i].network);
    for (int r = 0; r < s->ranks; r++) {
        dts_optimizer_free(s->rank[r].optimizer);
        dts_layout_free(&s->rank[r].layout);
        free(s->rank[r].weights);
        free(s->rank[r].gradients);
    }
}

/* What a message would do: the array of one stage becomes that of another. */
static void stages_send(struct stages *s, int from, enum dts_network_edge edge, int to,
                        enum dts_network_edge arrives, int microbatch)
{
    const struct stage *a = &s->stage[from], *b = &s->stage[to];
    const struct dts_mirror *out = dts_network_edge(a->network, edge, microbatch % a->slots);
    const struct dts_mirror *in = dts_network_edge(b->network, arrives, microbatch % b->slots);
    if (s->bound) {
        CHECK(in->here == out->here);
        return;
    }
    CHECK(out != NULL && in != NULL && out->bytes == in->bytes);
    memcpy(in->here, out->here, in->bytes);
}

static void stages_forward(struct stages *s, int i, int step, int microbatch)
{
    struct stage *stage = &s->stage[i];
    const struct dts_network_step wanted = stages_step(s, step, microbatch);
    dts_network_select(stage->network, microbatch % stage->slots);
    stages_fill(s->model, stage->network, wanted.first_sample);
    if (i > 0)
        stages_send(s, i - 1, DTS_EDGE_EXIT, i, DTS_EDGE_ENTRY, microbatch);
    dts_network_begin(stage->network, &wanted);
    for (int l = stage->range.first; l < stage->range.first + stage->range.count; l++)
        dts_network_forward(stage->network, l);
    s->loss[microbatch] += dts_network_loss(stage->network);
}

static void stages_backward(struct stages *s, int i, int microbatch)
{
    struct stage *stage = &s->stage[i];
    dts_network_select(stage->network, microbatch % stage->slots);
    for (int l = stage->range.first + stage->range.count - 1; l >= stage->range.first; l--)
        dts_network_backward(stage->network, l);
    if (i > 0)
        stages_send(s, i, DTS_EDGE_ENTRY_GRADIENT, i - 1, DTS_EDGE_EXIT_GRADIENT, microbatch);
}

/* The next action of a stage, if what it waits for is there. */
static bool stages_act(struct stages *s, int i, int step)
{
    struct stage *stage = &s->stage[i];
    const struct action action = stage->actions[stage->next];
    if (stage->next == 2 * s->microbatches)
        return false;
    if (action.backward ? i + 1 < s->count && !s->stage[i + 1].done[action.microbatch]
                        : i > 0 && s->stage[i - 1].forwards <= action.microbatch)
        return false;
    stage->next++;
    if (action.backward) {
        stages_backward(s, i, action.microbatch);
        stage->done[action.microbatch] = true;
        return true;
    }
    stages_forward(s, i, step, action.microbatch);
    stage->forwards++;
    return true;
}

/* What the copies of a tensor have is added to what its owner has, or they get that. */
static void stages_exchange_borrowed(struct stages *s, bool add)
{
    for (int i = 0; i < s->count; i++) {
        const struct dts_layout *layout = dts_network_layout(s->stage[i].network);
        for (int t = 0; t < layout->count; t++) {
            const struct dts_layout_tensor *copy = &layout->tensors[t];
            int o = 0;
            while (copy->borrowed && !dts_range_has(s->model, &s->stage[o].range, copy->layer))
                o++;
            if (!copy->borrowed)
                continue;
            struct dts_network *owner = s->stage[o].network;
            float *its = dts_network_gradients(s->stage[i].network) + copy->gradient;
            float *sum = dts_network_gradients(owner) +
                         dts_network_gradient_offset(owner, copy->layer, copy->number);
            for (size_t v = 0; v < copy->param->count; v++)
                *(add ? &sum[v] : &its[v]) = add ? sum[v] + its[v] : sum[v];
        }
    }
}

static struct dts_update_settings stages_settings(const struct dts_optimizer_run *run, int step)
{
    struct dts_update_settings settings = *dts_optimizer_usual(run);
    settings.rate = 0.01;
    settings.step = step + 1;
    return settings;
}

/* All passes of a step, until no stage can go on. */
static void stages_pass(struct stages *s, int step)
{
    memset(s->loss, 0, sizeof(s->loss));
    for (int i = 0; i < s->count; i++) {
        s->stage[i].next = s->stage[i].forwards = 0;
        memset(s->stage[i].done, 0, sizeof(s->stage[i].done));
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < s->count; i++)
            moved = stages_act(s, i, step) || moved;
    }
    for (int i = 0; i < s->count; i++)
        CHECK_INT(s->stage[i].next, 2 * s->microbatches);
    stages_exchange_borrowed(s, true);
    stages_exchange_borrowed(s, false);
}

static void stages_update(struct stages *s, int step)
{
    for (int r = 0; r < s->ranks; r++) {
        const struct rank *rank = &s->rank[r];
        const struct dts_update_settings settings = stages_settings(rank->optimizer, step);
        dts_optimizer_step(rank->optimizer, &settings, rank->weights, rank->gradients, NULL);
    }
}

#endif
