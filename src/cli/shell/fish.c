/* fish.c -- completions for fish: a line for each option and command. */
#include "cli/commands.h"
#include "cli/shell/shell.h"
#include "cli/shell/values.h"

static const char head[] =
    "# Completions of dtsim for fish, made by `dtsim help fish`.\n"
    "\n"
    "function __dtsim_names --description 'the names that dtsim list shows of a subject'\n"
    "    dtsim list $argv[1] 2>/dev/null | string match -r '^  [^ ]+' | string trim\n"
    "end\n"
    "\n"
    "function __dtsim_keys --description 'keys that are no list, and what stands there'\n"
    "    set -l of scenario\n"
    "    set -l before ''\n"
    "    set -l word (string match -rg '(platform|model|stack)[.]' -- (commandline -ct))\n"
    "    if test -n \"$word\"\n"
    "        set of $word\n"
    "        set before $word.\n"
    "    end\n"
    "    dtsim help $of 2>/dev/null | string match -r '^[a-z_.]+: .*; .*' | "
    "string replace -r '^([a-z_.]+): ' \"$before\\$1=\\t\"\n"
    "end\n"
    "\n";

/* Within single quotes. */
static void put(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* One line; `verb` NULL: an option of all. */
static void put_option(const char *verb, const struct dts_option_words *words, FILE *out)
{
    const char *list = NULL;
    fprintf(out, "complete -c dtsim");
    if (verb != NULL)
        fprintf(out, " -n '__fish_seen_subcommand_from %s'", verb);
    if (words->letter != 0)
        fprintf(out, " -s %c", words->letter);
    fprintf(out, " -l %s", words->name);
    if (words->value != NULL) {
        switch (dts_offer(words->name, words->value, &list)) {
        case DTS_OFFER_NAMES:
            fprintf(out, " -x -a '(__dtsim_names %s)'", list);
            break;
        case DTS_OFFER_KEYS:
            fprintf(out, " -x -a '(__dtsim_keys)'");
            break;
        case DTS_OFFER_FILES:
            fprintf(out, " -r -F");
            break;
        case DTS_OFFER_NOTHING:
            fprintf(out, " -x");
            break;
        }
    }
    fprintf(out, " -d '");
    put(words->help, out);
    fprintf(out, "'\n");
}

static void put_command(const struct dts_command *command, FILE *out)
{
    struct dts_own_words own;
    fprintf(out, "\ncomplete -c dtsim -n __fish_use_subcommand -a %s -d '", command->name);
    put(command->summary, out);
    fprintf(out, "'\n");
    if (command->word != NULL) {
        fprintf(out, "complete -c dtsim -n '__fish_seen_subcommand_from %s' -f -a '",
                command->name);
        dts_print_words(command->word, out);
        fprintf(out, "'\n");
        if (command == &dts_list_command)
            fprintf(out, "complete -c dtsim -n '__fish_seen_subcommand_from list; and "
                         "__fish_seen_subcommand_from platforms' -f "
                         "-a '(__dtsim_names platforms)'\n");
    } else if (dts_takes_scenarios(command)) {
        fprintf(out,
                "complete -c dtsim -n '__fish_seen_subcommand_from %s' "
                "-a '(__dtsim_names scenarios)'\n",
                command->name);
    }
    for (int i = 0; dts_own_words(command, i, &own); i++)
        put_option(command->name, &(struct dts_option_words){own.name, 0, own.value, own.help},
                   out);
}

void dts_complete_fish(FILE *out)
{
    struct dts_option_words words;
    fputs(head, out);
    for (int i = 0; dts_options_words(i, &words); i++)
        put_option(NULL, &words, out);
    fprintf(out, "\ncomplete -c dtsim -n __fish_use_subcommand "
                 "-a '(__dtsim_names scenarios)' -d scenario\n");
    for (int i = 0; dts_commands[i] != NULL; i++)
        put_command(dts_commands[i], out);
}
