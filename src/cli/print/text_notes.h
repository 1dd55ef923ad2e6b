/* text_notes.h -- what the text format says below its table, and its paragraphs. */
#ifndef DTS_CLI_PRINT_TEXT_NOTES_H
#define DTS_CLI_PRINT_TEXT_NOTES_H

#include "answer/result.h"
#include "base/text.h"

enum {
    DTS_TEXT_POINT = 600, // bytes of what names a point
};

/* Words, broken into lines that begin with `indent` spaces; the first begins with `lead`. */
void dts_text_paragraph(FILE *out, const char *lead, int indent, const char *words);

/* "platform.nics.bytes_per_s=1e9, steps=3" without the folders of the paths: "bytes_per_s=1e9,
 * steps=3". */
const char *dts_text_setting(const char *setting, char *text, size_t room);

/* "ring, 256 devices, topology=star". */
const char *dts_text_point(const struct dts_result *point, char text[DTS_TEXT_POINT]);

/* Refused points, published references, why, the bare step, what it all rests on. */
void dts_text_notes(const struct dts_report *report, FILE *out);

/* A predicted figure beside the published one (held.c): "time 30.46 h, published 29 h: +5.0 %.
 * Who published it". */
void dts_text_add_held(struct dts_text *text, const struct dts_held *held);

#endif
