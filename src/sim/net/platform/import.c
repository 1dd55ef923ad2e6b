/* import.c -- the one place where readers of other programs' networks are listed. */
#include <stddef.h>

#include "sim/net/platform/platform.h"
#include "sim/net/simgrid_file/net_simgrid.h"

static const struct dts_net_import simgrid_xml = {
    .kind = "simgrid_xml",
    .summary = "a platform of SimGrid, with its hosts and routes",
    .load = dts_net_from_simgrid,
};

const struct dts_net_import *const dts_net_imports[] = {
    &simgrid_xml,
    NULL,
};
