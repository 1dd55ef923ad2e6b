/* platform_import.c -- the one place where readers of other programs' networks are listed. */
#include "sim/platform.h"

#include <stddef.h>

extern const struct dts_net_import dts_net_import_simgrid;

const struct dts_net_import *const dts_net_imports[] = {
    &dts_net_import_simgrid,
    NULL,
};
