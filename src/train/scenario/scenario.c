/* scenario.c -- a scenario file into its struct: the keys, and the checks that span them. The
 * lists in it (points, strategies, references) are read by scenario_lists.c. */
#include "train/scenario/scenario_files.h"
#include "train/scenario/scenario_lists.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/library.h"
#include "base/text.h"
#include "train/strategy/strategy.h"

static const char *encoding_name(int i)
{
    static const char *const words[] = {"raw", "jpeg", NULL};
    return words[i];
}

static const struct dts_field dataset_fields[] = {
    {DTS_KEY(struct dts_dataset, name), .type = DTS_STRING, .help = "what it is called"},
    {DTS_KEY(struct dts_dataset, samples), .type = DTS_REAL, .min = 1, .max = 1e15,
     .help = "samples of one epoch"},
    {DTS_KEY(struct dts_dataset, sample_bytes), .type = DTS_REAL, .min = 0, .max = 1e12,
     .missing = "0", .help = "read from storage for each sample; 0: input is not modelled"},
    {DTS_KEY(struct dts_dataset, encoding), .type = DTS_STRING, .missing = "\"raw\"",
     .choice = encoding_name, .help = "what is read: raw; jpeg: the host decodes it first"},
    {0},
};

struct batch {
    int per_device, micro, global, accumulate;
};

static const struct dts_field batch_fields[] = {
    {DTS_KEY(struct batch, per_device), .type = DTS_INT, .min = 1, .max = 1 << 20,
     .missing = "null", .help = "samples of a device in a microbatch: weak scaling"},
    {DTS_KEY(struct batch, global), .type = DTS_INT, .min = 1, .max = 1 << 30,
     .missing = "null", .help = "samples of all devices in a step: strong scaling"},
    {DTS_KEY(struct batch, micro), .type = DTS_INT, .min = 1, .max = 1 << 20, .missing = "null",
     .help = "with global: samples of a replica in a microbatch, of which a step then has as "
             "many as it needs"},
    {DTS_KEY(struct batch, accumulate), .type = DTS_INT, .min = 1, .max = 4096, .missing = "1",
     .help = "microbatches of a step, whose gradients are summed before the exchange"},
    {0},
};

static const struct dts_field placement_fields[] = {
    {DTS_KEY(struct dts_placing, kind), .type = DTS_STRING, .missing = "\"linear\"",
     .help = "where ranks sit: linear, round_robin, random, listed"},
    {DTS_KEY(struct dts_placing, seed), .type = DTS_INT, .min = 0, .max = INT_MAX,
     .missing = "1", .help = "of a random placement"},
    {.key = "nodes",
     .offset = offsetof(struct dts_placing, nodes_cfg),
     .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBERS,
     .missing = "null",
     .help = "listed: the nodes in order"},
    {0},
};

static const char *batch_norm_name(int i)
{
    static const char *const words[] = {"local", "synchronized", NULL};
    return words[i];
}

/* The file as it stands, before names become what they name. */
struct words {
    const char *summary, *why, *platform, *device, *precision, *optimizer;
    struct dts_cfg model, stack;
    const char *batch_norm;
    const char *engine;
    struct dts_dataset dataset;
    struct batch batch;
    struct dts_placing placement;
    struct dts_training training;
    struct dts_live_settings live;
    struct dts_cfg devices, slow_workers, strategies, neighbours, references, measurements;
    int steps, seed;
    bool noise;
    const char *memory_check;
};

static const char *memory_check_name(int i)
{
    static const char *const words[] = {"error", "warn", NULL};
    return words[i];
}

