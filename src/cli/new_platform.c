/* new_platform.c -- `dtsim new platform`: a commented platform file for a person's own cluster,
 * from a few options or answers. What the file needs beyond them follows from the tables of the
 * fabric and the topology that were chosen. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/file.h"
#include "cli/commands.h"
#include "cli/draft.h"
#include "sim/net/fabric/fabric.h"
#include "sim/net/platform/platform.h"
#include "sim/net/topology/topology.h"

enum question {
    NODES,
    DEVICE,
    DEVICES_PER_NODE,
    HOST_MEMORY,
    HOST_MEMORY_RATE,
    FABRIC,
    NICS,
    NIC_RATE,
    NIC_LATENCY,
    TOPOLOGY,
    TRANSPORT_WITHIN,
    TRANSPORT,
    QUESTIONS
};

static const struct dts_wanted questions[QUESTIONS] = {
    [NODES] = {.key = "nodes", .option = "nodes", .help = "nodes of the machine", .scale = 1},
    [DEVICE] = {.key = "device",
                .option = "device",
                .help = "what nodes compute with (`dtsim list devices`)",
                .folder = "devices",
                .word = true},
    [DEVICES_PER_NODE] = {.key = "devices",
                          .option = "devices-per-node",
                          .help = "devices in a node",
                          .usual = "1",
                          .scale = 1},
    [HOST_MEMORY] = {.key = "host_memory_bytes",
                     .option = "host-memory-gb",
                     .help = "memory of the host of a node",
                     .usual = "256",
                     .scale = 1e9},
    [HOST_MEMORY_RATE] = {.key = "host_memory_bytes_per_s",
                          .option = "host-memory-gbyte-per-s",
                          .help = "bandwidth of it",
                          .usual = "100",
                          .scale = 1e9},
    [FABRIC] = {.key = "kind",
                .option = "fabric",
                .help = "what connects the devices of a node (`dtsim list fabrics`)",
                .choice = dts_fabric_name,
                .word = true},
    [NICS] = {.key = "count",
              .option = "nics",
              .help = "network interfaces in a node",
              .usual = "1",
              .scale = 1},
    [NIC_RATE] = {.key = "bytes_per_s",
                  .option = "nic-gbit",
                  .help = "of one interface, each way",
                  .scale = 1e9 / 8},
    [NIC_LATENCY] = {.key = "latency_us",
                     .option = "nic-latency-us",
                     .help = "of one interface and its cable, in us",
                     .usual = "0.5",
                     .scale = 1},
    [TOPOLOGY] = {.key = "kind",
                  .option = "topology",
                  .help = "what connects the nodes (`dtsim list topologies`)",
                  .usual = "star",
                  .choice = dts_topology_name,
                  .word = true},
    [TRANSPORT_WITHIN] = {.key = "within",
                          .option = "transport-within",
                          .help = "how messages move in a node (`dtsim list transports`)",
                          .choice = dts_transport_name,
                          .word = true},
    [TRANSPORT] = {.key = "between",
                   .option = "transport",
                   .help = "how messages move between nodes (`dtsim list transports`)",
                   .usual = "tcp",
                   .choice = dts_transport_name,
                   .word = true},
};

static const char *option(int i)
{
    return i < QUESTIONS ? questions[i].option : NULL;
}

static bool want(struct dts_draft *draft, enum question question, const char *usually,
                 char *value, struct dts_error *err)
{
    struct dts_wanted wanted = questions[question];
    if (usually != NULL)
        wanted.usual = usually;
    return dts_draft_want(draft, &wanted, value, err);
}

static bool write_node(struct dts_draft *draft, const struct dts_shape *shape, bool *single,
                       struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    dts_draft_begin(draft, "node");
    if (!want(draft, DEVICE, NULL, value, err) ||
        !want(draft, DEVICES_PER_NODE, NULL, value, err))
        return false;
    *single = strcmp(value, "1") == 0;
    if (!want(draft, HOST_MEMORY, NULL, value, err) ||
        !want(draft, HOST_MEMORY_RATE, NULL, value, err))
        return false;
    dts_draft_begin(draft, "fabric");
    if (!want(draft, FABRIC, *single ? "none" : "pcie", value, err) ||
        !dts_draft_fields(draft, dts_fabric_find(value)->fields, shape, err))
        return false;
    dts_draft_end(draft);
    dts_draft_end(draft);
    return true;
}

static bool write_network(struct dts_draft *draft, struct dts_shape *shape, bool single,
                          struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE];
    dts_draft_begin(draft, "nics");
    if (!want(draft, NICS, NULL, value, err))
        return false;
    shape->ports *= atoi(value);
    if (!want(draft, NIC_RATE, NULL, value, err))
        return false;
    shape->nic_bytes_per_s = atof(value);
    if (!want(draft, NIC_LATENCY, NULL, value, err))
        return false;
    dts_draft_end(draft);
    dts_draft_begin(draft, "network");
    if (!want(draft, TOPOLOGY, NULL, value, err) ||
        !dts_draft_fields(draft, dts_topology_find(value)->fields, shape, err))
        return false;
    dts_draft_end(draft);
    dts_draft_begin(draft, "transports");
    if (!want(draft, TRANSPORT_WITHIN, single ? "shared_memory" : "pcie", value, err) ||
        !want(draft, TRANSPORT, NULL, value, err))
        return false;
    dts_draft_end(draft);
    return true;
}

static bool write_file(struct dts_draft *draft, const char *name, struct dts_error *err)
{
    char value[DTS_DRAFT_VALUE], summary[DTS_DRAFT_VALUE];
    bool single;
    dts_draft_begin(draft, NULL);
    dts_draft_word(
        draft, "//",
        "Written by `dtsim new platform`. Values in \"source\" that say ASSUMED were "
        "not given: put your own, with where they are from. docs/platforms.md has "
        "every key.");
    dts_draft_word(draft, "name", name);
    snprintf(summary, sizeof(summary), "%s, as described to `dtsim new platform`", name);
    dts_draft_word(draft, "summary", summary);
    if (!want(draft, NODES, NULL, value, err))
        return false;
    struct dts_shape shape = {.ports = atoi(value)};
    if (!write_node(draft, &shape, &single, err) || !write_network(draft, &shape, single, err))
        return false;
    dts_draft_end(draft);
    return dts_draft_all_used(draft, err);
}

/* Read the text as a platform, so that what is written can be used. */
static bool try_out(const struct dts_text *text, struct dts_error *err)
{
    struct dts_doc *doc;
    struct dts_platform platform;
    if (!dts_doc_parse(&doc, "new platform", dts_text_string(text), err) ||
        !dts_platform_read(&platform, doc, NULL, NULL, err))
        return false;
    dts_platform_free(&platform);
    return true;
}

