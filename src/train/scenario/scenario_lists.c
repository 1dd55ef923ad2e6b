/* scenario_lists.c -- the lists in a scenario: points, strategies, references. */
#include "train/scenario/scenario_lists.h"

#include <string.h>

#include "base/mem.h"
#include "train/strategy/strategy.h"

/* Bytes of a name that a person gives a strategy: it is a column of the table. */
enum { MOST_NAME = 40 };

bool dts_scenario_devices(struct dts_scenario *scenario, const struct dts_cfg *at,
                          struct dts_error *err)
{
    if (dts_cfg_is_number(at)) {
        scenario->devices = dts_alloc(1, sizeof(int));
        scenario->device_count = 1;
        return dts_cfg_int(at, 1, DTS_SCENARIO_MOST_DEVICES, scenario->devices, err);
    }
    if (!dts_cfg_is_list(at))
        return dts_cfg_fail(at, NULL, err, "must be a whole number or a list of them");
    if (!dts_cfg_ints(at, 1, DTS_SCENARIO_MOST_DEVICES, DTS_SCENARIO_MOST_POINTS,
                      &scenario->devices, &scenario->device_count, err))
        return false;
    if (scenario->device_count == 0)
        return dts_cfg_fail(at, NULL, err, "must name at least one number of devices");
    for (size_t i = 0; i < scenario->device_count; i++)
        for (size_t j = 0; j < i; j++)
            if (scenario->devices[i] == scenario->devices[j]) {
                struct dts_cfg item = dts_cfg_item(at, i);
                return dts_cfg_fail(&item, NULL, err, "%d is there twice",
                                    scenario->devices[i]);
            }
    return true;
}

bool dts_scenario_choose(const struct dts_cfg *at, const char *key,
                         const char *(*choice)(int i), int *out, struct dts_error *err)
{
    struct dts_cfg place = dts_cfg_member(at, key);
    if (!dts_cfg_exists(&place))
        return dts_cfg_fail(at, key, err, "missing");
    return dts_cfg_choice(&place, choice, out, err);
}

/* What every strategy has; the fields of its kind follow. */
struct head {
    const char *name, *kind;
};

const struct dts_field dts_scenario_strategy_fields[] = {
    {DTS_KEY(struct head, name), .type = DTS_STRING, .missing = "null",
     .help = "as in results; default: from the kind, or the algorithm"},
    {DTS_KEY(struct head, kind), .type = DTS_STRING, .choice = dts_strategy_name,
     .help = "how devices train together"},
    {0},
};

static bool read_strategy(struct dts_scenario *scenario, struct dts_strategy *strategy,
                          const struct dts_cfg *at, struct dts_error *err)
{
    if (!dts_cfg_is_object(at))
        return dts_cfg_fail(at, NULL, err, "must be an object");
    int number;
    if (!dts_scenario_choose(at, "kind", dts_strategy_name, &number, err))
        return false;
    const struct dts_strategy_kind *kind = dts_strategies[number];
    struct head head = {0};
    strategy->kind = kind;
    strategy->self = dts_alloc(1, kind->size);
    if (!dts_cfg_read_both(at, dts_scenario_strategy_fields, &head, kind->fields,
                           strategy->self, err) ||
        !kind->prepare(strategy->self, &scenario->stack, at, err))
        return false;

    strategy->name = head.name;
    if (strategy->name == NULL)
        strategy->name =
            kind->default_name != NULL ? kind->default_name(strategy->self) : kind->name;
    if (strategy->name[0] == '\0')
        return dts_cfg_fail(at, "name", err, "must not be empty");
    if (head.name != NULL && strlen(head.name) > MOST_NAME)
        return dts_cfg_fail(at, "name", err, "must be at most %d bytes long, got %zu",
                            MOST_NAME, strlen(head.name));
    for (const struct dts_strategy *s = scenario->strategies; s < strategy; s++)
        if (strcmp(s->name, strategy->name) == 0)
            return dts_cfg_fail(at, "name", err, "\"%s\" is the name of strategies[%d], too",
                                strategy->name, (int)(s - scenario->strategies));
    return true;
}

bool dts_scenario_strategies(struct dts_scenario *scenario, const struct dts_cfg *at,
                             struct dts_error *err)
{
    size_t count = dts_cfg_length(at);
    if (!dts_cfg_is_list(at) || count == 0)
        return dts_cfg_fail(at, NULL, err, "must be a list of at least one object");
    if (count > DTS_SCENARIO_MOST_STRATEGIES)
        return dts_cfg_fail(at, NULL, err, "must be at most %d, got %zu",
                            DTS_SCENARIO_MOST_STRATEGIES, count);
    scenario->strategies = dts_alloc(count, sizeof(*scenario->strategies));
    for (size_t i = 0; i < count; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        scenario->strategy_count++;
        if (!read_strategy(scenario, &scenario->strategies[i], &item, err))
            return false;
    }
    return true;
}

