/* scene.h -- one scenario file with one combination of --set and --sweep, and the platform and
 * the device that it names.
 */
#ifndef DTS_ANSWER_SCENE_H
#define DTS_ANSWER_SCENE_H

#include <stdint.h>

#include "answer/changes.h"
#include "base/text.h"
#include "sim/net/platform/platform.h"
#include "train/scenario/scenario.h"

struct dts_known;
struct dts_progress;
struct dts_strategy;

struct dts_scene {
    struct dts_scenario scenario;
    struct dts_platform platform;
    struct dts_device device; // of the first kind of node, where there are several
    struct dts_device *kinds; // of platform.kinds, platform.kind_count; NULL: none; owned
    struct dts_text unused;   // of a live run: keys of "live" that --set left without effect
    struct dts_text left_out; // the path for which published figures are not compared
    struct dts_scene *phases; // of the training (phases.h); NULL: it is one; owned
    int phase_count;
    struct dts_scene *neighbours; // of the scenario, each alone (neighbour_scenes.h); owned
    int neighbour_count;
    char setting[256]; // what --sweep set; "": there is no --sweep
    uint64_t hash;     // of all documents that it was read from, with the changes made
};

/* A point to be predicted. Everything is borrowed. */
struct dts_question {
    const struct dts_scenario *scenario;
    const struct dts_platform *platform;
    const struct dts_device *device;
    const struct dts_device *kinds; // of platform->kinds; NULL: all nodes hold `device`
    const struct dts_strategy *strategy;
    int devices;
    const char *setting;           // what --sweep set, for the result; "": nothing
    const char *trace;             // file for the timeline; NULL: none
    int trace_most;                // operations in it, as dts_trace_write() has it
    const char *links;             // file for the loads of links (drawn/links.h); NULL: none
    double speed;                  // of kernels, times that of the device; 0: as it is
    const struct dts_known *known; // points that were measured (known.h); NULL: none
    int known_count;
    const struct dts_scene *phases; // of the scene (phases.h)
    int phase_count;
    const struct dts_scene *neighbours; // of the scene (neighbour_scenes.h)
    int neighbour_count;
    double storage_share;          // of what all nodes read together; 0: neighbours say
    const bool *taken;             // endpoints that other jobs have; NULL: none has any
    bool quick;                    // by dts_engine_quick(), whatever engine is named
    bool check;                    // build the plans, simulate nothing
    bool memory_only;              // only what lies in memory: no plan is built
    bool step_only;                // leave out "why", and the step without overheads and noise
    struct dts_progress *progress; // where it says how far it is; NULL: nowhere
};

/* Reads everything, and checks all that can be checked before plans are built. */
bool dts_scene_open(const struct dts_changes *changes, const char *word, int k,
                    struct dts_scene *scene, struct dts_error *err);
/* The same of a document that has its changes already. The scene owns it from here on, whatever
 * comes of it. */
bool dts_scene_read(const struct dts_changes *changes, struct dts_doc *doc, int k,
                    struct dts_scene *scene, struct dts_error *err);

/* One point of a scene: its strategy of that number on so many devices. */
struct dts_question dts_question_of(const struct dts_scene *scene, int strategy, int devices);

void dts_scene_close(struct dts_scene *scene); // leaves it empty

#endif
