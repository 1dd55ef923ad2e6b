/* draw.h -- a picture as a script of gnuplot, written piece by piece.
 *
 * What a user wrote gets into a script by dts_draw_word() and dts_draw_fit() alone: of such
 * words only letters, digits and a few harmless signs stand in it as they are, all other bytes
 * as octal numbers. So no name of a scenario can end a string, run a command or expand a macro.
 *
 * A mark is a point of data that says in words what it is. Pictures in SVG show them on hover.
 */
#ifndef DTS_CLI_PICTURE_DRAW_H
#define DTS_CLI_PICTURE_DRAW_H

#include <stddef.h>

#include "answer/result.h"
#include "base/text.h"

/* All zero at the start; freed by dts_draw_free(). */
struct dts_draw {
    struct dts_text script; // without what a terminal needs
    int width, height;      // in 1/96 inch; 0: as usual
    char **marks;           // words of each mark; owned
    size_t mark_count, mark_room;
};

enum { DTS_DRAW_COLOURS = 8 };

void dts_draw_free(struct dts_draw *draw);

/* Adds to the script; no words of users among the arguments. */
void dts_draw(struct dts_draw *draw, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a string in quotes, cut to about `most` characters. */
void dts_draw_word(struct dts_draw *draw, const char *words, size_t most);

/* Adds one that takes at most `room` times the height of its letters, in whatever letters the
 * terminal has. Names have at most 200 bytes. */
void dts_draw_fit(struct dts_draw *draw, const char *words, double room);

/* What words take of such a room, of their letters at most. */
double dts_draw_width(const char *words);

/* The same for a tic, where gnuplot would read "%" as a format. */
void dts_draw_tic(struct dts_draw *draw, const char *words, size_t most);

/* Adds " VALUE", with the digits that JSON has; NAN as gnuplot has it. */
void dts_draw_number(struct dts_draw *draw, double value);

/* Adds " hN", which stands for the words, and ends the line. */
void dts_draw_mark(struct dts_draw *draw, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of an area: adds two lines, "X1 Y1 bN" and "X2 Y2 eN", for dts_draw_areas(). */
void dts_draw_area(struct dts_draw *draw, const double from[2], const double to[2],
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds the plot of areas, which nobody sees, of a data block: "$NAME ..." */
void dts_draw_areas(struct dts_draw *draw, const char *name);

/* Colours that people who see few of them can tell apart (Okabe and Ito 2008, "Color universal
 * design"), "#0072b2"; the i-th modulo DTS_DRAW_COLOURS. */
const char *dts_draw_colour(int i);

/* Heads the picture: what it shows, and of which scenario, model, platform. */
void dts_draw_head(struct dts_draw *draw, const struct dts_report *report, const char *what);

/* Tics of a logarithmic axis, "x" or "y", at these numbers, but for those that would touch the
 * one before: there is room for so many. Sorts them. */
void dts_draw_log_tics(struct dts_draw *draw, const char *axis, double *values, int count,
                       int room);

/* A logarithmic axis from `low` to `high` with some room, and tics at round numbers; without
 * their names where another axis beside it has them. */
void dts_draw_log_axis(struct dts_draw *draw, const char *axis, double low, double high,
                       bool names);

/* Begins another plot, or a further part of the one that *begun says was begun. */
void dts_draw_plot(struct dts_draw *draw, bool *begun);

#endif
