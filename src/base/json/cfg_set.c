/* cfg_set.c -- change a document by path, as `--set strategies[0].bucket_bytes=4e6` does. */
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg_private.h"
#include "base/mem.h"

/* One step down a path: a key, an element, or all of either. */
struct step {
    char *key; // owned; NULL: an element of a list, or everything
    size_t index;
    const char *digits; // of the index, as they were typed; any number of them
    int digit_count;
    bool every, every_element; // "*" of an object or a list, "[*]" of a list
};

struct change {
    struct step steps[DTS_DOC_DEPTH];
    int count;
    json_t *value;  // owned
    const char *by; // who asks; NULL: the file
};

static void change_free(struct change *change)
{
    for (int i = 0; i < change->count; i++)
        free(change->steps[i].key);
    json_decref(change->value);
}

/* What is wrong with what was asked for, whatever the document is. */
static bool fail_asked(const struct dts_doc *doc, const char *path, const char *by,
                       const char *what, struct dts_error *err)
{
    const char *dot = by != NULL ? strrchr(by, '.') : NULL; // "--set platform." and nothing
    const bool begun = dot != NULL && dot[1] == '\0';
    struct dts_text shown = {0};
    dts_text_add_word(&shown, path, DTS_PATH_BYTES);
    dts_fail(err, DTS_BAD_INPUT, "%s%s%s: %s", by != NULL ? by : doc->name,
             by != NULL ? "" : ": ", *path != '\0' || begun ? dts_text_string(&shown) : "\"\"",
             what);
    dts_text_free(&shown);
    return false;
}

/* From now on the value of this place, and all below it, are no longer the file's. */
static void note_change(const struct dts_cfg *at, const char *by, bool differs)
{
    struct dts_doc *doc = at->doc;
    struct dts_text path = {0};
    if (by == NULL)
        return;
    dts_path_add(&path, at);
    doc->changes =
        dts_grow(doc->changes, &doc->change_room, doc->change_count + 1, sizeof(*doc->changes));
    doc->changes[doc->change_count++] =
        (struct dts_change){dts_text_take(&path), dts_copy(by), differs};
}

/* "[3]", "[*]": true and *at behind it. */
static bool parse_element(const char **at, struct step *step)
{
    if (strncmp(*at, "[*]", 3) == 0) {
        step->every_element = true;
        *at += 3;
        return true;
    }
    char *end;
    if ((*at)[1] < '0' || (*at)[1] > '9')
        return false;
    step->digits = *at + 1;
    step->index = strtoul(step->digits, &end, 10); // too large: the largest, which none has
    step->digit_count = (int)(end - step->digits);
    if (*end != ']')
        return false;
    *at = end + 1;
    return true;
}

/* "nodes", "*", "\"a.b\"". */
static bool parse_key(const char **at, struct step *step)
{
    bool quoted = **at == '"';
    const char *begin = *at + quoted;
    size_t length = strcspn(begin, quoted ? "\"" : ".[]");
    if ((length == 0 && !quoted) || (quoted && begin[length] != '"'))
        return false;
    step->every = !quoted && length == 1 && *begin == '*';
    step->key = dts_alloc(length + 1, 1);
    memcpy(step->key, begin, length);
    *at = begin + length + quoted;
    return true;
}

/* What is wrong with the path; NULL: nothing. */
static const char *parse_path(const char *path, struct change *change)
{
    static const char no_path[] = "is no path: write a.b[0].c";
    const char *at = path;
    do {
        if (*at == '\0' || *at == '.' || (*at == '[' && at > path && at[-1] == '.'))
            return "a name in the path is empty: write a.b[0].c";
        if (change->count == DTS_DOC_DEPTH)
            return no_path;
        struct step *step = &change->steps[change->count++];
        if (*at == '[' ? !parse_element(&at, step) : !parse_key(&at, step))
            return no_path;
        if (*at == '.')
            at++;
        else if (*at != '\0' && *at != '[')
            return no_path;
    } while (*at != '\0' || at[-1] == '.');
    return NULL;
}

/* A number for strtod(), whether or not it is one for JSON ("1e999", "+5", ".5"). */
static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0' && strspn(text, "0123456789+-.eE") == strlen(text);
}

