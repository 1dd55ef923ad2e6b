/* test_shell.c -- the manual page and the completions name every command and every option. */
#include "check.h"

#include <stdlib.h>

#include "cli/commands.h"
#include "cli/shell/shell.h"
#include "cli/shell/values.h"

static const struct {
    const char *name;
    void (*print)(FILE *out);
    const char *option; // as it writes "--NAME"; the page's hyphens can be copied
} papers[] = {
    {"man", dts_manual_page, "\\-\\-%s"},
    {"bash", dts_complete_bash, "--%s"},
    {"zsh", dts_complete_zsh, "--%s"},
    {"fish", dts_complete_fish, "-l %s "},
};

enum { PAPERS = sizeof(papers) / sizeof(papers[0]) };

static char *text_of(int i)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    papers[i].print(out);
    fclose(out);
    return text;
}

/* The name as a word of its own: "--nodes" is not in "--nodes-of". */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length)
        if (strchr("abcdefghijklmnopqrstuvwxyz-", at[length]) == NULL ||
            word[length - 1] == ' ')
            return true;
    return false;
}

static void has_option(int paper, const char *text, const char *name)
{
    char word[80], name_there[64] = "";
    size_t length = 0;
    for (; *name != '\0'; name++)
        length += (size_t)snprintf(name_there + length, sizeof(name_there) - length,
                                   paper == 0 && *name == '-' ? "\\%c" : "%c", *name);
    snprintf(word, sizeof(word), papers[paper].option, name_there);
    if (!CHECK(has_word(text, word)))
        printf("%s lacks %s\n", papers[paper].name, word);
}

static void every_option_is_named(void)
{
    for (int p = 0; p < PAPERS; p++) {
        char *text = text_of(p);
        struct dts_option_words words;
        struct dts_own_words own;
        for (int i = 0; dts_options_words(i, &words); i++)
            has_option(p, text, words.name);
        for (int c = 0; dts_commands[c] != NULL; c++)
            for (int i = 0; dts_own_words(dts_commands[c], i, &own); i++)
                has_option(p, text, own.name);
        free(text);
    }
}

static void every_command_and_topic_is_named(void)
{
    const char *name, *summary;
    for (int p = 0; p < PAPERS; p++) {
        char *text = text_of(p);
        for (int c = 0; dts_commands[c] != NULL; c++)
            CHECK(has_word(text, dts_commands[c]->name));
        for (int i = 0; dts_help_topic(i, &name, &summary); i++)
            if (!CHECK(has_word(text, name)))
                printf("%s lacks %s\n", papers[p].name, name);
        free(text);
    }
}

/* What the help says of an option of a command is found, with the lines that go on. */
static void help_names_every_option_of_a_command(void)
{
    struct dts_own_words own;
    for (int c = 0; dts_commands[c] != NULL; c++)
        for (int i = 0; dts_own_words(dts_commands[c], i, &own); i++)
            if (!CHECK(own.value[0] != '\0' && own.help[0] != '\0'))
                printf("dtsim help %s: nothing about --%s\n", dts_commands[c]->name, own.name);
    int i = 0;
    while (dts_own_words(&dts_explain_command, i, &own) && strcmp(own.name, "measured") != 0)
        i++;
    CHECK_STRING(own.value, "VALUE");
    CHECK_STRING(own.help, "samples a second; a step: \"936 ms\"");
    for (i = 0;
         dts_own_words(&dts_validate_command, i, &own) && strcmp(own.name, "folds") != 0;)
        i++;
    CHECK_STRING(own.value, "yes");
    CHECK_STRING(own.help, "also choose the calibrated constants anew on each half of the "
                           "systems, and score the other half with them (minutes)");
}

static void help_is_at_most_80_columns_wide(void)
{
    for (int c = 0; dts_commands[c] != NULL; c++) {
        const char *line = dts_commands[c]->help != NULL ? dts_commands[c]->help : "";
        for (size_t length; *line != '\0'; line += length + (line[length] == '\n')) {
            length = strcspn(line, "\n");
            if (!CHECK(length <= 80))
                printf("dtsim help %s: %.*s\n", dts_commands[c]->name, (int)length, line);
        }
    }
}

static void options_offer_what_they_take(void)
{
    const char *list = NULL;
    CHECK_INT(dts_offer("model", "NAME[,NAME]", &list), DTS_OFFER_NAMES);
    CHECK_STRING(list, "models");
    CHECK_INT(dts_offer("set", "PATH=VALUE", &list), DTS_OFFER_KEYS);
    CHECK_INT(dts_offer("output", "FILE", &list), DTS_OFFER_FILES);
    CHECK_INT(dts_offer("seed", "N", &list), DTS_OFFER_NOTHING);
}

TESTS(TEST(every_option_is_named), TEST(every_command_and_topic_is_named),
      TEST(help_names_every_option_of_a_command), TEST(help_is_at_most_80_columns_wide),
      TEST(options_offer_what_they_take))
