/* help.c -- `dtsim help`: the texts stand here as they are printed. */
#include <string.h>

#include "answer/validate/cases.h"
#include "answer/validate/listed.h"
#include "base/json/keys.h"
#include "base/os/file.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/print/result_keys.h"
#include "cli/shell/shell.h"
#include "converge/accuracy.h"
#include "converge/profile.h"
#include "sim/net/platform/platform.h"
#include "train/scenario/scenario.h"

const struct dts_help_words dts_help_words = {
    .synopsis = "dtsim SCENARIO... [OPTION...]\n"
                "dtsim COMMAND [ARGUMENT...] [OPTION...]\n",
    .about = "Predict how long a step of distributed training takes on a cluster, how it\n"
             "scales, and how long the epochs take, before the cluster is there.\n",
    .notes =
        "A scenario is a file, or a name that `dtsim list scenarios` shows. Its platform\n"
        "is changed by paths that begin with \"platform.\":\n"
        "--set platform.nics.bytes_per_s=1.25e9\n"
        "A file that --set names is relative to the current folder, one that a file names\n"
        "to the folder of that file. What is written is relative to the current folder.\n",
    .examples =
        "  dtsim scenarios/imagenet_1h.json\n"
        "  dtsim scenarios/ring_vs_ps.json --sweep batch.per_device=32,64 --format csv\n"
        "  dtsim new platform mine --nodes 16 --device v100 --nic-gbit 100 -o mine.json\n",
    .statuses = "0 done, 1 the machine failed, 2 the input is wrong, 3 this build\n"
                "cannot.\n",
};

/* Kinds of file, with what they name of other modules. */
static void scenario_keys(struct dts_keys *keys)
{
    dts_scenario_keys(keys);
    dts_listed_keys(keys);
}

static void stack_keys(struct dts_keys *keys)
{
    dts_stack_keys(keys);
    dts_platform_transport_keys(keys, "transport.within", "transport.between");
}

/* Subjects of `dtsim help` that are no commands: kinds of file, and what others read. */
static const struct topic {
    const char *name, *summary;
    void (*keys)(struct dts_keys *keys); // of a file; with --format json its schema
    void (*print)(FILE *out);
} topics[] = {
    {"scenario", "every key of a scenario file: type, range, default, meaning", scenario_keys},
    {"model", "every key of a model file", dts_model_keys},
    {"platform", "every key of a platform file", dts_platform_keys},
    {"device", "every key of a device file", dts_device_keys},
    {"stack", "every key of a stack file", stack_keys},
    {"convergence", "every key of a convergence profile", dts_convergence_keys},
    {"accuracy", "every key of a table of accuracy", dts_accuracy_keys},
    {"family", "every key of a family of published figures", dts_cases_keys},
    {"result", "every key of a JSON result", dts_result_keys},
    {"man", "the manual page: dtsim help man -o dtsim.1", .print = dts_manual_page},
    {"bash", "completions for bash: source <(dtsim help bash)", .print = dts_complete_bash},
    {"zsh", "completions for zsh: dtsim help zsh -o _dtsim, in a folder of $fpath",
     .print = dts_complete_zsh},
    {"fish", "completions for fish: dtsim help fish | source", .print = dts_complete_fish},
};

enum { TOPICS = sizeof(topics) / sizeof(topics[0]) };

static void print_row(const char *usage, const char *summary, FILE *out)
{
    char lead[80];
    snprintf(lead, sizeof(lead), "  %-22s ", usage);
    dts_text_wrap(out, lead, 25, DTS_HELP_WIDTH, summary);
}

bool dts_help_topic(int i, const char **name, const char **summary)
{
    if (i >= TOPICS)
        return false;
    *name = topics[i].name;
    *summary = topics[i].summary;
    return true;
}

/* Behind `lead`, further lines below the first. */
static void print_lines(const char *lead, const char *lines, FILE *out)
{
    const char *end;
    for (int i = 0; (end = strchr(lines, '\n')) != NULL; i++, lines = end + 1)
        fprintf(out, "%*s%.*s\n", (int)strlen(lead), i == 0 ? lead : "", (int)(end - lines),
                lines);
}

