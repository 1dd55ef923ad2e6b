/* result_keys.c -- every key of a JSON result. Numbers are the rows of dts_metrics; words stand
 * here, as format_json.c writes them. Tables of fields that nobody reads a file by. */
#include "cli/print/result_keys.h"

#include <assert.h>
#include <string.h>

#include "answer/result.h"

#define WORD(name)        .key = name, .type = DTS_STRING
#define COUNT(name)       .key = name, .type = DTS_INT, .min = 0, .max = 1e15
#define NUMBER(name)      .key = name, .type = DTS_REAL
#define MAYBE             .missing = "null"
#define OTHER(name, what) .key = name, .type = DTS_OTHER, .forms = what

static const char *schema_name(int i)
{
    return i == 0 ? "dtsim-result/1" : NULL;
}

static const char *cause_name(int i)
{
    static const char *const causes[] = {"system", "input", "unsupported", NULL};
    return causes[i];
}

static const char *region_name(int i)
{
    static const char *const regions[] = {"perfect", "diminishing", "maximal", NULL};
    return regions[i];
}

static const struct dts_field question_fields[] = {
    {OTHER("changed", DTS_FORM_STRINGS), .help = "by the command line: \"devices=8,256\""},
    {COUNT("seed"), .help = "of noise and random placement"},
    {WORD("hash"), .help = "of all documents that were read, changes made"},
    {0},
};

static const struct dts_field winner_fields[] = {
    {COUNT("devices"), .help = "of the points that were compared"},
    {WORD("setting"), MAYBE, .help = "what --sweep set for them"},
    {WORD("strategy"), .help = "the fastest"},
    {WORD("second"), .help = "the next"},
    {NUMBER("ahead_percent"), .help = "by how much"},
    {.key = "even", .type = DTS_BOOL, .help = "dtsim cannot tell the two apart"},
    {WORD("on_fewer_nodes"), MAYBE, .help = "one that is even, on fewer nodes"},
    {WORD("in_less_memory"), MAYBE, .help = "one that is even, in less memory"},
    {0},
};

static const struct dts_field choice_fields[] = {
    {WORD("strategy"), .help = "of the point"},
    {WORD("setting"), MAYBE, .help = "what --sweep set for it"},
    {COUNT("devices"), .help = "of the point"},
    {0},
};

static const struct dts_field frontier_fields[] = {
    {WORD("target"), .help = "what is reached, on which data"},
    {.key = "shortest", .type = DTS_OBJECT, .fields = choice_fields, .help = "in time"},
    {.key = "fewest_device_hours",
     .type = DTS_OBJECT,
     .fields = choice_fields,
     .help = "in devices times time"},
    {.key = "least_product",
     .type = DTS_OBJECT,
     .fields = choice_fields,
     .help = "of time and device-hours"},
    {0},
};

static const struct dts_field report_fields[] = {
    {WORD("schema"), .choice = schema_name, .help = "what this is"},
    {WORD("scenario"), .help = "its name"},
    {WORD("dtsim"), .help = "version of the program"},
    {.key = "question",
     .type = DTS_OBJECT,
     .fields = question_fields,
     .help = "what was asked"},
    {OTHER("winners", DTS_FORM_OBJECTS), MAYBE, .help = "of each number of devices"},
    {.key = "to_target",
     .type = DTS_OBJECT,
     .fields = frontier_fields,
     MAYBE,
     .help = "the choices among points with one target"},
    {OTHER("to_targets", DTS_FORM_OBJECTS), MAYBE, .help = "the same of several targets"},
    {OTHER("points", DTS_FORM_OBJECTS), .help = "the answers, in the order of the scenario"},
    {0},
};

static const struct dts_field held_fields[] = {
    {WORD("metric"), .help = "its name in references"},
    {NUMBER("value"), .help = "as published"},
    {NUMBER("predicted"), .help = "the same by dtsim"},
    {NUMBER("error_percent"), .help = "of the prediction against the value"},
    {WORD("source"), MAYBE, .help = "who published it"},
    {0},
};

