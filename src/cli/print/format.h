/* format.h -- the output formats, for their table. */
#ifndef DTS_CLI_PRINT_FORMAT_H
#define DTS_CLI_PRINT_FORMAT_H

#include "answer/result.h"

extern const struct dts_format dts_format_text;
extern const struct dts_format dts_format_json;
extern const struct dts_format dts_format_ndjson;
extern const struct dts_format dts_format_csv;
extern const struct dts_format dts_format_svg; // these are of cli/picture
extern const struct dts_format dts_format_png;
extern const struct dts_format dts_format_pdf;
extern const struct dts_format dts_format_gp;
extern const struct dts_format dts_format_html; // of cli/page

#endif
