/* test_convergence.c -- profiles: read, refused, written; and the profiles that ship. */
#include <stdlib.h>

#include "base/json/library.h"
#include "check.h"
#include "converge/form.h"

#define HEAD                                                                                   \
    "{\"summary\": \"s\", \"model\": \"resnet50\", \"dataset\": \"d\", \"optimizer\": \"o\", " \
    "\"target\": \"t\", \"sample\": \"image\", "
#define EPOCHS "\"unit\": \"epochs\", \"epoch_samples\": 1000, "
#define POINTS                                                                                 \
    "\"points\": [{\"batch\": 10, \"seeds\": 4, \"mean\": 5, \"source\": \"x\"}, "             \
    "{\"batch\": 100, \"seeds\": 4, \"mean\": 9, \"source\": \"x\"}]}"

static bool read(struct dts_convergence *profile, const char *text, struct dts_error *err)
{
    struct dts_doc *doc;
    *err = (struct dts_error){0};
    return dts_doc_parse(&doc, "convergence/x.json", text, err) &&
           dts_convergence_read(profile, doc, err);
}

static void bad_profiles_are_refused_in_one_line(void)
{
    static const char *const cases[][2] = {
        {HEAD "\"unit\": \"epochs\", " POINTS,
         "convergence/x.json: epoch_samples: missing (the unit is epochs)"},
        {HEAD "\"unit\": \"tokens\", " POINTS,
         "convergence/x.json: sample_tokens: missing (the unit is tokens)"},
        {HEAD EPOCHS "\"sample_tokens\": 5, " POINTS,
         "convergence/x.json: sample_tokens: has no effect: the unit is epochs"},
        {HEAD EPOCHS "\"points\": []}",
         "convergence/x.json: points: must be a list with a point at the least"},
        {HEAD EPOCHS "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 1}]}",
         "convergence/x.json: points[0].source: missing (neither the point nor the file says)"},
        {HEAD EPOCHS
         "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 1, \"source\": \"\"}]}",
         "convergence/x.json: points: needs points of two batches at the least, has 1 (form "
         "\"law\")"},
        {HEAD EPOCHS "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 1, \"least\": 1, "
                     "\"source\": \"\"}]}",
         "convergence/x.json: points[0].least: least and most go together"},
        {HEAD EPOCHS "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 1, \"least\": 2, "
                     "\"most\": 3, \"source\": \"\"}]}",
         "convergence/x.json: points[0].least: must be <= the mean, 1, got 2"},
        {HEAD EPOCHS "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 4, \"least\": 2, "
                     "\"most\": 3, \"source\": \"\"}]}",
         "convergence/x.json: points[0].most: must be >= the mean, 4, got 3"},
        {HEAD EPOCHS "\"points\": [{\"batch\": 1, \"seeds\": 1, \"mean\": 4, "
                     "\"evaluated_every\": 5, \"source\": \"\"}]}",
         "convergence/x.json: points[0].evaluated_every: must be <= the mean, 4, got 5"},
        {HEAD EPOCHS "\"form\": \"lawn\", " POINTS,
         "convergence/x.json: form: must be one of law, constant, points, got \"lawn\" (did "
         "you mean law?)"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_convergence profile;
        struct dts_error err;
        CHECK(!read(&profile, cases[i][0], &err));
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        CHECK_STRING(err.text, cases[i][1]);
    }
}

static void needs_come_in_units_samples_and_steps(void)
{
    struct dts_convergence profile;
    struct dts_error err;
    struct dts_need need;
    if (!CHECK(read(&profile, HEAD EPOCHS "\"form\": \"points\", " POINTS, &err)))
        return;
    CHECK(dts_convergence_predict(&profile, 55, 0, &need, &err));
    CHECK_NEAR(need.units.mean, 7, 1e-12); // half of the way
    CHECK_NEAR(need.samples, 7000, 1e-9);
    CHECK_NEAR(need.epochs, 7, 1e-12);
    CHECK_NEAR(need.steps, 128, 0); // 127.3
    CHECK(!dts_convergence_predict(&profile, 101, 0, &need, &err));
    CHECK_STRING(err.text,
                 "convergence profile x says nothing of batch 101: its batches do not "
                 "reach there");
    dts_convergence_free(&profile);
    CHECK(read(&profile, HEAD "\"unit\": \"tokens\", \"sample_tokens\": 4, " POINTS, &err));
    CHECK(dts_convergence_predict(&profile, 100, 0, &need, &err));
    CHECK_NEAR(need.samples, need.units.mean / 4, 1e-12);
    CHECK(isnan(need.epochs));
    dts_convergence_free(&profile);
}

static void a_constant_has_the_scatter_of_its_rows(void)
{
    struct dts_convergence profile;
    struct dts_error err;
    struct dts_need need;
    CHECK(read(&profile, HEAD EPOCHS "\"form\": \"constant\", " POINTS, &err));
    CHECK(dts_convergence_predict(&profile, 1e6, 0, &need, &err));
    CHECK_NEAR(need.units.mean, 7, 1e-12);
    CHECK_NEAR(need.units.sd, log(9 / 5.0) / sqrt(2), 1e-12);
    CHECK_STRING(need.region, "");
    dts_convergence_free(&profile);
}

static void doubts_name_the_batch(void)
{
    struct dts_need need = {.outside = 1.9, .batches = {10, 100}, .batch_count = 4};
    struct dts_text doubt = {0};
    dts_need_doubt(&need, 190, &doubt);
    CHECK_STRING(dts_text_string(&doubt), "");
    need.outside = 4;
    need.counts_as = 400;
    need.limited_batch = 200;
    need.batch_count = 3;
    dts_need_doubt(&need, 400, &doubt);
    CHECK_STRING(dts_text_string(&doubt),
                 "batch 400 is 4 times outside the published ones, 10 to 100: nobody is known "
                 "to have got there with so large a one; at batch 200 steps "
                 "no longer fell; only 3 batches are published");
    dts_text_free(&doubt);
}

static bool load(struct dts_convergence *profile, const char *name)
{
    struct dts_error err = {0};
    char *path = NULL;
    const bool good = dts_library_find(&path, "convergence", name, NULL, &err) &&
                      dts_convergence_load(profile, path, &err);
    if (!CHECK(good))
        printf("%s\n", err.text);
    free(path);
    return good;
}

/* Predictions of means of 20 seeds with their 80 % intervals, by an independent program on the
 * same tables. ResNet-50 has a test of its own (test_fit.c). */
static void profiles_predict_what_another_program_does(void)
{
    static const struct {
        const char *name;
        double batch, mean, low, high;
    } known[] = {{"bert_large", 2048, 2.743e6, 2.588e6, 2.907e6},
                 {"llama31_405b", 3456, 432500, 407000, 459600},
                 {"llama31_8b", 48, 203500, 190400, 217500},
                 {"rgat", 131072, 1.604, 1.494, 1.722},
                 {"dlrm_dcnv2", 80000, 0.830, 0.783, 0.879},
                 {"retinanet", 1536, 7.12, 6.60, 7.69},
                 {"gpt3_175b", 5120, 1.340e9, 1.272e9, 1.413e9}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct dts_convergence profile;
        if (!load(&profile, known[i].name))
            continue;
        const struct dts_fit_question question = {known[i].batch, .cv = -1, .interval = -1,
                                                  .seeds = 20};
        const struct dts_forecast forecast = dts_fit_predict(&profile.fit, &question);
        CHECK_CLOSE(forecast.mean, known[i].mean, 3e-3);
        CHECK_CLOSE(forecast.low, known[i].low, 5e-3);
        CHECK_CLOSE(forecast.high, known[i].high, 5e-3);
        dts_convergence_free(&profile);
    }
}

/* Laws of submissions, which another program fitted to the same rows without their spreads. */
static void submissions_have_the_law_that_another_program_found(void)
{
    static const struct {
        const char *name;
        struct dts_law law;
    } known[] = {{"gnmt", {2.9, 7840, 1.09}}, {"transformer_big", {2.5, 7.1e5, 1.12}}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct dts_convergence profile;
        if (!load(&profile, known[i].name))
            continue;
        CHECK_CLOSE(profile.fit.law.e_min, known[i].law.e_min, 0.06);
        CHECK_CLOSE(profile.fit.law.b_c, known[i].law.b_c, 0.12);
        CHECK_CLOSE(profile.fit.law.g, known[i].law.g, 0.02);
        dts_convergence_free(&profile);
    }
}

static void the_batch_beyond_the_limit_of_retinanet_is_known(void)
{
    struct dts_convergence profile;
    struct dts_error err = {0};
    struct dts_need need;
    if (!load(&profile, "retinanet"))
        return;
    CHECK(dts_convergence_predict(&profile, 4096, 0, &need, &err));
    CHECK_NEAR(need.limited_batch, 4096, 0);
    CHECK_NEAR(need.batches[1], 2560, 0);
    CHECK_INT(need.batch_count, 8);
    dts_convergence_free(&profile);
}

/* What is written reads as the same, to the last bit. */
static void a_profile_is_written_as_it_is_read(void)
{
    struct dts_convergence first, second;
    struct dts_error err = {0};
    char *text = NULL;
    size_t length;
    if (!load(&first, "resnet50_lars"))
        return;
    FILE *out = open_memstream(&text, &length);
    dts_convergence_print(&first, out);
    fclose(out);
    if (CHECK(read(&second, text, &err))) {
        CHECK_INT(second.point_count, first.point_count);
        CHECK_INT(second.recipe_count, 2);
        CHECK(first.fit.law.b_c == second.fit.law.b_c);
        CHECK(first.fit.covariance[1][1] == second.fit.covariance[1][1]);
        CHECK_STRING(second.points[1].source, first.points[1].source);
        dts_convergence_free(&second);
    }
    dts_convergence_free(&first);
    free(text);
}

/* Every file of the library is read, and predicts each of its points within 25 %. */
static void profiles_that_ship_tell_their_own_points(void)
{
    char **names = dts_library_names("convergence");
    int count = 0;
    for (; names[count] != NULL; count++) {
        struct dts_convergence profile;
        struct dts_error err = {0};
        if (!load(&profile, names[count]))
            continue;
        for (int i = 0; i < profile.point_count; i++) {
            const struct dts_seeds *point = &profile.points[i].seeds;
            struct dts_need need;
            CHECK(dts_convergence_predict(&profile, point->batch, point->recipe, &need, &err));
            if (point->batch != profile.fit.limited_batch && profile.form->has_law &&
                !CHECK(fabs(log(need.units.mean / point->mean)) < 0.25))
                printf("%s at %g: %g\n", names[count], point->batch, need.units.mean);
        }
        dts_convergence_free(&profile);
        free(names[count]);
    }
    free(names);
    CHECK(count > 0);
}

TESTS(TEST(bad_profiles_are_refused_in_one_line), TEST(needs_come_in_units_samples_and_steps),
      TEST(a_constant_has_the_scatter_of_its_rows), TEST(doubts_name_the_batch),
      TEST(profiles_predict_what_another_program_does),
      TEST(submissions_have_the_law_that_another_program_found),
      TEST(the_batch_beyond_the_limit_of_retinanet_is_known),
      TEST(a_profile_is_written_as_it_is_read), TEST(profiles_that_ship_tell_their_own_points))