static const struct dts_field neighbour_fields[] = {
    {WORD("name"), .help = "as the scenario calls it, or its strategy"},
    {COUNT("jobs"), .help = "that are alike but for where they sit"},
    {COUNT("devices"), .help = "of each of them"},
    {NUMBER("step_mean_s"), MAYBE, .help = "of their steps"},
    {NUMBER("step_worst_s"), MAYBE, .help = "of the slowest job"},
    {NUMBER("throughput_samples_per_s"), MAYBE, .help = "of all of them"},
    {0},
};

static const struct dts_field phase_fields[] = {
    {COUNT("global_batch"), .help = "samples of a step"},
    {NUMBER("epochs"), MAYBE, .help = "of the phase"},
    {NUMBER("steps"), MAYBE, .help = "of the phase"},
    {NUMBER("step_s"), MAYBE, .help = "one step"},
    {NUMBER("time_s"), MAYBE, .help = "steps times step_s"},
    {NUMBER("memory_bytes"), MAYBE, .help = "of the fullest device"},
    {NUMBER("energy_kwh"), MAYBE, .help = "of the nodes in use"},
    {NUMBER("level_kernels"), MAYBE, .help = "as those of the point"},
    {NUMBER("level_step"), MAYBE, .help = "as those of the point"},
    {0},
};

static const struct dts_field target_fields[] = {
    {WORD("profile"), MAYBE, .help = "its name, target and published batches"},
    {WORD("rule"), MAYBE, .help = "recipe, optimizer and schedule of its runs"},
    {WORD("law"), MAYBE, .help = "its numbers, with 80 % intervals"},
    {WORD("late"), MAYBE, .help = "what late gradients count as"},
    {WORD("region"), MAYBE, .choice = region_name, .help = "where the batch lies"},
    {WORD("doubt"), MAYBE, .help = "why it is hard to believe"},
    {0},
};

static const struct dts_field accuracy_fields[] = {
    {WORD("table"), .help = "its name, metric, epochs and published batches"},
    {WORD("rule"), MAYBE, .help = "of the learning rate, and optimizer, of its runs"},
    {WORD("doubt"), MAYBE, .help = "why it is hard to believe"},
    {0},
};

static const struct dts_field histogram_fields[] = {
    {COUNT("bin_updates"), .help = "updates of a bin"},
    {OTHER("share", DTS_FORM_NUMBERS), .help = "of all gradients, bin after bin"},
    {0},
};

static const struct dts_field validation_fields[] = {
    {WORD("class"), .help = "of published cases: dtsim validate CLASS"},
    {NUMBER("error_p90_percent"), MAYBE, .help = "nine in ten of them were off at most so far"},
    {0},
};

static const struct dts_field error_fields[] = {
    {WORD("cause"), .choice = cause_name, .help = "whose fault it is"},
    {WORD("text"), .help = "the line that says why"},
    {0},
};

static const struct dts_field point_fields[] = {
    {WORD("strategy"), MAYBE, .help = "its name"},
    {WORD("setting"), MAYBE, .help = "what --sweep set: \"batch.per_device=64\""},
    {COUNT("devices"), MAYBE, .help = "that train"},
    {COUNT("nodes"), MAYBE, .help = "that they are in"},
    {COUNT("global_batch"), MAYBE, .help = "samples of a step"},
    {WORD("model"), MAYBE, .help = "the network"},
    {WORD("platform"), MAYBE, .help = "the machine"},
    {WORD("stack"), MAYBE, .help = "the software"},
    {WORD("engine"), MAYBE, .help = "how it was simulated"},
    {WORD("engine_limits"), MAYBE, .help = "why it may be further off than it promises"},
    {WORD("basis"), MAYBE, .help = "what the seconds rest on"},
    {WORD("outside"), MAYBE, .help = "the batch, where none such was measured"},
    {WORD("doubt"), MAYBE, .help = "why it is hard to believe"},
    {WORD("unlike"), MAYBE, .help = "which devices the others wait for"},
    {WORD("transports"), MAYBE,
     .help = "which software moves messages, and whose word that is"},
    {WORD("slowdown_source"), MAYBE, .help = "of the slowdown by communication"},
    {WORD("noise_source"), MAYBE, .help = "of stragglers"},
    {OTHER("assumed", DTS_FORM_STRINGS), MAYBE, .help = "values that nobody published"},
    {.key = "validation",
     .type = DTS_OBJECT,
     .fields = validation_fields,
     MAYBE,
     .help = "how far predictions like it were off"},
    {.key = "staleness_histogram",
     .type = DTS_OBJECT,
     .fields = histogram_fields,
     MAYBE,
     .help = "by how many updates gradients were late"},
    {OTHER("neighbours", DTS_FORM_OBJECTS), MAYBE, .help = "other jobs on the machine"},
    {OTHER("phases", DTS_FORM_OBJECTS), MAYBE, .help = "of the training"},
    {.key = "target",
     .type = DTS_OBJECT,
     .fields = target_fields,
     MAYBE,
     .help = "the convergence profile that it rests on"},
    {.key = "accuracy",
     .type = DTS_OBJECT,
     .fields = accuracy_fields,
     MAYBE,
     .help = "the table that it rests on"},
    {.key = "reference",
     .type = DTS_OBJECT,
     .fields = held_fields,
     MAYBE,
     .help = "a published figure"},
    {OTHER("more_references", DTS_FORM_OBJECTS), MAYBE, .help = "further ones"},
    {OTHER("live", DTS_FORM_OBJECT), MAYBE, .help = "what --live measured (docs/live.md)"},
    {WORD("chosen"), MAYBE, .help = "what the library of collectives chose"},
    {WORD("chosen_why"), MAYBE, .help = "and why"},
    {WORD("why"), MAYBE, .help = "what bounds the step"},
    {.key = "error",
     .type = DTS_OBJECT,
     .fields = error_fields,
     MAYBE,
     .help = "of a point that was refused: it has no numbers"},
    {0},
};

