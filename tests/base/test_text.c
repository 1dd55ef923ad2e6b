/* test_text.c -- words and numbers for messages; which known word was meant. */
#include <stdlib.h>

#include "base/error.h"
#include "base/json/cfg.h"
#include "base/json/words.h"
#include "base/rng.h"
#include "check.h"

static void words_are_escaped_and_cut_between_characters(void)
{
    static const struct {
        const char *word;
        size_t most;
        const char *want;
    } cases[] = {
        {"plain", 64, "plain"},
        {"a\nb\tc\rd", 64, "a\\nb\\tc\\rd"},
        {"\x1b[31m\x7f", 64, "\\u001B[31m\\u007F"},
        {"q\"b\\", 64, "q\\\"b\\\\"},
        {"\xC3\xA9t\xC3\xA9", 64, "\xC3\xA9t\xC3\xA9"},
        {"\xC2\x85\xE2\x80\xAE", 64, "\\u0085\\u202E"},
        {"\xff\xC3", 64, "\\uFFFD\\uFFFD"},
        {"abcdef", 4, "abcd..."},
        {"abc\xC3\xA9", 4, "abc..."},
        {"abcd", 4, "abcd"},
        {"", 4, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_text text = {0};
        dts_text_add_word(&text, cases[i].word, cases[i].most);
        CHECK_STRING(dts_text_string(&text), cases[i].want);
        dts_text_free(&text);
    }
}

/* Every end and the middle of each range, and neighbours that people write with. */
static void what_cannot_be_seen_is_found(void)
{
    static const char *const hidden[] = {
        "a\x1b[31m",    "\x7f",         "\xC2\x80",     "\xC2\x9B",     "\xC2\x9F",
        "\xD8\x9C",     "\xE2\x80\x8B", "\xE2\x80\x8E", "\xE2\x80\xA8", "\xE2\x80\xA9",
        "\xE2\x80\xAA", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA9", "\xEF\xBB\xBF",
        "\xff",         "\n",           "b\t",
    };
    static const char *const seen[] = {"",
                                       "plain",
                                       "\xC2\xA0",
                                       "\xC3\xA9",
                                       "\xE2\x80\x93",
                                       "\xE2\x80\x9C",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        CHECK(dts_text_hides(hidden[i]));
    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
        CHECK(!dts_text_hides(seen[i]));
}

static void long_text_loses_its_middle(void)
{
    struct dts_text text = {0};
    for (int i = 0; i < 100; i++)
        dts_text_add(&text, "%02d\xC3\xA9", i);
    dts_text_shorten(&text, 40);
    CHECK(text.length <= 40 && text.length == strlen(text.chars));
    CHECK(strncmp(text.chars, "00\xC3\xA9", 4) == 0);
    CHECK_STRING(text.chars + text.length - 4, "99\xC3\xA9");
    CHECK(strstr(text.chars, "...") != NULL);
    dts_text_free(&text);
    CHECK_STRING(dts_text_string(&text), "");
}

static void numbers_read_back_and_are_short(void)
{
    static const struct {
        double number;
        const char *want;
    } cases[] = {{0.1, "0.1"},   {1e11, "100000000000"}, {1.0 / 3, "0.3333333333333333"},
                 {-0.5, "-0.5"}, {1e300, "1e+300"},      {0, "0"},
                 {NAN, "nan"},   {INFINITY, "inf"},      {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_text text = {0};
        dts_text_add_number(&text, cases[i].number);
        CHECK_STRING(dts_text_string(&text), cases[i].want);
        dts_text_free(&text);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        union {
            uint64_t bits;
            double number;
        } any = {.bits = dts_random(1, 1, i)};
        if (!isfinite(any.number))
            continue;
        struct dts_text text = {0};
        dts_text_add_number(&text, any.number);
        CHECK(strtod(dts_text_string(&text), NULL) == any.number);
        dts_text_free(&text);
    }
}

static void significant_digits_lose_none_of_the_integer_part(void)
{
    static const struct {
        double number;
        const char *want;
    } cases[] = {{1510.4, "1510"}, {-918000, "-918000"}, {0.0803961, "0.0804"}, {0, "0"},
                 {9.996, "10.0"},  {1e-7, "1.00e-07"},   {1e20, "1.00e+20"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_text text = {0};
        dts_text_add_significant(&text, cases[i].number, 3);
        CHECK_STRING(dts_text_string(&text), cases[i].want);
        dts_text_free(&text);
    }
}

static const char *word(int i)
{
    static const char *const words[] = {"ring", "tree",  "halving_doubling", "nodes",
                                        "a",    "batch", "resnet50",         "resnet101"};
    return i < 8 ? words[i] : NULL;
}

static void the_nearest_word_is_found_and_only_a_near_one(void)
{
    static const struct {
        const char *said, *want;
    } cases[] = {
        {"rign", "ring"},
        {"Ring", "ring"},
        {"ringg", "ring"},
        {"tre", "tree"},
        {"node", "nodes"},
        {"halving-doubling", "halving_doubling"},
        {"halving", "halving_doubling"},
        {"resnet5", "resnet50"},
        {"resnet", "resnet50"},
        {"resnet_101", "resnet101"},
        {"batch_per_device", "batch"},
        {"x", NULL},
        {"", NULL},
        {"completely", NULL},
        {"b", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *got = dts_nearest(cases[i].said, word);
        if (cases[i].want == NULL)
            CHECK(got == NULL);
        else
            CHECK_STRING(got, cases[i].want);
    }
    char *long_word = calloc(1, 1 << 20);
    memset(long_word, 'r', (1 << 20) - 1);
    CHECK(dts_nearest(long_word, word) == NULL);
    free(long_word);
}

/* A name that was begun is meant before one that differs in a letter, and all of them are
 * named. */
static void a_beginning_wins_and_stands_for_all_that_begin_so(void)
{
    static const char *const devices[] = {
        "a100_40gb", "a100_80gb", "h100", "h100_pcie", "l4",   "l40s", "tpu_v4",    "v100",
        "v100_32gb", "v2_a",      "v2_b", "v2_c",      "v2_d", "v2_e", "p100_pcie", NULL};
    static const struct {
        const char *said, *want;
    } cases[] = {
        {"a100", " (did you mean a100_40gb or a100_80gb?)"},
        {"A100", " (did you mean a100_40gb or a100_80gb?)"},
        {"a100_8", " (did you mean a100_80gb?)"},
        {"a100-80gb", " (did you mean a100_80gb?)"},
        {"h100_sxm", " (did you mean h100?)"},
        {"h10", " (did you mean h100 or h100_pcie?)"},
        {"v100_16gb", " (did you mean v100?)"}, // other memory: not v100_32gb
        {"p100_pcie_16gb", " (did you mean p100_pcie?)"},
        {"tpu", " (did you mean tpu_v4?)"},
        {"v2", " (did you mean v2_a, v2_b, v2_c, v2_d or 1 more?)"},
        {"l", ""},
        {"epyc", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_text text = {0};
        bool near = dts_words_mean(&text, cases[i].said, devices);
        CHECK(near == (cases[i].want[0] != '\0'));
        CHECK_STRING(near ? dts_text_string(&text) : "", cases[i].want);
        dts_text_free(&text);
    }
}

static void long_lists_are_cut(void)
{
    const char *words[41] = {0};
    for (int i = 0; i < 40; i++)
        words[i] = "w";
    struct dts_text text = {0};
    dts_words_add(&text, words);
    CHECK(strstr(text.chars, "w, w, and 16 more") != NULL);
    dts_text_free(&text);
}

static void an_error_is_one_line_and_the_first_stays(void)
{
    struct dts_error err = {0};
    CHECK(!dts_fail(&err, DTS_BAD_INPUT, "a\nb\x1b%s", "c\r"));
    CHECK_STRING(err.text, "a\\nb\\u001Bc\\r");
    dts_fail(&err, DTS_SYSTEM, "later");
    CHECK_STRING(err.text, "a\\nb\\u001Bc\\r");
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    err = (struct dts_error){0};
    dts_fail(&err, DTS_BAD_INPUT, "\"a\\n\" \xC2\x9B \x9B \xE2\x82\xAC"); // escaped once, kept
    CHECK_STRING(err.text, "\"a\\n\" \\u009B \\uFFFD \xE2\x82\xAC");
    for (int shift = 0; shift < 3; shift++) {
        char text[4096] = "";
        memset(text, 'x', (size_t)shift);
        for (int i = 0; i < 800; i++)
            strcat(text, "\xE2\x82\xAC");
        err = (struct dts_error){0};
        dts_fail(&err, DTS_SYSTEM, "%s", text);
        size_t length = strlen(err.text);
        CHECK(length > 1000 && strcmp(err.text + length - 3, "...") == 0);
        CHECK((length - 3 - (size_t)shift) % 3 == 0); // whole characters
    }
}

static void one_of_a_thing_has_no_s(void)
{
    CHECK_STRING(dts_plural(0), "s");
    CHECK_STRING(dts_plural(1), "");
    CHECK_STRING(dts_plural(2), "s");
}

/* Hebrew and Arabic turn what stands behind them, unless they are isolated. */
static void words_from_the_right_turn_nothing_behind_them(void)
{
    static const struct {
        const char *words, *want;
    } cases[] = {
        {"ring, 8 devices", "ring, 8 devices"},
        {"\xd7\xa9\xd7\x9c, 64 devices",
         "\xe2\x80\x8e\xe2\x81\xa8\xd7\xa9\xd7\x9c\xe2\x81\xa9, 64 devices"},
        {"a \xd8\xa8 \xd8\xa8  2",
         "a \xe2\x80\x8e\xe2\x81\xa8\xd8\xa8 \xd8\xa8\xe2\x81\xa9  2"},
        {"\xe2\x82\xac \xf0\x9f\x98\x80 \xd7", "\xe2\x82\xac \xf0\x9f\x98\x80 \xd7"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct dts_text text = {0};
        dts_text_add_isolated(&text, cases[i].words);
        CHECK_STRING(dts_text_string(&text), cases[i].want);
        dts_text_free(&text);
    }
}

TESTS(TEST(what_cannot_be_seen_is_found), TEST(words_are_escaped_and_cut_between_characters),
      TEST(long_text_loses_its_middle), TEST(numbers_read_back_and_are_short),
      TEST(significant_digits_lose_none_of_the_integer_part),
      TEST(the_nearest_word_is_found_and_only_a_near_one),
      TEST(a_beginning_wins_and_stands_for_all_that_begin_so), TEST(long_lists_are_cut),
      TEST(an_error_is_one_line_and_the_first_stays), TEST(one_of_a_thing_has_no_s),
      TEST(words_from_the_right_turn_nothing_behind_them))
