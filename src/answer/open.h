/* open.h -- scenario files that the command line names, changed by its --set and --sweep. */
#ifndef DTS_ANSWER_OPEN_H
#define DTS_ANSWER_OPEN_H

#include "answer/changes.h"
#include "base/json/cfg.h"

/* Is the word a path, "x.json" or with a slash, and no name of the library? */
bool dts_word_is_path(const char *word);

/* True if the word is a file or a scenario of the library. Else the error names the nearest of
 * the verbs (ended by NULL), or the nearest scenario. */
bool dts_word_is_scenario(const char *word, const char *const *verbs, struct dts_error *err);

/* Load the scenario that a word names (a path, or a name of the library), and make the changes
 * of combination k. */
bool dts_scenario_open(const struct dts_changes *changes, const char *word, int k,
                       struct dts_doc **doc, struct dts_error *err);

/* Make the changes of combination k in a document. A path that begins with the name of another
 * document ("platform.network.kind") changes that one; `document` is its name, "" the
 * scenario. Files that a --set names are relative to the current folder. */
bool dts_settings_apply(const struct dts_changes *changes, int k, const char *document,
                        struct dts_doc *doc, struct dts_error *err);

/* The value at a path of plain keys, "live.data.folder". The place has no parent. */
struct dts_cfg dts_settings_at(struct dts_doc *doc, const char *path);

#endif
