/* json_out.c -- writes JSON value by value. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "base/json/json_out.h"
#include "base/text.h"

/* The number of bytes of a sequence of UTF-8, 0 where there is none (RFC 3629). */
static int sequence(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high; // of the first byte, of the second
        int bytes;
    } forms[] = {
        {0x20, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (at[0] < forms[i].first || at[0] > forms[i].last)
            continue;
        if (forms[i].bytes > 1 && (at[1] < forms[i].low || at[1] > forms[i].high))
            return 0;
        for (int b = 2; b < forms[i].bytes; b++)
            if ((at[b] & 0xC0) != 0x80)
                return 0;
        return forms[i].bytes;
    }
    return 0;
}

static void write_string(FILE *out, const char *string)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)string; *at != '\0';) {
        int bytes = sequence(at);
        if (bytes == 1 && (*at == '"' || *at == '\\'))
            fprintf(out, "\\%c", *at);
        else if (bytes > 0)
            fwrite(at, 1, (size_t)bytes, out);
        else if (*at < 0x20)
            fprintf(out, "\\u%04x", *at);
        else
            fputs("\\ufffd", out); // a byte that is no UTF-8
        at += bytes > 0 ? bytes : 1;
    }
    fputc('"', out);
}

/* A value at this depth begins a line. */
static bool has_line(const struct dts_json *json, int depth)
{
    return depth <= json->lines && (json->flat_from == 0 || depth < json->flat_from);
}

static void new_line(const struct dts_json *json)
{
    fputc('\n', json->out);
    for (int i = 0; i < json->depth; i++)
        fputs("  ", json->out);
}

static void begin_value(struct dts_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->begun[json->depth])
            fputc(',', json->out);
        if (has_line(json, json->depth))
            new_line(json);
        else if (json->begun[json->depth])
            fputc(' ', json->out);
    }
    json->begun[json->depth] = true;
    if (key != NULL) {
        write_string(json->out, key);
        fputs(": ", json->out);
    }
}

static void end_value(const struct dts_json *json)
{
    if (json->depth == 0)
        fputc('\n', json->out);
}

static void begin_container(struct dts_json *json, const char *key, char start, char end)
{
    assert(json->depth < DTS_JSON_DEPTH);
    begin_value(json, key);
    fputc(start, json->out);
    json->ends[json->depth++] = end;
    json->begun[json->depth] = false;
}

void dts_json_object(struct dts_json *json, const char *key)
{
    begin_container(json, key, '{', '}');
}

void dts_json_list(struct dts_json *json, const char *key)
{
    begin_container(json, key, '[', ']');
}

void dts_json_list_flat(struct dts_json *json, const char *key)
{
    dts_json_list(json, key);
    if (json->flat_from == 0)
        json->flat_from = json->depth;
}

void dts_json_end(struct dts_json *json)
{
    assert(json->depth > 0);
    bool lines = json->begun[json->depth] && has_line(json, json->depth);
    if (json->flat_from == json->depth)
        json->flat_from = 0;
    json->depth--;
    if (lines)
        new_line(json);
    fputc(json->ends[json->depth], json->out);
    end_value(json);
}

void dts_json_string(struct dts_json *json, const char *key, const char *value)
{
    if (value == NULL && key != NULL)
        return;
    begin_value(json, key);
    if (value != NULL)
        write_string(json->out, value);
    else
        fputs("null", json->out);
    end_value(json);
}

void dts_json_number(struct dts_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        if (key == NULL)
            dts_json_null(json, key);
        return;
    }
    struct dts_text digits = {0};
    dts_text_add_number(&digits, value);
    begin_value(json, key);
    fputs(dts_text_string(&digits), json->out);
    end_value(json);
    dts_text_free(&digits);
}

void dts_json_integer(struct dts_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
    end_value(json);
}

void dts_json_bool(struct dts_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
    end_value(json);
}

void dts_json_null(struct dts_json *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->out);
    end_value(json);
}
