/* oracle_gradients.h -- reads tests/oracle/gradients.json: its parts, and its values, which are
 * bits in hexadecimal. */
#ifndef DTS_TESTS_ORACLE_GRADIENTS_H
#define DTS_TESTS_ORACLE_GRADIENTS_H

#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/mem.h"
#include "check.h"
#include "odd_values.h"

struct oracle_top {
    const char *source;
    struct dts_cfg reductions, compressions, lists;
};

static const struct dts_field oracle_top_fields[] = {
    {DTS_KEY(struct oracle_top, source), .type = DTS_STRING},
    {DTS_KEY(struct oracle_top, reductions), .type = DTS_OTHER},
    {DTS_KEY(struct oracle_top, compressions), .type = DTS_OTHER},
    {DTS_KEY(struct oracle_top, lists), .type = DTS_OTHER},
    {0},
};

/* sources: the folder of all sources. */
static inline bool oracle_open(struct dts_doc **doc, struct oracle_top *top,
                               const char *sources)
{
    char path[4096];
    struct dts_error err = {0};
    snprintf(path, sizeof(path), "%s/tests/oracle/gradients.json", sources);
    *doc = NULL;
    *top = (struct oracle_top){0};
    bool good = dts_doc_load(doc, path, &err);
    const struct dts_cfg at = good ? dts_doc_top(*doc) : (struct dts_cfg){0};
    good = good && dts_cfg_read(&at, oracle_top_fields, top, &err);
    if (!good)
        printf("  %s\n", err.text);
    return CHECK(good);
}

static inline bool oracle_read(const struct dts_cfg *list, size_t i,
                               const struct dts_field *fields, void *out)
{
    struct dts_error err = {0};
    const struct dts_cfg item = dts_cfg_item(list, i);
    return CHECK(dts_cfg_read(&item, fields, out, &err));
}

/* Words in hexadecimal, all of `each` bytes; "nan" has all bits set. Returns how many; the
 * caller frees. */
static inline size_t oracle_words_of(const char *text, size_t each, void **words)
{
    char *bytes = dts_alloc(strlen(text) + 1, each);
    size_t count = 0;
    *words = bytes;
    while (*text != '\0') {
        char *end = (char *)text + 3;
        const uint64_t word = *text == 'n' ? UINT64_MAX : strtoull(text, &end, 16);
        if (end == text)
            break;
        memcpy(bytes + count++ * each, &word, each); // the lower bytes are first
        text = *end == ' ' ? end + 1 : end;
    }
    return count;
}

static inline void oracle_compare(const void *got, const char *text, size_t each, size_t count,
                                  enum dts_half half)
{
    void *want;
    if (CHECK_INT(oracle_words_of(text, each, &want), count))
        for (size_t i = 0; i < count; i++)
            CHECK(odd_same(got, want, each, i, half));
    free(want);
}

#endif
