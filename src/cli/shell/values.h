/* values.h -- what completions offer for an option: a list of names, keys, files or nothing. */
#ifndef DTS_CLI_SHELL_VALUES_H
#define DTS_CLI_SHELL_VALUES_H

#include <stdio.h>

#include "cli/commands.h"

/* An option of a command as its help has it: "  --nodes N   nodes of the machine". */
struct dts_own_words {
    char name[32], value[32], help[512];
};

/* The command's i-th own option; false beyond the last. Value and help are "" where the help
 * does not name it. */
bool dts_own_words(const struct dts_command *command, int i, struct dts_own_words *words);

enum dts_offer { DTS_OFFER_NOTHING, DTS_OFFER_FILES, DTS_OFFER_KEYS, DTS_OFFER_NAMES };

/* What the value of an option is. *list: the subject of `dtsim list` that has the names. */
enum dts_offer dts_offer(const char *option, const char *value, const char **list);

/* The i-th option whose values are names, with their list; false beyond the last. A key of a
 * scenario has the same name as the option. */
bool dts_named_value(int i, const char **option, const char **list);

/* Does the command read scenarios? */
bool dts_takes_scenarios(const struct dts_command *command);

/* Does it read files where it has words of its own, too? */
bool dts_takes_files(const struct dts_command *command);

/* Print the words of a list (choice(0), choice(1), ... NULL) with a space before each but the
 * first. */
void dts_print_words(const char *(*choice)(int i), FILE *out);

#endif
