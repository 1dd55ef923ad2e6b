/* format.c -- the table of output formats. */
#include <string.h>
#include <strings.h>

#include "base/text.h"
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
        if (length > suffix && strcasecmp(path + length - suffix, dts_formats[i]->suffix) == 0)
            return dts_formats[i];
    }
    return NULL;
}

bool dts_format_may_be_text(const char *path, struct dts_error *err)
{
    static const char *const others[] = {".jpg",  ".jpeg", ".gif",   ".bmp",  ".tif", ".tiff",
                                         ".webp", ".svgz", ".eps",   ".ps",   ".htm", ".xhtml",
                                         ".xls",  ".xlsx", ".ods",   ".tsv",  ".doc", ".docx",
                                         ".ppt",  ".pptx", ".jsonl", ".jsonc"};
    const char *suffix = strrchr(path, '.');
    for (size_t i = 0; suffix != NULL && i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcasecmp(suffix, others[i]) != 0)
            continue;
        struct dts_text known = {0};
        for (int f = 0; dts_formats[f] != NULL; f++)
            dts_text_add(&known, "%s%s", f > 0 ? ", " : "", dts_formats[f]->suffix);
        dts_fail(err, DTS_BAD_INPUT,
                 "--output %s: must end in one of %s, or be given a --format", path,
                 dts_text_string(&known));
        dts_text_free(&known);
        return false;
    }
    return true;
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
