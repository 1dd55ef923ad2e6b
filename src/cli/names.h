/* names.h -- messages about names that nobody knows. */
#ifndef DTS_CLI_NAMES_H
#define DTS_CLI_NAMES_H

#include "base/error.h"

/* Fail with `no WHAT "WORD" (did you mean "X"?)`, or, when no word of the list (ended by NULL)
 * is near, with what there is. */
bool dts_unknown(const char *what, const char *word, const char *const *words,
                 struct dts_error *err);

/* Is `word` among choice(0), choice(1), ... NULL? Fails as above when it is not. */
bool dts_known(const char *what, const char *word, const char *(*choice)(int i),
               struct dts_error *err);

#endif
