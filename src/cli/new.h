/* new.h -- the kinds of file that `dtsim new` writes. One file and one row of new.c each. */
#ifndef DTS_CLI_NEW_H
#define DTS_CLI_NEW_H

#include "cli/options.h"

struct dts_new_kind {
    const char *name; // as typed: "platform"

    /* The names of its options, "nodes" of "--nodes"; NULL at the end. */
    const char *(*option)(int i);

    /* Write options->output, which is not there yet. `name` has letters, digits, _ and - alone.
     */
    bool (*run)(const struct dts_options *options, const char *name, struct dts_error *err);
};

extern const struct dts_new_kind dts_new_platform;
extern const struct dts_new_kind dts_new_scenario;

#endif