static const struct dts_field memory_fields[] = {
    {.key = "check",
     .offset = 0,
     .type = DTS_STRING,
     .choice = memory_check_name,
     .missing = "\"error\"",
     .help =
         "a point that does not fit into a device, or into its host, is refused (error), or "
         "predicted all the same, with a word of doubt (warn)"},
    {0},
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct words, summary), .type = DTS_STRING, .missing = "null",
     .help = "what is asked, in one line"},
    {DTS_KEY(struct words, why), .type = DTS_STRING, .missing = "null",
     .help = "what the scenario shows and what to look at"},
    {DTS_KEY(struct words, model), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT,
     .help = "the network: a name (`dtsim list models`), a file, or an object: {\"base\": ...} "
             "or {\"family\": ...} (docs/models.md)"},
    {DTS_KEY(struct words, dataset), .type = DTS_OBJECT, .fields = dataset_fields,
     .missing = "null", .help = "what it is trained on; needed where epochs are asked"},
    {DTS_KEY(struct words, platform), .type = DTS_STRING,
     .help = "the machine: a name (`dtsim list platforms`) or a file"},
    {DTS_KEY(struct words, stack), .type = DTS_OTHER,
     .forms = DTS_FORM_STRING | DTS_FORM_OBJECT,
     .help =
         "the software: a name (`dtsim list stacks`), a file, or {\"base\": one of these, and "
         "what is other than there}"},
    {DTS_KEY(struct words, device), .type = DTS_STRING, .missing = "null",
     .help = "the accelerator, a name or a file; default: the platform's"},
    {DTS_KEY(struct words, precision), .type = DTS_STRING, .missing = "\"fp32\"",
     .choice = dts_precision_name, .help = "of kernels, and of gradients on the wire"},
    {DTS_KEY(struct words, optimizer), .type = DTS_STRING, .missing = "\"momentum\"",
     .choice = dts_optimizer_name, .help = "how weights are updated"},
    {DTS_KEY(struct words, batch_norm), .type = DTS_STRING, .missing = "\"local\"",
     .choice = batch_norm_name,
     .help = "whose samples it normalizes by: local: of each device; synchronized: of all"},
    {DTS_KEY(struct words, devices), .type = DTS_OTHER,
     .forms = DTS_FORM_NUMBER | DTS_FORM_NUMBERS,
     .help = "how many devices train: a number, or a list with one for each point"},
    {DTS_KEY(struct words, batch), .type = DTS_OBJECT, .fields = batch_fields,
     .help = "samples of a step: per_device or global"},
    {DTS_KEY(struct words, placement), .type = DTS_OBJECT, .missing = "{}",
     .fields = placement_fields, .help = "where ranks sit"},
    {DTS_KEY(struct words, slow_workers), .type = DTS_OTHER, .missing = "null",
     .fields = dts_slow_workers_fields, .forms = DTS_FORM_OBJECT | DTS_FORM_OBJECTS,
     .help = "workers whose kernels take longer, simulated and planted under --live: "
             "{\"factor\", \"workers\"}, or a list of these"},
    {DTS_KEY(struct words, strategies), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .help = "ways to train, side by side: a list of objects with \"kind\""},
    {DTS_KEY(struct words, neighbours), .type = DTS_OTHER, .missing = "null",
     .forms = DTS_FORM_OBJECTS,
     .help =
         "other jobs on the machine meanwhile, on devices that are free: a list of objects"},
    {.key = "memory",
     .offset = offsetof(struct words, memory_check),
     .type = DTS_OBJECT,
     .missing = "{}",
     .fields = memory_fields,
     .help = "what happens where it does not suffice"},
    {DTS_KEY(struct words, training), .type = DTS_OBJECT, .missing = "{}",
     .fields = dts_training_fields, .help = "how long it trains"},
    {DTS_KEY(struct words, live), .type = DTS_OBJECT, .missing = "{}",
     .fields = dts_live_fields, .help = "how `dtsim --live` runs it"},
    {DTS_KEY(struct words, references), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .missing = "null", .help = "published figures to compare with: a list of objects"},
    {DTS_KEY(struct words, measurements), .type = DTS_OTHER, .forms = DTS_FORM_OBJECTS,
     .missing = "null",
     .help =
         "steps that you measured on few devices, by which predictions are levelled: a list"},
    {DTS_KEY(struct words, engine), .type = DTS_STRING, .missing = "\"auto\"",
     .help = "how a step is simulated: auto, flow, fluid, exact, exact_spread"},
    {DTS_KEY(struct words, steps), .type = DTS_INT, .min = 2, .max = 10000, .missing = "4",
     .help = "steps that are simulated; the first fills the pipes and is not counted. Where "
             "workers "
             "do not wait for each other, default: until their pace is steady"},
    {DTS_KEY(struct words, noise), .type = DTS_BOOL, .missing = "true",
     .help = "straggler noise, as the stack says"},
    {DTS_KEY(struct words, seed), .type = DTS_INT, .min = 0, .max = INT_MAX, .missing = "1",
     .help = "of the noise"},
    {0},
};

static bool check_batch(const struct dts_cfg *top, const struct batch *batch,
                        struct dts_error *err)
{
    if (batch->per_device == 0 && batch->global == 0)
        return dts_cfg_fail(top, "batch", err, "needs per_device or global");
    if (batch->per_device > 0 && batch->global > 0)
        return dts_cfg_fail(top, "batch", err, "has both per_device and global: give one");
    const struct dts_cfg at = dts_cfg_member(top, "batch");
    if (batch->micro > 0 && batch->per_device > 0)
        return dts_cfg_fail(&at, "micro", err, "needs global, has per_device");
    return batch->micro == 0 || batch->accumulate == 1 ||
           dts_cfg_fail(
               &at, "micro", err,
               "says how many microbatches a step has, and so does accumulate: give one");
}

