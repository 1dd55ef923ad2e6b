/* draw.c -- words, numbers, colours and heads of a script of gnuplot. */
#include "cli/picture/draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void dts_draw_free(struct dts_draw *draw)
{
    for (size_t i = 0; i < draw->mark_count; i++)
        free(draw->marks[i]);
    free(draw->marks);
    dts_text_free(&draw->script);
    *draw = (struct dts_draw){0};
}

static void add(struct dts_text *text, const char *format, va_list args)
{
    char *words = NULL;
    const int length = vasprintf(&words, format, args);
    if (length > 0)
        dts_text_add_bytes(text, words, (size_t)length);
    free(words);
}

void dts_draw(struct dts_draw *draw, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(&draw->script, format, args);
    va_end(args);
}

/* Stands in a quoted string for itself, whatever gnuplot does with strings. */
static bool is_plain(unsigned char c)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;=+-_/()";
    return c != '\0' && strchr(plain, c) != NULL;
}

/* Cut in the middle, and not within a character. */
static void shorten(struct dts_text *text, size_t most)
{
    dts_text_shorten(text, most);
    size_t kept = 0;
    for (size_t i = 0; i < text->length;) {
        const unsigned char c = (unsigned char)text->chars[i];
        const size_t bytes = c < 0x80 ? 1 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
        size_t good = bytes > 0 && i + bytes <= text->length;
        for (size_t b = 1; b < bytes && good; b++)
            good = ((unsigned char)text->chars[i + b] & 0xc0) == 0x80;
        for (size_t b = 0; good && b < bytes; b++)
            text->chars[kept++] = text->chars[i + b];
        i += good ? bytes : 1;
    }
    text->length = kept;
    if (text->chars != NULL)
        text->chars[kept] = '\0';
}

static void add_string(struct dts_draw *draw, const char *words, size_t most, bool format)
{
    struct dts_text line = {0}, text = {0};
    dts_text_add_line(&line, words);
    shorten(&line, most);
    dts_text_add_isolated(&text, dts_text_string(&line));
    dts_text_free(&line);
    dts_text_add(&draw->script, "\"");
    for (size_t i = 0; i < text.length; i++) {
        const unsigned char c = (unsigned char)text.chars[i];
        if (c == '%' && format)
            dts_text_add(&draw->script, "\\045\\045");
        else if (is_plain(c))
            dts_text_add(&draw->script, "%c", c);
        else
            dts_text_add(&draw->script, "\\%03o", c);
    }
    dts_text_add(&draw->script, "\"");
    dts_text_free(&text);
}

void dts_draw_word(struct dts_draw *draw, const char *words, size_t most)
{
    add_string(draw, words, most, false);
}

/* Of a character over the height of its font; of DejaVu Sans, which is wide. */
static double width_of(unsigned char c)
{
    if (c >= 0xe0)
        return 1; // ideographs and the like
    if (c >= 0x80)
        return c >= 0xc0 ? 0.65 : 0; // the first byte stands for all
    if (strchr("mwMW%@", c) != NULL)
        return 0.95;
    if (strchr("ijlI .,:;'|-()[]frt/", c) != NULL)
        return 0.37;
    return c >= 'A' && c <= 'Z' ? 0.71 : 0.62;
}

double dts_draw_width(const char *words)
{
    double width = 0;
    for (; *words != '\0'; words++)
        width += width_of((unsigned char)*words);
    return width;
}

void dts_draw_fit(struct dts_draw *draw, const char *words, double room)
{
    enum { MOST = 200, LEAST = 8 };
    double width = room + 1;
    for (size_t most = MOST; width > room && most >= LEAST; most--) {
        struct dts_text text = {0};
        dts_text_add_line(&text, words);
        shorten(&text, most);
        width = dts_draw_width(dts_text_string(&text));
        if (width <= room || most == LEAST)
            add_string(draw, dts_text_string(&text), MOST, false);
        dts_text_free(&text);
    }
}

void dts_draw_tic(struct dts_draw *draw, const char *words, size_t most)
{
    add_string(draw, words, most, true);
}

void dts_draw_number(struct dts_draw *draw, double value)
{
    if (isfinite(value))
        dts_text_add(&draw->script, " %.12g", value);
    else
        dts_text_add(&draw->script, " NaN");
}

static size_t keep_mark(struct dts_draw *draw, const char *format, va_list args)
{
    struct dts_text words = {0};
    add(&words, format, args);
    draw->marks =
        dts_grow(draw->marks, &draw->mark_room, draw->mark_count + 1, sizeof(*draw->marks));
    draw->marks[draw->mark_count] = words.chars != NULL ? dts_text_take(&words) : dts_copy("");
    return draw->mark_count++;
}

void dts_draw_mark(struct dts_draw *draw, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    dts_text_add(&draw->script, " h%zu\n", keep_mark(draw, format, args));
    va_end(args);
}

void dts_draw_area(struct dts_draw *draw, const double from[2], const double to[2],
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t number = keep_mark(draw, format, args);
    va_end(args);
    dts_text_add(&draw->script, "%.12g %.12g b%zu\n%.12g %.12g e%zu\n", from[0], from[1],
                 number, to[0], to[1], number);
}

void dts_draw_areas(struct dts_draw *draw, const char *name)
{
    dts_draw(draw,
             "$%s using 1:2:3 with labels hypertext point pointtype 7 pointsize 0.1 linecolor "
             "rgb \"#ff000000\" notitle",
             name);
}

