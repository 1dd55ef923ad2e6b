/* test_accuracy.c -- accuracy after a fixed number of epochs: the three forms, and the table
 * that ships, by values of an independent fit. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "converge/accuracy.h"

static bool load(struct dts_accuracy *table)
{
    struct dts_error err = {0};
    char *path = NULL;
    const bool good = dts_library_find(&path, "accuracy", "resnet50_goyal", NULL, &err) &&
                      dts_accuracy_load(table, path, &err);
    if (!CHECK(good))
        printf("%s\n", err.text);
    free(path);
    return good;
}

/* 76.49 - (B/18,400)^1.85, 76.48 - 0.85 log2(B/5,760)^2, 76.48 - 1.24 (B/6,960 - 1). */
static void three_forms_fit_what_was_published(void)
{
    struct dts_accuracy table;
    if (!load(&table))
        return;
    const struct dts_accuracy_form *forms = table.fit.forms;
    CHECK_NEAR(forms[0].best, 76.47928, 1e-4);
    CHECK_NEAR(forms[0].size, 1.24093, 1e-3);
    CHECK_NEAR(forms[0].shape, 6962.55, 5);
    CHECK_NEAR(forms[1].size, 0.84798, 1e-3);
    CHECK_NEAR(forms[1].shape, 5757.99, 5);
    CHECK_NEAR(forms[2].best, 76.48998, 1e-4);
    CHECK_NEAR(forms[2].shape, 1.84641, 1e-3);
    CHECK_NEAR(65536 / pow(forms[2].size, 1 / forms[2].shape), 18385, 20);
    for (int i = 0; i < DTS_ACCURACY_FORMS; i++)
        CHECK_NEAR(forms[i].chi_squared, 0.89, 0.03);
    CHECK_INT(table.fit.count, 8);
    dts_accuracy_free(&table);
}

static void the_centre_is_linear_and_the_interval_the_envelope(void)
{
    struct dts_accuracy table;
    if (!load(&table))
        return;
    struct dts_accuracy_forecast f = dts_accuracy_predict(&table.fit, 16384);
    CHECK_NEAR(f.mean, 74.800, 2e-3);
    CHECK_NEAR(f.low, 74.549 - 1.28155 * 0.09, 2e-3);
    CHECK_NEAR(f.high, 75.682 + 1.28155 * 0.09, 2e-3);
    CHECK_NEAR(f.lost, 76.479 - 74.800, 2e-3);
    f = dts_accuracy_predict(&table.fit, 32768);
    CHECK_NEAR(f.mean, 71.880, 5e-3);
    CHECK_NEAR(f.low, 71.143 - 1.28155 * 0.8, 5e-3);
    f = dts_accuracy_predict(&table.fit, 256);
    CHECK_NEAR(f.mean, 76.479, 1e-3);
    CHECK_NEAR(f.lost, 0, 1e-12);
    f = dts_accuracy_predict(&table.fit, 3.5e6); // nothing is learned
    CHECK(f.mean == 0 && f.low == 0);
    dts_accuracy_free(&table);
}

static void a_rule_is_known_where_it_was_tried(void)
{
    struct dts_accuracy table;
    struct dts_accuracy_forecast f;
    struct dts_error err = {0};
    struct dts_text known = {0};
    if (!load(&table))
        return;
    CHECK(dts_accuracy_of(&table, "no_warm_up", 8192, &f, &err));
    CHECK_NEAR(f.mean, 75.16, 0);
    CHECK_NEAR(f.low, 75.16 - 1.28155 * 0.37, 1e-4);
    CHECK_NEAR(f.lost, 1.319, 2e-3);
    CHECK(!dts_accuracy_of(&table, "no_warm_up", 4096, &f, &err));
    CHECK_STRING(err.text, "rule no_warm_up was not tried at batch 4096, only at 8192 (75.16 "
                           "%, -1.10 points to gradual_warm_up)");
    err = (struct dts_error){0};
    CHECK(dts_accuracy_of(&table, "gradual_warm_up", 4096, &f, &err));
    CHECK(dts_accuracy_has(&table, "half_rate", &known) && known.length == 0);
    CHECK(!dts_accuracy_has(&table, "half", &known));
    CHECK_STRING(dts_text_string(&known),
                 "gradual_warm_up, no_warm_up, constant_warm_up, unscaled_rate, "
                 "square_root_scaling, half_rate, double_rate");
    dts_text_free(&known);
    dts_accuracy_free(&table);
}

static void doubts_are_of_batches_outside_and_of_those_that_learn_nothing(void)
{
    struct dts_accuracy table;
    struct dts_text doubt = {0};
    if (!load(&table))
        return;
    const struct dts_accuracy_forecast some = {.mean = 70}, none = {.mean = 0};
    dts_accuracy_doubt(&table, 131072, &some, &doubt); // a factor of two
    CHECK_STRING(dts_text_string(&doubt), "");
    dts_accuracy_doubt(&table, 32, &some, &doubt);
    CHECK_STRING(dts_text_string(&doubt),
                 "batch 32 is 4 times outside the published ones, 128 to 65536");
    dts_text_free(&doubt);
    dts_accuracy_doubt(&table, 3538944, &none, &doubt);
    CHECK_STRING(dts_text_string(&doubt), "steps of 3538944 train nothing in 90 epochs: batch "
                                          "3538944 is 54 times outside the published ones, "
                                          "128 to 65536");
    dts_text_free(&doubt);
    dts_accuracy_free(&table);
}

#define HEAD                                                                                   \
    "{\"summary\": \"s\", \"model\": \"m\", \"dataset\": \"d\", \"optimizer\": \"o\", "        \
    "\"metric\": \"t\", \"sample\": \"image\", \"epochs\": 9, \"epoch_samples\": 1000, "

static void bad_tables_are_refused_in_one_line(void)
{
    static const char *const cases[][2] = {
        {HEAD "\"points\": []}", "accuracy/x.json: points: must be a list of 1 to 64 points"},
        {HEAD "\"points\": [{\"batch\": 1, \"accuracy\": 5, \"sd\": 1}]}",
         "accuracy/x.json: points[0].source: missing (neither the point nor the file says)"},
        {HEAD "\"source\": \"x\", \"points\": [{\"batch\": 1, \"accuracy\": 5, \"sd\": 1}]}",
         "accuracy/x.json: points: needs 4 batches at the least, has 1 (rule \"reference\")"},
        {HEAD "\"source\": \"x\", \"points\": [{\"batch\": 1, \"accuracy\": 500, \"sd\": 1}]}",
         "accuracy/x.json: points[0].accuracy: must be <= 100, got 500"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_accuracy table;
        struct dts_error err = {0};
        struct dts_doc *doc;
        CHECK(dts_doc_parse(&doc, "accuracy/x.json", cases[i][0], &err) &&
              !dts_accuracy_read(&table, doc, &err));
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        CHECK_STRING(err.text, cases[i][1]);
    }
}

TESTS(TEST(three_forms_fit_what_was_published),
      TEST(the_centre_is_linear_and_the_interval_the_envelope),
      TEST(a_rule_is_known_where_it_was_tried),
      TEST(doubts_are_of_batches_outside_and_of_those_that_learn_nothing),
      TEST(bad_tables_are_refused_in_one_line))
