/* test_exec_profile.c -- what a profile measures of a network, and after what rest. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "exec/profile_entries.h"

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
    struct dts_profile_request request;
    struct dts_profile_entries entries;
};

static bool begin(struct fixture *f)
{
    struct dts_error err = {0};
    *f = (struct fixture){.request = {.models = &f->model, .model_count = 1}};
    f->request.batches = batches;
    f->request.batch_count = 2;
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
    for (int i = 0; i < f->entries.count; i++)
        if (strcmp(f->entries.items[i].key.chars, call) == 0)
            return &f->entries.items[i];
    return NULL;
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
            times->forward.seconds[0] = b == 0 ? each_s : 1;
            times->forward.count = 1;
        }
}

static void data_rest_for_a_third_of_a_step_and_5_ms_at_the_most(void)
{
    struct fixture f;
    if (!begin(&f))
        return;
    CHECK_NEAR(dts_profile_rest_s(&f.request, &f.entries, 0, 0), DTS_FORGOTTEN_S, 0);
    take(&f, 1e-4);
    dts_profile_find_rests(&f.request, &f.entries, NULL);
    CHECK_NEAR(dts_profile_rest_s(&f.request, &f.entries, 0, 0), 9e-4 / 3, 1e-12); // nine calls
    CHECK_NEAR(dts_profile_rest_s(&f.request, &f.entries, 0, 1), DTS_FORGOTTEN_S, 0);
    for (int i = 0; i < f.entries.count; i++) {
        CHECK_INT(f.entries.items[i].times[0].forward.count, 0); // had rested too long
        CHECK_INT(f.entries.items[i].times[1].forward.count, 1);
    }
    end(&f);
}

TESTS(TEST(every_distinct_call_is_measured_once_with_what_is_beside),
      TEST(data_rest_for_a_third_of_a_step_and_5_ms_at_the_most))
