/* test_op_update.c -- every update: the host's version against the reference over several
 * steps, with one worker and with three. What they are held to from elsewhere is
 * test_op_update_oracle.c. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "gpu_here.h"
#include "kernels/update/update.h"
#include "train/model/model.h"

enum { COUNT = 9001, STEPS = 5 }; // more than one block, and no multiple of one

static struct dts_update_settings settings_of(const struct dts_update *update, long step)
{
    struct dts_update_settings s = update->usual;
    s.rate = 0.05;
    s.decay = 0.01;
    s.step = step;
    return s;
}

/* An update in double or in float, on the same numbers. */
struct run {
    double w[COUNT], g[COUNT];
    float fw[COUNT], fg[COUNT];
    double *state;
    float *fstate;
    void *scratch;
};

static struct run *run_new(const struct dts_update *update)
{
    struct run *r = calloc(1, sizeof(*r));
    const size_t values = dts_update_state_values(update, COUNT);
    r->state = calloc(values + 1, sizeof(double));
    r->fstate = calloc(values + 1, sizeof(float));
    r->scratch = malloc(dts_update_scratch_bytes(update, COUNT) + 1);
    for (size_t i = 0; i < COUNT; i++)
        r->w[i] = r->fw[i] = (float)dts_normal(3, 0, i);
    return r;
}

static void run_free(struct run *r)
{
    free(r->state);
    free(r->fstate);
    free(r->scratch);
    free(r);
}

static void check_host(const struct dts_update *update, int threads)
{
    struct run *r = run_new(update);
    struct dts_workers *workers = dts_workers_new(threads);
    const struct dts_place place = {.workers = workers};
    for (long step = 1; step <= STEPS; step++) {
        for (size_t i = 0; i < COUNT; i++)
            r->g[i] = r->fg[i] = (float)dts_normal(3, (uint64_t)step, i);
        const struct dts_update_settings s = settings_of(update, step);
        update->reference(
            &s, &(struct dts_update_arrays){COUNT, r->w, r->g, r->state, r->scratch}, &place);
        update->host(&s,
                     &(struct dts_update_arrays){COUNT, r->fw, r->fg, r->fstate, r->scratch},
                     &place);
    }
    // about ten roundings a step, of numbers near 1
    for (size_t i = 0; i < COUNT; i++)
        CHECK_NEAR((double)r->fw[i], r->w[i], 10 * STEPS * 0x1p-24 * (1 + fabs(r->w[i])));
    dts_workers_free(workers);
    run_free(r);
}

static void *on_gpu(struct dts_gpu *gpu, const void *from, size_t bytes, struct dts_error *err)
{
    void *memory = NULL;
    CHECK(dts_gpu_alloc(&memory, bytes, err));
    if (from != NULL)
        CHECK(dts_gpu_write(gpu, memory, from, bytes, err));
    return memory;
}

/* The GPU's version over the same steps. */
static void check_gpu(const struct dts_update *update, struct dts_gpu *gpu)
{
    struct run *r = run_new(update);
    struct dts_error err = {0};
    const size_t values = dts_update_state_values(update, COUNT);
    float *g = on_gpu(gpu, NULL, sizeof(r->fg), &err);
    const struct dts_update_arrays there = {
        COUNT, on_gpu(gpu, r->fw, sizeof(r->fw), &err), g,
        on_gpu(gpu, r->fstate, (values + 1) * sizeof(float), &err),
        on_gpu(gpu, NULL, dts_update_scratch_bytes(update, COUNT) + 1, &err)};
    for (long step = 1; step <= STEPS; step++) {
        for (size_t i = 0; i < COUNT; i++)
            r->g[i] = r->fg[i] = (float)dts_normal(3, (uint64_t)step, i);
        const struct dts_update_settings s = settings_of(update, step);
        const struct dts_update_arrays here = {COUNT, r->w, r->g, r->state, r->scratch};
        update->reference(&s, &here, &(struct dts_place){0});
        CHECK(dts_gpu_write(gpu, g, r->fg, sizeof(r->fg), &err));
        update->cuda(&s, &there, dts_gpu_place(gpu));
        CHECK(dts_gpu_wait(gpu, &err));
    }
    CHECK(dts_gpu_read(gpu, r->fw, there.w, sizeof(r->fw), &err));
    for (size_t i = 0; i < COUNT; i++)
        CHECK_NEAR((double)r->fw[i], r->w[i], 10 * STEPS * 0x1p-24 * (1 + fabs(r->w[i])));
    dts_gpu_free(there.w);
    dts_gpu_free(g);
    dts_gpu_free(there.state);
    dts_gpu_free(there.scratch);
    run_free(r);
}

static void gpus_follow_their_references(void)
{
    struct dts_gpu *gpu;
    OP_GPU_OPEN(&gpu);
    for (int i = 0; dts_updates[i] != NULL; i++)
        if (CHECK(dts_updates[i]->cuda != NULL))
            check_gpu(dts_updates[i], gpu);
    dts_gpu_close(gpu);
}

