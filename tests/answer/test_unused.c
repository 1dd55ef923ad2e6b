/* test_unused.c -- keys that a live run cannot carry out are refused. */
#include "answer/scene.h"
#include "check.h"

static const char file[] = DTS_SOURCE "/tests/golden/in/small.json";

static const struct {
    const char *path, *value, *says;
} rows[] = {
    {"training", "{\"phases\": [{\"steps\": 5}]}", "--set training.phases: has no effect"},
    {"training", "{\"target\": {\"profile\": \"resnet50_lars\"}}",
     "--set training.target: has no effect"},
    {"training", "{\"epochs\": 2, \"target\": null}", ""},
    {"live.epochs", "2", "--set live.epochs: has no effect where live.compute is timed"},
};

static void ask(size_t row, bool live, struct dts_error *err)
{
    struct dts_changes changes = {.live = live};
    struct dts_scene scene;
    dts_changes_add_set(&changes, rows[row].path, strlen(rows[row].path), rows[row].value);
    if (dts_scene_open(&changes, file, 0, &scene, err))
        dts_scene_close(&scene);
    dts_changes_free(&changes);
}

static void a_live_run_refuses_what_only_predictions_have(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct dts_error live = {0}, predicted = {0};
        ask(i, true, &live);
        ask(i, false, &predicted);
        CHECK_STRING(predicted.text, "");
        CHECK_INT(live.cause, rows[i].says[0] != '\0' ? DTS_BAD_INPUT : DTS_NO_ERROR);
        CHECK_INT(strncmp(live.text, rows[i].says, strlen(rows[i].says)), 0);
    }
}

TESTS(TEST(a_live_run_refuses_what_only_predictions_have))
