/* values.c -- what completions offer for an option: one row for each that takes a name. */
#include "cli/shell/values.h"

#include <string.h>

#include "base/text.h"

static const struct {
    const char *option, *list;
} named[] = {
    {"model", "models"},
    {"platform", "platforms"},
    {"like", "platforms"},
    {"stack", "stacks"},
    {"device", "devices"},
    {"precision", "precisions"},
    {"optimizer", "optimizers"},
    {"topology", "topologies"},
    {"fabric", "fabrics"},
    {"transport", "transports"},
    {"transport-within", "transports"},
    {"engine", "engines"},
    {"format", "formats"},
    {"plot", "plots"},
};

enum { NAMED = sizeof(named) / sizeof(named[0]) };

bool dts_named_value(int i, const char **option, const char **list)
{
    if (i >= NAMED)
        return false;
    *option = named[i].option;
    *list = named[i].list;
    return true;
}

enum dts_offer dts_offer(const char *option, const char *value, const char **list)
{
    for (int i = 0; i < NAMED; i++)
        if (strcmp(named[i].option, option) == 0) {
            *list = named[i].list;
            return DTS_OFFER_NAMES;
        }
    if (strncmp(value, "PATH=", strlen("PATH=")) == 0)
        return DTS_OFFER_KEYS;
    return strcmp(value, "FILE") == 0 ? DTS_OFFER_FILES : DTS_OFFER_NOTHING;
}

bool dts_takes_scenarios(const struct dts_command *command)
{
    return strncmp(command->arguments, "SCENARIO", strlen("SCENARIO")) == 0;
}

bool dts_takes_files(const struct dts_command *command)
{
    return strstr(command->arguments, "FAMILY") != NULL;
}

void dts_print_words(const char *(*choice)(int i), FILE *out)
{
    const char *word;
    for (int i = 0; (word = choice(i)) != NULL; i++)
        fprintf(out, "%s%s", i > 0 ? " " : "", word);
}

/* Behind "--NAME" on a line of the help that begins with it, or with "-x, --NAME"; NULL: the
 * line is about something else. */
static const char *behind_name(const char *line, const char *name)
{
    const size_t length = strlen(name);
    line += strspn(line, " ");
    if (line[0] == '-' && line[1] != '-' && strncmp(line + 2, ", ", 2) == 0)
        line += 4;
    if (strncmp(line, "--", 2) != 0 || strncmp(line + 2, name, length) != 0)
        return NULL;
    line += 2 + length;
    return *line == ' ' || *line == '\n' ? line : NULL;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* The value up to two spaces, then the help, which goes on in lines that begin where it does.
 */
static void take_words(const char *at, int column, struct dts_own_words *words)
{
    struct dts_text help = {0};
    const char *gap = strstr(at, "  "), *end = at + line_length(at);
    if (gap == NULL || gap > end)
        gap = end;
    at += *at == ' ';
    if (gap > at)
        snprintf(words->value, sizeof(words->value), "%.*s", (int)(gap - at), at);
    const char *text = gap + strspn(gap, " ");
    column += (int)(text - at);
    while (text < end) {
        dts_text_add(&help, "%s%.*s", help.length > 0 ? " " : "", (int)(end - text), text);
        text = *end == '\n' ? end + 1 : end;
        end = text + line_length(text);
        const size_t indent = strspn(text, " ");
        text = (int)indent >= column - 2 && indent > 10 ? text + indent : end;
    }
    dts_text_copy(words->help, sizeof(words->help), dts_text_string(&help));
    dts_text_free(&help);
}

bool dts_own_words(const struct dts_command *command, int i, struct dts_own_words *words)
{
    const char *name = command->option != NULL ? command->option(i) : NULL;
    *words = (struct dts_own_words){{0}, {0}, {0}};
    if (name == NULL)
        return false;
    dts_text_copy(words->name, sizeof(words->name), name);
    const char *line = command->help != NULL ? command->help : "";
    while (*line != '\0') {
        const char *at = behind_name(line, name);
        if (at != NULL) {
            take_words(at, (int)(at - line), words);
            return true;
        }
        line += line_length(line);
        line += *line == '\n';
    }
    return true;
}
