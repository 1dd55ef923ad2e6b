/* bash.c -- completions for bash, which splits words at "=", too: "--model=x" is three of them.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/shell/shell.h"
#include "cli/shell/values.h"

static const char head[] =
    "# Completions of dtsim for bash, made by `dtsim help bash`.\n"
    "\n"
    "# _dtsim_names LIST -- the names that `dtsim list LIST` shows.\n"
    "_dtsim_names() {\n"
    "    \"${COMP_WORDS[0]/#\\~/$HOME}\" list \"$1\" 2>/dev/null | sed -n "
    "'s/^  \\([^ ][^ ]*\\).*/\\1/p'\n"
    "}\n"
    "\n"
    "# _dtsim_keys -- the keys of a scenario that are no list, and behind \"platform.\" or so "
    "those\n"
    "# of the file that it names.\n"
    "_dtsim_keys() {\n"
    "    local of=scenario before=''\n"
    "    case $cur in\n"
    "    platform.* | model.* | stack.*) of=${cur%%.*} before=${cur%%.*}. ;;\n"
    "    esac\n"
    "    \"${COMP_WORDS[0]/#\\~/$HOME}\" help \"$of\" 2>/dev/null | sed -n "
    "\"s/^\\\\([a-z_.]*\\\\): .*; .*/$before\\\\1=/p\"\n"
    "}\n"
    "\n"
    "# _dtsim_offer WORDS -- those that begin as the word at the cursor.\n"
    "_dtsim_offer() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_dtsim() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local i verb='' own='' words='' scenarios=1 files=''\n"
    "    COMPREPLY=()\n"
    "    if [[ $cur == = ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == = ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n";

static const char tail[] =
    "    if [[ $cur == -* ]]; then\n"
    "        _dtsim_offer \"$own $options\"\n"
    "    elif [[ -n $words ]]; then\n"
    "        _dtsim_offer \"$words\"\n"
    "    elif [[ -z $verb ]]; then\n"
    "        _dtsim_offer \"$verbs $(_dtsim_names scenarios)\"\n"
    "    elif [[ -n $scenarios ]]; then\n"
    "        _dtsim_offer \"$(_dtsim_names scenarios)\"\n"
    "    fi\n"
    "    [[ -n $words && -z $files || $cur == -* ]] && return\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\")\n"
    "}\n"
    "\n"
    "complete -F _dtsim dtsim\n";

/* The word before the cursor is an option that takes a value: only such values are offered. */
static void put_value(const char *pattern, enum dts_offer offer, const char *list, FILE *out)
{
    fprintf(out, "    %s)\n", pattern);
    switch (offer) {
    case DTS_OFFER_NAMES:
        fprintf(out, "        _dtsim_offer \"$(_dtsim_names %s)\"\n", list);
        break;
    case DTS_OFFER_KEYS:
        fprintf(out, "        compopt -o nospace 2>/dev/null\n"
                     "        _dtsim_offer \"$(_dtsim_keys)\"\n");
        break;
    case DTS_OFFER_FILES:
        fprintf(out, "        compopt -o filenames 2>/dev/null\n"
                     "        mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n");
        break;
    case DTS_OFFER_NOTHING:
        break;
    }
    fprintf(out, "        return\n        ;;\n");
}

/* Is it an option of the program, not of a command? */
static bool is_of_all(const char *option)
{
    struct dts_option_words words;
    int i = 0;
    while (dts_options_words(i, &words) && strcmp(words.name, option) != 0)
        i++;
    return dts_options_words(i, &words);
}

/* Names behind "--model", and behind the key of a scenario in "--set model=". */
static void put_named_values(FILE *out)
{
    const char *option, *list;
    char pattern[96];
    for (int i = 0; dts_named_value(i, &option, &list); i++) {
        snprintf(pattern, sizeof(pattern), is_of_all(option) ? "%s" : "%s | --%s", option,
                 option);
        put_value(pattern, DTS_OFFER_NAMES, list, out);
    }
}

static void put_values(FILE *out)
{
    const char *list = NULL;
    struct dts_option_words words;
    char pattern[96], letter[8];
    fprintf(out, "    case $prev in\n");
    for (int i = 0; dts_options_words(i, &words); i++) {
        if (words.value == NULL)
            continue;
        const enum dts_offer offer = dts_offer(words.name, words.value, &list);
        letter[0] = '\0';
        if (words.letter != 0)
            snprintf(letter, sizeof(letter), " | -%c", words.letter);
        snprintf(pattern, sizeof(pattern), "--%s%s", words.name, letter);
        put_value(pattern, offer, list, out);
    }
    put_named_values(out);
    fprintf(out, "    esac\n");
}

/* Options of the command at hand that are not of all. */
static void put_own_values(const struct dts_command *command, FILE *out)
{
    const char *list;
    struct dts_own_words words;
    char pattern[64];
    fprintf(out, "        case $prev in\n");
    for (int i = 0; dts_own_words(command, i, &words); i++) {
        const enum dts_offer offer = dts_offer(words.name, words.value, &list);
        snprintf(pattern, sizeof(pattern), "    --%s", words.name);
        if (offer != DTS_OFFER_NAMES)
            put_value(pattern, offer, NULL, out);
    }
    fprintf(out, "        esac\n");
}

static void put_commands(FILE *out)
{
    fprintf(out, "    case $verb in\n");
    for (int i = 0; dts_commands[i] != NULL; i++) {
        const struct dts_command *command = dts_commands[i];
        fprintf(out, "    %s)\n        own='", command->name);
        for (int k = 0; command->option != NULL && command->option(k) != NULL; k++)
            fprintf(out, "%s--%s", k > 0 ? " " : "", command->option(k));
        fprintf(out, "' words='");
        if (command->word != NULL)
            dts_print_words(command->word, out);
        fprintf(out, "' scenarios='%s' files='%s'\n", dts_takes_scenarios(command) ? "1" : "",
                dts_takes_files(command) ? "1" : "");
        if (command == &dts_list_command)
            fprintf(out, "        [[ $prev == platforms ]] && "
                         "words=$(_dtsim_names platforms)\n");
        if (command->option != NULL)
            put_own_values(command, out);
        fprintf(out, "        ;;\n");
    }
    fprintf(out, "    esac\n");
}

void dts_complete_bash(FILE *out)
{
    struct dts_option_words words;
    fputs(head, out);
    fprintf(out, "    local options='");
    for (int i = 0; dts_options_words(i, &words); i++)
        fprintf(out, "%s--%s", i > 0 ? " " : "", words.name);
    fprintf(out, "' verbs='");
    for (int i = 0; dts_commands[i] != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", dts_commands[i]->name);
    fprintf(out,
            "'\n"
            "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
            "        [[ \" $verbs \" == *\" ${COMP_WORDS[i]} \"* ]] && verb=${COMP_WORDS[i]} "
            "&& break\n"
            "    done\n");
    put_values(out);
    put_commands(out);
    fputs(tail, out);
}
