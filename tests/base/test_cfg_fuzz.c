/* test_cfg_fuzz.c -- hostile documents end in one line, quickly and in little memory. */
#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/rng.h"
#include "check.h"

struct layer {
    const char *kind;
    int units;
};

struct net {
    const char *name;
    double rate;
    bool on;
    struct layer head;
    struct dts_cfg layers, table;
};

static const char *kind_word(int i)
{
    static const char *const words[] = {"linear", "conv"};
    return i < 2 ? words[i] : NULL;
}

static const struct dts_field layer_fields[] = {
    {DTS_KEY(struct layer, kind), .type = DTS_STRING, .choice = kind_word},
    {DTS_KEY(struct layer, units), .type = DTS_INT, .min = 1, .max = 1e12, .missing = "3"},
    {0},
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct net, name), .type = DTS_STRING},
    {DTS_KEY(struct net, rate), .type = DTS_REAL, .min = -1e9, .max = INFINITY, .missing = "1"},
    {DTS_KEY(struct net, on), .type = DTS_BOOL, .missing = "false"},
    {DTS_KEY(struct net, head), .type = DTS_OBJECT, .fields = layer_fields},
    {DTS_KEY(struct net, layers), .type = DTS_OTHER, .missing = "[]"},
    {DTS_KEY(struct net, table), .type = DTS_OTHER, .missing = "null"},
    {0},
};

static bool read_all(struct dts_doc *doc, struct dts_error *err)
{
    struct net net = {0};
    struct dts_cfg top = dts_doc_top(doc);
    if (!dts_cfg_read(&top, fields, &net, err))
        return false;
    for (size_t i = 0; i < dts_cfg_length(&net.layers); i++) {
        struct dts_cfg item = dts_cfg_item(&net.layers, i);
        struct layer layer = {0};
        if (!dts_cfg_read(&item, layer_fields, &layer, err))
            return false;
    }
    const char *key;
    for (size_t i = 0; (key = dts_cfg_key(&net.table, i)) != NULL; i++) {
        struct dts_cfg member = dts_cfg_member(&net.table, key);
        double *reals = NULL;
        size_t count;
        if (!dts_cfg_reals(&member, 0, 100, 8, &reals, &count, err))
            return false;
        free(reals);
    }
    return true;
}

/* One way to damage a text of *length bytes in place; room for one byte more. */
static void mutate(char *text, size_t *length, uint64_t random)
{
    static const char *const tokens[] = {"{",    "}",       "[",    "]",     ",",
                                         ":",    "\"",      "\\",   "-",     "1e999",
                                         "null", "\\u0000", "\xff", "\"x\":"};
    size_t at = (size_t)(random >> 16) % *length;
    switch (random % 5) {
    case 0: // one bit
        text[at] ^= (char)(1 << (random >> 8) % 8);
        break;
    case 1: // cut
        *length = at + 1;
        break;
    case 2: { // a piece again, elsewhere
        size_t from = (size_t)(random >> 40) % *length;
        size_t count = *length - (at > from ? at : from);
        memmove(text + at, text + from, count < 12 ? count : 12);
        break;
    }
    case 3: { // a token over what was there
        const char *token = tokens[(random >> 8) % (sizeof(tokens) / sizeof(tokens[0]))];
        for (size_t i = 0; token[i] != '\0' && at + i < *length; i++)
            text[at + i] = token[i];
        break;
    }
    default: // out with a byte
        memmove(text + at, text + at + 1, *length - at - 1);
        *length -= *length > 1;
    }
}

static const char *const seeds[] = {
    "{\"name\": \"n\", \"rate\": 1.5e3, \"head\": {\"kind\": \"conv\", \"units\": 7},"
    " \"layers\": [{\"kind\": \"linear\"}, {\"kind\": \"conv\", \"units\": 2}],"
    " \"table\": {\"a\": [1, 2.5], \"\\u00e9\": [], \"source\": \"p\"}}",
    "{\"on\": true, \"name\": \"\\\"\\\\\", \"head\": {\"kind\": \"linear\", \"units\": "
    "1234567890}, \"//\": [[[[[{\"a\": {\"a\": 1, \"b\": 2}}]]]]]}",
};

/* Every outcome is either a document that was read and prints, or one line about it. */
static void mutated_documents_are_read_or_refused_in_one_line(void)
{
    int read = 0, refused = 0;
    FILE *null = fopen("/dev/null", "w");
    for (uint64_t round = 0; round < 6000; round++) {
        char text[512] = "";
        const char *seed = seeds[round % 2];
        size_t length = strlen(seed);
        memcpy(text, seed, length);
        for (uint64_t m = 0; round >= 2 && m <= dts_random(1, round, 99) % 4; m++)
            mutate(text, &length, dts_random(1, round, m));
        text[length] = '\0';

        struct dts_error err = {0};
        struct dts_doc *doc = NULL;
        bool done = dts_doc_parse(&doc, "x.json", text, &err) && read_all(doc, &err);
        CHECK(done == (err.cause == DTS_NO_ERROR));
        CHECK(done || (err.cause == DTS_BAD_INPUT && strncmp(err.text, "x.json: ", 8) == 0));
        CHECK(strpbrk(err.text, "\n\r\x1b") == NULL);
        if (doc != NULL)
            dts_doc_print(doc, null);
        dts_doc_free(doc);
        read += done;
        refused += !done;
        CHECK(done || round >= 2); // the first two are the seeds themselves
    }
    fclose(null);
    CHECK(read > 100 && refused > 1000); // both happen, or the mutations are no good
}

