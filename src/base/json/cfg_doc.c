/* cfg_doc.c -- documents: read, check, release. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/cfg_private.h"
#include "base/mem.h"
#include "base/os/file.h"

/* Without waiting for whoever may never write to a pipe; one that has a writer is read. */
static FILE *open_to_read(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    fcntl(descriptor, F_SETFL, O_RDONLY); // reading waits as usual
    return fdopen(descriptor, "rb");
}

static bool read_all(const char *path, char **text, size_t *length, struct dts_error *err)
{
    FILE *file = open_to_read(path);
    if (file == NULL && errno == ENOENT)
        return dts_fail(err, DTS_BAD_INPUT, "%s: no such file", path);
    if (file == NULL)
        return dts_fail(err, dts_file_cause(errno), "%s: cannot be opened: %s", path,
                        strerror(errno));
    size_t capacity = 0, got;
    *text = NULL;
    *length = 0;
    do {
        *text = dts_grow(*text, &capacity, *length + 65536, 1);
        got = fread(*text + *length, 1, capacity - *length, file);
        *length += got;
    } while (got > 0 && *length <= DTS_DOC_BYTES);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    if (error == 0 && *length <= DTS_DOC_BYTES)
        return true;
    free(*text);
    *text = NULL;
    if (error != 0)
        return dts_fail(err, dts_file_cause(error), "%s: cannot be read: %s", path,
                        strerror(error));
    return dts_fail(err, DTS_BAD_INPUT, "%s: larger than %d MiB", path, DTS_DOC_BYTES >> 20);
}

static bool fail_syntax(const char *name, const char *text, size_t length,
                        const json_error_t *error, struct dts_error *err)
{
    struct dts_text what = {0}, path = {0};
    size_t position = error->position > 0 ? (size_t)error->position : 0;
    if (json_error_code(error) == json_error_duplicate_key && position <= length) {
        struct dts_text key = {0};
        dts_scan_path(text, position, &path, &key);
        dts_text_shorten(&path, DTS_PATH_BYTES);
        dts_text_add(&path, "%s", path.length > 0 ? ": " : "");
        dts_text_add(&what, "duplicate key \"%s\" (line %d, column %d)", dts_text_string(&key),
                     error->line, error->column);
        dts_text_free(&key);
    } else {
        const bool null = json_error_code(error) == json_error_null_character;
        dts_text_add(&path, "line %d, column %d: ", error->line, error->column);
        dts_text_add(&what, "%s", null ? "\\u0000 is not accepted in a string" : "");
        for (const char *at = null ? "" : error->text; *at != '\0'; at++)
            dts_text_add(&what, "%c", *at > 0 && *at < ' ' ? ' ' : *at);
    }
    dts_fail(err, DTS_BAD_INPUT, "%s: %s%s", name, dts_text_string(&path),
             dts_text_string(&what));
    dts_text_free(&path);
    dts_text_free(&what);
    return false;
}

static bool parse(struct dts_doc **doc, const char *name, const char *text, size_t length,
                  struct dts_error *err)
{
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) { // some editors begin with it
        text += 3;
        length -= 3;
    }
    if (!dts_scan_limits(name, text, length, 0, err))
        return false;
    if (strspn(text, " \t\r\n") == length)
        return dts_fail(err, DTS_BAD_INPUT, "%s: empty, must hold a JSON object", name);
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (root == NULL)
        return fail_syntax(name, text, length, &error, err);
    *doc = dts_alloc(1, sizeof(**doc));
    (*doc)->name = dts_copy(name);
    (*doc)->root = root;
    return true;
}

bool dts_doc_load(struct dts_doc **doc, const char *path, struct dts_error *err)
{
    char *text = NULL;
    size_t length = 0;
    if (!read_all(path, &text, &length, err))
        return false;
    bool done = parse(doc, path, text, length, err);
    free(text);
    return done;
}

bool dts_doc_parse(struct dts_doc **doc, const char *name, const char *text,
                   struct dts_error *err)
{
    size_t length = strlen(text);
    if (length > DTS_DOC_BYTES)
        return dts_fail(err, DTS_BAD_INPUT, "%s: larger than %d MiB", name,
                        DTS_DOC_BYTES >> 20);
    return parse(doc, name, text, length, err);
}

void dts_doc_free(struct dts_doc *doc)
{
    if (doc == NULL)
        return;
    json_decref(doc->root);
    for (size_t i = 0; i < doc->change_count; i++) {
        free(doc->changes[i].path);
        free(doc->changes[i].by);
    }
    free(doc->changes);
    free(doc->name);
    free(doc);
}

const char *dts_doc_name(const struct dts_doc *doc)
{
    return doc->name;
}

struct dts_cfg dts_doc_top(struct dts_doc *doc)
{
    return (struct dts_cfg){.doc = doc, .json = doc->root};
}