/* Nobody shall believe that decoding is counted where nothing is read. */
static bool check_dataset(const struct dts_cfg *top, const struct dts_dataset *dataset,
                          struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(top, "dataset");
    return dataset->encoding == NULL || dataset->sample_bytes > 0 ||
           strcmp(dataset->encoding, encoding_name(0)) == 0 ||
           dts_cfg_fail(&at, "encoding", err, "has no effect without sample_bytes");
}

static bool read_placement(const struct dts_cfg *top, struct dts_placing *placing,
                           struct dts_error *err)
{
    struct dts_cfg place = dts_cfg_member(top, "placement");
    struct dts_cfg nodes = dts_cfg_member(&place, "nodes");
    bool listed = strcmp(placing->kind, "listed") == 0;
    placing->nodes_cfg = (struct dts_cfg){0}; // it is read here, and its parents end here
    if (listed && !dts_cfg_exists(&nodes))
        return dts_cfg_fail(&place, "nodes", err, "missing (placement \"listed\" needs them)");
    if (!listed && dts_cfg_exists(&nodes))
        return dts_cfg_fail(&place, "nodes", err, "only placement \"listed\" has them");
    return !listed ||
           dts_cfg_ints(&nodes, 0, DTS_SCENARIO_MOST_DEVICES - 1, DTS_SCENARIO_MOST_DEVICES,
                        &placing->nodes, &placing->node_count, err);
}

/* Nobody shall believe that it changes anything where it cannot. */
static bool check_batch_norm(const struct dts_scenario *scenario, const struct dts_cfg *top,
                             struct dts_error *err)
{
    return !scenario->synchronized || dts_model_batch_norm(&scenario->model) ||
           dts_cfg_fail(top, "batch_norm", err, "\"synchronized\", but %s has no batch_norm",
                        scenario->model.name);
}

static void take_words(struct dts_scenario *scenario, const struct words *words)
{
    scenario->summary = words->summary;
    scenario->why = words->why;
    scenario->dataset = words->dataset;
    scenario->platform = words->platform;
    scenario->engine = words->engine;
    scenario->precision = (enum dts_precision)dts_precision_find(words->precision);
    scenario->synchronized = strcmp(words->batch_norm, batch_norm_name(0)) != 0;
    scenario->optimizer = dts_optimizer_find(words->optimizer);
    scenario->memory_warns = strcmp(words->memory_check, memory_check_name(1)) == 0;
    scenario->batch_per_device = words->batch.per_device;
    scenario->batch_global = words->batch.global;
    scenario->batch_micro = words->batch.micro;
    scenario->accumulate = words->batch.accumulate;
    scenario->placing = words->placement;
    scenario->training = words->training;
    scenario->live = words->live;
    if (words->live.data.folder != NULL) {
        scenario->folder_owned =
            dts_library_beside(dts_doc_name(scenario->doc), words->live.data.folder);
        scenario->live.data.folder = scenario->folder_owned;
    }
    scenario->steps = words->steps;
    scenario->noise = words->noise;
    scenario->seed = (uint64_t)words->seed;
    scenario->device_name = words->device;
}

/* Rules that look at every weight in every step have nothing to do with lists of rows. */
static bool check_optimizer(const struct dts_scenario *scenario, const struct dts_cfg *top,
                            struct dts_error *err)
{
    const struct dts_layer *layer = dts_model_sparse(&scenario->model);
    if (layer == NULL || scenario->optimizer->lazy)
        return true;
    return dts_cfg_fail(top, "optimizer", err,
                        "%s needs dense gradients, and those of layer %s of %s are sparse",
                        scenario->optimizer->name, layer->name, scenario->model.name);
}

/* A warm-up at a constant rate of nothing would be none. */
static bool check_schedule(const struct dts_cfg *live, const struct dts_schedule *schedule,
                           struct dts_error *err)
{
    const struct dts_cfg at = dts_cfg_member(live, "schedule");
    return schedule->warm_up == NULL || strcmp(schedule->warm_up, dts_warm_up_name(0)) == 0 ||
           schedule->warm_up_from > 0 ||
           dts_cfg_fail(&at, "warm_up_from", err, "must be > 0 where warm_up is %s",
                        schedule->warm_up);
}

static int most_workers(const struct dts_scenario *scenario)
{
    int most = 0;
    for (size_t i = 0; i < scenario->device_count; i++)
        most = scenario->devices[i] > most ? scenario->devices[i] : most;
    return most;
}

