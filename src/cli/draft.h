/* draft.h -- a commented JSON file in the making. Its values come from --set, from options,
 * from a person at the terminal, from the platform that it is to be like, or are what is usual.
 * The last two say so in the "source" of their object.
 */
#ifndef DTS_CLI_DRAFT_H
#define DTS_CLI_DRAFT_H

#include "base/text.h"
#include "cli/answer.h"
#include "cli/like.h"
#include "cli/options.h"
#include "cli/usual.h"

enum { DTS_DRAFT_DEPTH = 8 };

struct dts_draft {
    const struct dts_options *options;
    struct dts_like like;                     // what it begins with, if anything
    bool ask;                                 // a person sits at the terminal
    struct dts_text text;                     // the file so far; owned
    struct dts_text sources[DTS_DRAFT_DEPTH]; // "key": "ASSUMED" of each open object; owned
    const char *open[DTS_DRAFT_DEPTH];        // keys of the objects that are open
    int depth;
    bool begun; // the object begun last has a member
    bool *used; // which --set were; owned
};

/* What --like says, unless it is NULL, is read here. */
bool dts_draft_open(struct dts_draft *draft, const struct dts_options *options,
                    struct dts_error *err);
void dts_draft_free(struct dts_draft *draft);

/* An object begins, as the value of a key; NULL: the file itself. */
void dts_draft_begin(struct dts_draft *draft, const char *key);
void dts_draft_end(struct dts_draft *draft);
void dts_draft_word(struct dts_draft *draft, const char *key, const char *word);

/* Find a value and write it, below its help. value (of DTS_DRAFT_VALUE bytes) is what it is. */
bool dts_draft_want(struct dts_draft *draft, const struct dts_wanted *wanted, char *value,
                    struct dts_error *err);

/* Write what a table of fields asks for: every key without a default, and those that --set
 * names. What is usual (usual.h) goes by the shape. */
bool dts_draft_fields(struct dts_draft *draft, const struct dts_field *fields,
                      const struct dts_shape *shape, struct dts_error *err);

/* Write a key that may be left out, as --set or the platform that it is to be like has it. */
bool dts_draft_optional(struct dts_draft *draft, const char *key, struct dts_error *err);

/* Does anybody say a key of the object that is open: --set, or that platform? */
bool dts_draft_says(struct dts_draft *draft, const char *key);

/* Was every --set asked for? */
bool dts_draft_all_used(const struct dts_draft *draft, struct dts_error *err);

#endif
