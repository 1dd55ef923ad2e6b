/* words.h -- lists of known words, for messages about unknown ones. */
#ifndef DTS_BASE_JSON_WORDS_H
#define DTS_BASE_JSON_WORDS_H

#include <stdbool.h>

#include "base/text.h"

/* The word of a list (ended by NULL) that is nearest to what was written, or NULL when none is
 * near. What was written may be how a word begins; else few letters differ; else a word is how
 * it begins, the longest. The first wins a tie. */
const char *dts_words_nearest(const char *word, const char *const *words);

/* Add " (did you mean X?)", or "X, Y or Z" where it is how several words begin. False, and
 * nothing: none is near. */
bool dts_words_mean(struct dts_text *text, const char *word, const char *const *words);

/* Add " (did you mean X?)", or when none is near " (LEAD a, b, c)"; nothing for no words. */
void dts_words_suggest(struct dts_text *text, const char *word, const char *const *words,
                       const char *lead);

/* Add "a, b, c"; of a long list the beginning and how many more there are. */
void dts_words_add(struct dts_text *text, const char *const *words);

/* choice(0), choice(1), ... as a list ended by NULL. The caller frees the list alone. */
const char **dts_words_of(const char *(*choice)(int i));

#endif
