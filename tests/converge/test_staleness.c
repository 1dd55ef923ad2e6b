/* test_staleness.c -- what late gradients cost, by values of the closed form. */
#include <stdlib.h>

#include "check.h"
#include "converge/loss.h"
#include "converge/profile.h"

/* sqrt(most mean) of a fixed rate, the mean of one that is divided by the delay. */
static void the_delay_follows_from_mean_and_most(void)
{
    const struct dts_staleness late = {3, 12};
    CHECK_NEAR(dts_staleness_delay(&late, false), 6, 1e-12);
    CHECK_NEAR(dts_staleness_delay(&late, true), 3, 0);
    CHECK_NEAR(dts_staleness_delay(&(struct dts_staleness){0, 7}, false), 0, 0);
}

/* Far below the critical batch late gradients cost nothing; far above it each update of delay
 * is a whole step. */
static void steps_grow_near_the_critical_batch_and_not_below(void)
{
    const struct dts_law plain = {100, 1000, 1}, bent = {100, 1000, 2};
    CHECK_NEAR(dts_staleness_batch(32, 7, 1), 256, 0);
    CHECK_NEAR(dts_staleness_factor(&plain, 1000, 7, 1), 4.5, 1e-12); // 900 for 200
    CHECK_NEAR(dts_staleness_factor(&plain, 10, 7, 1), 1.0693069, 1e-6);
    CHECK_NEAR(dts_staleness_factor(&bent, 1000, 7, 1), 5.7008771, 1e-6); // sqrt(65/2)
    CHECK_NEAR(dts_staleness_factor(&plain, 1e6, 7, 0.5), 4.5, 5e-3);     // 1 + c tau
    CHECK_NEAR(dts_staleness_factor(&plain, 1000, 0, 1), 1, 0);
}

#define PROFILE(more)                                                                          \
    "{\"summary\": \"s\", \"model\": \"m\", \"dataset\": \"d\", \"optimizer\": \"o\", "        \
    "\"target\": \"t\", \"sample\": \"image\", \"unit\": \"epochs\", \"epoch_samples\": "      \
    "1000, \"form\": \"points\", \"source\": \"x\", " more                                     \
    "\"points\": [{\"batch\": 10, \"seeds\": 4, \"mean\": 5}, {\"batch\": 100, \"seeds\": 4, " \
    "\"mean\": 9}]}"

static bool read(struct dts_convergence *profile, const char *text, struct dts_error *err)
{
    struct dts_doc *doc;
    *err = (struct dts_error){0};
    return dts_doc_parse(&doc, "convergence/x.json", text, err) &&
           dts_convergence_read(profile, doc, err);
}

/* Batch 20 with late gradients. */
static bool ask(const struct dts_convergence *profile, double delay, struct dts_need *need,
                struct dts_error *err)
{
    const struct dts_need_question question = {.batch = 20, .delay = delay};
    return dts_convergence_ask(profile, &question, need, err);
}

/* A batch of 20 whose gradients are one update late counts as 40, which needs a third of the
 * way from 5 to 9 epochs; c is between 0.5 (30) and 2 (60). */
static void a_profile_is_asked_for_the_batch_that_late_gradients_make(void)
{
    struct dts_convergence profile;
    struct dts_error err;
    struct dts_need need, alone;
    struct dts_text doubt = {0};
    if (!CHECK(read(&profile, PROFILE(""), &err)))
        return;
    CHECK(ask(&profile, 1, &need, &err));
    CHECK(dts_convergence_predict(&profile, 40, 0, &alone, &err));
    const double mean = 5 + 4 / 3.0;
    CHECK_NEAR(need.counts_as, 40, 0);
    CHECK_NEAR(need.units.mean, mean, 1e-12);
    CHECK_NEAR(need.steps, 317, 0); // 6,333 samples of 20, not of 40
    CHECK_NEAR(log(need.units.high / mean),
               hypot(log(alone.units.high / mean), log((5 + 20 / 9.0) / mean)), 1e-12);
    CHECK_NEAR(log(mean / need.units.low),
               hypot(log(mean / alone.units.low), log(mean / (5 + 8 / 9.0))), 1e-12);
    CHECK(!ask(&profile, 3, &need, &err)); // c 2: 140
    CHECK(strstr(err.text, "says nothing of batch 140") != NULL);
    need = (struct dts_need){
        .outside = 4, .batches = {10, 100}, .batch_count = 4, .counts_as = 400};
    dts_need_doubt(&need, 100, &doubt);
    CHECK_STRING(dts_text_string(&doubt),
                 "batch 100, by late gradients as one of 400, is 4 times outside the published "
                 "ones, 10 to 100: nobody is known to have got there with so large a one");
    dts_text_free(&doubt);
    dts_convergence_free(&profile);
}

