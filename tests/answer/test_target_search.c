/* test_target_search.c -- rates and laws of runs whose needs are known, by no training at all.
 */
#include <stdlib.h>
#include <unistd.h>

#include "answer/trials/answer.h"
#include "check.h"

/* A network that needs so many samples at its best rate, which grows with the batch up to a
 * limit; a rate a factor of 2 away needs `steep` more. */
struct toy {
    struct dts_law law;
    double best_at_16, most_rate, steep;
    double seeds;    // relative difference of each seed from the one before
    int runs, ended; // carried out; those that did not get there
};

static double best_rate(const struct toy *toy, double batch)
{
    return fmin(toy->best_at_16 * batch / 16, toy->most_rate);
}

static void train(void *self, const struct dts_target_run *run, struct dts_target_end *end)
{
    struct toy *toy = self;
    const double off = log2(run->rate / best_rate(toy, run->batch));
    const double need = dts_law_at(&toy->law, run->batch) * (1 + toy->steep * off * off) *
                        (1 + toy->seeds * (run->seed - 2));
    const double steps = ceil(need / run->every) * run->every;
    *end = (struct dts_target_end){
        .reached = steps <= run->most_samples,
        .samples = fmin(steps, run->most_samples),
        .noise = {16, run->batch, 10, 100 + 10 * (run->seed - 2), 0.01}};
    toy->runs++;
    toy->ended += !end->reached;
}

