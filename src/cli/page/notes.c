/* notes.c -- the notes of the text format as HTML. The indent of a line tells what it is: none,
 * a heading; two, a note, or below "Rests on" a word and what it stands for; more, a further
 * line. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xml.h"
#include "cli/page/page.h"
#include "cli/print/text_notes.h"

enum { NOTE_INDENT = 2 };

/* The rest of a text, line by line. */
struct lines {
    const char *at;
};

static size_t indent_of(const struct lines *lines)
{
    return strspn(lines->at, " ");
}

/* Adds the line, without its indent, and goes to the next. */
static void take(struct lines *lines, struct dts_text *line)
{
    const size_t indent = indent_of(lines), length = strcspn(lines->at + indent, "\n");
    dts_text_add_bytes(line, lines->at + indent, length);
    lines->at += indent + length;
    lines->at += *lines->at == '\n';
}

/* Adds all further lines of a note. */
static void take_further(struct lines *lines, struct dts_text *note)
{
    while (indent_of(lines) > NOTE_INDENT) {
        dts_text_add(note, " ");
        take(lines, note);
    }
}

/* "engine    fluid" */
static void put_source(const char *note, FILE *out)
{
    const size_t key = strcspn(note, " ");
    struct dts_text word = {0};
    dts_text_add_bytes(&word, note, key);
    fputs("<dt>", out);
    dts_xml_isolated(out, dts_text_string(&word));
    fputs("</dt><dd>", out);
    dts_xml_isolated(out, note + key + strspn(note + key, " "));
    fputs("</dd>\n", out);
    dts_text_free(&word);
}

static void put_note(const char *note, FILE *out)
{
    fputs("<li>", out);
    dts_xml_isolated(out, note);
    fputs("</li>\n", out);
}

/* A heading, and the notes below it. */
static void put_group(struct lines *lines, FILE *out)
{
    struct dts_text heading = {0};
    take(lines, &heading);
    const bool sources = strcmp(dts_text_string(&heading), "Rests on") == 0;
    fputs("<h3>", out);
    dts_xml_isolated(out, dts_text_string(&heading));
    fputs(sources ? "</h3>\n<dl>\n" : "</h3>\n<ul>\n", out);
    while (indent_of(lines) > 0) {
        struct dts_text note = {0};
        take(lines, &note);
        take_further(lines, &note);
        if (sources)
            put_source(dts_text_string(&note), out);
        else
            put_note(dts_text_string(&note), out);
        dts_text_free(&note);
    }
    fputs(sources ? "</dl>\n" : "</ul>\n", out);
    dts_text_free(&heading);
}

void dts_page_notes(const struct dts_report *report, FILE *out)
{
    struct dts_page_memory memory;
    struct dts_report notes = *report;
    notes.why = NULL;     // the page says it above
    notes.explain = true; // a page has room
    dts_page_memory_open(&memory);
    dts_text_notes(&notes, memory.stream);
    char *text = dts_page_memory_take(&memory);
    struct lines lines = {text};
    while (*lines.at != '\0') {
        if (*lines.at == '\n')
            lines.at++;
        else
            put_group(&lines, out);
    }
    free(text);
}

void dts_page_paragraph(const char *words, FILE *out)
{
    struct lines lines = {words + strspn(words, "\n")};
    struct dts_text text = {0};
    while (*lines.at != '\0') {
        if (text.length > 0)
            dts_text_add(&text, " ");
        take(&lines, &text);
    }
    if (text.length > 0) {
        fputs("<p>", out);
        dts_xml_isolated(out, dts_text_string(&text));
        fputs("</p>\n", out);
    }
    dts_text_free(&text);
}
