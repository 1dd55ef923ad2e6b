/* test_cfg_set.c -- `--set PATH=VALUE` changes what it names and nothing else. */
#include <stdlib.h>

#include "base/json/cfg.h"
#include "check.h"

static const char *const start =
    "{\"a\": {\"b\": 1, \"source\": \"s\"}, \"l\": [{\"x\": 1}, {\"x\": 2}],"
    " \"m\": {\"p\": {\"t\": 1}, \"q\": {\"t\": 2}}, \"n\": null}";

/* The document after a change, without spaces; or the message. */
static const char *after(const char *path, const char *value)
{
    static char result[2048];
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    char *text = NULL;
    size_t length;
    CHECK(dts_doc_parse(&doc, "x.json", start, &err));
    if (dts_doc_set(doc, path, value, NULL, &err)) {
        FILE *stream = open_memstream(&text, &length);
        dts_doc_print(doc, stream);
        fclose(stream);
        size_t kept = 0;
        for (size_t i = 0; i < length && kept + 1 < sizeof(result); i++)
            if (text[i] != ' ' && text[i] != '\n')
                result[kept++] = text[i];
        result[kept] = '\0';
        free(text);
    } else {
        CHECK_INT(err.cause, DTS_BAD_INPUT);
        snprintf(result, sizeof(result), "%s", err.text);
    }
    dts_doc_free(doc);
    return result;
}

static void a_path_changes_one_value(void)
{
    CHECK_STRING(after("a.b", "2"),
                 "{\"a\":{\"b\":2,\"source\":\"s\"},\"l\":[{\"x\":1},{\"x\":2}],"
                 "\"m\":{\"p\":{\"t\":1},\"q\":{\"t\":2}},\"n\":null}");
    CHECK(strstr(after("l[1].x", "4e6"), "[{\"x\":1},{\"x\":4000000}]") != NULL);
    CHECK(strstr(after("l[0]", "[1,2]"), "\"l\":[[1,2],{\"x\":2}]") != NULL);
    CHECK(strstr(after("a.new", "true"), "\"source\":\"s\",\"new\":true}") != NULL);
}

static void a_bare_word_is_a_string(void)
{
    CHECK(strstr(after("a.b", "halving_doubling"), "\"b\":\"halving_doubling\"") != NULL);
    CHECK(strstr(after("a.b", "\"8\""), "\"b\":\"8\"") != NULL);
    CHECK(strstr(after("a.b", "2x"), "\"b\":\"2x\"") != NULL);
    CHECK(strstr(after("a.b", "."), "\"b\":\".\"") != NULL);
    CHECK(strstr(after("a.b", "../x.json"), "\"b\":\"../x.json\"") != NULL);
    CHECK(strstr(after("a.b", ""), "\"b\":\"\"") != NULL);
    CHECK(strstr(after("a.b", "null"), "\"b\":null") != NULL);
    CHECK(strstr(after("a.b", "nan"), "\"b\":\"nan\"") != NULL);
}

static void a_star_changes_every_element(void)
{
    CHECK(strstr(after("l[*].x", "9"), "[{\"x\":9},{\"x\":9}]") != NULL);
    CHECK(strstr(after("l.*.x", "9"), "[{\"x\":9},{\"x\":9}]") != NULL);
    CHECK(strstr(after("m.*.t", "9"), "{\"p\":{\"t\":9},\"q\":{\"t\":9}}") != NULL);
    CHECK(strstr(after("a.*", "9"), "{\"b\":9,\"source\":\"s\"}") != NULL);
    CHECK(strstr(after("*", "9"), "{\"a\":9,\"l\":9,\"m\":9,\"n\":9}") != NULL);
}

static void what_is_missing_on_the_way_becomes_an_object(void)
{
    CHECK(strstr(after("t.u.v", "1"), "\"t\":{\"u\":{\"v\":1}}") != NULL);
    CHECK(strstr(after("n.u", "1"), "\"n\":{\"u\":1}") != NULL);
    CHECK(strstr(after("a.\"x.y\".z", "1"), "\"x.y\":{\"z\":1}") != NULL);
}