/* "8,16,32": what a person types for a list of numbers. */
static bool is_listed(const char *text)
{
    return strspn(text, "0123456789,") == strlen(text) && strchr(text, ',') != NULL;
}

static json_t *listed(const char *text)
{
    struct dts_text list = {0};
    dts_text_add(&list, "[%s]", text);
    json_t *value = json_loads(dts_text_string(&list), 0, NULL);
    dts_text_free(&list);
    return value;
}

/* A bare word is a string; what begins like other JSON, or is a number, must be JSON. */
static bool parse_value(const struct dts_doc *doc, const char *path, const char *text,
                        struct change *change, struct dts_error *err)
{
    size_t length = strlen(text);
    struct dts_error limits = {0};
    if (length > DTS_DOC_BYTES ||
        !dts_scan_limits("value", text, length, change->count, &limits))
        return fail_asked(doc, path, change->by, "value too large or nested too deep", err);
    bool is_json = (*text != '\0' && strchr("[{\"", *text) != NULL) || is_number(text);
    json_error_t error;
    change->value =
        is_listed(text)
            ? listed(text)
            : json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (change->value == NULL && !is_json)
        change->value = json_string(text); // NULL where it is no UTF-8
    if (change->value != NULL)
        return true;
    struct dts_text what = {0};
    const bool large = is_json && json_error_code(&error) == json_error_numeric_overflow;
    dts_text_add(&what, large ? "number too large, got " : "must be JSON or a word, got ");
    dts_text_add_word(&what, text, DTS_WORD_BYTES);
    fail_asked(doc, path, change->by, dts_text_string(&what), err);
    dts_text_free(&what);
    return false;
}

static bool apply(const struct dts_cfg *at, const struct change *change, int step,
                  struct dts_error *err);

static bool fail_kind(const struct dts_cfg *at, const char *must, struct dts_error *err)
{
    struct dts_text found = {0};
    dts_describe(&found, at->json);
    dts_cfg_fail(at, NULL, err, "must be %s to set something in it, got %s", must,
                 dts_text_string(&found));
    dts_text_free(&found);
    return false;
}

static bool fail_index(const struct dts_cfg *at, const struct step *step, struct dts_error *err)
{
    struct dts_text typed = {0};
    dts_text_add_bytes(&typed, step->digits, (size_t)step->digit_count);
    dts_text_shorten(&typed, DTS_WORD_BYTES);
    dts_cfg_fail(at, NULL, err, "no element %s, the list has %zu", dts_text_string(&typed),
                 dts_cfg_length(at));
    dts_text_free(&typed);
    return false;
}

/* Change one element, or something inside it. */
static bool apply_element(const struct dts_cfg *at, size_t index, const struct change *change,
                          int step, struct dts_error *err)
{
    struct dts_cfg below = dts_cfg_item(at, index);
    if (step + 1 == change->count) {
        const bool differs =
            !dts_json_same_at(below.key != NULL ? below.key : "", below.json, change->value);
        json_array_set_new(at->json, index, json_deep_copy(change->value));
        note_change(&below, change->by, differs);
        return true;
    }
    return apply(&below, change, step + 1, err);
}

/* Change one key, or something inside it; what is missing on the way becomes an object. */
static bool apply_key(const struct dts_cfg *at, const char *key, const struct change *change,
                      int step, struct dts_error *err)
{
    struct dts_cfg below = dts_cfg_member(at, key);
    if (step + 1 == change->count) {
        const bool differs =
            !dts_json_same_at(below.key != NULL ? below.key : "", below.json, change->value);
        if (json_object_set_new(at->json, key, json_deep_copy(change->value)) != 0)
            return dts_cfg_fail(at, NULL, err, "keys must be UTF-8");
        note_change(&below, change->by, differs);
        return true;
    }
    if (!dts_cfg_exists(&below) && change->steps[step + 1].key != NULL &&
        !change->steps[step + 1].every) {
        if (json_object_set_new(at->json, key, json_object()) != 0)
            return dts_cfg_fail(at, NULL, err, "keys must be UTF-8");
        below = dts_cfg_member(at, key);
        note_change(&below, change->by, false); // what is set in it is noted, too
    }
    return apply(&below, change, step + 1, err);
}

