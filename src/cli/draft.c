/* draft.c -- a commented JSON file in the making. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/answer.h"
#include "cli/ask.h"
#include "cli/draft.h"
#include "sim/net/platform/platform.h"

enum { INDENT = 4 }; // spaces of a level

static const char *option_value(const struct dts_draft *draft, const char *option)
{
    for (int i = draft->options->answer_count - 1; i >= 0 && option != NULL; i--)
        if (strcmp(draft->options->answers[i].path, option) == 0)
            return draft->options->answers[i].value;
    return NULL;
}

bool dts_draft_open(struct dts_draft *draft, const struct dts_options *options,
                    struct dts_error *err)
{
    *draft = (struct dts_draft){.options = options};
    draft->ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    draft->used = dts_alloc((size_t)options->changes.set_count, sizeof(*draft->used));
    const char *like = option_value(draft, "like");
    return like == NULL || dts_like_open(&draft->like, like, err);
}

void dts_draft_free(struct dts_draft *draft)
{
    dts_text_free(&draft->text);
    for (int i = 0; i < DTS_DRAFT_DEPTH; i++)
        dts_text_free(&draft->sources[i]);
    dts_like_close(&draft->like);
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
    struct dts_text *sources = &draft->sources[draft->depth - 1];
    if (sources->length > 0) {
        begin_member(draft, "", "source");
        dts_text_add(&draft->text, "{%s}", dts_text_string(sources));
        dts_text_free(sources);
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

/* Where a value was found. */
struct found {
    bool given;             // by the person
    bool raw;               // an object of the platform that it is to be like
    struct dts_text value;  // owned
    struct dts_text source; // of what nobody gave; owned
};

static void free_found(struct found *found)
{
    dts_text_free(&found->value);
    dts_text_free(&found->source);
}

static bool accept(const struct dts_wanted *wanted, const char *what, const char *answer,
                   double scale, struct found *found, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    if (!dts_answer_accept(wanted, what, answer, scale, value, err))
        return false;
    dts_text_add(&found->value, "%s", value);
    return true;
}

/* What nobody gave: the value of the platform that it is to be like, or the usual one. */
static bool find_known(struct dts_draft *draft, const struct dts_wanted *wanted,
                       const char *path, struct found *found, struct dts_error *err)
{
    bool liked = dts_like_value(&draft->like, path, &found->value, &found->source, &found->raw);
    if (liked)
        return true;
    if (wanted->usual == NULL && wanted->option != NULL)
        return dts_fail(err, DTS_BAD_INPUT, "new platform: needs --%s (%s)", wanted->option,
                        wanted->help);
    if (wanted->usual == NULL)
        return dts_fail(err, DTS_BAD_INPUT, "new platform: needs --set %s=VALUE (%s)", path,
                        wanted->help);
    if (wanted->source != NULL || !wanted->word)
        dts_text_add(&found->source, "%s", wanted->source != NULL ? wanted->source : "ASSUMED");
    return accept(wanted, path, wanted->usual, dts_wanted_scale(wanted), found, err);
}

static bool find(struct dts_draft *draft, const struct dts_wanted *wanted, const char *path,
                 struct found *found, struct dts_error *err)
{
    const char *set = set_value(draft, path), *option = option_value(draft, wanted->option);
    char what[DTS_DRAFT_VALUE + 8];
    snprintf(what, sizeof(what), "--%s", option != NULL ? wanted->option : path);
    found->given = true;
    if (set != NULL)
        return accept(wanted, path, set, 1, found, err);
    if (option != NULL)
        return accept(wanted, what, option, dts_wanted_scale(wanted), found, err);
    // A few questions are enough: what has no option of its own is asked only if it must be,
    // and what another platform answers is not asked.
    if (draft->ask && draft->like.doc == NULL &&
        (wanted->option != NULL || wanted->usual == NULL)) {
        char value[DTS_DRAFT_VALUE];
        bool usual = false;
        if (!dts_ask(wanted, path, value, &usual, err))
            return false;
        if (!usual) {
            dts_text_add(&found->value, "%s", value);
            return true;
        }
    }
    found->given = false;
    return find_known(draft, wanted, path, found, err);
}

static void write_found(struct dts_draft *draft, const struct dts_wanted *wanted,
                        const struct found *found)
{
    begin_member(draft, "// ", wanted->key);
    quote(&draft->text, wanted->help);
    begin_member(draft, "", wanted->key);
    if (wanted->word && !found->raw)
        quote(&draft->text, dts_text_string(&found->value));
    else
        dts_text_add(&draft->text, "%s", dts_text_string(&found->value));
    if (found->given || found->source.length == 0)
        return;
    struct dts_text *sources = &draft->sources[draft->depth - 1];
    dts_text_add(sources, "%s", sources->length > 0 ? ", " : "");
    quote(sources, wanted->key);
    dts_text_add(sources, ": ");
    quote(sources, dts_text_string(&found->source));
}

bool dts_draft_want(struct dts_draft *draft, const struct dts_wanted *wanted, char *value,
                    struct dts_error *err)
{
    char path[256];
    struct dts_wanted known = *wanted;
    struct found found = {0};
    path_of(draft, wanted->key, path, sizeof(path));
    if (known.field == NULL)
        known.field = dts_platform_field(path);
    bool good = find(draft, &known, path, &found, err);
    if (good) {
        write_found(draft, &known, &found);
        snprintf(value, DTS_DRAFT_VALUE, "%s", dts_text_string(&found.value));
    }
    free_found(&found);
    return good;
}

static bool is_said(struct dts_draft *draft, const char *path)
{
    return set_value(draft, path) != NULL || dts_like_has(&draft->like, path);
}

static bool write_field(struct dts_draft *draft, const struct dts_field *field,
                        const struct dts_usual *usual, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    struct dts_wanted want = {.key = field->key,
                              .help = field->help,
                              .usual = usual != NULL ? usual->value : NULL,
                              .source = usual != NULL ? usual->source : NULL,
                              .choice = field->choice,
                              .word = field->type == DTS_STRING,
                              .field = field};
    return dts_draft_want(draft, &want, value, err);
}

bool dts_draft_fields(struct dts_draft *draft, const struct dts_field *fields,
                      const struct dts_shape *shape, struct dts_error *err)
{
    for (const struct dts_field *field = fields; field->key != NULL; field++) {
        char path[256];
        struct dts_usual usual;
        bool has_usual = dts_usual(shape, field->key, &usual);
        path_of(draft, field->key, path, sizeof(path));
        if (field->missing != NULL && !(has_usual && usual.always) && !is_said(draft, path))
            continue;
        if (field->type != DTS_OBJECT) {
            if (!write_field(draft, field, has_usual ? &usual : NULL, err))
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

bool dts_draft_says(struct dts_draft *draft, const char *key)
{
    char path[256];
    path_of(draft, key, path, sizeof(path));
    return is_said(draft, path);
}

bool dts_draft_optional(struct dts_draft *draft, const char *key, struct dts_error *err)
{
    char path[256];
    path_of(draft, key, path, sizeof(path));
    const struct dts_field *field = dts_platform_field(path);
    return !is_said(draft, path) || write_field(draft, field, NULL, err);
}

bool dts_draft_all_used(const struct dts_draft *draft, struct dts_error *err)
{
    for (int i = 0; i < draft->options->changes.set_count; i++)
        if (!draft->used[i])
            return dts_fail(err, DTS_BAD_INPUT, "--set %s: no such key in this platform",
                            draft->options->changes.sets[i].path);
    return true;
}
