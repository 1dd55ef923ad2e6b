/* cases.h -- published configurations as data: validation/NAME.json holds a family of them.
 *
 * What a family shares is a scenario; a row is a case, whose columns are paths of the scenario
 * as
 * --set has them, or one of: system, devices, value, role, note, source. Cases of one system
 * share hardware, software, model and precision. The smallest of a system, in devices, is its
 * anchor: it levels the others (answer/known.h), which are predicted. A case with the role
 * "predicted" is never an anchor: nothing of its system needs to be known.
 */
#ifndef DTS_ANSWER_VALIDATE_CASES_H
#define DTS_ANSWER_VALIDATE_CASES_H

#include "answer/known.h"
#include "base/json/keys.h"

enum dts_case_role {
    DTS_CASE_ANCHOR,     // given to the prediction of others; not scored
    DTS_CASE_CALIBRATED, // a constant was chosen on it; not scored
    DTS_CASE_PREDICTED,
};

/* What was published. */
enum dts_case_value {
    DTS_CASE_THROUGHPUT,   // samples a second
    DTS_CASE_STEP,         // seconds
    DTS_CASE_TRAIN,        // seconds of the whole training: training.epochs of the dataset
    DTS_CASE_MEMORY,       // GiB at the peak on the device that needs most
    DTS_CASE_MEMORY_FIRST, // on one of a pipeline's first stage
};

const char *dts_case_value_name(int i); // "step_s"; NULL at the end

/* Where cases are counted apart. */
enum dts_case_class {
    DTS_DATA_PARALLEL,
    DTS_PARAMETER_SERVER,
    DTS_COLLECTIVE,
    DTS_FSDP,
    DTS_MEMORY,
    DTS_NANOTRON,
    DTS_3D,       // a network divided over devices by tensors and stages
    DTS_RECORDS,  // whole trainings of ImageNet, from the device alone
    DTS_TO_TRAIN, // until a convergence profile's target is reached
    DTS_PIPELINE, // a network divided by stages alone
    DTS_MOE,      // mixtures whose experts are on several ranks
    DTS_CASE_CLASSES
};
const char *dts_case_class_name(int i); // NULL at the end
const char *dts_case_role_name(enum dts_case_role role);

struct dts_family {
    char *name;          // of the file; owned, as is all that is not const
    struct dts_doc *doc; // owns the words below
    char *scenario;      // as JSON
    enum dts_case_class class;
    const char *summary, *source;
    enum dts_case_value value;
    int system; // number of its first system in the set
};

static inline bool dts_family_remembers(const struct dts_family *family)
{
    return family->value == DTS_CASE_MEMORY || family->value == DTS_CASE_MEMORY_FIRST;
}

/* Are kernels levelled? Those of a collective alone and what lies in memory are not. */
static inline bool dts_family_trains(const struct dts_family *family)
{
    return family->class != DTS_COLLECTIVE && !dts_family_remembers(family);
}

struct dts_case {
    int family;        // its number in the set
    int row;           // in the family's file
    int system;        // number in the set; systems of two families are never the same
    const char *words; // what the system is called; "" where the family is one
    int devices;
    double value; // as published, in the unit of the family
    enum dts_case_role role;
    const char *role_text, *note, *source; // NULL: nothing to say
    struct dts_changes changes;            // of the family's scenario; owned
};

/* All that was read. */
struct dts_case_set {
    struct dts_family *families;
    int family_count;
    struct dts_case *cases;
    int count, systems;
    size_t family_room, case_room;
};

/* Read the families that the words name: a class, a family of the library, a file. No words:
 * all of the library. */
bool dts_cases_read(const char *const *words, int count, struct dts_case_set *set,
                    struct dts_error *err);
void dts_cases_free(struct dts_case_set *set); // leaves it empty

/* The scene of a case, asked of the engine fluid. */
bool dts_case_open(const struct dts_case_set *set, int i, struct dts_scene *scene,
                   struct dts_error *err);

/* What a file of validation/ holds. */
void dts_cases_keys(struct dts_keys *keys);

#endif