static void mutated_settings_are_made_or_refused_in_one_line(void)
{
    static const char *const settings[] = {"layers[*].units", "head.\"a.b\".c", "table.*[0]",
                                           "layers[1]", "*.kind"};
    static const char *const values[] = {"{\"a\": [1, 2]}", "12.5e3", "word", "[1, [2], {}]"};
    int made = 0;
    for (uint64_t round = 0; round < 4000; round++) {
        char path[64] = "", value[64] = "";
        size_t path_length = (size_t)snprintf(path, 60, "%s", settings[round % 5]);
        size_t value_length = (size_t)snprintf(value, 60, "%s", values[round % 4]);
        if (round % 3 != 0)
            mutate(path, &path_length, dts_random(2, round, 0));
        mutate(value, &value_length, dts_random(2, round, 1));
        path[path_length] = value[value_length] = '\0';
        struct dts_error err = {0};
        struct dts_doc *doc = NULL;
        CHECK(dts_doc_parse(&doc, "x.json", seeds[0], &err));
        bool done = dts_doc_set(doc, path, value, NULL, &err);
        CHECK(done == (err.cause == DTS_NO_ERROR));
        CHECK(strpbrk(err.text, "\n\r\x1b") == NULL);
        made += done;
        err = (struct dts_error){0};
        read_all(doc, &err);
        dts_doc_free(doc);
    }
    CHECK(made > 500);
}

static char *repeated(const char *piece, size_t count)
{
    size_t length = strlen(piece);
    char *text = malloc(count * length + 2);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * length, piece, length);
    text[count * length] = '\0';
    return text;
}

static void refused(char *text, const char *want)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(!dts_doc_parse(&doc, "x.json", text, &err));
    if (!CHECK(strstr(err.text, want) != NULL))
        printf("%s\n", err.text);
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    free(text);
}

static void depth_size_and_number_of_values_are_bounded(void)
{
    refused(repeated("[", 65), "line 1, column 65: lists and objects nested deeper than 64");
    refused(repeated("[", 1000000), "nested deeper than 64");
    refused(repeated("{\"a\":", 1000000), "nested deeper than 64");
    refused(repeated("[],", 600000), "more values than 1000000");
    refused(repeated("                                ", (65 << 20) / 32),
            "larger than 64 MiB");
    refused(repeated("\"", 1000001), "line 1, column ");

    char *deep = repeated("[", 64); // just allowed
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    deep = realloc(deep, 129);
    memset(deep + 64, ']', 64);
    deep[128] = '\0';
    CHECK(dts_doc_parse(&doc, "x.json", deep, &err));
    dts_doc_free(doc);
    free(deep);

    char *harmless = repeated("\\\"[", 100); // brackets within a string
    harmless = realloc(harmless, 303);
    memmove(harmless + 1, harmless, 300);
    harmless[0] = harmless[301] = '"';
    harmless[302] = '\0';
    CHECK(dts_doc_parse(&doc, "x.json", harmless, &err));
    dts_doc_free(doc);
    free(harmless);
}

/* As many keys as are allowed: a walk over them must not take their square. */
static void a_walk_over_many_keys_is_linear(void)
{
    enum { KEYS = 200000 };
    char *text = malloc(KEYS * 12 + 4), *at = text;
    *at++ = '{';
    for (int i = 0; i < KEYS; i++)
        at += sprintf(at, "\"k%d\":1,", i);
    strcpy(at - 1, "}");
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", text, &err));
    struct dts_cfg top = dts_doc_top(doc);
    size_t count = 0;
    while (dts_cfg_key(&top, count) != NULL)
        count++;
    CHECK_INT(count, KEYS);
    dts_doc_free(doc);
    free(text);
}

static void long_keys_and_strings_are_cut_but_the_reason_is_kept(void)
{
    char *word = repeated("abcdefgh", 20000), *text = malloc(400000);
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    snprintf(text, 400000, "{\"%s\": 1}", word);
    CHECK(dts_doc_parse(&doc, word, text, &err));
    struct dts_cfg top = dts_doc_top(doc);
    struct net net = {0};
    CHECK(!dts_cfg_read(&top, fields, &net, &err));
    CHECK(strstr(err.text, "...: unknown key (expected one of: name, ") != NULL);
    dts_doc_free(doc);

    err = (struct dts_error){0};
    snprintf(text, 400000, "{\"name\": \"n\", \"head\": {\"kind\": \"%s\"}}", word);
    CHECK(dts_doc_parse(&doc, "x.json", text, &err));
    top = dts_doc_top(doc);
    CHECK(!dts_cfg_read(&top, fields, &net, &err));
    CHECK(strstr(err.text, "head.kind: must be one of linear, conv, got \"abc") != NULL);
    CHECK(strlen(err.text) < 200);
    dts_doc_free(doc);
    free(word);
    free(text);
}

TESTS(TEST(mutated_documents_are_read_or_refused_in_one_line),
      TEST(mutated_settings_are_made_or_refused_in_one_line),
      TEST(depth_size_and_number_of_values_are_bounded), TEST(a_walk_over_many_keys_is_linear),
      TEST(long_keys_and_strings_are_cut_but_the_reason_is_kept))