const char *dts_draw_colour(int i)
{
    static const char *const colours[DTS_DRAW_COLOURS] = {
        "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666", "#b8a800",
    };
    return colours[(i % DTS_DRAW_COLOURS + DTS_DRAW_COLOURS) % DTS_DRAW_COLOURS];
}

/* The first point that has an answer; NULL: none has. */
static const struct dts_result *first(const struct dts_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (!dts_result_refused(&report->points[i]))
            return &report->points[i];
    return NULL;
}

void dts_draw_head(struct dts_draw *draw, const struct dts_report *report, const char *what)
{
    enum { TITLE = 96, UNDER = 120 }; // characters that a line of the usual width has room for
    const struct dts_result *point = first(report);
    struct dts_text under = {0};
    dts_draw(draw, "set label 1 at character 1.5, screen 1 offset 0, character -1.5 left ");
    dts_draw(draw, "font \",15\" ");
    dts_draw_word(draw, what, TITLE);
    dts_text_add(&under, "%s", report->scenario);
    if (point != NULL && point->model[0] != '\0' && !report->listed)
        dts_text_add(&under, ": %s on %s, %s", point->model, point->platform, point->stack);
    dts_draw(draw, "\nset label 2 at character 1.5, screen 1 offset 0, character -3 left ");
    dts_draw(draw, "textcolor rgb \"#555555\" ");
    dts_draw_word(draw, dts_text_string(&under), UNDER);
    dts_draw(draw, "\n");
    dts_text_free(&under);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void dts_draw_log_tics(struct dts_draw *draw, const char *axis, double *values, int count,
                       int room)
{
    double last = 0;
    qsort(values, (size_t)count, sizeof(*values), by_value);
    const double least =
        count > 1 ? pow(values[count - 1] / values[0], 1.0 / room) : 1; // ratio of neighbours
    dts_draw(draw, "set %stics (", axis);
    for (int i = 0; i < count; i++) {
        const bool same = values[i] == last || (last > 0 && values[i] < last * least);
        const bool end = values[i] == values[count - 1]; // the last has its name
        if (same || (!end && values[i] * least > values[count - 1]))
            continue;
        dts_draw(draw, "%s\"%.12g\" %.12g", last > 0 ? ", " : "", values[i], values[i]);
        last = values[i];
    }
    dts_draw(draw, ")\n");
}

/* "500", "1.5k", "2M": exactly what the tic is. */
static void add_tic_name(struct dts_draw *draw, double value)
{
    static const struct {
        double one;
        const char *sign;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    size_t u = 0;
    while (u < sizeof(units) / sizeof(units[0]) && value < units[u].one)
        u++;
    if (u < sizeof(units) / sizeof(units[0]))
        dts_draw(draw, "\"%.6g%s\"", value / units[u].one, units[u].sign);
    else
        dts_draw(draw, "\"%.6g\"", value);
}

/* Round numbers of each power of ten. Returns how many are between. */
static int log_tics(double low, double high, const double *round, int count, double tics[32])
{
    int found = 0;
    for (double ten = pow(10, floor(log10(low))); ten <= high; ten *= 10)
        for (int i = 0; i < count && found < 32; i++)
            if (round[i] * ten >= low && round[i] * ten <= high)
                tics[found++] = round[i] * ten;
    return found;
}

/* Where the axis is too short for those: evenly apart. */
static int even_tics(double low, double high, double tics[32])
{
    static const double steps[] = {1, 2, 5, 10};
    const double ten = pow(10, floor(log10((high - low) / 4)));
    size_t s = 0;
    int found = 0;
    while (s < 3 && steps[s] * ten * 5 < high - low)
        s++;
    for (double k = ceil(low / (steps[s] * ten)); k * steps[s] * ten <= high && found < 32; k++)
        tics[found++] = k * steps[s] * ten;
    return found;
}

void dts_draw_log_axis(struct dts_draw *draw, const char *axis, double low, double high,
                       bool names)
{
    static const double fine[] = {1, 1.5, 2, 3, 4, 5, 7}, coarse[] = {1, 2, 5}, most[] = {1};
    const double room = 1.18;
    double tics[32];
    if (!(high > 0) || !isfinite(high))
        low = high = 1; // nothing has a logarithm
    if (!(low > 0) || !isfinite(low))
        low = high / 10;
    const double decades = log10(high / low);
    low /= room;
    high *= room;
    int count = decades < 0.4   ? even_tics(low, high, tics)
                : decades < 0.8 ? log_tics(low, high, fine, 7, tics)
                : decades < 2.5 ? log_tics(low, high, coarse, 3, tics)
                                : log_tics(low, high, most, 1, tics);
    dts_draw(draw, "set logscale %s\nset %srange [%.12g:%.12g]\nset %stics (", axis, axis, low,
             high, axis);
    for (int i = 0; i < count; i++) {
        dts_draw(draw, "%s", i > 0 ? ", " : "");
        if (names)
            add_tic_name(draw, tics[i]);
        else
            dts_draw(draw, "\"\"");
        dts_draw(draw, " %.12g", tics[i]);
    }
    dts_draw(draw, ")\n");
}

void dts_draw_plot(struct dts_draw *draw, bool *begun)
{
    dts_draw(draw, "%s", *begun ? ", \\\n     " : "plot ");
    *begun = true;
}
