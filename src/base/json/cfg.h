/* cfg.h -- JSON documents into structs, by tables of fields. The only reader of JSON.
 *
 * A document is loaded, changed by `--set`, and read object by object. For each struct there is
 * one table that says which keys exist, their type, range, default and meaning:
 *
 *     static const struct dts_field fields[] = {
 *         {DTS_KEY(struct dts_node, devices), .type = DTS_INT, .min = 1, .max = 64,
 *          .help = "accelerators in a node"},
 *         {DTS_KEY(struct dts_node, memory_bytes_per_s), .type = DTS_REAL, .min = 1e6,
 *          .max = 1e15, .missing = "1e11", .help = "memory bandwidth of the host"},
 *         {0},
 *     };
 *     struct dts_cfg top = dts_doc_top(doc);
 *     return dts_cfg_read(&top, fields, &node, err);
 *
 * Unknown keys and duplicate keys are errors that name the nearest known key; a missing key
 * without a default is one too. Every message begins with file and path:
 * `platforms/x.json: node.devices: must be >= 1, got 0`, or with who changed the value:
 * `--set platform.node.devices: must be >= 1, got 0`. Defaults are written into the
 * document, so that dts_doc_print() shows the configuration that ran.
 *
 * A key that begins with "//" is a comment, and so are "source" and "comment" in any object.
 */
#ifndef DTS_BASE_JSON_CFG_H
#define DTS_BASE_JSON_CFG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct dts_doc; // a loaded document; owns everything that is read from it

/* A place in a document. Lives on the stack of the reader; valid while the document is. */
struct dts_cfg {
    const struct dts_cfg *parent; // NULL at the top; must outlive this place
    struct dts_doc *doc;
    const char *key; // NULL for an element of a list
    size_t index;
    void *json; // private; NULL: nothing there
};

enum dts_field_type {
    DTS_INT,    // int
    DTS_REAL,   // double
    DTS_BOOL,   // bool
    DTS_STRING, // const char *, owned by the document
    DTS_OBJECT, // a struct of its own inside the outer one: .fields is its table
    DTS_OTHER,  // struct dts_cfg: any JSON; somebody else reads it. Its parent is `at`.
};

/* What may stand where a field is DTS_OTHER, or-ed; for its help and its schema. */
enum dts_forms {
    DTS_FORM_STRING = 1,
    DTS_FORM_NUMBER = 2,
    DTS_FORM_OBJECT = 4,
    DTS_FORM_NUMBERS = 8,
    DTS_FORM_STRINGS = 16,
    DTS_FORM_OBJECTS = 32,
    DTS_FORM_LIST = 64, // of whatever its reader takes
};

/* One key. The type of the member must be the one that `type` names. */
struct dts_field {
    const char *key;
    size_t offset;
    enum dts_field_type type;
    double min, max; // DTS_INT and DTS_REAL, both inclusive; 0 and 0: no limits

    /* The default as JSON ("1", "\"ring\""). "null": the key is optional, and the member stays
     * as it was. NULL: the key is required. */
    const char *missing;

    const char *(*choice)(int i);   // DTS_STRING: the i-th allowed word, NULL at the end
    const struct dts_field *fields; // DTS_OTHER: those of the object that may stand there
    int forms;                      // DTS_OTHER: enum dts_forms; 0: any
    const char *help;               // one line, with the unit
};

#define DTS_KEY(type, member) .key = #member, .offset = offsetof(type, member)

/* Read a file. *doc is set on success and released with dts_doc_free(). Syntax errors say line
 * and column. Not found: DTS_BAD_INPUT. Files above 64 MiB and nesting above 64 are refused. */
bool dts_doc_load(struct dts_doc **doc, const char *path, struct dts_error *err);

/* The same from a string; `name` stands for the file in messages. */
bool dts_doc_parse(struct dts_doc **doc, const char *name, const char *text,
                   struct dts_error *err);
void dts_doc_free(struct dts_doc *doc);

const char *dts_doc_name(const struct dts_doc *doc); // the path, as messages show it
struct dts_cfg dts_doc_top(struct dts_doc *doc);

/* Change one value: path as in messages ("strategies[0].bucket_bytes"), value as JSON, or a
 * bare word for a string; "8,16" is a list. The parent of the key must exist, the key need not.
 * A path "a.*.b" or "strategies[*].x" changes every element. `by` says who asks: it stands
 * before the path in messages about what was changed ("--set platform."), where else the file
 * does; NULL: the file. */
bool dts_doc_set(struct dts_doc *doc, const char *path, const char *value, const char *by,
                 struct dts_error *err);

/* Change all values that an object of another document holds, keys of `skip` (NULL: none) left
 * out: objects are merged, everything else is replaced. A "source" goes with the values that it
 * was of. Messages about what was changed begin with the place in the other document. */
bool dts_doc_merge(struct dts_doc *doc, const struct dts_cfg *from, const char *skip,
                   struct dts_error *err);

