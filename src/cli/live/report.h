/* report.h -- what rank 0 prints in the end: prediction and measurement of all points. */
#ifndef DTS_CLI_LIVE_REPORT_H
#define DTS_CLI_LIVE_REPORT_H

#include "cli/options.h"
#include "train/live/set.h"

/* Where the measured timeline goes: "here.json" becomes "here.measured.json". NULL: no trace.
 * The caller frees it. */
char *dts_live_measured_path(const char *trace);

/* Writes the table, or another format, to --output, and the measured timeline. `ended` is why
 * the run ended before its time: a point that was not measured by then has it as its error.
 * `word` names the scenario. */
bool dts_live_report(const struct dts_options *options, const char *word,
                     struct dts_live_set *set, const struct dts_error *ended,
                     struct dts_error *err);

/* Can the answer be drawn? What one point of a simulation alone has, a live run has not. Asked
 * before it runs. */
bool dts_live_report_check(const struct dts_options *options, struct dts_error *err);

#endif
