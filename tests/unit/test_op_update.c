/* test_op_update.c -- every update: the host's version against the reference over several
 * steps, with one worker and with three, and both against steps worked out by hand. */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "ops/update.h"

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

static void hosts_follow_their_references(void)
{
    for (int i = 0; dts_updates[i] != NULL; i++) {
        const int before = check_failures;
        check_host(dts_updates[i], 1);
        check_host(dts_updates[i], 3);
        if (check_failures > before)
            printf("  in %s\n", dts_updates[i]->name);
    }
}

/* Two weights over two steps, worked out by hand from the formulas. */
static void check_steps(const char *name, struct dts_update_settings s, const double want[2][2])
{
    const struct dts_update *update = dts_update_find(name);
    const struct dts_place place = {0};
    static const double g[2][2] = {{0.5, -1}, {1, 0.25}};
    double w[2] = {1, -2}, state[8] = {0}, scratch[8];
    for (int i = 0; i < 2; i++) {
        s.step = i + 1;
        update->reference(&s, &(struct dts_update_arrays){2, w, g[i], state, scratch}, &place);
        CHECK_NEAR(w[0], want[i][0], 1e-9);
        CHECK_NEAR(w[1], want[i][1], 1e-9);
    }
}

static void steps_by_hand(void)
{
    // d = 0.6, -1.2; w = 0.94, -1.88; then d = 1.094, 0.062
    check_steps("sgd", (struct dts_update_settings){.rate = 0.1, .decay = 0.1},
                (const double[2][2]){{0.94, -1.88}, {0.8306, -1.8862}});
    // v = 0.6, -1.2; then v = 0.3 + 1.094, -0.6 + 0.062
    check_steps("momentum",
                (struct dts_update_settings){.rate = 0.1, .decay = 0.1, .momentum = 0.5},
                (const double[2][2]){{0.94, -1.88}, {0.8006, -1.8262}});
    // v = 0.6, -1.2, d + v / 2 = 0.9, -1.8: w = 0.91, -1.82; then d = 1.091, 0.068, v = 1.391,
    // -0.532, d + v / 2 = 1.7865, -0.198
    check_steps("nesterov",
                (struct dts_update_settings){.rate = 0.1, .decay = 0.1, .momentum = 0.5},
                (const double[2][2]){{0.91, -1.82}, {0.73135, -1.8002}});
}

TESTS(TEST(hosts_follow_their_references), TEST(steps_by_hand))