static void print_help(FILE *out)
{
    const struct dts_help_words *words = &dts_help_words;
    char usage[64];
    print_lines("Usage: ", words->synopsis, out);
    fprintf(out, "\n%s\nCommands:\n", words->about);
    for (int i = 0; dts_commands[i] != NULL; i++) {
        snprintf(usage, sizeof(usage), "%s %s", dts_commands[i]->name,
                 dts_commands[i]->arguments);
        print_row(usage, dts_commands[i]->summary, out);
    }
    for (int i = 0; i < TOPICS; i++) {
        snprintf(usage, sizeof(usage), "help %s", topics[i].name);
        print_row(usage, topics[i].summary, out);
    }
    fprintf(out, "\nOptions, anywhere on the line:\n");
    dts_options_print(out);
    fprintf(out, "\n%s\nExamples:\n%s\nExit status: %s", words->notes, words->examples,
            words->statuses);
}

void dts_help_about(const struct dts_command *command, FILE *out)
{
    if (command == &dts_help_command) {
        print_help(out);
        return;
    }
    fprintf(out, "Usage: dtsim %s %s [OPTION...]\n\n%s\n", command->name, command->arguments,
            command->summary);
    if (command->help != NULL)
        fprintf(out, "\n%s", command->help);
}

static const char *subject(int i)
{
    if (i < TOPICS)
        return topics[i].name;
    return dts_commands[i - TOPICS] != NULL ? dts_commands[i - TOPICS]->name : NULL;
}

static const struct topic *find_topic(const char *word)
{
    for (int j = 0; j < TOPICS; j++)
        if (strcmp(topics[j].name, word) == 0)
            return &topics[j];
    return NULL;
}

static void print_about(const char *word, FILE *out)
{
    const struct dts_command *command = dts_command_find(word);
    const struct topic *topic = find_topic(word);
    if (command != NULL)
        dts_help_about(command, out);
    if (topic != NULL && topic->keys != NULL)
        dts_keys_help(topic->keys, out);
    if (topic != NULL && topic->print != NULL)
        topic->print(out);
}

/* A schema is that of one kind of file. */
static const struct topic *schema_of(const struct dts_options *options,
                                     const char *const *words, int count, struct dts_error *err)
{
    const struct topic *topic = count == 1 ? find_topic(words[0]) : NULL;
    if (strcmp(options->format->name, "json") != 0)
        dts_fail(err, DTS_BAD_INPUT,
                 "help: --format: must be text, or json for a schema, got %s",
                 options->format->name);
    else if (topic == NULL || topic->keys == NULL)
        dts_fail(err, DTS_BAD_INPUT,
                 "help: --format json: needs one kind of file: scenario, model, platform, ...");
    else
        return topic;
    return NULL;
}

static void print(const struct topic *schema, const char *const *words, int count, FILE *out)
{
    char title[64];
    if (schema != NULL) {
        snprintf(title, sizeof(title), "dtsim %s: %s", dts_version(), schema->name);
        dts_keys_schema(schema->keys, title, out);
        return;
    }
    if (count == 0)
        print_help(out);
    for (int i = 0; i < count; i++)
        print_about(words[i], out);
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const struct topic *schema = NULL;
    int count = dts_command_words(&dts_help_command, options, &words);
    for (int i = 0; i < count; i++)
        if (!dts_known("help about", words[i], subject, err))
            return false;
    if (strcmp(options->format->name, "text") != 0 &&
        (schema = schema_of(options, words, count, err)) == NULL)
        return false;
    struct dts_output out;
    if (!dts_output_open(&out, options->output, err))
        return false;
    print(schema, words, count, out.stream);
    return dts_output_close(&out, err);
}

const struct dts_command dts_help_command = {
    .name = "help",
    .arguments = "[SUBJECT]",
    .summary = "this text, or all about a command or a kind of file",
    .word = subject,
    .help = "dtsim help SUBJECT --format json prints the JSON Schema of a kind of file.\n",
    .run = run,
};
