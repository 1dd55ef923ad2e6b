/* scenario.h -- what a person asks: a network to train, a machine, strategies to compare.
 *
 * `dtsim help scenario` prints every key. Only words and numbers
 * are read here; the files that it names (model, device, stack) are loaded by
 * dts_scenario_load(), the platform by the caller, who hands what the plan needs of it over in
 * struct dts_machine.
 */
#ifndef DTS_TRAIN_SCENARIO_SCENARIO_H
#define DTS_TRAIN_SCENARIO_SCENARIO_H

#include <stdint.h>

#include "base/json/keys.h"
#include "device/stack.h"
#include "train/model/model.h"
#include "train/scenario/neighbours.h"
#include "train/scenario/scenario_live.h"
#include "train/scenario/slow_workers.h"
#include "train/scenario/training.h"

struct dts_strategy_kind;

/* One strategy of the list to compare. */
struct dts_strategy {
    const char *name; // as in results; default: the algorithm or kind
    const struct dts_strategy_kind *kind;
    void *self; // what the kind's fields filled; owned
};

struct dts_dataset {
    const char *name;
    double samples;       // of one epoch
    double sample_bytes;  // read from storage for each; 0: input is not modelled
    const char *encoding; // "raw", "jpeg"; NULL: raw
};

struct dts_placing {
    const char *kind; // "linear", "round_robin", "random", "listed"
    int seed;
    struct dts_cfg nodes_cfg; // listed
    int *nodes;               // owned
    size_t node_count;
};

/* A published figure that the prediction is held against, or a measurement that levels it. */
struct dts_reference {
    const char *strategy; // NULL: every one
    int devices;

    /* A row of dts_metrics: "step_s", "throughput_samples_per_s", "scaling_efficiency",
     * "time_s". */
    const char *metric;

    int base_devices; // what "scaling_efficiency" is against; 0: another metric

    double value;
    const char *source;
    struct dts_cfg when; // its conditions (answer/conditions.h)
};

struct dts_scenario {
    const char *name; // of the file, without folder and ".json"
    char *name_owned; // private: NULL where somebody else gave the name
    const char *summary;
    const char *why; // what the scenario shows, printed with --format text; may be NULL
    struct dts_dataset dataset;
    const char *platform; // name or path
    const char *engine;   // "auto", or of a row of dts_engines
    enum dts_precision precision;
    bool synchronized; // batch normalization by the samples of all devices
    const struct dts_optimizer *optimizer;
    bool memory_warns; // a point that does not fit is predicted all the same
    int *devices;      // points; owned
    size_t device_count;
    struct dts_slow_workers slow_workers;
    int batch_per_device; // weak scaling; 0: batch_global is given
    int batch_global;     // strong scaling
    int batch_micro;      // with batch_global: of a replica in a microbatch; 0: by accumulate
    int accumulate;       // microbatches whose gradients are summed before they are exchanged
    struct dts_placing placing;
    struct dts_strategy *strategies; // owned
    int strategy_count;
    struct dts_beside *neighbours; // owned
    int neighbour_count;
    struct dts_training training;
    struct dts_live_settings live;
    char *folder_owned;               // private: where live.data.folder is
    struct dts_reference *references; // owned
    int reference_count;
    struct dts_reference *measurements; // that level the prediction (answer/known.h); owned
    int measurement_count;
    int steps; // simulated
    bool steps_given;
    bool noise;
    uint64_t seed;

    struct dts_model model;
    struct dts_stack stack;
    const char *device_name; // NULL: the platform's
    struct dts_doc *doc;     // owned
};

/* Read a document that was loaded (and changed by --set). Takes it over, also on failure. */
bool dts_scenario_read(struct dts_scenario *scenario, struct dts_doc *doc,
                       struct dts_error *err);
void dts_scenario_free(struct dts_scenario *scenario);

/* Is the word at a key one of the choices? For words whose choices another module knows:
 * dts_scenario_word(s, NULL, "engine", dts_engine_name, err), or "placement", "kind". */
bool dts_scenario_word(const struct dts_scenario *scenario, const char *object, const char *key,
                       const char *(*choice)(int i), struct dts_error *err);

/* Print what `dtsim help scenario` says. */
void dts_scenario_keys(struct dts_keys *keys);

#endif