/* Behind step.total_s. */
static const struct dts_field interval_fields[] = {
    {NUMBER("low_s"), MAYBE,
     .help = "the step where messages are as fast as measured ones may be"},
    {NUMBER("high_s"), MAYBE, .help = "the same where they are as slow"},
    {0},
};

enum { GROUP_MOST = 32, NAME_BYTES = 64 };

/* The rows of a group, NULL: those of the point itself. */
static void add_metrics(struct dts_keys *keys, const char *group)
{
    char names[GROUP_MOST][NAME_BYTES], path[96];
    struct dts_field fields[GROUP_MOST + 1] = {{0}};
    int count = 0;
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++) {
        if (group == NULL ? metric->group != NULL
                          : metric->group == NULL || strcmp(metric->group, group) != 0)
            continue;
        assert(count < GROUP_MOST);
        snprintf(names[count], NAME_BYTES, "%s%s%s", metric->name,
                 metric->unit != NULL ? "_" : "", metric->unit != NULL ? metric->unit : "");
        fields[count] = (struct dts_field){NUMBER(names[count]), MAYBE};
        count++;
    }
    snprintf(path, sizeof(path), "points[]%s%s", group != NULL ? "." : "",
             group != NULL ? group : "");
    dts_keys_add(keys, path, fields);
}

/* The groups are objects of the point. */
static void add_groups(struct dts_keys *keys)
{
    const char *last = NULL;
    for (const struct dts_metric *metric = dts_metrics; metric->name != NULL; metric++) {
        if (metric->group == NULL || (last != NULL && strcmp(metric->group, last) == 0))
            continue;
        last = metric->group;
        const struct dts_field object[] = {
            {OTHER(last, DTS_FORM_OBJECT), MAYBE,
             .help = "numbers, as docs/model.md defines them"},
            {0},
        };
        dts_keys_add(keys, "points[]", object);
        add_metrics(keys, last);
    }
}

void dts_result_keys(struct dts_keys *keys)
{
    dts_keys_heading(keys, "A result is a JSON object (docs/model.md defines its numbers); of "
                           "several scenarios it is a list of them:");
    dts_keys_add(keys, "", report_fields);
    dts_keys_heading(keys, "Each of winners, and of to_targets:");
    dts_keys_add(keys, "winners[]", winner_fields);
    dts_keys_add(keys, "to_targets[]", frontier_fields);
    dts_keys_heading(keys, "Each of points; what is not known is left out:");
    dts_keys_add(keys, "points[]", point_fields);
    dts_keys_add(keys, "points[].neighbours[]", neighbour_fields);
    dts_keys_add(keys, "points[].phases[]", phase_fields);
    dts_keys_add(keys, "points[].more_references[]", held_fields);
    add_metrics(keys, NULL);
    add_groups(keys);
    dts_keys_add(keys, "points[].step", interval_fields);
}
