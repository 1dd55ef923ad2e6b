/* new.c -- `dtsim new`: commented files for a person's own cluster and question. */
#include "cli/new.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/names.h"

static const struct dts_new_kind *const kinds[] = {
    &dts_new_platform,
    &dts_new_scenario,
    NULL,
};

static const char *kind_name(int i)
{
    return kinds[i] != NULL ? kinds[i]->name : NULL;
}

/* Those of all kinds, one kind after the other. */
static const char *option(int i)
{
    for (int k = 0; kinds[k] != NULL; k++) {
        int count = 0;
        while (kinds[k]->option(count) != NULL)
            count++;
        if (i < count)
            return kinds[k]->option(i);
        i -= count;
    }
    return NULL;
}

static bool has_option(const struct dts_new_kind *kind, const char *name)
{
    const char *own;
    for (int i = 0; (own = kind->option(i)) != NULL; i++)
        if (strcmp(own, name) == 0)
            return true;
    return false;
}

static bool check_name(const struct dts_options *options, const char *kind, const char *name,
                       struct dts_error *err)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return dts_fail(err, DTS_BAD_INPUT,
                            "new %s: the name must be letters, digits, _ and -", kind);
    if (strcmp(options->output, "-") != 0 && access(options->output, F_OK) == 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: is there already", options->output);
    return true;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    const int count = dts_command_words(&dts_new_command, options, &words);
    if (count != 2)
        return dts_fail(
            err, DTS_BAD_INPUT,
            "new: must be `dtsim new platform NAME` or `dtsim new scenario NAME`, with "
            "one name");
    int k = 0;
    while (kinds[k] != NULL && strcmp(kinds[k]->name, words[0]) != 0)
        k++;
    if (kinds[k] == NULL)
        return dts_known("kind of new file", words[0], kind_name, err);
    for (int i = 0; i < options->answer_count; i++)
        if (!has_option(kinds[k], options->answers[i].path))
            return dts_fail(err, DTS_BAD_INPUT,
                            "new %s: has no option --%s (see `dtsim help new`)", words[0],
                            options->answers[i].path);
    return check_name(options, words[0], words[1], err) &&
           kinds[k]->run(options, words[1], err);
}

const struct dts_command dts_new_command = {
    .name = "new",
    .arguments = "platform|scenario NAME",
    .summary = "write a commented file for your own cluster, or your own question",
    .help = "Options of a platform; on a terminal, what is missing is asked:\n"
            "  --like PLATFORM               begin with its values (`dtsim list platforms`)\n"
            "  --nodes N                     nodes of the machine\n"
            "  --device NAME                 what they compute with (`dtsim list devices`)\n"
            "  --devices-per-node N          default: 1\n"
            "  --fabric KIND                 between devices of a node; default: the device's\n"
            "  --nics N                      network interfaces in a node; default: 1\n"
            "  --nic-gbit R                  rate of one, in Gbit/s\n"
            "  --nic-latency-us T            of one and its cable; default: 0.5, assumed\n"
            "  --topology KIND               between nodes; default: star\n"
            "  --transport NAME              between nodes; default: tcp\n"
            "  --transport-within NAME       in a node; default: the fabric's\n"
            "  --host-memory-gb N            default: 256, assumed\n"
            "  --host-memory-gbyte-per-s R   default: 100, assumed\n"
            "  --set PATH=VALUE              any other key: --set network.latency_us=1\n"
            "  -o, --output FILE             where to write; default: standard output\n"
            "\n"
            "NVLinks, PCIe and the fabric of a node follow from the device (\"links\" of its\n"
            "file). The inside of PLATFORM's nodes is taken over where device and devices of\n"
            "a node are the same; sizes of its network, where it has ports for all nodes.\n"
            "\n"
            "Options of a scenario:\n"
            "  --model NAME                  the network (`dtsim list models`), or a file\n"
            "  --platform NAME               the machine (`dtsim list platforms`), or a file\n"
            "  --stack NAME                  the software; default: pytorch_ddp\n"
            "  --devices N,N,...             default: a node up to the machine, at most 10\n"
            "  --batch N                     samples of a device; default: 32\n"
            "  --precision NAME              default: fp32, where the device has it\n"
            "\n"
            "Examples:\n"
            "  dtsim new scenario ours --model bert_base --platform dgx_a100 -o ours.json\n"
            "  dtsim new platform my_cluster --nodes 16 --device v100 --devices-per-node 8 \\\n"
            "      --nic-gbit 100 --transport verbs -o my_cluster.json\n"
            "  dtsim new platform ours --like dgx_a100 --nodes 32 -o ours.json\n",
    .option = option,
    .word = kind_name,
    .run = run,
};