/* Is a path that key, or a place inside it? "a.b", "a.b.c" and "a.b[0]" are in "a.b". */
bool dts_path_is_in(const char *path, const char *key);

/* The path of the i-th change, by dts_doc_set() with a `by` or by dts_doc_merge(), that gave
 * another value than stood there; NULL beyond the last. */
const char *dts_doc_changed(const struct dts_doc *doc, size_t i);

/* A number that tells documents apart by their values, whatever their layout and the order of
 * keys (but for chance: 64 bits); of a whole path its last name counts. Continues from `hash`;
 * begin with 0. */
uint64_t dts_doc_hash(const struct dts_doc *doc, uint64_t hash);

/* Write the document as indented JSON with its defaults. */
void dts_doc_print(const struct dts_doc *doc, FILE *out);

/* Write what is at a place, on one line. */
void dts_cfg_print(const struct dts_cfg *at, FILE *out);
char *dts_cfg_json(const struct dts_cfg *at); // the same as a string; the caller frees it

/* Read an object into a struct: every key of it, by the table that ends with {0}. */
bool dts_cfg_read(const struct dts_cfg *at, const struct dts_field *fields, void *out,
                  struct dts_error *err);

/* The same for an object that two tables describe: keys that all rows of a table of kinds
 * share, and those of one kind. Either table may be NULL. */
bool dts_cfg_read_both(const struct dts_cfg *at, const struct dts_field *shared,
                       void *shared_out, const struct dts_field *own, void *own_out,
                       struct dts_error *err);

/* A message about a key of this place, or about the place itself where key is NULL. */
bool dts_cfg_fail(const struct dts_cfg *at, const char *key, struct dts_error *err,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The same about a path that is known as text. */
bool dts_doc_fail(const struct dts_doc *doc, const char *path, enum dts_cause cause,
                  struct dts_error *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Who says what is at a place, and where, as a message about it begins: "x.json: a.b",
 * "--set a.b". The caller frees it. */
char *dts_cfg_lead(const struct dts_cfg *at);

/* What is at a place that was read as DTS_OTHER. */
bool dts_cfg_exists(const struct dts_cfg *at); // false: missing or null
bool dts_cfg_is_list(const struct dts_cfg *at);
bool dts_cfg_is_object(const struct dts_cfg *at);
bool dts_cfg_is_string(const struct dts_cfg *at);
bool dts_cfg_is_number(const struct dts_cfg *at);

/* The same values? Numbers by what they are, 8e9 is 8000000000. The text is JSON, or a bare
 * word. */
bool dts_cfg_equal(const struct dts_cfg *a, const struct dts_cfg *b);

/* Lists. dts_cfg_length is 0 for what is no list. */
size_t dts_cfg_length(const struct dts_cfg *at);
struct dts_cfg dts_cfg_item(const struct dts_cfg *at, size_t index);
void dts_cfg_remove_item(const struct dts_cfg *at, size_t index); // those behind move up

/* Objects, key by key in the order of the file: for tables whose keys are names. Comments are
 * passed over; dts_cfg_member(at, "source") finds that one. */
size_t dts_cfg_key_count(const struct dts_cfg *at);
const char *dts_cfg_key(const struct dts_cfg *at, size_t index); // NULL beyond the last
struct dts_cfg dts_cfg_member(const struct dts_cfg *at, const char *key);

/* Single values; each checks its type and says what was found. Both limits 0: none. A whole
 * number may be written 1e3 or 8.0. dts_cfg_choice finds the number of an allowed word. */
bool dts_cfg_string(const struct dts_cfg *at, const char **out, struct dts_error *err);
bool dts_cfg_real(const struct dts_cfg *at, double min, double max, double *out,
                  struct dts_error *err);
bool dts_cfg_int(const struct dts_cfg *at, int min, int max, int *out, struct dts_error *err);
bool dts_cfg_bool(const struct dts_cfg *at, bool *out, struct dts_error *err);
bool dts_cfg_choice(const struct dts_cfg *at, const char *(*choice)(int i), int *out,
                    struct dts_error *err);

/* Lists of numbers; *out is allocated and the caller frees it. Both may hold at most `most`. */
bool dts_cfg_ints(const struct dts_cfg *at, int min, int max, size_t most, int **out,
                  size_t *count, struct dts_error *err);
bool dts_cfg_reals(const struct dts_cfg *at, double min, double max, size_t most, double **out,
                   size_t *count, struct dts_error *err);

/* Print what the keys mean, for `dtsim help scenario` (base/json/keys.h): key, type, range,
 * default; below it, help. */
void dts_fields_print(const struct dts_field *fields, const char *prefix, FILE *out);

/* The word of the list (choice(0), choice(1), ... NULL) that is nearest to `word`, or NULL when
 * none is near. For messages. */
const char *dts_nearest(const char *word, const char *(*choice)(int i));

#endif