static void hosts_follow_their_references(void)
{
    for (int i = 0; dts_updates[i] != NULL; i++) {
        const int before = check_failures;
        check_host(dts_updates[i], 1);
        check_host(dts_updates[i], 3);
        if (check_failures > before)
            printf("  in %s\n", dts_updates[i]->optimizer->name);
    }
}

/* Two weights over two steps, worked out by hand. */
static const struct {
    const char *name;
    struct dts_update_settings settings;
    double want[2][2];
} examples[] = {
    // d = 0.6, -1.2; then d = 1.094, 0.062
    {"sgd", {.rate = 0.1, .decay = 0.1}, {{0.94, -1.88}, {0.8306, -1.8862}}},
    // v = 0.6, -1.2; then v = 0.3 + 1.094, -0.6 + 0.062
    {"momentum",
     {.rate = 0.1, .decay = 0.1, .momentum = 0.5},
     {{0.94, -1.88}, {0.8006, -1.8262}}},
    // v = 0.6, -1.2, d + v / 2 = 0.9, -1.8; then d = 1.091, 0.068, v = 1.391, -0.532
    {"nesterov",
     {.rate = 0.1, .decay = 0.1, .momentum = 0.5},
     {{0.91, -1.82}, {0.73135, -1.8002}}},
    // m/(1 - b1^t) over sqrt(v/(1 - b2^t)) is 1, -1; then (5/6)/sqrt(3/4), -(1/6)/sqrt(3/8)
    {"adam",
     {.rate = 0.1, .beta1 = 0.5, .beta2 = 0.5},
     {{0.9, -1.9}, {0.8037749551, -1.872783447}}},
    // local = 0.1 sqrt(5)/sqrt(1.25) = 0.2; then 0.1 x 0.99 sqrt(5)/sqrt(1.0625)
    {"lars",
     {.rate = 0.1, .momentum = 0.5, .trust = 0.1},
     {{0.99, -1.98}, {0.9635238847, -1.975369029}}},
    // adam's change times |w|/|change|: sqrt(5)/sqrt(2) at first
    {"lamb",
     {.rate = 0.1, .beta1 = 0.5, .beta2 = 0.5, .trust = 1},
     {{0.841886117, -1.841886117}, {0.6470139675, -1.78676795}}},
    // g/sqrt(1.25); then half of that and g/sqrt((1.25 + 1.0625)/2)
    {"novograd",
     {.rate = 0.1, .beta1 = 0.5, .beta2 = 0.5},
     {{0.9552786405, -1.910557281}, {0.8399198497, -1.889085449}}},
};

static void steps_are_as_worked_out_by_hand(void)
{
    static const double g[2][2] = {{0.5, -1}, {1, 0.25}};
    const struct dts_place place = {0};
    for (size_t e = 0; e < sizeof(examples) / sizeof(examples[0]); e++) {
        struct dts_update_settings s = examples[e].settings;
        double w[2] = {1, -2}, state[8] = {0}, scratch[8];
        for (int t = 0; t < 2; t++) {
            s.step = t + 1;
            dts_update_find(examples[e].name)
                ->reference(&s, &(struct dts_update_arrays){2, w, g[t], state, scratch},
                            &place);
            for (int i = 0; i < 2; i++)
                check_near(w[i], examples[e].want[t][i], 1e-9, __FILE__, __LINE__,
                           examples[e].name);
        }
    }
}

/* What can be chosen, and predicted, is what can be carried out. */
static void updates_are_those_of_the_optimizers(void)
{
    int count = 0;
    for (int i = 0; dts_updates[i] != NULL; i++, count++) {
        const struct dts_optimizer *optimizer = dts_updates[i]->optimizer;
        if (!CHECK(dts_optimizer_find(optimizer->name) == optimizer))
            printf("  %s\n", optimizer->name);
        CHECK(optimizer->momentum == (dts_updates[i]->usual.momentum > 0));
    }
    for (int i = 0; dts_optimizers[i] != NULL; i++)
        count--;
    CHECK_INT(count, 0);
}

/* A tensor of zeros, or without a gradient, neither divides by zero nor moves by itself. */
static void norms_of_zero_do_no_harm(void)
{
    const struct dts_place place = {0};
    for (int i = 0; dts_updates[i] != NULL; i++) {
        struct dts_update_settings s = settings_of(dts_updates[i], 1);
        s.decay = 0;
        float w[3] = {0}, g[3] = {0}, state[8] = {0};
        double scratch[8];
        const struct dts_update_arrays a = {3, w, g, state, scratch};
        dts_updates[i]->host(&s, &a, &place);
        CHECK(w[0] == 0 && w[1] == 0 && w[2] == 0);
        g[1] = 1;
        s.step = 2;
        dts_updates[i]->host(&s, &a, &place);
        CHECK(isfinite(w[1]) && w[1] < 0 && w[0] == 0);
    }
}

TESTS(TEST(hosts_follow_their_references), TEST(gpus_follow_their_references),
      TEST(steps_are_as_worked_out_by_hand), TEST(updates_are_those_of_the_optimizers),
      TEST(norms_of_zero_do_no_harm))
