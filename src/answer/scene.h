/* scene.h -- one scenario file with one combination of --set and --sweep, loaded whole:
 * scenario, platform, device. What `predict` asks and `check` shows.
 */
#ifndef DTS_ANSWER_SCENE_H
#define DTS_ANSWER_SCENE_H

#include <stdint.h>

#include "answer/changes.h"
#include "base/text.h"
#include "sim/net/platform/platform.h"
#include "train/scenario/scenario.h"

struct dts_scene {
    struct dts_scenario scenario;
    struct dts_platform platform;
    struct dts_device device;
    struct dts_text unused;   // keys of "live" that --set turned off; of a live run
    struct dts_text left_out; // the path for which published figures are not compared
    char setting[256];        // what --sweep set: "" without
    uint64_t hash;            // of all documents that it was read from, changes made
};

/* Everything is read and checked that can be before plans are built. */
bool dts_scene_open(const struct dts_changes *changes, const char *word, int k,
                    struct dts_scene *scene, struct dts_error *err);
void dts_scene_close(struct dts_scene *scene); // leaves it empty

#endif
