/* draft.c -- a commented JSON file in the making. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/answer.h"
#include "cli/draft.h"
#include "sim/net/platform/platform.h"

enum { INDENT = 4, TRIES = 5 }; // spaces of a level; answers of a person to one question

void dts_draft_open(struct dts_draft *draft, const struct dts_options *options)
{
    *draft = (struct dts_draft){.options = options};
    draft->ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    draft->used = dts_alloc((size_t)options->changes.set_count, sizeof(*draft->used));
}

void dts_draft_free(struct dts_draft *draft)
{
    dts_text_free(&draft->text);
    for (int i = 0; i < DTS_DRAFT_DEPTH; i++)
        dts_text_free(&draft->assumed[i]);
    free(draft->used);
    *draft = (struct dts_draft){0};
}

static void quote(struct dts_text *text, const char *word)
{
    dts_text_add(text, "\"");
    for (; *word != '\0'; word++)
        if (*word == '"' || *word == '\\')
            dts_text_add(text, "\\%c", *word);
        else if ((unsigned char)*word < ' ')
            dts_text_add(text, "\\u%04x", *word);
        else
            dts_text_add_bytes(text, word, 1);
    dts_text_add(text, "\"");
}

/* A new line, and the key that stands on it. */
static void begin_member(struct dts_draft *draft, const char *comment, const char *key)
{
    char name[96];
    snprintf(name, sizeof(name), "%s%s", comment, key);
    dts_text_add(&draft->text, "%s\n%*s", draft->begun ? "," : "", INDENT * draft->depth, "");
    quote(&draft->text, name);
    dts_text_add(&draft->text, ": ");
    draft->begun = true;
}

void dts_draft_begin(struct dts_draft *draft, const char *key)
{
    if (key != NULL)
        begin_member(draft, "", key);
    dts_text_add(&draft->text, "{");
    draft->open[draft->depth++] = key;
    draft->begun = false;
}

void dts_draft_end(struct dts_draft *draft)
{
    struct dts_text *assumed = &draft->assumed[draft->depth - 1];
    if (assumed->length > 0) {
        begin_member(draft, "", "source");
        dts_text_add(&draft->text, "{%s}", dts_text_string(assumed));
        dts_text_free(assumed);
    }
    draft->depth--;
    dts_text_add(&draft->text, "\n%*s}%s", INDENT * draft->depth, "",
                 draft->depth == 0 ? "\n" : "");
    draft->begun = true;
}

void dts_draft_word(struct dts_draft *draft, const char *key, const char *word)
{
    begin_member(draft, "", key);
    quote(&draft->text, word);
}

/* "nics.latency_us" */
static void path_of(const struct dts_draft *draft, const char *key, char *path, size_t room)
{
    size_t used = 0;
    for (int i = 1; i < draft->depth; i++)
        used += (size_t)snprintf(path + used, room - used, "%s.", draft->open[i]);
    snprintf(path + used, room - used, "%s", key);
}

/* What --set says; NULL: nothing. */
static const char *set_value(struct dts_draft *draft, const char *path)
{
    const char *value = NULL;
    for (int i = 0; i < draft->options->changes.set_count; i++)
        if (strcmp(draft->options->changes.sets[i].path, path) == 0) {
            value = draft->options->changes.sets[i].value;
            draft->used[i] = true;
        }
    return value;
}

static const char *option_value(const struct dts_draft *draft, const char *option)
{
    for (int i = draft->options->answer_count - 1; i >= 0 && option != NULL; i--)
        if (strcmp(draft->options->answers[i].path, option) == 0)
            return draft->options->answers[i].value;
    return NULL;
}

static double scale_of(const struct dts_wanted *wanted)
{
    return wanted->scale != 0 ? wanted->scale : 1;
}

