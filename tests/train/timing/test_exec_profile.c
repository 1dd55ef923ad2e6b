/* test_exec_profile.c -- what a profile measures of a network, and what passes before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "train/timing/profile_entries.h"

/* Two like layers, whose input the last one takes, too: 40,000 weights each. */
static const char text[] =
    "{\"name\": \"twice\", \"sample\": \"vector\", \"input\": [200], \"layers\": ["
    "{\"name\": \"a\", \"kind\": \"linear\", \"outputs\": 200, \"bias\": false},"
    "{\"name\": \"b\", \"kind\": \"linear\", \"outputs\": 200, \"bias\": false},"
    "{\"name\": \"c\", \"kind\": \"linear\", \"outputs\": 200, \"bias\": false},"
    "{\"name\": \"d\", \"kind\": \"add\", \"input\": [\"c\", \"a\"]},"
    "{\"name\": \"loss\", \"kind\": \"mean_squared_error\"}]}";

static const int batches[] = {1, 1000};

/* The model and its entries; the request points to the model. */
struct fixture {
    struct dts_model model;
    const struct dts_optimizer *optimizers[3];
    struct dts_profile_request request;
    struct dts_profile_entries entries;
};

static bool begin(struct fixture *f)
{
    struct dts_error err = {0};
    *f = (struct fixture){.request = {.models = &f->model, .model_count = 1}};
    f->request.batches = batches;
    f->request.batch_count = 2;
    f->optimizers[0] = dts_optimizer_find("momentum");
    f->optimizers[1] = dts_optimizer_find("adam");
    f->optimizers[2] = dts_optimizer_find("sgd");
    f->request.optimizers = f->optimizers;
    f->request.optimizer_count = 3;
    if (!CHECK(dts_model_parse(&f->model, "twice", text, &err)))
        return false;
    dts_profile_entries_find(&f->request, &f->entries);
    return true;
}

static void end(struct fixture *f)
{
    dts_profile_entries_free(&f->entries);
    dts_model_free(&f->model);
}

static const struct dts_profile_entry *find(const struct fixture *f, const char *call)
{
    return dts_profile_entry_of(&f->entries, call);
}

static void every_distinct_call_is_measured_once_with_what_is_beside(void)
{
    struct fixture f;
    if (!begin(&f))
        return;
    const struct dts_profile_entry *same = find(&f, "linear 200 > 200");
    CHECK(same != NULL && same->uses == 2);
    CHECK(find(&f, "linear 200 > 200 first") != NULL);
    CHECK(find(&f, "add 2 of 200 > 200") != NULL);
    const struct dts_profile_entry *clear = find(&f, "gradient_clear 40000 > 40000");
    CHECK(clear != NULL && clear->uses == 3);
    CHECK(find(&f, "gradient_sum 2 of 200 > 200") != NULL);
    CHECK_INT(f.entries.count, 6); // and the loss
    end(&f);
}

/* Every call takes `each_s` both ways at the first batch, and a second at the other. */
static void take(struct fixture *f, double each_s)
{
    for (int i = 0; i < f->entries.count; i++)
        for (int b = 0; b < 2; b++) {
            struct dts_kernel_times *times = &f->entries.items[i].times[b];
            times->forward.seconds[0] = times->backward.seconds[0] = b == 0 ? each_s : 1;
            times->forward.count = times->backward.count = 1;
        }
}

