/* table_html.c -- cells as a table of HTML. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/xml.h"

/* Its lines as one, and the unit. */
static void print_title(FILE *out, const struct dts_column *column)
{
    const char *unit = column->text_unit != NULL ? column->text_unit : column->unit;
    for (const char *line = column->title; *line != '\0'; line += strcspn(line, "\n")) {
        char words[64];
        line += *line == '\n';
        const int length = (int)strcspn(line, "\n");
        const int hyphen = length > 0 && line[length] == '\n' && line[length - 1] == '-' &&
                           line[length + 1] >= 'a' && line[length + 1] <= 'z';
        snprintf(words, sizeof(words), "%.*s", length - hyphen, line); // "effi-", "ciency"
        dts_xml_words(out, words);
        fputs(length == 0 || hyphen ? "" : " ", out);
    }
    if (unit != NULL && *unit != '\0') {
        fputs("<small>[", out);
        dts_xml_words(out, unit);
        fputs("]</small>", out);
    }
}

static void print_cell(FILE *out, const struct dts_column *column, const struct dts_cell *cell)
{
    char *words = dts_table_cell(column, cell);
    if (column->unit == NULL)
        fputs("<td>", out);
    else if (isfinite(cell->number))
        fprintf(out, "<td class=\"n\" data-v=\"%.12g\">", cell->number);
    else
        fputs("<td class=\"n\">", out);
    dts_xml_words(out, words);
    fputs("</td>", out);
    free(words);
}

void dts_table_print_html(FILE *out, const struct dts_column *columns, int column_count,
                          const struct dts_cell *cells, int rows)
{
    fputs("<div class=\"wide\"><table>\n<thead><tr>", out);
    for (int c = 0; c < column_count; c++) {
        fprintf(out, "<th scope=\"col\"%s><button>",
                columns[c].unit != NULL ? " class=\"n\"" : "");
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
