/* options.h -- the command line as a struct. Options and words come in any order.
 *
 * The rows of options.c say what there is; `dtsim help` prints them.
 */
#ifndef DTS_CLI_OPTIONS_H
#define DTS_CLI_OPTIONS_H

#include <stdio.h>

#include "answer/changes.h"
#include "answer/result.h"

struct dts_options {
    char **line;        // all of the command line, as main() got it; borrowed
    const char **words; // what is no option: the verb, files, names
    int word_count;
    struct dts_changes changes;  // of the scenario
    struct dts_setting *answers; // of `new`: {"nodes", "32"}
    int answer_count;
    const struct dts_format *format; // never NULL
    bool format_given;               // else it follows the suffix of the output
    const char *output;              // "-": standard output
    const char *trace;               // NULL: none
    int trace_most;                  // operations of a trace for a picture; 0: all
    const char *links; // file for a picture of links; no option says it; NULL: none
    const char *plot;  // kind of picture; NULL: what suits the answer
    int jobs;          // child processes at once; 0: one for each core
    bool explain;      // the text is to have all that is known
    bool version, help;
    size_t word_room, answer_room;
};

bool dts_options_parse(struct dts_options *options, int argc, char **argv,
                       struct dts_error *err);
void dts_options_free(struct dts_options *options); // leaves it empty
void dts_options_print(FILE *out);                  // for the help

/* What a row of options.c says of itself, for the help, the manual page and completions. */
struct dts_option_words {
    const char *name;
    char letter;       // 0: none
    const char *value; // what it takes; NULL: nothing
    const char *help;
};

bool dts_options_words(int i, struct dts_option_words *words); // false beyond the last

/* The first option, "--set", that was given and speaks of scenarios or predictions, for
 * commands that have neither: whoever gives it expects more. NULL: none. */
const char *dts_options_of_a_scenario(const struct dts_options *options);

#endif
