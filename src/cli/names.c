/* names.c -- messages about names that nobody knows. */
#include <stdlib.h>
#include <string.h>

#include "base/json/words.h"
#include "cli/names.h"

enum { WORD_SHOWN = 120 }; // bytes of an unknown word that a message repeats

bool dts_unknown(const char *what, const char *word, const char *const *words,
                 struct dts_error *err)
{
    struct dts_text text = {0};
    dts_text_add(&text, "no %s \"", what);
    dts_text_add_word(&text, word, WORD_SHOWN);
    dts_text_add(&text, "\"");
    dts_words_suggest(&text, word, words, "there are:");
    dts_fail(err, DTS_BAD_INPUT, "%s", dts_text_string(&text));
    dts_text_free(&text);
    return false;
}

bool dts_known(const char *what, const char *word, const char *(*choice)(int i),
               struct dts_error *err)
{
    for (int i = 0; choice(i) != NULL; i++)
        if (strcmp(choice(i), word) == 0)
            return true;
    const char **words = dts_words_of(choice);
    dts_unknown(what, word, words, err);
    free(words);
    return false;
}
