/* scene.h -- one scenario file with one combination of --set and --sweep, loaded whole:
 * scenario, platform, device. What `predict` asks and `check` shows.
 */
#ifndef DTS_CLI_SCENE_H
#define DTS_CLI_SCENE_H

#include "base/text.h"
#include "cli/options.h"
#include "sim/net/platform/platform.h"
#include "train/scenario/scenario.h"

struct dts_scene {
    struct dts_scenario scenario;
    struct dts_platform platform;
    struct dts_device device;
    struct dts_text unused; // keys of "live" that --set turned off; of a live run
    char setting[256];      // what --sweep set: "" without
};

/* Everything is read and checked that can be before plans are built. */
bool dts_scene_open(const struct dts_options *options, const char *word, int k,
                    struct dts_scene *scene, struct dts_error *err);
void dts_scene_close(struct dts_scene *scene); // leaves it empty

#endif
