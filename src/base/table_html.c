/* table_html.c -- cells as a table of HTML. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/xml.h"

/* Is the line the first half of a word that text has no room for? Other hyphens stay:
 * "device-", "hours". */
static bool is_half(const char *line, size_t length)
{
    static const char *const halves[] = {"effi-", "strag-", "evalu-"};
    for (size_t i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
        if (strlen(halves[i]) == length && strncmp(line, halves[i], length) == 0)
            return true;
    return false;
}

/* Its lines as one, and the unit. */
static void print_title(FILE *out, const struct dts_column *column)
{
    const char *unit = column->text_unit != NULL ? column->text_unit : column->unit;
    for (const char *line = column->title; *line != '\0'; line += strcspn(line, "\n")) {
        char words[64];
        line += *line == '\n';
        const size_t length = strcspn(line, "\n");
        const bool half = is_half(line, length);
        const bool whole = half || length == 0 || line[length - 1] == '-';
        snprintf(words, sizeof(words), "%.*s", (int)(length - half), line);
        dts_xml_isolated(out, words);
        fputs(whole ? "" : " ", out);
    }
    if (unit != NULL && *unit != '\0') {
        fputs("<small>[", out);
        dts_xml_isolated(out, unit);
        fputs("]</small>", out);
    }
}

static bool is_number(const struct dts_column *column)
{
    return column->unit != NULL || column->valued;
}

static void print_cell(FILE *out, const struct dts_column *column, const struct dts_cell *cell)
{
    char *words = dts_table_cell(column, cell);
    if (!is_number(column))
        fputs("<td>", out);
    else if (isfinite(cell->number))
        fprintf(out, "<td class=\"n\" data-v=\"%.12g\">", cell->number);
    else
        fputs("<td class=\"n\">", out);
    dts_xml_isolated(out, words);
    fputs("</td>", out);
    free(words);
}

void dts_table_print_html(FILE *out, const struct dts_column *columns, int column_count,
                          const struct dts_cell *cells, int rows)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    for (int c = 0; c < column_count; c++) {
        fprintf(out, "<th scope=\"col\"%s><button>",
                is_number(&columns[c]) ? " class=\"n\"" : "");
        print_title(out, &columns[c]);
        fputs("</button></th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (int r = 0; r < rows; r++) {
        fputs("<tr>", out);
        for (int c = 0; c < column_count; c++)
            print_cell(out, &columns[c], &cells[(size_t)r * (size_t)column_count + (size_t)c]);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
