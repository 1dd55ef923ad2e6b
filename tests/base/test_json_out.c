/* test_json_out.c -- what is written is JSON, and as short as it can be. */
#include <stdlib.h>

#include "base/json/cfg.h"
#include "base/json/json_out.h"
#include "check.h"

/* A document with one of everything. The caller frees the text. */
static char *write_all(int lines)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    struct dts_json json = {.out = stream, .lines = lines};
    dts_json_object(&json, NULL);
    dts_json_string(&json, "name", "q\"b\\n\n\x01\xC3\xA9\xff");
    dts_json_string(&json, "absent", NULL);
    dts_json_number(&json, "nan", NAN);
    dts_json_number(&json, "third", 1.0 / 3);
    dts_json_integer(&json, "big", INT64_MIN);
    dts_json_list(&json, "points");
    dts_json_object(&json, NULL);
    dts_json_bool(&json, "yes", true);
    dts_json_list_flat(&json, "flat");
    dts_json_number(&json, NULL, 1);
    dts_json_number(&json, NULL, INFINITY);
    dts_json_end(&json);
    dts_json_null(&json, "null");
    dts_json_end(&json);
    dts_json_object(&json, NULL);
    dts_json_end(&json);
    dts_json_end(&json);
    dts_json_list(&json, "none");
    dts_json_end(&json);
    dts_json_end(&json);
    fclose(stream);
    return text;
}

static void everything_on_one_line(void)
{
    char *text = write_all(0);
    CHECK_STRING(text,
                 "{\"name\": \"q\\\"b\\\\n\\u000a\\u0001\xC3\xA9\\ufffd\", "
                 "\"third\": 0.3333333333333333, \"big\": -9223372036854775808, "
                 "\"points\": [{\"yes\": true, \"flat\": [1, null], \"null\": null}, {}], "
                 "\"none\": []}\n");
    free(text);
}

static void lines_down_to_a_depth(void)
{
    char *text = write_all(2);
    CHECK(strstr(text, "{\n  \"name\"") == text);
    CHECK(strstr(text, "  \"points\": [\n"
                       "    {\"yes\": true, \"flat\": [1, null], \"null\": null},\n"
                       "    {}\n"
                       "  ],\n"
                       "  \"none\": []\n"
                       "}\n") != NULL);
    free(text);
    text = write_all(9);
    CHECK(strstr(text, "      \"yes\": true,\n"
                       "      \"flat\": [1, null],\n"
                       "      \"null\": null\n"
                       "    },\n") != NULL);
    free(text);
}

static void what_is_written_reads_back(void)
{
    for (int lines = 0; lines < 5; lines++) {
        struct dts_error err = {0};
        struct dts_doc *doc = NULL;
        char *text = write_all(lines);
        CHECK(dts_doc_parse(&doc, "out", text, &err));
        struct dts_cfg top = dts_doc_top(doc), third = dts_cfg_member(&top, "third");
        double value = 0;
        CHECK(dts_cfg_real(&third, 0, 0, &value, &err) && value == 1.0 / 3);
        CHECK_INT(dts_cfg_key_count(&top), 5);
        dts_doc_free(doc);
        free(text);
    }
}

static void no_bytes_make_a_string_that_is_not_json(void)
{
    for (int a = 1; a < 256; a++) {
        for (int b = 0; b < 256; b += a < 0x80 ? 51 : 3) {
            char word[] = {(char)a, (char)b, (char)0x80, (char)(b + 1), 0}, *text = NULL;
            size_t length;
            FILE *stream = open_memstream(&text, &length);
            struct dts_json json = {.out = stream};
            dts_json_list(&json, NULL);
            dts_json_string(&json, NULL, word);
            dts_json_end(&json);
            fclose(stream);
            struct dts_error err = {0};
            struct dts_doc *doc = NULL;
            if (!CHECK(dts_doc_parse(&doc, "out", text, &err)))
                printf("%02x %02x: %s\n", a, b, err.text);
            dts_doc_free(doc);
            free(text);
        }
    }
}

TESTS(TEST(everything_on_one_line), TEST(lines_down_to_a_depth),
      TEST(what_is_written_reads_back), TEST(no_bytes_make_a_string_that_is_not_json))
