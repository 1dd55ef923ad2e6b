/* cfg_scan.c -- one pass over the text of a document before jansson gets it, so that nothing
 * hostile makes it recurse or allocate without bound; and where in it a byte is. */
#include <string.h>

#include "base/json/cfg_private.h"

/* The index of the quote that ends the string which begins at `start`, or length. */
static size_t string_end(const char *text, size_t length, size_t start)
{
    size_t i = start + 1;
    while (i < length && text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
    return i < length ? i : length;
}

static bool fail_at(const char *where, const char *text, size_t position, struct dts_error *err,
                    const char *what, int limit)
{
    size_t line = 1, column = 1;
    for (size_t i = 0; i < position; i++) {
        column = text[i] == '\n' ? 1 : column + ((text[i] & 0xC0) != 0x80);
        line += text[i] == '\n';
    }
    return dts_fail(err, DTS_BAD_INPUT, "%s: line %zu, column %zu: %s %d", where, line, column,
                    what, limit);
}

bool dts_scan_limits(const char *where, const char *text, size_t length, int depth,
                     struct dts_error *err)
{
    int values = 1;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (c == '"')
            i = string_end(text, length, i);
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        values += c == '[' || c == '{' || c == ',';
        if (depth > DTS_DOC_DEPTH)
            return fail_at(where, text, i, err, "lists and objects nested deeper than",
                           DTS_DOC_DEPTH);
        if (values > DTS_DOC_VALUES)
            return fail_at(where, text, i, err, "more values than", DTS_DOC_VALUES);
    }
    return true;
}

/* A list or object that is open at the byte; of an object, the key whose value is being read.
 */
struct level {
    bool is_list;
    size_t index, key, key_end;
};

static void add_key(struct dts_text *path, const char *text, const struct level *level)
{
    struct dts_text key = {0};
    dts_text_add_bytes(&key, text + level->key, level->key_end - level->key);
    dts_path_add_key(path, dts_text_string(&key));
    dts_text_free(&key);
}

void dts_scan_path(const char *text, size_t position, struct dts_text *path,
                   struct dts_text *key)
{
    struct level levels[DTS_DOC_DEPTH + 1] = {0};
    int depth = 0;
    for (size_t i = 0; i < position; i++) {
        struct level *level = &levels[depth];
        char c = text[i];
        if (c == '"') {
            level->key = i + 1;
            i = level->key_end = string_end(text, position, i);
        } else if ((c == '[' || c == '{') && depth < DTS_DOC_DEPTH) {
            levels[++depth] = (struct level){.is_list = c == '['};
        } else if ((c == ']' || c == '}') && depth > 0) {
            depth--;
        } else if (c == ',') {
            level->index++;
        }
    }
    for (int i = 1; i < depth; i++) {
        if (levels[i].is_list)
            dts_text_add(path, "[%zu]", levels[i].index);
        else
            add_key(path, text, &levels[i]);
    }
    add_key(key, text, &levels[depth]);
}
