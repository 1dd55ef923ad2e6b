/* test_cfg.c -- what tables of fields accept, and the message for everything else. */
#include <stdlib.h>
#include <unistd.h>

#include "base/json/cfg.h"
#include "base/text.h"
#include "check.h"

struct node {
    int devices;
    double memory_bytes_per_s;
    bool shared;
};

struct machine {
    const char *name, *wiring;
    struct node node;
    double speed;
    int lanes;
    const char *note;
    struct dts_cfg extra;
};

static const char *wiring_word(int i)
{
    static const char *const words[] = {"ring", "tree", "halving_doubling"};
    return i < 3 ? words[i] : NULL;
}

static const struct dts_field node_fields[] = {
    {DTS_KEY(struct node, devices), .type = DTS_INT, .min = 1, .max = 64,
     .help = "accelerators in a node"},
    {DTS_KEY(struct node, memory_bytes_per_s), .type = DTS_REAL, .min = 1e6, .max = 1e15,
     .missing = "1e11", .help = "memory bandwidth of the host"},
    {DTS_KEY(struct node, shared), .type = DTS_BOOL, .missing = "true"},
    {0},
};

static const struct dts_field fields[] = {
    {DTS_KEY(struct machine, name), .type = DTS_STRING, .missing = "\"nameless\""},
    {DTS_KEY(struct machine, wiring), .type = DTS_STRING, .choice = wiring_word,
     .missing = "\"ring\"", .help = "algorithm"},
    {DTS_KEY(struct machine, node), .type = DTS_OBJECT, .fields = node_fields},
    {DTS_KEY(struct machine, speed), .type = DTS_REAL, .missing = "-2.5"},
    {DTS_KEY(struct machine, lanes), .type = DTS_INT, .missing = "1"},
    {DTS_KEY(struct machine, note), .type = DTS_STRING, .missing = "null"},
    {DTS_KEY(struct machine, extra), .type = DTS_OTHER, .missing = "null"},
    {0},
};

/* The message for a document, or "" when it is read. */
static const char *message(const char *text)
{
    static struct dts_error err;
    err = (struct dts_error){0};
    struct dts_doc *doc = NULL;
    struct machine machine = {.note = "as before"};
    if (dts_doc_parse(&doc, "x.json", text, &err)) {
        struct dts_cfg top = dts_doc_top(doc);
        dts_cfg_read(&top, fields, &machine, &err);
    }
    dts_doc_free(doc);
    CHECK(err.cause == DTS_NO_ERROR || err.cause == DTS_BAD_INPUT);
    return err.text;
}

static void values_and_defaults_fill_the_struct(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    struct machine machine = {.note = "as before"};
    CHECK(dts_doc_parse(&doc, "x.json",
                        "{\"name\": \"a\", \"node\": {\"devices\": 8.0, \"shared\": false},"
                        " \"lanes\": 1e3}",
                        &err));
    struct dts_cfg top = dts_doc_top(doc);
    CHECK(dts_cfg_read(&top, fields, &machine, &err));
    CHECK_STRING(machine.name, "a");
    CHECK_STRING(machine.wiring, "ring");
    CHECK_STRING(machine.note, "as before");
    CHECK_INT(machine.node.devices, 8);
    CHECK_INT(machine.lanes, 1000);
    CHECK(!machine.node.shared);
    CHECK_NEAR(machine.node.memory_bytes_per_s, 1e11, 0);
    CHECK_NEAR(machine.speed, -2.5, 0);
    CHECK(!dts_cfg_exists(&machine.extra));
    CHECK(!dts_cfg_fail(&machine.extra, "x", &err, "is %d", 1)); // a place all the same
    CHECK_STRING(err.text, "x.json: extra.x: is 1");
    dts_doc_free(doc);
}

static void printed_document_holds_the_defaults_and_reads_back(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    struct machine machine = {0};
    CHECK(dts_doc_parse(&doc, "x.json", "{\"node\": {\"devices\": 2}, \"lanes\": 7}", &err));
    struct dts_cfg top = dts_doc_top(doc);
    CHECK(dts_cfg_read(&top, fields, &machine, &err));
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    dts_doc_print(doc, stream);
    fclose(stream);
    CHECK_STRING(text, "{\n"
                       "  \"node\": {\n"
                       "    \"devices\": 2,\n"
                       "    \"memory_bytes_per_s\": 100000000000,\n"
                       "    \"shared\": true\n"
                       "  },\n"
                       "  \"lanes\": 7,\n"
                       "  \"name\": \"nameless\",\n"
                       "  \"wiring\": \"ring\",\n"
                       "  \"speed\": -2.5\n"
                       "}\n");
    CHECK_STRING(message(text), "");
    free(text);
    dts_doc_free(doc);
}

