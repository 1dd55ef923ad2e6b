/* test_listed.c -- a scenario that is a list of published cases: each a scenario of its own. */
#include "answer/validate/listed.h"
#include "check.h"
#include "cli/print/text_notes.h"

static const char records[] = DTS_SOURCE "/scenarios/imagenet_records.json";

static void every_case_is_a_scene_with_what_was_published(void)
{
    const struct dts_changes none = {0};
    struct dts_error err = {0};
    struct dts_listed listed;
    if (!CHECK(dts_listed_open(records, &listed, &err)))
        return;
    CHECK_STRING(listed.name, "imagenet_records");
    CHECK_INT(listed.set.count, 12);
    for (int i = 0; i < listed.set.count; i++) {
        struct dts_scene scene;
        if (!CHECK(dts_listed_scene(&listed, i, &none, 0, &scene, &err))) {
            printf("%s\n", err.text);
            continue;
        }
        CHECK_STRING(scene.setting, listed.set.cases[i].words);
        CHECK_INT(scene.scenario.devices[0], listed.set.cases[i].devices);
        CHECK_INT(scene.scenario.reference_count, 1);
        CHECK_NEAR(scene.scenario.references[0].value, listed.set.cases[i].value, 0);
        CHECK_STRING(scene.scenario.references[0].metric, "time_s");
        CHECK_INT(scene.phase_count, strcmp(scene.setting, "fast.ai 2018") == 0 ? 5 : 0);
        dts_scene_close(&scene);
    }
    dts_listed_close(&listed);
}

/* What the command line changes goes first, and a published figure is of another question. */
static void changes_go_before_the_values_of_a_case(void)
{
    struct dts_changes changes = {0};
    struct dts_error err = {0};
    struct dts_listed listed;
    struct dts_scene scene;
    dts_changes_add_set(&changes, "batch.per_device=16", strlen("batch.per_device"), "16");
    CHECK(dts_changes_add_sweep(&changes, "noise=true,false", &err));
    if (CHECK(dts_listed_open(records, &listed, &err)) &&
        CHECK(dts_listed_scene(&listed, 1, &changes, 1, &scene, &err))) {
        CHECK_STRING(scene.setting, "Goyal 2017, noise=false");
        CHECK_INT(scene.scenario.batch_per_device, 16);
        CHECK_INT(scene.scenario.reference_count, 0);
        CHECK_STRING(dts_text_string(&scene.left_out), "batch.per_device");
        CHECK(!scene.scenario.noise);
        dts_scene_close(&scene);
    }
    dts_listed_close(&listed);
    dts_changes_free(&changes);
}

static void another_scenario_is_no_list(void)
{
    struct dts_error err = {0};
    struct dts_listed listed;
    CHECK(dts_listed_open(DTS_SOURCE "/scenarios/imagenet_1h.json", &listed, &err));
    CHECK_INT(listed.set.count, 0);
    CHECK(listed.doc == NULL);
    CHECK(dts_listed_open("no_such_scenario", &listed, &err)); // who reads it says so
    CHECK_INT(listed.set.count, 0);
}

static void settings_are_shown_short_and_names_of_cases_whole(void)
{
    char text[64];
    CHECK_STRING(dts_text_setting("batch.per_device=32, engine=exact", text, sizeof(text)),
                 "per_device=32, engine=exact");
    CHECK_STRING(dts_text_setting("fast.ai 2018", text, sizeof(text)), "fast.ai 2018");
    CHECK_STRING(dts_text_setting("fast.ai 2018, batch.per_device=32", text, sizeof(text)),
                 "fast.ai 2018, per_device=32");
    CHECK_STRING(dts_text_setting("You 2017, KNL, noise=false", text, sizeof(text)),
                 "You 2017, KNL, noise=false");
    CHECK_STRING(dts_text_setting("", text, sizeof(text)), "");
}

TESTS(TEST(every_case_is_a_scene_with_what_was_published),
      TEST(changes_go_before_the_values_of_a_case), TEST(another_scenario_is_no_list),
      TEST(settings_are_shown_short_and_names_of_cases_whole))
