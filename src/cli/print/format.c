/* format.c -- the table of output formats. */
#include <string.h>

#include "cli/print/format.h"

const struct dts_format *const dts_formats[] = {
    &dts_format_text,
    &dts_format_json,
    &dts_format_ndjson,
    &dts_format_csv,
    &dts_format_svg,
    &dts_format_png,
    &dts_format_pdf,
    &dts_format_gp,
    &dts_format_html,
    // ends the table
    NULL,
};

const struct dts_format *dts_format_find(const char *name)
{
    for (int i = 0; dts_formats[i] != NULL; i++)
        if (strcmp(dts_formats[i]->name, name) == 0)
            return dts_formats[i];
    return NULL;
}

const struct dts_format *dts_format_of_file(const char *path)
{
    for (int i = 0; dts_formats[i] != NULL; i++) {
        const size_t suffix = strlen(dts_formats[i]->suffix), length = strlen(path);
        if (length > suffix && strcmp(path + length - suffix, dts_formats[i]->suffix) == 0)
            return dts_formats[i];
    }
    return NULL;
}

const char *dts_format_name(int i)
{
    return dts_formats[i] != NULL ? dts_formats[i]->name : NULL;
}

bool dts_format_write(const struct dts_format *format, const struct dts_report *reports,
                      int count, const struct dts_drawing *drawing, FILE *out,
                      struct dts_error *err)
{
    if (format->draw != NULL)
        return format->draw(reports, count, drawing, out, err);
    format->print(reports, count, out);
    return true;
}