/* Every kind of bad document has its own one line. */
static void messages_name_file_and_path_and_what_was_found(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\"node\": {}}", "x.json: node.devices: missing (accelerators in a node)"},
        {"{}", "x.json: node: missing"},
        {"{\"node\": {\"devices\": 0}}", "x.json: node.devices: must be >= 1, got 0"},
        {"{\"node\": {\"devices\": 65}}", "x.json: node.devices: must be <= 64, got 65"},
        {"{\"node\": {\"devices\": 1.5}}",
         "x.json: node.devices: must be a whole number, got 1.5"},
        {"{\"node\": {\"devices\": \"8\"}}",
         "x.json: node.devices: must be a whole number, got a string \"8\""},
        {"{\"node\": {\"devices\": null}}",
         "x.json: node.devices: must be a whole number, got null"},
        {"{\"node\": {\"devices\": [1]}}",
         "x.json: node.devices: must be a whole number, got a list"},
        {"{\"node\": {\"device\": 1}}",
         "x.json: node.device: unknown key (did you mean devices?)"},
        {"{\"node\": {\"zzz\": 1}}", "x.json: node.zzz: unknown key (expected one of: devices, "
                                     "memory_bytes_per_s, shared)"},
        {"{\"node\": 3}", "x.json: node: must be an object, got 3"},
        {"[]", "x.json: must be an object, got a list"},
        {"{\"node\": {\"devices\": 1}, \"wiring\": \"rign\"}",
         "x.json: wiring: must be one of ring, tree, halving_doubling, got \"rign\" (did you "
         "mean ring?)"},
        {"{\"node\": {\"devices\": 1}, \"wiring\": \"star\"}",
         "x.json: wiring: must be one of ring, tree, halving_doubling, got \"star\""},
        {"{\"node\": {\"devices\": 1}, \"wiring\": 1}",
         "x.json: wiring: must be a string, got 1"},
        {"{\"node\": {\"devices\": 1, \"shared\": 1}}",
         "x.json: node.shared: must be true or false, got 1"},
        {"{\"node\": {\"devices\": 1}, \"speed\": {}}",
         "x.json: speed: must be a number, got an object"},
        {"{\"node\": {\"devices\": 1}, \"lanes\": 3000000000}",
         "x.json: lanes: must be <= 2147483647, got 3000000000"},
        {"{\"node\": {\"devices\": 1}, \"lanes\": 1e300}",
         "x.json: lanes: must be <= 2147483647, got 1e+300"},
        {"{\"name\": \"a\\n\\u001b[2J\\\"\\u202e\"}",
         "x.json: name: must be without control characters, got a string "
         "\"a\\n\\u001B[2J\\\"\\u202E\""},
        {"{\"name\": 1, \"a\\nb\": 2}", "x.json: a\\nb: unknown key (expected one of: name, "
                                        "wiring, node, speed, lanes, note, extra)"},
        {"{\"node\": {\"devices\": \"\\u001b[2J\\u202e\"}}",
         "x.json: node.devices: must be a whole number, got a string \"\\u001B[2J\\u202E\""},
        {"{\"a\": [0, {\"b\": {\"c\": 1, \"d\": [2], \"c\": 3}}]}",
         "x.json: a[1].b: duplicate key \"c\" (line 1, column 38)"},
        {"{\"a\": 1,\n \"a\": 1}", "x.json: duplicate key \"a\" (line 2, column 4)"},
        {"{\"\\\"{\\\\\": 1, \"a\": 1, \"a\": 1}",
         "x.json: duplicate key \"a\" (line 1, column 24)"},
        {"", "x.json: empty, must hold a JSON object"},
        {"\n \n", "x.json: empty, must hold a JSON object"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_STRING(message(cases[i].text), cases[i].want);
}

static void syntax_errors_say_line_and_column(void)
{
    static const char *const texts[] = {
        "{\n\"a\": 1,\n}",        "{\n\"a\": 1e999}", "{\n\"a\": -99999999999999999999}",
        "{\n\"a\": NaN}",         "{\n\"a\": '1'}",   "{\n\"a\": \"\x01\"}",
        "{\n\"a\": 01}",          "{\n\"a\" 1}",      "{\n} {}",
        "{\n\"a\": \"\\u0000\"}", "{\n\"\xff\": 1}",  "{\n\"a\": \"\\ud800\"}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *got = message(texts[i]);
        if (!CHECK(strncmp(got, "x.json: line ", 13) == 0 && strstr(got, "column") != NULL))
            printf("%zu: %s\n", i, got);
        CHECK(strchr(got, '\n') == NULL);
    }
}

static void comments_and_sources_are_passed_over(void)
{
    CHECK_STRING(message("{\"// why\": 1, \"//\": 2, \"source\": {\"x\": 1}, \"comment\": [],"
                         " \"node\": {\"devices\": 1, \"source\": \"paper\"}}"),
                 "");
    struct reference {
        const char *source;
    } reference = {0};
    static const struct dts_field with_source[] = {
        {DTS_KEY(struct reference, source), .type = DTS_STRING}, {0}};
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", "{\"source\": \"page 3\", \"comment\": 1}", &err));
    struct dts_cfg top = dts_doc_top(doc);
    CHECK(dts_cfg_read(&top, with_source, &reference, &err));
    CHECK_STRING(reference.source, "page 3");
    CHECK_INT(dts_cfg_key_count(&top), 0);
    dts_doc_free(doc);
}

