/* train.c -- a scenario as dtsim read it, and one training by it. */
#include "cli/measure/train.h"

#include <string.h>

#include "answer/scene.h"
#include "base/os/file.h"
#include "train/target/train_to.h"

static bool read_run(const char *text, struct dts_target_run *run, struct dts_error *err)
{
    struct dts_doc *doc;
    if (!dts_doc_parse(&doc, "run", text, err))
        return false;
    const struct dts_cfg top = dts_doc_top(doc);
    const bool good = dts_target_run_read(&top, run, err);
    dts_doc_free(doc);
    return good;
}

static bool write_end(const struct dts_target_end *end, const char *path, struct dts_error *err)
{
    struct dts_output out;
    if (!dts_output_open(&out, path, err))
        return false;
    struct dts_json json = {.out = out.stream, .lines = 1};
    dts_target_end_print(end, NULL, &json);
    return dts_output_close(&out, err);
}

bool dts_measure_train(char **words, struct dts_error *err)
{
    struct dts_changes changes = {.live = true};
    struct dts_target_run run;
    struct dts_target_end end;
    struct dts_scene scene;
    if (strcmp(words[3], "-") != 0)
        changes.seed = words[3];
    for (char **pair = words + 4; pair[0] != NULL && pair[1] != NULL; pair += 2)
        dts_changes_add_set(&changes, pair[0], strlen(pair[0]), pair[1]);
    bool good =
        read_run(words[0], &run, err) && dts_scene_open(&changes, words[2], 0, &scene, err);
    if (good) {
        good = dts_train_to(&scene.scenario, &run, &end, err) && write_end(&end, words[1], err);
        dts_scene_close(&scene);
    }
    dts_changes_free(&changes);
    return good;
}