/* Ask until the answer is good; an empty one means the usual value, if there is one. */
static bool ask(const struct dts_wanted *wanted, const char *path, char *value, bool *usual,
                struct dts_error *err)
{
    for (int i = 0; i < TRIES; i++) {
        char line[DTS_DRAFT_VALUE];
        struct dts_error wrong = {0};
        fprintf(stderr, "%s: %s", wanted->option != NULL ? wanted->option : path, wanted->help);
        for (int c = 0; wanted->choice != NULL && wanted->choice(c) != NULL; c++)
            fprintf(stderr, "%s %s", c > 0 ? "," : ":", wanted->choice(c));
        if (wanted->usual != NULL)
            fprintf(stderr, " [%s]", wanted->usual);
        fprintf(stderr, ": ");
        if (fgets(line, sizeof(line), stdin) == NULL)
            break;
        line[strcspn(line, "\n")] = '\0';
        *usual = line[0] == '\0' && wanted->usual != NULL;
        if (dts_answer_accept(wanted, wanted->option != NULL ? wanted->option : path,
                              *usual ? wanted->usual : line, scale_of(wanted), value, &wrong))
            return true;
        fprintf(stderr, "%s\n", wrong.text);
    }
    return dts_fail(err, DTS_BAD_INPUT, "%s: no answer", path);
}

static bool find(struct dts_draft *draft, const struct dts_wanted *wanted, const char *path,
                 char *value, bool *usual, struct dts_error *err)
{
    const char *set = set_value(draft, path), *option = option_value(draft, wanted->option);
    char what[DTS_DRAFT_VALUE + 8];
    snprintf(what, sizeof(what), "--%s", option != NULL ? wanted->option : path);
    *usual = false;
    if (set != NULL)
        return dts_answer_accept(wanted, path, set, 1, value, err);
    if (option != NULL)
        return dts_answer_accept(wanted, what, option, scale_of(wanted), value, err);
    // A few questions are enough: what has no option of its own is asked only if it must be.
    if (draft->ask && (wanted->option != NULL || wanted->usual == NULL))
        return ask(wanted, path, value, usual, err);
    *usual = wanted->usual != NULL;
    if (*usual)
        return dts_answer_accept(wanted, path, wanted->usual, scale_of(wanted), value, err);
    if (wanted->option != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "new platform: needs --%s (%s)", wanted->option,
                        wanted->help);
    return dts_fail(err, DTS_BAD_INPUT, "new platform: needs --set %s=VALUE (%s)", path,
                    wanted->help);
}

bool dts_draft_want(struct dts_draft *draft, const struct dts_wanted *wanted, char *value,
                    struct dts_error *err)
{
    char path[256];
    bool usual;
    struct dts_wanted known = *wanted;
    path_of(draft, wanted->key, path, sizeof(path));
    if (known.field == NULL)
        known.field = dts_platform_field(path);
    if (!find(draft, &known, path, value, &usual, err))
        return false;
    begin_member(draft, "// ", wanted->key);
    quote(&draft->text, wanted->help);
    begin_member(draft, "", wanted->key);
    if (wanted->word)
        quote(&draft->text, value);
    else
        dts_text_add(&draft->text, "%s", value);
    if (usual && !wanted->word) { // a number that nobody gave
        struct dts_text *assumed = &draft->assumed[draft->depth - 1];
        dts_text_add(assumed, "%s", assumed->length > 0 ? ", " : "");
        quote(assumed, wanted->key);
        dts_text_add(assumed, ": \"ASSUMED\"");
    }
    return true;
}

bool dts_draft_fields(struct dts_draft *draft, const struct dts_field *fields,
                      const struct dts_shape *shape, struct dts_error *err)
{
    for (const struct dts_field *field = fields; field->key != NULL; field++) {
        char value[DTS_DRAFT_VALUE], usual[DTS_DRAFT_VALUE], path[256];
        bool always = false,
             has_usual = dts_usual(shape, field->key, usual, sizeof(usual), &always);
        path_of(draft, field->key, path, sizeof(path));
        if (field->missing != NULL && !always && set_value(draft, path) == NULL)
            continue;
        struct dts_wanted want = {.key = field->key,
                                  .help = field->help,
                                  .usual = has_usual ? usual : NULL,
                                  .choice = field->choice,
                                  .word = field->type == DTS_STRING,
                                  .field = field};
        if (field->type != DTS_OBJECT) {
            if (!dts_draft_want(draft, &want, value, err))
                return false;
            continue;
        }
        dts_draft_begin(draft, field->key);
        if (!dts_draft_fields(draft, field->fields, shape, err))
            return false;
        dts_draft_end(draft);
    }
    return true;
}

bool dts_draft_all_used(const struct dts_draft *draft, struct dts_error *err)
{
    for (int i = 0; i < draft->options->changes.set_count; i++)
        if (!draft->used[i])
            return dts_fail(err, DTS_BAD_INPUT, "--set %s: no such key in this platform",
                            draft->options->changes.sets[i].path);
    return true;
}