static void what_cannot_be_set_is_said(void)
{
    static const struct {
        const char *path, *value, *want;
    } cases[] = {
        {"a.b.c", "1", "x.json: a.b: must be an object to set something in it, got 1"},
        {"l.x", "1", "x.json: l: must be an object to set something in it, got a list"},
        {"a[0]", "1", "x.json: a: must be a list to set something in it, got an object"},
        {"a[*]", "1", "x.json: a: must be a list to set something in it, got an object"},
        {"l[2].x", "1", "x.json: l: no element 2, the list has 2"},
        {"l[99999999999999999999]", "1",
         "x.json: l: no element 99999999999999999999, the list has 2"},
        {"t[0]", "1", "x.json: t: missing, cannot be set"},
        {"t.*", "1", "x.json: t: missing, cannot be set"},
        {"a.b", "[1", "x.json: a.b: must be JSON or a word, got [1"},
        {"a.b", "1e999", "x.json: a.b: number too large, got 1e999"},
        {"a.b", "+5", "x.json: a.b: must be JSON or a word, got +5"},
        {"a.b", "{\"k\": 1, \"k\": 2}",
         "x.json: a.b: must be JSON or a word, got {\\\"k\\\": 1, \\\"k\\\": 2}"},
        {"", "1", "x.json: \"\": a name in the path is empty: write a.b[0].c"},
        {"a.", "1", "x.json: a.: a name in the path is empty: write a.b[0].c"},
        {".a", "1", "x.json: .a: a name in the path is empty: write a.b[0].c"},
        {"a..b", "1", "x.json: a..b: a name in the path is empty: write a.b[0].c"},
        {"l[0].", "1", "x.json: l[0].: a name in the path is empty: write a.b[0].c"},
        {"l.[0]", "1", "x.json: l.[0]: a name in the path is empty: write a.b[0].c"},
        {"a]", "1", "x.json: a]: is no path: write a.b[0].c"},
        {"]", "1", "x.json: ]: is no path: write a.b[0].c"},
        {"l[", "1", "x.json: l[: is no path: write a.b[0].c"},
        {"l[-1]", "1", "x.json: l[-1]: is no path: write a.b[0].c"},
        {"l[0]x", "1", "x.json: l[0]x: is no path: write a.b[0].c"},
        {"\"a", "1", "x.json: \\\"a: is no path: write a.b[0].c"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_STRING(after(cases[i].path, cases[i].value), cases[i].want);
}

static void depth_is_bounded_over_path_and_value(void)
{
    char path[400] = "a", value[200] = "";
    for (int i = 0; i < 40; i++)
        strcat(path, ".a");
    for (int i = 0; i < 30; i++)
        strcat(value, "[");
    for (int i = 0; i < 30; i++)
        strcat(value, "]");
    CHECK(strstr(after(path, value), "nested too deep") != NULL);
    for (int i = 0; i < 60; i++)
        strcat(path, ".a");
    CHECK(strstr(after(path, "1"), "is no path") != NULL);
}

static void every_element_gets_a_value_of_its_own(void)
{
    static const char *const every[] = {"l[*]", "l[*].x"}, *const one[] = {"l[0].y",
                                                                           "l[0].x.y"};
    for (int i = 0; i < 2; i++) {
        struct dts_error err = {0};
        struct dts_doc *doc = NULL;
        CHECK(dts_doc_parse(&doc, "x.json", start, &err));
        CHECK(dts_doc_set(doc, every[i], "{}", NULL, &err) &&
              dts_doc_set(doc, one[i], "1", NULL, &err));
        struct dts_cfg top = dts_doc_top(doc), list = dts_cfg_member(&top, "l");
        struct dts_cfg second = dts_cfg_item(&list, 1), x = dts_cfg_member(&second, "x");
        CHECK_INT(dts_cfg_key_count(i == 0 ? &second : &x), 0);
        dts_doc_free(doc);
    }
}

/* The message about a number at l[I].x, or at a.b, after one change. */
static const char *blamed(const char *path, const char *value, const char *by, int element)
{
    static struct dts_error err;
    struct dts_doc *doc = NULL;
    err = (struct dts_error){0};
    CHECK(dts_doc_parse(&doc, "x.json", start, &err));
    CHECK(dts_doc_set(doc, path, value, by, &err));
    struct dts_cfg top = dts_doc_top(doc), a = dts_cfg_member(&top, "a");
    struct dts_cfg list = dts_cfg_member(&top, "l");
    struct dts_cfg item = dts_cfg_item(&list, (size_t)element);
    dts_cfg_fail(element < 0 ? &a : &item, element < 0 ? "b" : "x", &err, "wrong");
    dts_doc_free(doc);
    return err.text;
}

static void who_changed_a_value_stands_in_its_messages(void)
{
    CHECK_STRING(blamed("a.b", "2", "--set ", -1), "--set a.b: wrong");
    CHECK_STRING(blamed("a.b", "2", "--set p.", -1), "--set p.a.b: wrong");
    CHECK_STRING(blamed("a", "{}", "--set ", -1), "--set a.b: wrong");
    CHECK_STRING(blamed("a.b", "2", NULL, -1), "x.json: a.b: wrong");
    CHECK_STRING(blamed("a.bc", "2", "--set ", -1), "x.json: a.b: wrong");
    CHECK_STRING(blamed("l[1]", "2", "--set ", 0), "x.json: l[0].x: wrong");
    CHECK_STRING(blamed("l[1]", "2", "--set ", 1), "--set l[1].x: wrong");
    CHECK_STRING(blamed("l[*].x", "2", "--sweep ", 0), "--sweep l[0].x: wrong");
}

static void what_cannot_be_set_names_who_asks(void)
{
    struct dts_error path = {0}, value = {0}, place = {0}, empty = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", start, &path));
    CHECK(!dts_doc_set(doc, "l[", "1", "--set p.", &path));
    CHECK(!dts_doc_set(doc, "a.b", "[1", "--set p.", &value));
    CHECK(!dts_doc_set(doc, "l[7]", "1", "--set p.", &place));
    CHECK(!dts_doc_set(doc, "", "1", "--set p.", &empty));
    CHECK_STRING(path.text, "--set p.l[: is no path: write a.b[0].c");
    CHECK_STRING(value.text, "--set p.a.b: must be JSON or a word, got [1");
    CHECK_STRING(place.text, "x.json: l: no element 7, the list has 2"); // the file's list
    CHECK_STRING(empty.text, "--set p.: a name in the path is empty: write a.b[0].c");
    dts_doc_free(doc);
}

TESTS(TEST(a_path_changes_one_value), TEST(a_bare_word_is_a_string),
      TEST(a_star_changes_every_element), TEST(what_is_missing_on_the_way_becomes_an_object),
      TEST(what_cannot_be_set_is_said), TEST(depth_is_bounded_over_path_and_value),
      TEST(every_element_gets_a_value_of_its_own),
      TEST(who_changed_a_value_stands_in_its_messages), TEST(what_cannot_be_set_names_who_asks))
