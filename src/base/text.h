/* text.h -- a string that grows, and words from outside made fit for one line of a message.
 */
#ifndef DTS_BASE_TEXT_H
#define DTS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Starts as {0}; ends with dts_text_free(), or with dts_text_take(). */
struct dts_text {
    char *chars; // ended by 0; owned; NULL while nothing was added
    size_t length, capacity;
};

void dts_text_add(struct dts_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void dts_text_add_bytes(struct dts_text *text, const char *bytes, size_t count);

/* Does it hold a control character, the end of a line, or one that turns the direction of
 * writing? Input that is printed again is refused for it. */
bool dts_text_hides(const char *words);

/* Add a word that somebody else wrote: what dts_text_hides() finds is escaped, as are quotes
 * and backslashes; beyond `most` bytes it ends in "...". */
void dts_text_add_word(struct dts_text *text, const char *word, size_t most);

/* Add a whole line that may hold such words: the same, but quotes and backslashes stay. */
void dts_text_add_line(struct dts_text *text, const char *line);

/* The same of its first bytes: beyond `most` it ends in "...". */
void dts_text_add_cut(struct dts_text *text, const char *line, size_t most);

/* Add words for a picture or a page, which reorders what is written from right to left: each
 * run of such letters between U+2068 and U+2069, so that it turns nothing behind it, and U+200E
 * before it, so that the line still begins on the left. */
void dts_text_add_isolated(struct dts_text *text, const char *words);

/* Add a number with the fewest digits that read back as the same double; "nan", "inf". */
void dts_text_add_number(struct dts_text *text, double number);

/* "%.3g" without exponents where a person reads the number better without: 12346, 0.00123. */
void dts_text_add_significant(struct dts_text *text, double number, int digits);

/* Cut to `most` bytes: the first third, "...", and the end. */
void dts_text_shorten(struct dts_text *text, size_t most);

/* "s", or "" of one: "%d node%s". */
const char *dts_plural(long count);

enum { DTS_TEXT_WIDTH = 104 }; // columns of what is printed for people

/* Print the words behind `lead`, in lines of at most `width` columns where they fit; the first
 * word stands at column `indent` or later, further lines begin there. */
void dts_text_wrap(FILE *out, const char *lead, int indent, int width, const char *words);

/* The same for a line of help above a list of keys; an empty line comes before it. */
void dts_text_heading(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { DTS_HELP_WIDTH = 80 }; // columns of help texts

/* Into an array of `room` bytes, cut where it is too long; NULL counts as "". */
void dts_text_copy(char *to, size_t room, const char *from);

const char *dts_text_string(const struct dts_text *text); // "" when empty
char *dts_text_take(struct dts_text *text); // the caller frees it; the text is empty again
void dts_text_free(struct dts_text *text);

#endif
