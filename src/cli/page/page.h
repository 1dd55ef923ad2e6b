/* page.h -- the parts of a page: an answer as one file of HTML that needs nothing else.
 *
 * Whatever a user wrote becomes text: dts_xml_words() and dts_xml_isolated() write it, between
 * tags and in attributes; in the data "<" stands as \u003c. The page forbids itself to load
 * anything.
 */
#ifndef DTS_CLI_PAGE_PAGE_H
#define DTS_CLI_PAGE_PAGE_H

#include "answer/result.h"

/* Files of this folder, which the build puts into the program (src/CMakeLists.txt). */
extern const char dts_page_css[], dts_page_js[];

/* What the text says below its tables, with headings and lists. */
void dts_page_notes(const struct dts_report *report, FILE *out);

/* Words that text format wrote, as one paragraph. */
void dts_page_paragraph(const char *words, FILE *out);

/* What is written to a stream in memory; the caller frees it. */
struct dts_page_memory {
    FILE *stream;
    char *bytes;
    size_t count;
};
void dts_page_memory_open(struct dts_page_memory *memory);
char *dts_page_memory_take(struct dts_page_memory *memory);

/* The command line, as a shell would read it. */
void dts_page_command(char *const *line, FILE *out);

/* All results as JSON, in a script that does not run. */
void dts_page_data(const struct dts_report *reports, int count, FILE *out);

#endif
