/* calibrate_tell.c -- a calibration in words. */
#include "train/live/calibrate_tell.h"

#include <stdlib.h>

#include "answer/notes/waiting.h"
#include "base/mem.h"
#include "base/os/clock.h"
#include "base/os/processor.h"
#include "base/text.h"
#include "train/live/link_fit.h"

/* Of a machine that does nothing else the load average is below this share of its cores, also
 * some time after another calibration. ASSUMED */
static const double BUSY = 0.3;

void dts_calibrate_tell_load(const struct dts_wire *wire)
{
    const int ranks = dts_wire_size(wire);
    const double mine[2] = {dts_processor_load(), dts_processor_count()};
    double *all = dts_alloc(2 * (size_t)ranks, sizeof(*all));
    int worst = 0;
    dts_wire_gather(wire, mine, 2, all);
    for (int r = 1; r < ranks; r++)
        if (all[2 * r] * all[2 * worst + 1] > all[2 * worst] * all[2 * r + 1])
            worst = r;
    const double load = all[2 * worst], cores = all[2 * worst + 1];
    if (dts_wire_rank(wire) == 0 && load > BUSY * cores)
        fprintf(stderr,
                "dtsim: note: the load average is %.1f on %.0f core%s: other programs run, and "
                "what is measured is theirs, too\n",
                load, cores, dts_plural((long)cores));
    free(all);
}

void dts_calibrate_tell_part(void *self, const char *what, int sweep)
{
    struct dts_calibrate_progress *progress = self;
    const double now_s = dts_now_s();
    if (now_s - progress->told_s < DTS_SILENT_S)
        return;
    progress->told_s = now_s;
    fprintf(stderr, "dtsim: %.0f s, measuring %s", now_s - progress->begin_s, what);
    if (sweep > 0)
        fprintf(stderr, ", sweep %d", sweep);
    fputs(" ...\n", stderr);
}

static double rate_of(const double *seconds, bool bursts)
{
    struct dts_link_fit fit;
    dts_link_fit(dts_calibrate_bytes, seconds, DTS_CALIBRATE_SIZES, bursts, &fit);
    return fit.bytes_per_s;
}

double dts_calibrate_within_rate(const struct dts_calibration *c)
{
    return c->within.measured ? rate_of(c->within.all_s, false) : 0;
}

double dts_calibrate_port_rate(const struct dts_calibration *c)
{
    return c->between.measured ? rate_of(c->between.two_way_s, true) * c->per_node : 0;
}

static void tell_link(const char *name, const struct dts_link_seconds *link, double bytes_per_s,
                      const char *whose, FILE *out)
{
    if (!link->measured)
        return;
    fprintf(out, "  %-14s latency %.3g us, %.3g GB/s %s, within +-%.0f %% (%d sweeps)\n", name,
            1e6 * link->all_s[0], 1e-9 * bytes_per_s, whose, 100 * link->spread, link->sweeps);
}

static void tell_unsure(const char *name, const struct dts_link_seconds *link, FILE *out)
{
    if (link->measured && link->spread >= DTS_CALIBRATE_SPREAD)
        fprintf(
            out,
            "dtsim: note: messages %s scatter by +-%.0f %% after %d sweeps, not below %.0f: "
            "so are predictions with this platform\n",
            name, 100 * link->spread, link->sweeps, 100 * DTS_CALIBRATE_SPREAD);
}

void dts_calibrate_tell_result(const struct dts_calibration *c, double seconds, FILE *out)
{
    fprintf(out, "dtsim: calibrated %d node%s x %d rank%s in %.0f s\n", c->nodes,
            dts_plural(c->nodes), c->per_node, dts_plural(c->per_node), seconds);
    tell_link("on one node", &c->within, dts_calibrate_within_rate(c), "a rank while all send",
              out);
    tell_link("between nodes", &c->between, dts_calibrate_port_rate(c), "a node each way", out);
    const struct dts_link_seconds *link = c->between.measured ? &c->between : &c->within;
    fprintf(out, "  %-14s %.3g GB/s of gradients that arrive, %.3g GB/s on a server\n", "sums",
            1e-9 / link->sum_s_per_byte, 1e-9 * c->sum_bytes_per_s);
    fprintf(
        out,
        "  %-14s x %.2f where %d rank%s of a node compute%s, %.0f %% more beside messages\n",
        "kernels", c->together[c->together_count - 1], c->together_count,
        dts_plural(c->together_count), c->together_count == 1 ? "s" : "",
        100 * c->communicating);
    tell_unsure("on one node", &c->within, out);
    tell_unsure("between nodes", &c->between, out);
}