const struct dts_field dts_scenario_reference_fields[] = {
    {DTS_KEY(struct dts_reference, strategy), .type = DTS_STRING, .missing = "null",
     .help = "the strategy it belongs to, by name; default: every one"},
    {DTS_KEY(struct dts_reference, devices), .type = DTS_INT, .min = 1,
     .max = DTS_SCENARIO_MOST_DEVICES, .help = "the point it belongs to"},
    {DTS_KEY(struct dts_reference, metric), .type = DTS_STRING,
     .help =
         "what was measured: step_s, exposed_comm_s, throughput_samples_per_s, "
         "throughput_tokens_per_s, tokens_per_s_device, model_flops_per_s_device, mfu, hfu, "
         "scaling_efficiency, scaling_efficiency_one_device, time_s, samples_to_target, "
         "accuracy_percent, staleness_mean_updates, staleness_p95_updates, slowdown, "
         "jobs_throughput_samples_per_s, algbw_bytes_s, busbw_bytes_s"},
    {DTS_KEY(struct dts_reference, base_devices), .type = DTS_INT, .min = 0,
     .max = DTS_SCENARIO_MOST_DEVICES, .missing = "0",
     .help = "of scaling_efficiency, which needs it: the devices that it is against. It is "
             "compared where they are the fewest of the answer"},
    {DTS_KEY(struct dts_reference, value), .type = DTS_REAL, .min = 1e-12, .max = 1e15,
     .help = "the figure, in the unit of the metric"},
    {DTS_KEY(struct dts_reference, source), .type = DTS_STRING, .help = "who published it"},
    {DTS_KEY(struct dts_reference, when), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .missing = "null",
     .help =
         "paths and values, {\"batch.per_device\": 64}, for which it was published; default: "
         "those of the file. Where --set or --sweep ask something else it is left out"},
    {0},
};

static bool check_strategy(const struct dts_scenario *scenario, const char *name,
                           const struct dts_cfg *at, struct dts_error *err)
{
    for (int i = 0; i < scenario->strategy_count; i++)
        if (strcmp(scenario->strategies[i].name, name) == 0)
            return true;
    return dts_cfg_fail(at, "strategy", err, "no strategy is called \"%s\"", name);
}

/* A list of objects with a table of fields; *count grows with each that is good. */
static bool read_list(struct dts_scenario *scenario, const struct dts_cfg *at,
                      const struct dts_field *fields, struct dts_reference **list, int *count,
                      struct dts_error *err)
{
    if (!dts_cfg_exists(at))
        return true;
    const size_t length = dts_cfg_length(at);
    if (!dts_cfg_is_list(at))
        return dts_cfg_fail(at, NULL, err, "must be a list of objects");
    if (length > DTS_SCENARIO_MOST_REFERENCES)
        return dts_cfg_fail(at, NULL, err, "must be at most %d, got %zu",
                            DTS_SCENARIO_MOST_REFERENCES, length);
    *list = dts_alloc(length, sizeof(**list));
    for (size_t i = 0; i < length; i++) {
        struct dts_cfg item = dts_cfg_item(at, i);
        struct dts_reference *one = &(*list)[i];
        if (!dts_cfg_read(&item, fields, one, err) ||
            (one->strategy != NULL && !check_strategy(scenario, one->strategy, &item, err)))
            return false;
        if (dts_cfg_exists(&one->when) && !dts_cfg_is_object(&one->when))
            return dts_cfg_fail(&item, "when", err, "must be an object of paths and values");
        (*count)++;
    }
    return true;
}

bool dts_scenario_slow_workers(const struct dts_scenario *scenario, const struct dts_cfg *top,
                               struct dts_error *err)
{
    bool computes = scenario->slow_workers.count == 0;
    for (int s = 0; s < scenario->strategy_count; s++)
        computes = computes || !scenario->strategies[s].kind->trains_nothing;
    return computes || dts_cfg_fail(top, "slow_workers", err,
                                    "cannot act: no strategy has kernels that could be slow");
}

/* An efficiency means nothing without what it is against; no other metric is against any. */
static bool check_base(const struct dts_reference *reference, const struct dts_cfg *at,
                       struct dts_error *err)
{
    const bool relative = strcmp(reference->metric, "scaling_efficiency") == 0;
    const int base = reference->base_devices;
    if (relative && base == 0)
        return dts_cfg_fail(at, "base_devices", err,
                            "needed: how many devices scaling_efficiency is against");
    if (!relative && base > 0)
        return dts_cfg_fail(at, "base_devices", err,
                            "has no effect: metric is not scaling_efficiency");
    return base < reference->devices ||
           dts_cfg_fail(at, "base_devices", err, "must be fewer than devices (%d), got %d",
                        reference->devices, base);
}

bool dts_scenario_references(struct dts_scenario *scenario, const struct dts_cfg *at,
                             struct dts_error *err)
{
    if (!read_list(scenario, at, dts_scenario_reference_fields, &scenario->references,
                   &scenario->reference_count, err))
        return false;
    for (int i = 0; i < scenario->reference_count; i++) {
        const struct dts_cfg item = dts_cfg_item(at, (size_t)i);
        if (!check_base(&scenario->references[i], &item, err))
            return false;
    }
    return true;
}

static const char *measured_metric(int i)
{
    static const char *const words[] = {"step_s", "throughput_samples_per_s", NULL};
    return words[i];
}

const struct dts_field dts_scenario_measurement_fields[] = {
    {DTS_KEY(struct dts_reference, strategy), .type = DTS_STRING, .missing = "null",
     .help = "the strategy that was run, by name; default: every one"},
    {DTS_KEY(struct dts_reference, devices), .type = DTS_INT, .min = 1,
     .max = DTS_SCENARIO_MOST_DEVICES, .help = "how many devices trained"},
    {DTS_KEY(struct dts_reference, metric), .type = DTS_STRING, .choice = measured_metric,
     .help = "what was measured"},
    {DTS_KEY(struct dts_reference, value), .type = DTS_REAL, .min = 1e-12, .max = 1e15,
     .help = "the figure, in the unit of the metric"},
    {DTS_KEY(struct dts_reference, when), .type = DTS_OTHER, .forms = DTS_FORM_OBJECT,
     .missing = "null",
     .help = "paths and values, {\"batch.per_device\": 64}, that were other than in this file"},
    {0},
};

bool dts_scenario_measurements(struct dts_scenario *scenario, const struct dts_cfg *at,
                               struct dts_error *err)
{
    return read_list(scenario, at, dts_scenario_measurement_fields, &scenario->measurements,
                     &scenario->measurement_count, err);
}