static bool check_words(const struct dts_options *options, const char *const *words, int count,
                        struct dts_error *err)
{
    if (count != 2 || strcmp(words[0], "platform") != 0)
        return dts_fail(err, DTS_BAD_INPUT,
                        "new: must be `dtsim new platform NAME`, with one name");
    for (const char *c = words[1]; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            return dts_fail(err, DTS_BAD_INPUT,
                            "new platform: the name must be letters, digits, _ and -");
    if (strcmp(options->output, "-") != 0 && access(options->output, F_OK) == 0)
        return dts_fail(err, DTS_BAD_INPUT, "%s: is there already", options->output);
    return true;
}

static bool run(const struct dts_options *options, struct dts_error *err)
{
    const char *const *words;
    int count = dts_command_words(&dts_new_command, options, &words);
    if (!check_words(options, words, count, err))
        return false;
    struct dts_draft draft;
    struct dts_output out;
    dts_draft_open(&draft, options);
    bool good = write_file(&draft, words[1], err) && try_out(&draft.text, err) &&
                dts_output_open(&out, options->output, err);
    if (good) {
        fputs(dts_text_string(&draft.text), out.stream);
        good = dts_output_close(&out, err);
    }
    struct dts_text shown = {0};
    dts_text_add_line(&shown, options->output);
    if (good && strcmp(options->output, "-") != 0)
        fprintf(stderr, "dtsim: wrote %s; use it with --set platform=%s\n",
                dts_text_string(&shown), dts_text_string(&shown));
    dts_text_free(&shown);
    dts_draft_free(&draft);
    return good;
}

const struct dts_command dts_new_command = {
    .name = "new",
    .arguments = "platform NAME",
    .summary = "write a commented platform file for your own cluster",
    .help = "Options; on a terminal, what is missing is asked:\n"
            "  --nodes N                     nodes of the machine\n"
            "  --device NAME                 what they compute with (`dtsim list devices`)\n"
            "  --devices-per-node N          default: 1\n"
            "  --fabric KIND                 between devices of a node; default: none or pcie\n"
            "  --nics N                      network interfaces in a node; default: 1\n"
            "  --nic-gbit R                  rate of one, in Gbit/s\n"
            "  --nic-latency-us T            of one and its cable; default: 0.5, assumed\n"
            "  --topology KIND               between nodes; default: star\n"
            "  --transport NAME              between nodes; default: tcp\n"
            "  --transport-within NAME       in a node; default: shared_memory or pcie\n"
            "  --host-memory-gb N            default: 256, assumed\n"
            "  --host-memory-gbyte-per-s R   default: 100, assumed\n"
            "  --set PATH=VALUE              any other key: --set network.latency_us=1\n"
            "  -o, --output FILE             where to write; default: standard output\n"
            "\n"
            "Example:\n"
            "  dtsim new platform my_cluster --nodes 16 --device v100 --devices-per-node 8 \\\n"
            "      --nic-gbit 100 --transport verbs -o my_cluster.json\n",
    .option = option,
    .run = run,
};
