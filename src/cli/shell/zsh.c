/* zsh.c -- completions for zsh, by its function _arguments. */
#include <string.h>

#include "cli/commands.h"
#include "cli/shell/shell.h"
#include "cli/shell/values.h"

static const char head[] =
    "#compdef dtsim\n"
    "# Completions of dtsim for zsh, made by `dtsim help zsh`.\n"
    "\n"
    "# _dtsim_names LIST -- the names that `dtsim list LIST` shows.\n"
    "_dtsim_names() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$($_dtsim_program list $1 2>/dev/null | sed -n "
    "'s/^  \\([^ ][^ ]*\\).*/\\1/p')\"})\n"
    "    compadd -a names\n"
    "}\n"
    "\n"
    "# _dtsim_keys -- the keys of a scenario that are no list, and behind \"platform.\" or so "
    "those\n"
    "# of the file that it names.\n"
    "_dtsim_keys() {\n"
    "    local of=scenario before=''\n"
    "    case $PREFIX in\n"
    "    platform.* | model.* | stack.*) of=${PREFIX%%.*} before=${PREFIX%%.*}. ;;\n"
    "    esac\n"
    "    local -a keys\n"
    "    keys=(${(f)\"$($_dtsim_program help $of 2>/dev/null | sed -n "
    "\"s/^\\\\([a-z_.]*\\\\): .*; .*/$before\\\\1=/p\")\"})\n"
    "    compadd -S '' -a keys\n"
    "}\n"
    "\n"
    "_dtsim_scenarios() {\n"
    "    _alternative 'names:scenario:_dtsim_names scenarios' 'files:file:_files'\n"
    "}\n"
    "\n"
    "_dtsim_first() {\n"
    "    local -a verbs\n"
    "    verbs=(\n";

/* Within single quotes; what _arguments or _describe take as their own marks gets a backslash.
 */
static void put(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text) != NULL)
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void put_value(const char *name, const char *value, FILE *out)
{
    const char *list = NULL;
    fputc(':', out);
    put(value, out);
    fputc(':', out);
    switch (dts_offer(name, value, &list)) {
    case DTS_OFFER_NAMES:
        fprintf(out, "_dtsim_names %s", list);
        break;
    case DTS_OFFER_KEYS:
        fprintf(out, "_dtsim_keys");
        break;
    case DTS_OFFER_FILES:
        fprintf(out, "_files");
        break;
    case DTS_OFFER_NOTHING:
        fputc(' ', out);
        break;
    }
}

static void put_option(const struct dts_option_words *words, FILE *out)
{
    fprintf(out, "        '*'");
    if (words->letter != 0)
        fprintf(out, "{-%c,--%s}'[", words->letter, words->name);
    else
        fprintf(out, "'--%s[", words->name);
    put(words->help, out);
    fputc(']', out);
    if (words->value != NULL)
        put_value(words->name, words->value, out);
    fprintf(out, "'\n");
}

static void put_command(const struct dts_command *command, FILE *out)
{
    struct dts_own_words own;
    fprintf(out, "    %s)\n        options+=(\n", command->name);
    for (int i = 0; dts_own_words(command, i, &own); i++)
        put_option(&(struct dts_option_words){own.name, 0, own.value, own.help}, out);
    fprintf(out, "        )\n");
    if (command->word != NULL) {
        fprintf(out, "        what='(");
        dts_print_words(command->word, out);
        fprintf(out, ")'\n");
        if (command == &dts_list_command)
            fprintf(out, "        [[ $words[3] == platforms ]] && "
                         "what='_dtsim_names platforms'\n");
    } else if (!dts_takes_scenarios(command)) {
        fprintf(out, "        what=_files\n");
    }
    fprintf(out, "        ;;\n");
}

void dts_complete_zsh(FILE *out)
{
    struct dts_option_words words;
    fputs(head, out);
    for (int i = 0; dts_commands[i] != NULL; i++) {
        fprintf(out, "        '%s:", dts_commands[i]->name);
        put(dts_commands[i]->summary, out);
        fprintf(out, "'\n");
    }
    fprintf(out, "    )\n    _describe command verbs\n    _dtsim_scenarios\n}\n\n"
                 "_dtsim() {\n    local _dtsim_program=$words[1] what=_dtsim_scenarios\n"
                 "    local -a options\n    options=(\n");
    for (int i = 0; dts_options_words(i, &words); i++)
        put_option(&words, out);
    fprintf(out, "    )\n    case $words[2] in\n");
    for (int i = 0; dts_commands[i] != NULL; i++)
        put_command(dts_commands[i], out);
    fprintf(out,
            "    esac\n"
            "    _arguments $options '1:command or scenario:_dtsim_first' \"*:word:$what\"\n"
            "}\n\n_dtsim \"$@\"\n");
}