static bool read(struct dts_scenario *scenario, struct dts_error *err)
{
    struct dts_cfg top = dts_doc_top(scenario->doc);
    struct dts_cfg live = dts_cfg_member(&top, "live"), data = dts_cfg_member(&live, "data");
    const struct dts_cfg cases = dts_cfg_member(&top, "cases"),
                         steps = dts_cfg_member(&top, "steps");
    struct words words = {0};
    scenario->steps_given = dts_cfg_exists(&steps); // reading puts the default there
    if (dts_cfg_exists(&cases))
        return dts_cfg_fail(&top, "cases", err,
                            "a list of cases can be predicted (`dtsim predict`), and no more");
    if (!dts_cfg_read(&top, fields, &words, err))
        return false;
    if (words.live.data.folder != NULL && words.live.data.folder[0] == '\0')
        return dts_cfg_fail(&data, "folder", err, "must name a folder");
    if (!check_schedule(&live, &words.live.schedule, err))
        return false;
    take_words(scenario, &words);
    const struct dts_cfg training = dts_cfg_member(&top, "training");
    if (words.training.epochs > 0 && words.dataset.samples <= 0)
        return dts_cfg_fail(&training, "epochs", err, "needs dataset.samples");
    return check_batch(&top, &words.batch, err) && check_dataset(&top, &words.dataset, err) &&
           read_placement(&top, &scenario->placing, err) &&
           dts_scenario_devices(scenario, &words.devices, err) &&
           dts_slow_workers_read(&scenario->slow_workers, &words.slow_workers,
                                 most_workers(scenario), err) &&
           dts_training_load(&scenario->training, &top, err) &&
           dts_scenario_load_model(&scenario->model, &words.model, &top, err) &&
           dts_scenario_load_stack(&scenario->stack, &words.stack, &top, err) &&
           dts_training_suits(&scenario->training, &top, &scenario->model, err) &&
           check_optimizer(scenario, &top, err) && check_batch_norm(scenario, &top, err) &&
           dts_scenario_strategies(scenario, &words.strategies, err) &&
           dts_scenario_slow_workers(scenario, &top, err) &&
           dts_beside_read(&words.neighbours, &scenario->neighbours, &scenario->neighbour_count,
                           err) &&
           dts_scenario_references(scenario, &words.references, err) &&
           dts_scenario_measurements(scenario, &words.measurements, err);
}

bool dts_scenario_read(struct dts_scenario *scenario, struct dts_doc *doc,
                       struct dts_error *err)
{
    *scenario = (struct dts_scenario){.doc = doc};
    scenario->name_owned = dts_file_name(dts_doc_name(doc));
    scenario->name = scenario->name_owned;
    if (read(scenario, err))
        return true;
    dts_scenario_free(scenario);
    return false;
}

void dts_scenario_free(struct dts_scenario *scenario)
{
    for (int i = 0; i < scenario->strategy_count; i++) {
        const struct dts_strategy *strategy = &scenario->strategies[i];
        if (strategy->kind != NULL && strategy->kind->release != NULL)
            strategy->kind->release(strategy->self);
        free(strategy->self);
    }
    dts_training_free(&scenario->training);
    free(scenario->strategies);
    free(scenario->neighbours);
    free(scenario->references);
    free(scenario->measurements);
    free(scenario->devices);
    dts_slow_workers_free(&scenario->slow_workers);
    free(scenario->placing.nodes);
    free(scenario->name_owned);
    free(scenario->folder_owned);
    dts_model_free(&scenario->model);
    dts_stack_free(&scenario->stack);
    dts_doc_free(scenario->doc);
    *scenario = (struct dts_scenario){0};
}

bool dts_scenario_word(const struct dts_scenario *scenario, const char *object, const char *key,
                       const char *(*choice)(int i), struct dts_error *err)
{
    struct dts_cfg top = dts_doc_top(scenario->doc);
    struct dts_cfg inner = object != NULL ? dts_cfg_member(&top, object) : top;
    int number;
    return dts_scenario_choose(object != NULL ? &inner : &top, key, choice, &number, err);
}

void dts_scenario_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A scenario is a JSON object:");
    dts_keys_add(keys, "", fields);
    dts_keys_heading(keys, "Each of strategies:");
    dts_keys_add(keys, "strategies[]", dts_scenario_strategy_fields);
    for (int i = 0; dts_strategies[i] != NULL; i++) {
        const struct dts_strategy_kind *kind = dts_strategies[i];
        dts_keys_heading(keys, "of kind \"%s\" (%s):", kind->name, kind->summary);
        dts_keys_case(keys, "strategies[]", "kind", kind->name, kind->fields);
    }
    dts_keys_heading(keys, "Each of neighbours:");
    dts_keys_add(keys, "neighbours[]", dts_beside_fields);
    dts_keys_heading(keys, "Each of training.phases:");
    dts_keys_add(keys, "training.phases[]", dts_phase_fields);
    dts_keys_heading(keys, "Each of references:");
    dts_keys_add(keys, "references[]", dts_scenario_reference_fields);
    dts_keys_heading(keys, "Each of measurements:");
    dts_keys_add(keys, "measurements[]", dts_scenario_measurement_fields);
}
