/* exact.c -- stands for exact*.c and net_simgrid.c where the build has no SimGrid. */
#include "sim/engine.h"
#include "sim/net/simgrid_file/net_simgrid.h"

static bool refuse(const struct dts_simulation *simulation, struct dts_timing *timing,
                   struct dts_error *err)
{
    (void)simulation;
    (void)timing;
    return dts_fail(err, DTS_UNSUPPORTED, "engine exact: this build has no SimGrid");
}

bool dts_net_from_simgrid(struct dts_net *net, const char *path,
                          const struct dts_net_hosts *hosts, struct dts_error *note,
                          struct dts_error *err)
{
    (void)net, (void)hosts, (void)note;
    return dts_fail(err, DTS_UNSUPPORTED, "%s: this build has no SimGrid", path);
}

const struct dts_engine dts_engine_exact = {
    .name = "exact",
    .summary = "SimGrid runs every message of every rank (not in this build)",
    .run = refuse,
};

const struct dts_engine dts_engine_exact_spread = {
    .name = "exact_spread",
    .summary = "as exact, with each message on all paths of its pair (not in this build)",
    .run = refuse,
};
