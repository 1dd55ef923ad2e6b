/* calibrate.c -- `dtsim calibrate`: becomes dtsim-live, where the ranks are. */
#include "cli/become_live.h"
#include "cli/commands.h"

static bool run(const struct dts_options *options, struct dts_error *err)
{
    return dts_become_live(options->line, err);
}

const struct dts_command dts_calibrate_command = {
    .name = "calibrate",
    .arguments = "-o FILE",
    .summary = "under mpirun: measure this cluster's messages, write a platform file",
    .help = "  mpirun -n 4 ./dtsim calibrate -o cluster.json\n"
            "  ./dtsim imagenet_1h --set platform=cluster.json --set devices=4\n\n"
            "Start one rank for each device (or node), as a run would. It measures latency\n"
            "and rate by size, both ways, into one rank from all others, sums and copies. It\n"
            "repeats until messages are measured within 10 %, for some ten seconds, or says\n"
            "after a minute that they are not. Ranks of one node must be neighbours; nothing\n"
            "else should run. Devices of the file are CPUs, its nodes those that ran.\n"
            "A file that is there and that calibrate did not write stays as it is.\n",
    .run = run,
};