static bool apply_every_element(const struct dts_cfg *at, const struct change *change, int step,
                                struct dts_error *err)
{
    if (dts_cfg_length(at) == 0)
        return dts_cfg_fail(at, NULL, err, "must not be empty to set all of it");
    for (size_t i = 0; i < dts_cfg_length(at); i++)
        if (!apply_element(at, i, change, step, err))
            return false;
    return true;
}

static bool apply_every_key(const struct dts_cfg *at, const struct change *change, int step,
                            struct dts_error *err)
{
    bool any = false;
    const char *key;
    json_t *value;
    json_object_foreach(at->json, key, value)
    {
        if (dts_cfg_is_comment(key))
            continue;
        any = true;
        if (!apply_key(at, key, change, step, err))
            return false;
    }
    return any || dts_cfg_fail(at, NULL, err, "must not be empty to set all of it");
}

static bool apply(const struct dts_cfg *at, const struct change *change, int step,
                  struct dts_error *err)
{
    const struct step *s = &change->steps[step];
    if (at->json == NULL)
        return dts_cfg_fail(at, NULL, err, "missing, cannot be set");
    if (s->every_element || (s->every && dts_cfg_is_list(at)))
        return dts_cfg_is_list(at) ? apply_every_element(at, change, step, err)
                                   : fail_kind(at, "a list", err);
    if (s->key == NULL) {
        if (!dts_cfg_is_list(at))
            return fail_kind(at, "a list", err);
        if (s->index >= dts_cfg_length(at))
            return fail_index(at, s, err);
        return apply_element(at, s->index, change, step, err);
    }
    if (!dts_cfg_is_object(at))
        return fail_kind(at, "an object", err);
    return s->every ? apply_every_key(at, change, step, err)
                    : apply_key(at, s->key, change, step, err);
}

static bool merge(const struct dts_cfg *to, const struct dts_cfg *from, const char *skip,
                  const struct dts_cfg *top, struct dts_error *err)
{
    const char *key;
    json_t *value;
    if (json_object_get(from->json, "source") == NULL)
        json_object_del(to->json, "source"); // of values that are others now
    json_object_foreach(from->json, key, value)
    {
        const struct dts_cfg place = dts_cfg_member(from, key), old = dts_cfg_member(to, key);
        if (skip != NULL && strcmp(key, skip) == 0)
            continue;
        if (json_is_object(value) && dts_cfg_is_object(&old)) {
            if (!merge(&old, &place, NULL, top, err))
                return false;
            continue;
        }
        const bool differs = !dts_json_same_at(key, old.json, value);
        if (json_object_set_new(to->json, key, json_deep_copy(value)) != 0)
            return dts_cfg_fail(&place, NULL, err, "keys must be UTF-8");
        const struct dts_cfg new = dts_cfg_member(to, key);
        // "--set stack.", "scenarios/x.json: stack."
        char *lead = dts_lead_of(top, &place);
        struct dts_text by = {0};
        dts_text_add(&by, "%s.", lead);
        note_change(&new, by.chars, differs);
        dts_text_free(&by);
        free(lead);
    }
    return true;
}

bool dts_doc_merge(struct dts_doc *doc, const struct dts_cfg *from, const char *skip,
                   struct dts_error *err)
{
    const struct dts_cfg top = dts_doc_top(doc);
    const bool good = dts_cfg_is_object(&top)
                          ? merge(&top, from, skip, from, err)
                          : dts_cfg_fail(&top, NULL, err, "must be an object to be changed");
    doc->walk.object = NULL; // what it pointed to may be gone
    return good;
}

bool dts_doc_set(struct dts_doc *doc, const char *path, const char *value, const char *by,
                 struct dts_error *err)
{
    struct change change = {.by = by};
    struct dts_cfg top = dts_doc_top(doc);
    const char *wrong = parse_path(path, &change);
    bool done = wrong == NULL ? parse_value(doc, path, value, &change, err) &&
                                    apply(&top, &change, 0, err)
                              : fail_asked(doc, path, by, wrong, err);
    doc->walk.object = NULL; // what it pointed to may be gone
    change_free(&change);
    return done;
}