static void what_passes_before_a_call_is_what_lies_between_two_uses_of_its_weights(void)
{
    struct fixture f;
    if (!begin(&f))
        return;
    struct dts_runs updates[3] = {{.count = 1, .seconds = {2e-4}}};
    const struct dts_profile_entry *first = find(&f, "linear 200 > 200 first");
    struct dts_gap gap = dts_profile_gap(&f.request, &f.entries, first, 0, false);
    CHECK(isinf(gap.bytes)); // nothing is known
    CHECK_NEAR(gap.seconds, DTS_FORGOTTEN_S, 0);
    take(&f, 1e-4);
    dts_profile_find_steps(&f.request, &f.entries, updates, NULL);
    // nine calls forward, as long backward, and the update: 2 ms
    gap = dts_profile_gap(&f.request, &f.entries, first, 0, false);
    CHECK_NEAR(gap.seconds, 2e-4 * 2 / 3, 1e-12); // the update of the other two products
    // weights, gradients and momentum of the other two
    CHECK_NEAR(gap.bytes, 4 * 3 * 80000.0, 1);
    gap = dts_profile_gap(&f.request, &f.entries, first, 0, true);
    // both ways of the other two of three products; the sum and the loss are small
    CHECK_NEAR(gap.seconds, 18e-4 * 2 / 3, 0.01 * 18e-4);
    // their weights and gradients, and what four calls leave of a sample, once each way
    CHECK_NEAR(gap.bytes, 2 * 4 * (2 * 80000.0 + 3 * 200 + 1), 1);
    gap = dts_profile_gap_unused(&f.request, &f.entries, first, 0);
    CHECK_NEAR(gap.seconds, 0, 0); // it is the last one backward, and updated first
    CHECK_NEAR(gap.bytes, 0, 0);
    const struct dts_profile_entry *same = find(&f, "linear 200 > 200");
    CHECK_NEAR(same->before.operations, 0.5, 0.01); // one and two of three products are
    gap = dts_profile_gap_unused(&f.request, &f.entries, same, 0);
    CHECK_NEAR(gap.seconds, 9e-4 * same->before.operations + 2e-4 / 2, 1e-12);
    // weights, gradients and outputs backward; then what the update has besides, the momentum
    CHECK_NEAR(gap.bytes, 4 * (2 * 60000.0 + 300 + 60000.0), 1);
    gap = dts_profile_gap(&f.request, &f.entries, same, 0, false);
    // one of three is after the one, none after the other
    CHECK_NEAR(same->after.parameters, 1.0 / 6, 1e-12);
    CHECK_NEAR(gap.seconds, 2e-4 / 6 + same->before.operations * 9e-4, 1e-12);
    gap = dts_profile_gap(&f.request, &f.entries, find(&f, "gradient_clear 40000 > 40000"), 0,
                          false);
    CHECK_NEAR(gap.seconds, 2e-4 / 3 + 3e-4,
               1e-6); // a third of the layers is before the mean one
    gap = dts_profile_gap(&f.request, &f.entries, find(&f, "gradient_sum 2 of 200 > 200"), 0,
                          true);
    CHECK_NEAR(gap.seconds, 20e-4 / 3, 1e-12);
    // all that a step touches: weights, gradients and momentum, and its outputs
    CHECK_NEAR(gap.bytes, 4 * (3 * 120000.0 + 801), 1);
    // two arrays of three were used a third of backward and of the update ago, the other one a
    // step ago; each run of the update is an update behind the one before
    gap = dts_profile_gap_update(&f.request, &f.entries, 0, 0);
    CHECK_NEAR(gap.seconds, (2 * (3e-4 + 2e-4 / 3) + 20e-4) / 3 - 2e-4, 1e-6);
    CHECK_INT(updates[0].count, 0);
    for (int i = 0; i < f.entries.count; i++)
        CHECK_INT(f.entries.items[i].times[0].forward.count, 0); // had waited too long
    CHECK_INT(first->times[1].forward.count, 0);
    CHECK_INT(first->times[1].backward.count, 1); // seconds pass
    end(&f);
}

/* The update by the optimizer of that number takes `update_s` and reads so many values of a
 * weight that are neither it nor its gradient; steps take 1.8 ms beside it. */
static void check_update(const struct fixture *f, int optimizer, double update_s, int states)
{
    const struct dts_gap gap = dts_profile_gap_update(&f->request, &f->entries, 0, optimizer);
    const double mean_s =
        (2 * (3e-4 + update_s / 3) + states * (18e-4 + update_s)) / (2 + states);
    CHECK_NEAR(gap.seconds, fmax(mean_s - update_s, 0), 1e-6);
    // of a sample: outputs of none, one and two products; of four calls and the loss
    CHECK_NEAR(gap.bytes, 4 * (2 * 200 + states * 801) / (2 + states), 1);
}

static void each_update_follows_on_steps_that_update_as_it_does(void)
{
    struct fixture f;
    if (!begin(&f))
        return;
    struct dts_runs updates[3] = {{.count = 1, .seconds = {2e-4}},
                                  {.count = 1, .seconds = {6e-4}},
                                  {.count = 1, .seconds = {1e-4}}};
    take(&f, 1e-4);
    dts_profile_find_steps(&f.request, &f.entries, updates, NULL);
    check_update(&f, 0, 2e-4, 1);
    check_update(&f, 1, 6e-4, 2);
    check_update(&f, 2, 1e-4, 0);
    // nobody updates: nothing is told of that
    f.request.optimizer_count = 0;
    const struct dts_profile_entry *first = find(&f, "linear 200 > 200 first");
    const struct dts_gap gap = dts_profile_gap(&f.request, &f.entries, first, 0, false);
    CHECK_NEAR(gap.seconds, 0, 0);
    CHECK_NEAR(gap.bytes, 4 * 2 * 80000.0, 1);
    end(&f);
}

TESTS(TEST(each_update_follows_on_steps_that_update_as_it_does),
      TEST(every_distinct_call_is_measured_once_with_what_is_beside),
      TEST(what_passes_before_a_call_is_what_lies_between_two_uses_of_its_weights))
