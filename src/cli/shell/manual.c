/* manual.c -- the manual page dtsim(1), with the macros of man(7): what `dtsim help` and the
 * help of each command say. */
#include <ctype.h>
#include <string.h>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/shell/shell.h"

/* Text as roff: a hyphen that can be copied, and no line that is taken for a request. */
static void put(const char *text, FILE *out)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        begins = *text == '\n';
        switch (*text) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case '`':
            fputs("\\(ga", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

/* Words behind a request as one argument. */
static void put_argument(const char *request, const char *words, FILE *out)
{
    fprintf(out, "%s \"", request);
    for (; *words != '\0'; words++) {
        const char one[2] = {*words, '\0'};
        if (*words == '"')
            fputs("\\(dq", out);
        else
            put(one, out);
    }
    fputs("\"\n", out);
}

/* A paragraph; a line of it that is an option stands alone. */
static void put_paragraph(const char *lines, FILE *out)
{
    char line[128];
    fputs(".PP\n", out);
    for (const char *end; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
        const bool alone = strncmp(lines, "--", 2) == 0;
        snprintf(line, sizeof(line), "%.*s", (int)(end - lines), lines);
        fputs(alone ? ".br\n" : "", out);
        put(line, out);
        fputs(alone ? "\n.br\n" : "\n", out);
    }
}

/* Lines as they are, at the left edge: they are up to 80 columns wide. */
static void put_lines(const char *lines, FILE *out)
{
    fputs(".in 0\n.nf\n", out);
    put(lines, out);
    fputs(".fi\n.in\n", out);
}

static void put_row(const char *usage, const char *text, FILE *out)
{
    fputs(".TP\n", out);
    put_argument(".B", usage, out);
    put(text, out);
    fputc('\n', out);
}

static void put_commands(FILE *out)
{
    char usage[96];
    const char *name, *summary;
    fputs(".SH COMMANDS\n", out);
    for (int i = 0; dts_commands[i] != NULL; i++) {
        snprintf(usage, sizeof(usage), "%s %s", dts_commands[i]->name,
                 dts_commands[i]->arguments);
        put_row(usage, dts_commands[i]->summary, out);
    }
    for (int i = 0; dts_help_topic(i, &name, &summary); i++) {
        snprintf(usage, sizeof(usage), "help %s", name);
        put_row(usage, summary, out);
    }
}

static void put_options(FILE *out)
{
    struct dts_option_words words;
    char usage[96], letter[8];
    fputs(".SH OPTIONS\n", out);
    for (int i = 0; dts_options_words(i, &words); i++) {
        letter[0] = '\0';
        if (words.letter != 0)
            snprintf(letter, sizeof(letter), "-%c, ", words.letter);
        snprintf(usage, sizeof(usage), "%s--%s%s%s", letter, words.name,
                 words.value != NULL ? " " : "", words.value != NULL ? words.value : "");
        put_row(usage, words.help, out);
    }
}

/* What the commands say of themselves beyond their row. */
static void put_helps(FILE *out)
{
    char title[96];
    for (int i = 0; dts_commands[i] != NULL; i++) {
        const struct dts_command *command = dts_commands[i];
        if (command->help == NULL)
            continue;
        snprintf(title, sizeof(title), "dtsim %s %s", command->name, command->arguments);
        put_argument(".SS", title, out);
        put_lines(command->help, out);
    }
}

void dts_manual_page(FILE *out)
{
    const struct dts_help_words *words = &dts_help_words;
    fprintf(out, ".\\\" Made by `dtsim help man` from the program's own tables.\n");
    fprintf(out, ".TH DTSIM 1 \"\" \"dtsim %s\" \"User Commands\"\n", dts_version());
    fputs(
        ".nh\n.ad l\n.SH NAME\ndtsim \\- predict and run distributed deep-learning training\n",
        out);
    fputs(".SH SYNOPSIS\n.nf\n", out);
    put(words->synopsis, out);
    fputs(".fi\n.SH DESCRIPTION\n", out);
    put(words->about, out);
    put_paragraph(words->notes, out);
    put_commands(out);
    put_options(out);
    fputs(".SH COMMANDS IN DETAIL\n", out);
    put_helps(out);
    fputs(".SH EXIT STATUS\n", out);
    put(words->statuses, out);
    fputs(".SH EXAMPLES\n", out);
    put_lines(words->examples, out);
    fputs(".SH FILES\n.TP\n.I share/dtsim\nmodels, devices, stacks, platforms, scenarios and "
          "published figures, beside the folder of the program\n",
          out);
}
