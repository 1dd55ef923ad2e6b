/* commands.h -- what the program does. One file and one row of commands.c each. */
#ifndef DTS_CLI_COMMANDS_H
#define DTS_CLI_COMMANDS_H

#include <stdio.h>

#include "cli/options.h"

struct dts_command {
    const char *name, *arguments; // as typed: "list", "[WHAT]"
    const char *summary;          // one line of `dtsim help`
    const char *help; // more of `dtsim help NAME`, lines with their newline; NULL: none

    /* The names of the command's own options, "nodes" of "--nodes"; NULL at the end. What they
     * are given becomes an answer. Itself NULL: it has none. */
    const char *(*option)(int i);

    bool draws; // its answer may be a picture or a page
    /* What may stand behind the verb, NULL at the end, for completions. Itself NULL: files and
     * names. */
    const char *(*word)(int i);

    /* The verb is options->words[0]; where it may be left out, see dts_command_words(). */
    bool (*run)(const struct dts_options *options, struct dts_error *err);
};

enum { DTS_COMMANDS_MOST = 31 };
extern const struct dts_command *const dts_commands[]; // ended by NULL
const struct dts_command *dts_command_find(const char *name);

/* The words of a command line without the verb: files or names. Returns how many. */
int dts_command_words(const struct dts_command *command, const struct dts_options *options,
                      const char *const **words);

extern const struct dts_command dts_predict_command;
extern const struct dts_command dts_check_command;
extern const struct dts_command dts_explain_command;
extern const struct dts_command dts_compare_command;
extern const struct dts_command dts_validate_command;
extern const struct dts_command dts_list_command;
extern const struct dts_command dts_new_command;
extern const struct dts_command dts_profile_command;
extern const struct dts_command dts_calibrate_command;
extern const struct dts_command dts_converge_command;
extern const struct dts_command dts_help_command;

/* Predict what the scenarios on the command line ask (predict.c). */
bool dts_predict(const struct dts_options *options, struct dts_error *err);

void dts_help_about(const struct dts_command *command, FILE *out);

/* The parts of `dtsim help` that stand in no table; each ends its last line. */
struct dts_help_words {
    const char *synopsis, *about, *notes, *examples, *statuses;
};
extern const struct dts_help_words dts_help_words;

/* The i-th subject of `dtsim help` that is no command; false beyond the last. */
bool dts_help_topic(int i, const char **name, const char **summary);

#endif
