/* text.c -- a string that grows, words and numbers in it. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void dts_text_add_bytes(struct dts_text *text, const char *bytes, size_t count)
{
    text->chars = dts_grow(text->chars, &text->capacity, text->length + count + 1, 1);
    memcpy(text->chars + text->length, bytes, count);
    text->length += count;
    text->chars[text->length] = '\0';
}

void dts_text_add(struct dts_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count > 0) {
        text->chars =
            dts_grow(text->chars, &text->capacity, text->length + (size_t)count + 1, 1);
        vsnprintf(text->chars + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

/* The code point at the start of a word and the number of its bytes; what is no UTF-8 counts
 * as one byte. */
static unsigned code_point(const unsigned char *at, size_t *bytes)
{
    static const struct {
        unsigned char mask, lead, keep;
    } forms[] = {{0xE0, 0xC0, 0x1F}, {0xF0, 0xE0, 0x0F}, {0xF8, 0xF0, 0x07}};
    for (size_t form = 0; form < 3; form++) {
        if ((at[0] & forms[form].mask) != forms[form].lead)
            continue;
        unsigned code = at[0] & forms[form].keep;
        size_t i = 1;
        while (i <= form + 1 && (at[i] & 0xC0) == 0x80)
            code = code << 6 | (at[i++] & 0x3F);
        if (i == form + 2) {
            *bytes = i;
            return code;
        }
    }
    *bytes = 1;
    return at[0] < 0x80 ? at[0] : 0xFFFD;
}

/* Control characters, the end of a line or paragraph, what turns the writing direction (Unicode
 * 15, classes Cc, Zl, Zp and the bidirectional ones of Cf), and what is no UTF-8. */
static bool is_hidden(unsigned code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200B ||
           (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == 0xFFFD;
}

bool dts_text_hides(const char *words)
{
    size_t bytes;
    for (const char *at = words; *at != '\0'; at += bytes)
        if (is_hidden(code_point((const unsigned char *)at, &bytes)))
            return true;
    return false;
}

/* Add a character of so many bytes as it can be shown. */
static void add_shown(struct dts_text *text, unsigned code, const char *at, size_t bytes)
{
    if (code == '\n' || code == '\t' || code == '\r')
        dts_text_add(text, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (is_hidden(code))
        dts_text_add(text, "\\u%04X", code);
    else
        dts_text_add_bytes(text, at, bytes);
}

static void add(struct dts_text *text, const char *word, size_t most, bool escape)
{
    size_t bytes, end = text->length + most;
    for (const char *at = word; *at != '\0'; at += bytes) {
        unsigned code = code_point((const unsigned char *)at, &bytes);
        if (text->length + bytes > end) {
            dts_text_add(text, "...");
            return;
        }
        if (escape && (code == '"' || code == '\\'))
            dts_text_add(text, "\\");
        add_shown(text, code, at, bytes);
    }
}

void dts_text_add_word(struct dts_text *text, const char *word, size_t most)
{
    add(text, word, most, true);
}

void dts_text_add_cut(struct dts_text *text, const char *line, size_t most)
{
    add(text, line, most, false);
}

void dts_text_add_line(struct dts_text *text, const char *line)
{
    add(text, line, SIZE_MAX - text->length, false);
}

/* Hebrew, Arabic and their like (Unicode 15, blocks of bidirectional classes R and AL). */
static bool is_from_right(unsigned code)
{
    return (code >= 0x590 && code < 0x900) || (code >= 0xFB1D && code < 0xFE00) ||
           (code >= 0xFE70 && code < 0xFEFF) || (code >= 0x10800 && code < 0x11000) ||
           (code >= 0x1E800 && code < 0x1F000);
}

/* How long the run of such letters is, with blanks between them. */
static size_t run_from_right(const char *words)
{
    size_t length = 0, bytes;
    for (size_t at = 0; words[at] != '\0'; at += bytes) {
        const unsigned code = code_point((const unsigned char *)words + at, &bytes);
        if (is_from_right(code))
            length = at + bytes;
        else if (code != ' ')
            break;
    }
    return length;
}

void dts_text_add_isolated(struct dts_text *text, const char *words)
{
    size_t bytes;
    for (const char *at = words; *at != '\0'; at += bytes) {
        const bool turns = is_from_right(code_point((const unsigned char *)at, &bytes));
        if (turns)
            bytes = run_from_right(at);
        dts_text_add(text, "%s", turns ? "\xe2\x80\x8e\xe2\x81\xa8" : "");
        dts_text_add_bytes(text, at, bytes);
        dts_text_add(text, "%s", turns ? "\xe2\x81\xa9" : "");
    }
}

/* A decimal of 15 digits survives the way into a double and back, so that "%.15g" is the
 * shortest where it reads back at all; 17 digits always do. */
void dts_text_add_number(struct dts_text *text, double number)
{
    char digits[40];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof(digits), "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    dts_text_add(text, "%s", isnan(number) ? "nan" : digits);
}

void dts_text_add_significant(struct dts_text *text, double number, int digits)
{
    char scientific[64];
    if (!isfinite(number)) {
        dts_text_add(text, "%s", isnan(number) ? "nan" : number > 0 ? "infinite" : "-infinite");
        return;
    }
    if (digits < 1)
        digits = 1;
    snprintf(scientific, sizeof(scientific), "%.*e", digits - 1, number);
    int exponent = atoi(strchr(scientific, 'e') + 1); // after rounding: 9.996 is 1.00e1
    if (number == 0)
        dts_text_add(text, "0");
    else if (exponent < -4 || exponent >= 15)
        dts_text_add(text, "%s", scientific);
    else
        dts_text_add(text, "%.*f", exponent < digits - 1 ? digits - 1 - exponent : 0, number);
}

void dts_text_shorten(struct dts_text *text, size_t most)
{
    if (text->length <= most || most < 8)
        return;
    size_t head = most / 3, tail = text->length - (most - head - 3);
    while (head > 0 && (text->chars[head] & 0xC0) == 0x80)
        head--;
    while ((text->chars[tail] & 0xC0) == 0x80)
        tail++;
    memcpy(text->chars + head, "...", 3);
    memmove(text->chars + head + 3, text->chars + tail, text->length - tail + 1);
    text->length = head + 3 + text->length - tail;
}

void dts_text_copy(char *to, size_t room, const char *from)
{
    snprintf(to, room, "%s", from != NULL ? from : "");
}

const char *dts_text_string(const struct dts_text *text)
{
    return text->chars != NULL ? text->chars : "";
}

const char *dts_plural(long count)
{
    return count == 1 ? "" : "s";
}

char *dts_text_take(struct dts_text *text)
{
    char *chars = text->chars != NULL ? text->chars : dts_copy("");
    *text = (struct dts_text){0};
    return chars;
}

void dts_text_free(struct dts_text *text)
{
    free(text->chars);
    *text = (struct dts_text){0};
}

void dts_text_wrap(FILE *out, const char *lead, int indent, int width, const char *words)
{
    int column = fprintf(out, "%s", lead);
    if (column < indent)
        column += fprintf(out, "%*s", indent - column, "");
    bool first = true;
    while (*words != '\0') {
        int length = (int)strcspn(words, " ");
        if (!first && column + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += fprintf(out, "%s%.*s", first ? "" : " ", length, words);
        first = false;
        words += length;
        words += strspn(words, " ");
    }
    fputc('\n', out);
}

void dts_text_heading(FILE *out, const char *format, ...)
{
    char words[512];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof(words), format, args);
    va_end(args);
    fputc('\n', out);
    dts_text_wrap(out, "", 0, DTS_HELP_WIDTH, words);
}