static void two_tables_read_one_object(void)
{
    struct kind {
        const char *kind;
    } kind = {0};
    static const struct dts_field shared[] = {{DTS_KEY(struct kind, kind), .type = DTS_STRING},
                                              {0}};
    struct node node = {0};
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_parse(&doc, "x.json", "{\"kind\": \"fat\", \"devices\": 3}", &err));
    struct dts_cfg top = dts_doc_top(doc);
    CHECK(dts_cfg_read_both(&top, shared, &kind, node_fields, &node, &err));
    CHECK_STRING(kind.kind, "fat");
    CHECK_INT(node.devices, 3);
    CHECK(!dts_cfg_read_both(&top, shared, &kind, NULL, NULL, &err));
    CHECK_STRING(err.text, "x.json: devices: unknown key (expected one of: kind)");
    dts_doc_free(doc);
}

static void key_help_says_what_may_stand_there_in_80_columns(void)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    dts_fields_print(fields, "top", stream);
    fclose(stream);
    CHECK(strstr(text, "top.node.devices: whole number, 1 to 64; required\n"
                       "    accelerators in a node\n") != NULL);
    CHECK(strstr(text, ", ring, tree, halving_doubling") != NULL);
    CHECK(strstr(text, "1000000 to 1e+15; default 1e11\n") != NULL);
    CHECK(strstr(text, " \n") == NULL);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        CHECK(strcspn(line, "\n") <= DTS_HELP_WIDTH);
    free(text);
}

static void files_that_cannot_be_read_are_named(void)
{
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(!dts_doc_load(&doc, "/nowhere/x.json", &err));
    CHECK_STRING(err.text, "/nowhere/x.json: no such file");
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    err = (struct dts_error){0};
    CHECK(!dts_doc_load(&doc, "/tmp", &err));
    CHECK_STRING(err.text, "/tmp: cannot be read: Is a directory");
    CHECK_INT(err.cause, DTS_BAD_INPUT);
    err = (struct dts_error){0};
    CHECK(!dts_doc_load(&doc, "/dev/null", &err));
    CHECK_STRING(err.text, "/dev/null: empty, must hold a JSON object");
    err = (struct dts_error){0};
    CHECK(!dts_doc_load(&doc, "/dev/zero", &err)); // without end
    CHECK_STRING(err.text, "/dev/zero: larger than 64 MiB");
}

static void a_file_is_read_with_its_mark_and_name(void)
{
    char path[] = "/tmp/dtsim_cfg_XXXXXX";
    int file = mkstemp(path);
    const char *text = "\xEF\xBB\xBF{\"name\": 1}\n";
    CHECK(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    struct dts_error err = {0};
    struct dts_doc *doc = NULL;
    CHECK(dts_doc_load(&doc, path, &err));
    CHECK_STRING(dts_doc_name(doc), path);
    dts_doc_free(doc);
    CHECK(unlink(path) == 0);
}

static uint64_t hash_of(const char *text)
{
    struct dts_error err = {0};
    struct dts_doc *doc;
    if (!CHECK(dts_doc_parse(&doc, "x.json", text, &err)))
        return 0;
    const uint64_t hash = dts_doc_hash(doc, 0);
    dts_doc_free(doc);
    return hash;
}

static void a_hash_is_of_values_not_of_their_spelling(void)
{
    const uint64_t plain = hash_of("{\"a\": 8000000000, \"b\": [1e30, \"x\"]}");
    CHECK(hash_of("{\"b\": [1.0e30, \"x\"], \"a\": 8e9}") == plain);
    CHECK(hash_of("{\"a\": 8000000000.0, \"b\": [1e30, \"/folder/x\"]}") == plain);
    CHECK(hash_of("{\"a\": 8000000001, \"b\": [1e30, \"x\"]}") != plain);
    CHECK(hash_of("{\"a\": \"8000000000\", \"b\": [1e30, \"x\"]}") != plain);
    CHECK(hash_of("1") != hash_of("2"));
}

TESTS(TEST(values_and_defaults_fill_the_struct),
      TEST(printed_document_holds_the_defaults_and_reads_back),
      TEST(messages_name_file_and_path_and_what_was_found),
      TEST(syntax_errors_say_line_and_column), TEST(comments_and_sources_are_passed_over),
      TEST(two_tables_read_one_object), TEST(key_help_says_what_may_stand_there_in_80_columns),
      TEST(files_that_cannot_be_read_are_named), TEST(a_file_is_read_with_its_mark_and_name),
      TEST(a_hash_is_of_values_not_of_their_spelling))
