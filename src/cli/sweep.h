/* sweep.h -- --set and --sweep of the command line: paths, values, combinations. */
#ifndef DTS_CLI_SWEEP_H
#define DTS_CLI_SWEEP_H

#include "cli/options.h"

enum { DTS_SWEEP_MOST = 10000 }; // combinations of one command

/* Remember PATH=VALUE; the path is the first `length` characters of `path`. */
void dts_options_add_set(struct dts_options *options, const char *path, size_t length,
                         const char *value);

/* Remember PATH=V1,V2,...: commas inside quotes, brackets and braces do not separate. */
bool dts_options_add_sweep(struct dts_options *options, const char *text,
                           struct dts_error *err);

#endif
