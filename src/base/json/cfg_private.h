/* cfg_private.h -- what the files of cfg.h share: the document, and jansson. */
#ifndef DTS_BASE_JSON_CFG_PRIVATE_H
#define DTS_BASE_JSON_CFG_PRIVATE_H

#include <jansson.h>

#include "base/json/cfg.h"
#include "base/text.h"

enum {
    DTS_DOC_BYTES = 64 << 20, // of one file
    DTS_DOC_DEPTH = 64,       // lists and objects inside one another
    DTS_DOC_VALUES = 1000000, // in one file: jansson takes up to 250 bytes for each
    DTS_WORD_BYTES = 64,      // of one key or string in a message
    DTS_PATH_BYTES = 320,     // of the path of a file or of keys in a message
};

/* What somebody else than the file says, or all below it. */
struct dts_change {
    char *path, *by; // owned
    bool differs;    // from what stood there before
};

struct dts_doc {
    char *name; // owned
    json_t *root;
    struct dts_change *changes; // the first came first; owned
    size_t change_count, change_room;
    struct { // where dts_cfg_key() stopped, so that a walk over n keys takes n steps
        json_t *object;
        size_t index;
        void *at;
    } walk;
};

/* Is it the same value? Numbers by what they are; null is nothing. */
bool dts_json_same(const json_t *a, const json_t *b);

/* The same for values of a key, of which one may be a text with its unit: 12.5e9 is "100Gb/s".
 */
bool dts_json_same_at(const char *key, const json_t *a, const json_t *b);

/* Depth and number of values of a text that may not be JSON. `depth` is that of its place. */
bool dts_scan_limits(const char *where, const char *text, size_t length, int depth,
                     struct dts_error *err);

/* The path of the object around a byte of a text, and the key before it (both appended). */
void dts_scan_path(const char *text, size_t position, struct dts_text *path,
                   struct dts_text *key);

bool dts_cfg_is_comment(const char *key); // "//...", "source", "comment"

/* Add a key to a path: ".nodes", "nodes" at its beginning, ."a.b" where it must be quoted. */
void dts_path_add_key(struct dts_text *path, const char *key);

/* Add the path of a place; nothing at the top. */
void dts_path_add(struct dts_text *path, const struct dts_cfg *at);

/* Who said what is at the path; NULL: the file. */
const char *dts_path_said_by(const struct dts_doc *doc, const char *path);

/* What stands before a message about the place `shown`, with who says what is at `value`. The
 * caller frees it. */
char *dts_lead_of(const struct dts_cfg *shown, const struct dts_cfg *value);

/* Add what was found: a string "x", 8.5, null, a list. */
void dts_describe(struct dts_text *text, const json_t *json);

#endif
