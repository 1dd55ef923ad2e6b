/* scene_open.c -- reads a scenario, its platform and its device, changed by --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/conditions.h"
#include "answer/notes/unused.h"
#include "answer/open.h"
#include "answer/result.h"
#include "answer/scene.h"
#include "answer/variants/neighbour_scenes.h"
#include "answer/variants/phases.h"
#include "base/hash.h"
#include "base/json/library.h"
#include "base/mem.h"
#include "device/here.h"
#include "sim/engine.h"

/* Words whose choices other modules know. */
static bool check_references(const struct dts_scenario *scenario, struct dts_error *err)
{
    struct dts_cfg top = dts_doc_top(scenario->doc);
    struct dts_cfg list = dts_cfg_member(&top, "references");
    for (int i = 0; i < scenario->reference_count; i++) {
        struct dts_cfg at = dts_cfg_item(&list, (size_t)i),
                       metric = dts_cfg_member(&at, "metric");
        int row;
        if (!dts_cfg_choice(&metric, dts_metric_reference, &row, err))
            return false;
    }
    return true;
}

static bool check_words(const struct dts_scenario *scenario, struct dts_error *err)
{
    return dts_scenario_word(scenario, NULL, "engine", dts_engine_name, err) &&
           dts_scenario_word(scenario, "placement", "kind", dts_placement_name, err) &&
           check_references(scenario, err);
}

/* Values that the command line changes in a platform, and what of the scenario or its stack
 * goes first. */
static bool check_acts(const struct dts_changes *changes, const struct dts_scene *scene,
                       struct dts_error *err)
{
    const struct {
        const char *path;
        bool lost;
        const char *first;
    } all[] = {
        {"platform.transports.within", scene->platform.stack_moves[DTS_WITHIN],
         "stack.transport.within"},
        {"platform.transports.between", scene->platform.stack_moves[DTS_BETWEEN],
         "stack.transport.between"},
        {"platform.node.device", scene->scenario.device_name != NULL, "device"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].lost && dts_changes_touch(changes, all[i].path))
            return dts_fail(
                err, DTS_BAD_INPUT,
                "--set %s: has no effect: %s of the scenario goes first (set that one, "
                "or set it to null)",
                all[i].path, all[i].first);
    return true;
}

/* Of the stack; `asked`: the scenario itself says what goes between nodes. */
static struct dts_stack_moves moves_of(const struct dts_scenario *scenario)
{
    const struct dts_cfg top = dts_doc_top(scenario->doc),
                         stack = dts_cfg_member(&top, "stack"),
                         transport = dts_cfg_member(&stack, "transport"),
                         between = dts_cfg_member(&transport, "between");
    return (struct dts_stack_moves){scenario->stack.within, scenario->stack.between,
                                    dts_cfg_is_object(&stack) && dts_cfg_exists(&between)};
}

static bool load_platform(const struct dts_changes *changes, int k, struct dts_scene *scene,
                          struct dts_error *err)
{
    struct dts_cfg top = dts_doc_top(scene->scenario.doc);
    const struct dts_stack_moves stack = moves_of(&scene->scenario);
    char *path;
    if (!dts_library_find_for(&path, "platforms", scene->scenario.platform, &top, "platform",
                              err))
        return false;
    struct dts_doc *doc;
    bool ok = dts_doc_load(&doc, path, err);
    free(path);
    if (!ok)
        return false;
    if (!dts_settings_apply(changes, k, "platform", doc, err)) {
        dts_doc_free(doc);
        return false;
    }
    return dts_platform_read(&scene->platform, doc, &stack, err) &&
           check_acts(changes, scene, err);
}

/* This machine's CPU: measured at first use. */
static bool load_here(struct dts_device *device, struct dts_error *err)
{
    bool kept;
    char *folder = dts_here_folder();
    const bool ok = dts_here_load(device, folder, dts_here_measure, NULL, &kept, err);
    if (ok && !kept)
        fprintf(stderr, "dtsim: %s cannot be written: this machine is measured at each use\n",
                folder != NULL ? folder : "~/.cache/dtsim");
    free(folder);
    return ok;
}

/* The device that "device" of an object names. */
static bool load_named(const char *name, const struct dts_cfg *at, struct dts_device *device,
                       struct dts_error *err)
{
    char *path;
    if (strcmp(name, DTS_HERE) == 0)
        return load_here(device, err);
    if (!dts_library_find_for(&path, "devices", name, at, "device", err))
        return false;
    bool ok = dts_device_load(device, path, err);
    free(path);
    return ok;
}

