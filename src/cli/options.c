/* options.c -- reads the command line by a table of options. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "answer/changes.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/picture/plot.h"
#include "sim/engine.h"

struct option {
    const char *name;
    char letter;       // 0: none
    const char *value; // what it takes, for the help; NULL: nothing
    const char *help;
    bool (*take)(struct dts_options *options, const char *value, struct dts_error *err);
};

static bool take_set(struct dts_options *options, const char *value, struct dts_error *err)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return dts_fail(err, DTS_BAD_INPUT, "--set: must be PATH=VALUE, got \"%s\"", value);
    dts_changes_add_set(&options->changes, value, (size_t)(equals - value), equals + 1);
    return true;
}

static bool take_sweep(struct dts_options *options, const char *value, struct dts_error *err)
{
    return dts_changes_add_sweep(&options->changes, value, err);
}

static bool take_engine(struct dts_options *options, const char *value, struct dts_error *err)
{
    options->changes.engine = value;
    return dts_known("engine", value, dts_engine_name, err);
}

static bool take_format(struct dts_options *options, const char *value, struct dts_error *err)
{
    options->format = dts_format_find(value);
    options->format_given = true;
    return options->format != NULL || dts_known("format", value, dts_format_name, err);
}

static bool take_output(struct dts_options *options, const char *value, struct dts_error *err)
{
    options->output = value;
    return *value != '\0' || dts_fail(err, DTS_BAD_INPUT, "--output: must name a file");
}

static bool take_trace(struct dts_options *options, const char *value, struct dts_error *err)
{
    options->trace = value;
    return *value != '\0' || dts_fail(err, DTS_BAD_INPUT, "--trace: must name a file");
}

static bool take_plot(struct dts_options *options, const char *value, struct dts_error *err)
{
    options->plot = value;
    return dts_known("plot", value, dts_plot_name, err);
}

/* A whole number in decimal digits, up to `most`. */
static bool number(const char *option, const char *value, unsigned long long least,
                   unsigned long long most, unsigned long long *out, struct dts_error *err)
{
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 10);
    if (strspn(value, "0123456789") == 0 || *end != '\0' || errno != 0 || *out < least ||
        *out > most)
        return dts_fail(err, DTS_BAD_INPUT,
                        "%s: must be a whole number from %llu to %llu, got \"%s\"", option,
                        least, most, value);
    return true;
}

static bool take_seed(struct dts_options *options, const char *value, struct dts_error *err)
{
    unsigned long long seed;
    options->changes.seed = value;
    return number("--seed", value, 0, INT32_MAX, &seed, err);
}

static bool take_jobs(struct dts_options *options, const char *value, struct dts_error *err)
{
    unsigned long long jobs = 0;
    bool good = number("--jobs", value, 1, 1024, &jobs, err);
    options->jobs = (int)jobs;
    return good;
}

static bool take_live(struct dts_options *options, const char *value, struct dts_error *err)
{
    (void)value, (void)err;
    options->changes.live = true;
    return true;
}

static bool take_explain(struct dts_options *options, const char *value, struct dts_error *err)
{
    (void)value, (void)err;
    options->explain = true;
    return true;
}

static bool take_version(struct dts_options *options, const char *value, struct dts_error *err)
{
    (void)value, (void)err;
    options->version = true;
    return true;
}

static bool take_help(struct dts_options *options, const char *value, struct dts_error *err)
{
    (void)value, (void)err;
    options->help = true;
    return true;
}

static const struct option table[] = {
    {"set", 's', "PATH=VALUE", "change the scenario: --set batch.per_device=64", take_set},
    {"sweep", 'w', "PATH=V1,V2", "a run for each value; several: each combination", take_sweep},
    {"engine", 'e', "ENGINE", "auto, flow or exact (every message), fluid", take_engine},
    {"format", 'f', "FORMAT",
     "text, json, ndjson, csv, svg, png, pdf, gp, html (default: by the suffix of --output, or "
     "text)",
     take_format},
    {"output", 'o', "FILE", "write there, not to standard output", take_output},
    {"plot", 'p', "KIND",
     "what a picture shows: scaling, steps, bandwidth, target, published, memory, staleness, "
     "pareto, timeline, links (default: what suits the answer)",
     take_plot},
    {"trace", 't', "FILE", "write the timeline of the last point, for ui.perfetto.dev",
     take_trace},
    {"seed", 0, "N", "of noise and random placement", take_seed},
    {"jobs", 'j', "N", "points predicted at once (default: one for each core)", take_jobs},
    {"live", 0, NULL, "run the plan for real, under mpirun", take_live},
    {"explain", 0, NULL, "why, and all that the answer rests on", take_explain},
    {"version", 0, NULL, "print the version", take_version},
    {"help", 'h', NULL, "print the help; after a command: all about it", take_help},
};

enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

/* Whether the first `length` characters of the word are "--" and the name. */
static bool is_long(const char *word, size_t length, const char *name)
{
    return word[1] == '-' && strlen(name) + 2 == length &&
           strncmp(word + 2, name, length - 2) == 0;
}

static const struct option *find(const char *word, size_t length)
{
    for (int i = 0; i < OPTIONS; i++)
        if (is_long(word, length, table[i].name) || (length == 2 && word[1] == table[i].letter))
            return &table[i];
    return NULL;
}

/* The command's own options, if it has any. */
static const char *own_option(const struct dts_options *options, int i)
{
    const struct dts_command *command =
        options->word_count > 0 ? dts_command_find(options->words[0]) : NULL;
    return command != NULL && command->option != NULL ? command->option(i) : NULL;
}

enum { MOST_OWN = 32 };

