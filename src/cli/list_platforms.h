/* list_platforms.h -- `dtsim list platforms NAME...` */
#ifndef DTS_CLI_LIST_PLATFORMS_H
#define DTS_CLI_LIST_PLATFORMS_H

#include "cli/options.h"

/* Print what these platforms, names of the library or files, are. */
bool dts_list_platforms(const struct dts_options *options, const char *const *names, int count,
                        struct dts_error *err);

#endif
