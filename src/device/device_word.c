/* device_word.c -- a kind, and after a colon a number. */
#include "device/device_word.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/words.h"
#include "base/mem.h"

enum { MOST_DIGITS = 4, WORD_SHOWN = 120 }; // bytes of an unknown word that a message repeats

static bool fail_unknown(const char *what, const char *word, const char *(*choice)(int i),
                         struct dts_error *err)
{
    struct dts_text text = {0};
    const char **words = dts_words_of(choice);
    dts_text_add(&text, "no device \"");
    dts_text_add_word(&text, word, WORD_SHOWN);
    dts_text_add(&text, "\"");
    dts_words_suggest(&text, word, words, "there are:");
    dts_fail(err, DTS_BAD_INPUT, "%s: %s", what, dts_text_string(&text));
    dts_text_free(&text);
    free(words);
    return false;
}

static bool fail_number(const char *what, const char *kind, const char *word,
                        struct dts_error *err)
{
    struct dts_text text = {0};
    dts_text_add(&text, "%s: must be %s or %s:N, N a number, got \"", what, kind, kind);
    dts_text_add_word(&text, word, WORD_SHOWN);
    dts_text_add(&text, "\"");
    dts_fail(err, DTS_BAD_INPUT, "%s", dts_text_string(&text));
    dts_text_free(&text);
    return false;
}

/* "" and ":7". */
static bool is_number(const char *rest)
{
    const size_t digits = rest[0] == ':' ? strspn(rest + 1, "0123456789") : 0;
    return rest[0] == '\0' || (digits > 0 && digits <= MOST_DIGITS && rest[1 + digits] == '\0');
}

bool dts_device_word_read(struct dts_device_word *out, const char *what, const char *word,
                          const char *(*choice)(int i), struct dts_error *err)
{
    const size_t length = strcspn(word, ":");
    for (int i = 0; choice(i) != NULL; i++) {
        if (strlen(choice(i)) != length || strncmp(choice(i), word, length) != 0)
            continue;
        if (!is_number(word + length))
            return fail_number(what, choice(i), word, err);
        *out = (struct dts_device_word){
            choice(i), word[length] == ':' ? (int)strtol(word + length + 1, NULL, 10) : 0};
        return true;
    }
    char *kind = dts_copy(word);
    kind[length] = '\0';
    fail_unknown(what, kind, choice, err);
    free(kind);
    return false;
}
