/* commands.c -- the table of commands. */
#include <string.h>

#include "cli/commands.h"

const struct dts_command *const dts_commands[] = {
    &dts_predict_command,
    &dts_check_command,
    &dts_explain_command,
    &dts_compare_command,
    &dts_validate_command,
    &dts_profile_command,
    &dts_converge_command,
    &dts_list_command,
    &dts_new_command,
    &dts_calibrate_command,
    &dts_help_command,
    // ends the table
    NULL,
};

const struct dts_command *dts_command_find(const char *name)
{
    for (int i = 0; dts_commands[i] != NULL; i++)
        if (strcmp(dts_commands[i]->name, name) == 0)
            return dts_commands[i];
    return NULL;
}

int dts_command_words(const struct dts_command *command, const struct dts_options *options,
                      const char *const **words)
{
    bool named = options->word_count > 0 && strcmp(options->words[0], command->name) == 0;
    *words = (const char *const *)options->words + named;
    return options->word_count - named;
}