/* The perceptron on Fashion-MNIST by plain SGD to 80 %, as `dtsim converge` measured it in time
 * (the profile) and with gradients N updates late (--delay N): samples, the mean of three seeds
 * at the best rate. With c = 1 all are foretold within a sixth; a step that each update of
 * delay made as much longer would be 22 to 322 % off. */
#define MEASURED                                                                               \
    "{\"summary\": \"s\", \"model\": \"mlp\", \"dataset\": \"d\", \"optimizer\": \"sgd\", "    \
    "\"target\": \"80 %\", \"sample\": \"image\", \"unit\": \"samples\", \"source\": "         \
    "\"measured\", "                                                                           \
    "\"points\": [{\"batch\": 8, \"seeds\": 3, \"mean\": 3925, \"cv\": 0.27, "                 \
    "\"evaluated_every\": "                                                                    \
    "512}, {\"batch\": 32, \"seeds\": 3, \"mean\": 6827, \"cv\": 0.31, \"evaluated_every\": "  \
    "1024}, "                                                                                  \
    "{\"batch\": 64, \"seeds\": 3, \"mean\": 8704, \"cv\": 0.2, \"evaluated_every\": 512}, "   \
    "{\"batch\": 64, \"seeds\": 3, \"mean\": 9899, \"cv\": 0.26, \"evaluated_every\": 1024}, " \
    "{\"batch\": 256, \"seeds\": 3, \"mean\": 20480, \"cv\": 0.087, \"evaluated_every\": "     \
    "1024}]}"

static void trainings_with_late_gradients_are_foretold(void)
{
    static const struct {
        int delay, batch;
        double samples;
    } measured[] = {{7, 8, 8704},   {1, 32, 9216},  {1, 64, 12971},  {1, 256, 34475},
                    {3, 32, 14677}, {3, 64, 18091}, {3, 256, 63829}, {7, 32, 21163},
                    {7, 64, 40960}, {7, 64, 37205}, {7, 256, 128683}};
    struct dts_convergence profile;
    struct dts_error err;
    if (!CHECK(read(&profile, MEASURED, &err)))
        return;
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        const struct dts_need_question question = {.batch = measured[i].batch,
                                                   .delay = measured[i].delay};
        struct dts_need need, alone;
        CHECK(dts_convergence_ask(&profile, &question, &need, &err));
        CHECK(dts_convergence_predict(&profile, measured[i].batch, 0, &alone, &err));
        CHECK_CLOSE(need.samples, measured[i].samples, 0.2);
        CHECK(need.samples_low < measured[i].samples &&
              measured[i].samples < need.samples_high);
        CHECK(alone.samples * (1 + measured[i].delay) > 1.2 * measured[i].samples);
    }
    dts_convergence_free(&profile);
}

static void a_profile_can_have_its_own_cost(void)
{
    struct dts_convergence profile;
    struct dts_error err;
    struct dts_need need;
    char *text = NULL;
    size_t length;
    CHECK(read(&profile, PROFILE(""), &err));
    CHECK(profile.staleness.c == 1 && profile.staleness.factor == 2);
    dts_convergence_free(&profile);
    if (!CHECK(
            read(&profile, PROFILE("\"staleness\": {\"c\": 0.5, \"factor\": 1.25}, "), &err)))
        return;
    CHECK(ask(&profile, 3, &need, &err));
    CHECK_NEAR(need.counts_as, 50, 0);
    FILE *out = open_memstream(&text, &length);
    dts_convergence_print(&profile, out);
    fclose(out);
    dts_convergence_free(&profile);
    if (CHECK(read(&profile, text, &err))) {
        CHECK(profile.staleness.c == 0.5 && profile.staleness.factor == 1.25);
        dts_convergence_free(&profile);
    }
    free(text);
}

static void tokens_until_a_loss_grow_by_the_same_law(void)
{
    struct dts_forecast late, large;
    CHECK(dts_loss_predict_late(1e9, 2.6, 1e6, 3, &late));
    CHECK(dts_loss_predict(1e9, 2.6, 4e6, &large));
    CHECK_NEAR(late.mean, large.mean, 1e-9 * large.mean);
    CHECK(late.high > large.high && late.low < large.low);
    CHECK(!dts_loss_predict_late(1e9, 1.8, 1e6, 3, &late));
}

TESTS(TEST(the_delay_follows_from_mean_and_most),
      TEST(steps_grow_near_the_critical_batch_and_not_below),
      TEST(a_profile_is_asked_for_the_batch_that_late_gradients_make),
      TEST(trainings_with_late_gradients_are_foretold), TEST(a_profile_can_have_its_own_cost),
      TEST(tokens_until_a_loss_grow_by_the_same_law))