static const int batches[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
enum { BATCHES = sizeof(batches) / sizeof(batches[0]) };

/* All of a search. */
struct trial {
    struct dts_scenario scenario;
    struct dts_target_request request;
    struct dts_target_store store;
    struct dts_target_runner runner;
    struct dts_target_point points[BATCHES];
    char path[64];
};

static void begin(struct trial *t, struct toy *toy, const char *rule)
{
    static const struct dts_optimizer *sgd;
    struct dts_error err = {0};
    sgd = dts_optimizer_find("sgd");
    *t = (struct trial){
        .scenario = {.seed = 1,
                     .optimizer = sgd,
                     .dataset = {.name = "made", .samples = 60000},
                     .model = {.sample = "image", .name = "toy"},
                     .live = {.learning_rate = 0.01, .schedule = {.kind = "constant"}}}};
    snprintf(t->path, sizeof(t->path), "/tmp/dtsim_target_%d.runs", (int)getpid());
    unlink(t->path);
    CHECK(dts_target_store_open(&t->store, t->path, 7, &err));
    t->request = (struct dts_target_request){.scenario = &t->scenario,
                                             .batches = batches,
                                             .batch_count = BATCHES,
                                             .seeds = 3,
                                             .rule = rule,
                                             .accuracy = 0.8,
                                             .every = 16,
                                             .test_samples = 100,
                                             .microbatch = 16,
                                             .most_samples = 1e7};
    t->runner = (struct dts_target_runner){
        .store = &t->store, .run_here = train, .self = toy, .at_once = 1};
}

static void end(struct trial *t)
{
    dts_target_store_close(&t->store);
    unlink(t->path);
}

/* The guess is a factor of 8 too high at first, and far too high where rates no longer grow. */
static void the_best_rate_of_each_batch_is_found(void)
{
    struct toy toy = {
        .law = {10000, 300, 1}, .best_at_16 = 0.01 / 8, .most_rate = 0.01, .steep = 0.6};
    struct dts_error err = {0};
    struct trial t;
    begin(&t, &toy, DTS_TARGET_SEARCH);
    CHECK(dts_target_search(&t.request, &t.runner, t.points, &err));
    for (int b = 0; b < BATCHES; b++) {
        CHECK(t.points[b].reached);
        CHECK_CLOSE(t.points[b].rate, best_rate(&toy, batches[b]), 1e-12);
        CHECK_CLOSE(t.points[b].mean, dts_law_at(&toy.law, batches[b]), 0.002);
        CHECK_NEAR(t.points[b].cv, 0, 0);
    }
    CHECK(toy.ended > 0); // runs that cannot win are ended
    CHECK(toy.runs < BATCHES * 3 * 7);
    end(&t);
}

static void the_law_comes_back(void)
{
    struct toy toy = {.law = {10000, 300, 1.1},
                      .best_at_16 = 0.01,
                      .most_rate = 0.08,
                      .steep = 0.2,
                      .seeds = 0.05};
    struct dts_target_answer a;
    struct dts_error err = {0};
    struct trial t;
    begin(&t, &toy, DTS_TARGET_SEARCH);
    CHECK(dts_target_search(&t.request, &t.runner, t.points, &err));
    CHECK(dts_target_answer(&t.request, t.points, "a toy", &a, &err));
    CHECK_CLOSE(a.e_min[0], 10000.0, 0.03);
    CHECK_CLOSE(a.b_c[0], 300.0, 0.05);
    CHECK_CLOSE(a.s_min[0], 10000.0 / 300, 0.03);
    CHECK(a.b_c[1] < 300 && 300 < a.b_c[2] && a.b_c[2] < 1.5 * a.b_c[1]);
    CHECK_INT(a.foretold, BATCHES);
    CHECK_INT(a.held, BATCHES);
    CHECK_CLOSE(t.points[0].cv, 0.05, 0.05);
    CHECK_NEAR(t.points[0].noise.scale, 100, 1e-9); // of 90, 100 and 110, which differ by more
    CHECK_NEAR(t.points[0].noise.spread, 0.1 / sqrt(3), 1e-9); // than each says of itself
    CHECK_INT(t.points[0].noise.steps, 30);
    CHECK_INT(a.noise_batch, 256);
    struct dts_need need;
    CHECK(dts_convergence_predict(&a.profile, 96, 0, &need, &err));
    CHECK_CLOSE(need.samples, dts_law_at(&toy.law, 96), 0.03);
    dts_target_answer_free(&a);
    end(&t);
}

static void a_rule_is_followed_without_a_search(void)
{
    struct toy toy = {.law = {10000, 300, 1}, .best_at_16 = 0.01, .most_rate = 1};
    struct dts_error err = {0};
    struct trial t;
    begin(&t, &toy, "square_root");
    CHECK(dts_target_search(&t.request, &t.runner, t.points, &err));
    CHECK_INT(toy.runs, BATCHES * 3);
    for (int b = 0; b < BATCHES; b++)
        CHECK_CLOSE(t.points[b].rate, 0.01 * sqrt(batches[b] / 16.0), 1e-12);
    end(&t);
}

static void a_target_out_of_reach_is_an_error(void)
{
    struct toy toy = {.law = {1e9, 300, 1}, .best_at_16 = 0.01, .most_rate = 1};
    struct dts_target_answer a;
    struct dts_error err = {0};
    struct trial t;
    begin(&t, &toy, DTS_TARGET_SEARCH);
    CHECK(dts_target_search(&t.request, &t.runner, t.points, &err));
    CHECK(!t.points[0].reached);
    CHECK(!dts_target_answer(&t.request, t.points, "a toy", &a, &err));
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    CHECK(strstr(err.text, "0 of 8 batches reached 80 %") != NULL);
    dts_target_answer_free(&a);
    end(&t);
}

static void the_noise_of_a_point_has_an_interval(void)
{
    struct dts_target_point p = {.noise = {.steps = 30, .scale = 100, .spread = 0.05}};
    double noise[3];
    dts_target_noise_of(&p, noise);
    CHECK_NEAR(noise[0], 100, 0);
    CHECK_NEAR(noise[1], 100 - 5 * DTS_FIT_Z80, 1e-9);
    CHECK_NEAR(noise[2], 100 + 5 * DTS_FIT_Z80, 1e-9);
    p.noise.steps = 0;
    dts_target_noise_of(&p, noise);
    CHECK(isnan(noise[0]));
}

static void runs_are_kept_and_found_again(void)
{
    struct toy toy = {.law = {10000, 300, 1}, .best_at_16 = 0.01, .most_rate = 1};
    struct dts_target_store other;
    struct dts_error err = {0};
    struct trial t;
    begin(&t, &toy, "linear");
    CHECK(dts_target_search(&t.request, &t.runner, t.points, &err));
    CHECK(dts_target_store_open(&other, t.path, 7, &err));
    CHECK_INT(other.count, BATCHES * 3);
    for (size_t i = 0; i < other.count; i++) {
        const struct dts_target_end *found =
            dts_target_store_find(&other, &t.store.kept[i].run);
        CHECK(found != NULL && found->samples == t.store.kept[i].end.samples);
    }
    struct dts_target_run unknown = other.kept[0].run;
    unknown.seed += 100;
    CHECK(dts_target_store_find(&other, &unknown) == NULL);
    dts_target_store_close(&other);
    CHECK(!dts_target_store_open(&other, t.path, 8, &err));
    CHECK(strstr(err.text, "another scenario") != NULL);
    dts_target_store_close(&other);
    end(&t);
}

TESTS(TEST(the_best_rate_of_each_batch_is_found), TEST(the_law_comes_back),
      TEST(a_rule_is_followed_without_a_search), TEST(a_target_out_of_reach_is_an_error),
      TEST(the_noise_of_a_point_has_an_interval), TEST(runs_are_kept_and_found_again))