/* Those of the command come first. */
static bool unknown(const struct dts_options *options, const char *word, size_t length,
                    struct dts_error *err)
{
    char name[64], names[OPTIONS + MOST_OWN][32];
    const char *list[OPTIONS + MOST_OWN + 1] = {0}, *own;
    int count = 0;
    snprintf(name, sizeof(name), "%.*s", (int)length, word);
    for (; count < MOST_OWN && (own = own_option(options, count)) != NULL; count++)
        snprintf(names[count], sizeof(names[count]), "--%s", own);
    for (int i = 0; i < OPTIONS; i++, count++)
        snprintf(names[count], sizeof(names[count]), "--%s", table[i].name);
    for (int i = 0; i < count; i++)
        list[i] = names[i];
    return dts_unknown("option", name, list, err);
}

/* Is the word one of the command's own options? Keeps its answer. */
static bool take_answer(struct dts_options *options, const char *word, size_t length,
                        const char *value)
{
    const char *name;
    int i = 0;
    while ((name = own_option(options, i)) != NULL && !is_long(word, length, name))
        i++;
    if (name == NULL)
        return false;
    options->answers = dts_grow(options->answers, &options->answer_room,
                                (size_t)options->answer_count + 1, sizeof(*options->answers));
    options->answers[options->answer_count++] =
        (struct dts_setting){.path = name, .value = value};
    return true;
}

/* The value in the option's own word, --jobs=1 or -j1; *length: of the option. NULL: none. */
static const char *value_within(const char *word, size_t *length)
{
    const char *equals = strchr(word, '=');
    *length = strlen(word);
    if (word[1] == '-') {
        *length = equals != NULL ? (size_t)(equals - word) : *length;
        return equals != NULL ? equals + 1 : NULL;
    }
    const struct option *letter = find(word, 2);
    if (*length == 2 || letter == NULL || letter->value == NULL)
        return NULL;
    *length = 2;
    return word + 2;
}

/* One option, argv[*i], with its value from the same word or the next. */
static bool take(struct dts_options *options, int argc, char **argv, int *i,
                 struct dts_error *err)
{
    const char *word = argv[*i];
    size_t length;
    const char *within = value_within(word, &length);
    const char *value = within != NULL ? within : *i + 1 < argc ? argv[*i + 1] : NULL;

    const struct option *option = find(word, length);
    if (option != NULL && option->value == NULL) {
        if (within != NULL)
            return dts_fail(err, DTS_BAD_INPUT, "--%s: takes no value", option->name);
        return option->take(options, NULL, err);
    }
    *i += within == NULL;
    if (option == NULL && value != NULL && take_answer(options, word, length, value))
        return true;
    if (option == NULL)
        return unknown(options, word, length, err);
    if (value == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "--%s: needs a value, %s", option->name,
                        option->value);
    return option->take(options, value, err);
}

bool dts_options_parse(struct dts_options *options, int argc, char **argv,
                       struct dts_error *err)
{
    *options = (struct dts_options){.line = argv, .format = dts_formats[0], .output = "-"};
    bool good = true, words_only = false;
    for (int i = 1; i < argc && good; i++) {
        if (!words_only && strcmp(argv[i], "--") == 0) {
            words_only = true;
        } else if (!words_only && argv[i][0] == '-' && argv[i][1] != '\0') {
            good = take(options, argc, argv, &i, err);
        } else {
            options->words = dts_grow(options->words, &options->word_room,
                                      (size_t)options->word_count + 1, sizeof(char *));
            options->words[options->word_count++] = argv[i];
        }
    }
    if (good && !options->format_given && dts_format_of_file(options->output) != NULL)
        options->format = dts_format_of_file(options->output);
    if (good && !options->format_given && options->format == dts_formats[0])
        good = dts_format_may_be_text(options->output, err);
    if (good && options->explain && strcmp(options->format->name, "text") != 0)
        good =
            dts_fail(err, DTS_BAD_INPUT, "--explain: has no effect on %s, which has all of it",
                     options->format->name);
    if (!good)
        dts_options_free(options);
    return good;
}

void dts_options_free(struct dts_options *options)
{
    dts_changes_free(&options->changes);
    free(options->words);
    free(options->answers);
    *options = (struct dts_options){0};
}

const char *dts_options_of_a_scenario(const struct dts_options *options)
{
    const struct {
        const char *name;
        bool given;
    } all[] = {
        {"--set", options->changes.set_count > 0},
        {"--sweep", options->changes.sweep_count > 0},
        {"--engine", options->changes.engine != NULL},
        {"--seed", options->changes.seed != NULL},
        {"--trace", options->trace != NULL},
        {"--plot", options->plot != NULL},
        {"--format", options->format_given},
        {"--jobs", options->jobs > 0},
        {"--explain", options->explain},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].given)
            return all[i].name;
    return NULL;
}

void dts_options_print(FILE *out)
{
    for (int i = 0; i < OPTIONS; i++) {
        char letter[8] = "    ", name[32], lead[64];
        if (table[i].letter != 0)
            snprintf(letter, sizeof(letter), "-%c, ", table[i].letter);
        snprintf(name, sizeof(name), "--%s%s%s", table[i].name,
                 table[i].value != NULL ? " " : "",
                 table[i].value != NULL ? table[i].value : "");
        snprintf(lead, sizeof(lead), "  %s%-20s ", letter, name);
        dts_text_wrap(out, lead, 27, DTS_HELP_WIDTH, table[i].help);
    }
}

bool dts_options_words(int i, struct dts_option_words *words)
{
    if (i >= OPTIONS)
        return false;
    *words = (struct dts_option_words){table[i].name, table[i].letter, table[i].value,
                                       table[i].help};
    return true;
}