/* Of nodes of several kinds: all, and the first once more as the one that others ask for. */
static bool load_kinds(struct dts_scene *scene, const struct dts_cfg *node,
                       struct dts_error *err)
{
    const struct dts_platform *platform = &scene->platform;
    const struct dts_cfg kinds = dts_cfg_member(node, "kinds");
    scene->kinds = dts_alloc((size_t)platform->kind_count, sizeof(*scene->kinds));
    for (int k = 0; k < platform->kind_count; k++) {
        const struct dts_cfg at = dts_cfg_item(&kinds, (size_t)k);
        if (!load_named(platform->kinds[k].device, &at, &scene->kinds[k], err))
            return false;
    }
    const struct dts_cfg first = dts_cfg_item(&kinds, 0);
    return load_named(platform->device, &first, &scene->device, err);
}

static bool load_device(struct dts_scene *scene, struct dts_error *err)
{
    struct dts_cfg scenario = dts_doc_top(scene->scenario.doc);
    struct dts_cfg platform = dts_doc_top(scene->platform.doc);
    struct dts_cfg node = dts_cfg_member(&platform, "node");
    bool own = scene->scenario.device_name != NULL;
    if (own && scene->platform.kind_count > 0)
        return dts_cfg_fail(&scenario, "device", err,
                            "must be left out: node.kinds of platform %s says what nodes hold",
                            scene->platform.name);
    if (scene->platform.kind_count > 0)
        return load_kinds(scene, &node, err);
    return load_named(own ? scene->scenario.device_name : scene->platform.device,
                      own ? &scenario : &node, &scene->device, err);
}

/* A file that cannot be read any more adds nothing. */
static uint64_t hash_file(const char *path, uint64_t hash)
{
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    char bytes[4096];
    for (size_t n; file != NULL && (n = fread(bytes, 1, sizeof(bytes), file)) > 0;)
        hash = dts_hash_bytes(hash, bytes, n);
    if (file != NULL)
        fclose(file);
    return hash;
}

/* The file of a measurement is read, but no document. */
static uint64_t hash_measured(const struct dts_measured_ring *measured, uint64_t hash)
{
    const size_t size = (size_t)measured->count * sizeof(double);
    return dts_hash_bytes(dts_hash_bytes(hash, measured->bytes, size), measured->seconds, size);
}

/* Of all that was read. */
static uint64_t hash_of(const struct dts_scene *scene)
{
    const struct dts_doc *const documents[] = {
        scene->scenario.doc, scene->scenario.model.doc, scene->scenario.stack.doc,
        scene->platform.doc, scene->device.doc,
    };
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
        hash = dts_doc_hash(documents[i], hash);
    if (scene->scenario.training.profile != NULL)
        hash = dts_doc_hash(scene->scenario.training.profile->doc, hash);
    if (scene->scenario.training.table != NULL)
        hash = dts_doc_hash(scene->scenario.training.table->doc, hash);
    for (int p = 0; p < scene->phase_count; p++)
        hash = hash * 31 + scene->phases[p].hash;
    for (int n = 0; n < scene->neighbour_count; n++)
        hash = hash * 31 + scene->neighbours[n].hash;
    for (int by = DTS_WITHIN; by <= DTS_BETWEEN; by++)
        hash = hash_measured(&scene->platform.net.transports[by].measured, hash);
    for (int k = 1; k < scene->platform.kind_count; k++)
        hash = dts_doc_hash(scene->kinds[k].doc, hash);
    return hash_file(scene->platform.network_file, hash);
}

bool dts_scene_read(const struct dts_changes *changes, struct dts_doc *doc, int k,
                    struct dts_scene *scene, struct dts_error *err)
{
    *scene = (struct dts_scene){0};
    dts_changes_sweep_text(changes, k, scene->setting, sizeof(scene->setting));
    if (!dts_unused_check(changes, doc, &scene->unused, err)) {
        dts_text_free(&scene->unused);
        dts_doc_free(doc);
        return false;
    }
    dts_conditions_of_scenario(changes, doc, &scene->left_out);
    if (dts_scenario_read(&scene->scenario, doc, err) && check_words(&scene->scenario, err) &&
        load_platform(changes, k, scene, err) && load_device(scene, err)) {
        dts_conditions_of_platform(changes, &scene->scenario, scene->platform.doc,
                                   &scene->left_out);
        if (dts_phases_open(changes, k, scene, err) &&
            dts_neighbour_scenes_open(changes, k, scene, err)) {
            scene->hash = hash_of(scene);
            return true;
        }
    }
    dts_scene_close(scene);
    return false;
}

bool dts_scene_open(const struct dts_changes *changes, const char *word, int k,
                    struct dts_scene *scene, struct dts_error *err)
{
    struct dts_doc *doc;
    *scene = (struct dts_scene){0};
    return dts_scenario_open(changes, word, k, &doc, err) &&
           dts_scene_read(changes, doc, k, scene, err);
}
